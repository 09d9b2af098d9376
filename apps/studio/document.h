// The text of a scene as pages edit it, what is wrong with it, and what of a change a running solver can take.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "firn/error.h"
#include "firn/scene.h"

namespace firn::studio {

// A mistake in a text, without the name of the file.
struct TextError {
  std::string message;
  int line = 0, column = 0;  // from 1; 0: no place
};
// `what` as UserError has it, of a text that is called `file`.
TextError text_error(const std::string& what, const std::string& file);

struct Document {
  std::string text;
  std::string file;                   // names it in errors, and relative paths start from its folder
  std::vector<std::string> variants;  // that are chosen
  int revision = 1;

  // Files that it names must lie in one of the folders. Throws UserError.
  Scene parse(const std::vector<std::string>& folders) const { return parse_scene(text, file, {}, variants, folders); }
};

// The document of a gallery scene, to stand in `folder`: its files by their whole paths. Throws UserError when there is no such scene.
Document gallery_document(const std::string& name, const std::filesystem::path& folder);

struct Difference {
  std::string key, a, b;  // "snow.0.radius", and its values; empty: it is not there
};
// All keys of which two scenes have other values.
std::vector<Difference> differences(const Scene& a, const Scene& b);

// Whether a running solver takes another value of a key, named as above.
bool takes_effect_now(std::string_view key);

// What becomes of a change while a run goes on.
struct LiveChange {
  Scene scene;           // with what can change now
  bool has_now;          // there is such a thing
  bool concerns_solver;  // and not only pictures
  std::string reason;    // what wants a restart; empty: nothing
};
LiveChange live_change(const Scene& running, const Scene& wanted);

}  // namespace firn::studio
