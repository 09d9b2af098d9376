#include <array>
#include <stdexcept>

#include "checks.h"
#include "firn/error.h"
#include "frame/frame_view.h"
#include "io/particle_files.h"

namespace firn::fuzz {
namespace {

Frame parse_fpc_whatever_its_checksums(const std::string& file, std::string_view bytes) {
  return parse_fpc(file, bytes, FpcChecksums::kIgnore);
}

using Parser = Frame (*)(const std::string& file, std::string_view bytes);
constexpr std::array<Parser, 5> kParsers{parse_ply, parse_vtp, parse_bgeo, parse_usda, parse_fpc_whatever_its_checksums};

}  // namespace

void check_frame_bytes(std::string_view bytes) {
  if (bytes.empty()) return;
  const std::size_t kind = static_cast<std::uint8_t>(bytes.front() - '0') % kParsers.size();  // a digit means the same in a longer list
  bytes.remove_prefix(1);
  try {
    const Frame frame = kParsers[kind]("frame", bytes);
    check_writable("frame", frame);
    check_readable("frame", frame);
  } catch (const UserError& error) {
    if (std::string_view(error.what()).find('\n') != std::string_view::npos) throw std::logic_error("a message of two lines");
  }
}

}  // namespace firn::fuzz
