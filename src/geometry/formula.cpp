#include "geometry/formula.h"

#include <fmt/format.h>
#include <muParser.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "firn/error.h"
#include "math/noise.h"

namespace firn {
namespace {

constexpr std::size_t kLongestFormula = 4000;  // characters
constexpr std::size_t kLongestQuote = 30;      // characters of the formula that a message repeats
constexpr const char* kAllowed = "allowed: + - * / ^ ( ) x z pi sin cos tan exp log sqrt abs min max noise";

double smallest(const double* values, int count) { return *std::min_element(values, values + count); }
double largest(const double* values, int count) { return *std::max_element(values, values + count); }
double noise(double a, double b) { return FractalNoise(0, 1)(a, b, 0); }

std::string reason_of(const mu::ParserError& error) {
  const std::string token = error.GetToken().substr(0, kLongestQuote);
  switch (error.GetCode()) {
    case mu::ecUNASSIGNABLE_TOKEN: return fmt::format("unknown name \"{}\", {}", token, kAllowed);
    case mu::ecUNEXPECTED_EOF:
    case mu::ecEMPTY_EXPRESSION: return "the formula ends too early";
    case mu::ecMISSING_PARENS: return "a parenthesis is not closed";
    case mu::ecTOO_MANY_PARAMS: return fmt::format("too many arguments of {}", token);
    case mu::ecTOO_FEW_PARAMS: return fmt::format("too few arguments of {}", token);
    default: return fmt::format("unexpected \"{}\", {}", token, kAllowed);
  }
}

}  // namespace

struct Formula::Parts {
  mu::Parser parser;
  double x = 0, z = 0;
  std::string text;

  [[noreturn]] void fail(const mu::ParserError& error) const {
    const auto position = std::clamp<std::ptrdiff_t>(error.GetPos() + 1, 1, static_cast<std::ptrdiff_t>(std::max<std::size_t>(text.size(), 1)));
    throw UserError(fmt::format("formula, character {}: {}", position, reason_of(error)));
  }
};

Formula::Formula(const std::string& text) : parts_(std::make_unique<Parts>()) {
  if (text.size() > kLongestFormula) throw UserError(fmt::format("the formula has {} characters, at most {} are allowed", text.size(), kLongestFormula));
  // muParser would take it for an assignment.
  if (const std::size_t equals = text.find('='); equals != std::string::npos)
    throw UserError(fmt::format("formula, character {}: unexpected \"=\", {}", equals + 1, kAllowed));
  mu::Parser& parser = parts_->parser;
  parts_->text = text;
  try {
    parser.ClearFun();
    parser.ClearConst();
    parser.DefineVar("x", &parts_->x);
    parser.DefineVar("z", &parts_->z);
    parser.DefineConst("pi", std::numbers::pi);
    using Function = double (*)(double);
    const std::pair<const char*, Function> functions[] = {{"sin", std::sin}, {"cos", std::cos},   {"tan", std::tan}, {"exp", std::exp},
                                                          {"log", std::log}, {"sqrt", std::sqrt}, {"abs", std::abs}};
    for (const auto& [name, function] : functions) parser.DefineFun(name, function);
    parser.DefineFun("min", smallest);
    parser.DefineFun("max", largest);
    parser.DefineFun("noise", noise);
    parser.SetExpr(text);
    parser.Eval();  // parses
  } catch (const mu::ParserError& error) {
    parts_->fail(error);
  }
  if (parser.GetNumResults() > 1) throw UserError("formula: a comma separates arguments only");
}

Formula::~Formula() = default;
Formula::Formula(Formula&&) noexcept = default;
Formula& Formula::operator=(Formula&&) noexcept = default;

double Formula::operator()(double x, double z) {
  parts_->x = x;
  parts_->z = z;
  double value = 0;
  try {
    value = parts_->parser.Eval();
  } catch (const mu::ParserError& error) {
    parts_->fail(error);
  }
  if (!std::isfinite(value)) throw UserError(fmt::format("the formula is {} at x = {:.6g}, z = {:.6g}", std::isnan(value) ? "not a number" : "infinite", x, z));
  return value;
}

}  // namespace firn
