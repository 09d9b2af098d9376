// Names that somebody got wrong.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace firn {

// What to answer: ", did you mean 'run'? allowed: 'run', 'check'", without the question when none of the names is close.
std::string name_suggestion(std::string_view word, const std::vector<std::string_view>& names);

}  // namespace firn
