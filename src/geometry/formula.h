// A height as a formula of x and z.
#pragma once

#include <memory>
#include <string>

namespace firn {

// Numbers, + - * / ^ and parentheses, x and z in metres, pi, sin cos tan exp log (natural) sqrt abs, min and max of several, and
// noise(a, b): smooth and random between -1 and 1, with features one unit wide.
class Formula {
 public:
  // Throws UserError that says at which character the text is not a formula.
  explicit Formula(const std::string& text);
  ~Formula();
  Formula(Formula&&) noexcept;
  Formula& operator=(Formula&&) noexcept;

  // Throws UserError that names the point when the result is not a finite number.
  double operator()(double x, double z);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace firn
