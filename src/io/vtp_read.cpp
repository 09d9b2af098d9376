#include <fmt/format.h>

#include "firn/error.h"
#include "io/file.h"
#include "io/vtp.h"
#include "io/vtp_head.h"

namespace firn {
namespace {

void read_column(const std::string& file, std::string_view bytes, const VtpColumn& column, Frame& frame) {
  const Attribute& a = attribute(column.field);
  std::size_t at = column.start;
  for (std::size_t p = 0; p < count(frame, column.field); ++p)
    for (int c = 0; c < a.components; ++c, at += column.type->bytes) {
      const double value = column.type->load(bytes.data() + at);
      if (const std::string wrong = complaint(column.field, c, value); !wrong.empty())
        throw UserError(fmt::format("{}: at byte {}: point {}: {}", file, at, p, wrong));
      set(frame, column.field, p, c, value);
    }
}

}  // namespace

Frame parse_vtp(const std::string& file, std::string_view bytes) {
  const VtpHead head = parse_vtp_head(file, bytes);
  Frame frame;
  frame.double_precision = head.double_precision;
  for (const VtpColumn& column : head.columns) {
    resize(frame, column.field, head.particles);
    read_column(file, bytes, column, frame);
  }
  return frame;
}

Frame read_vtp(const std::string& path) { return parse_vtp(path, read_file(path)); }

}  // namespace firn
