// SPDX-License-Identifier: Apache-2.0
// Reads what Dim::str() prints: sums of products of numbers, symbols, calls and parentheses.
#include <cctype>
#include <charconv>

#include "npugraph/base/text.h"
#include "npugraph/tensor/dim.h"

namespace npugraph {

struct DimParser {
  std::string_view rest;
  int depth = 0;

  static constexpr int kMaxDepth = 64;       // bounds recursion on hostile input
  static constexpr size_t kMaxText = 16384;  // and what multiplying sums out may make of it

  Error bad(std::string_view expected) const {
    return fail(ErrorId::kIrParse, "not a dimension expression",
                rest.empty() ? "the end" : text("'", rest.substr(0, 20), "'"),
                std::string(expected));
  }

  void skip_space() {
    while (!rest.empty() && rest[0] == ' ') rest.remove_prefix(1);
  }

  bool take(char wanted) {
    skip_space();
    if (rest.empty() || rest[0] != wanted) return false;
    rest.remove_prefix(1);
    return true;
  }

  Result<Dim> sum() {
    if (++depth > kMaxDepth) return bad("at most 64 nested parentheses");
    const bool negative = take('-');
    NPU_LET(Dim total, product());
    if (negative) total = total * Dim(-1);
    while (true) {
      if (take('+')) {
        NPU_LET(const Dim term, product());
        total = total + term;
      } else if (take('-')) {
        NPU_LET(const Dim term, product());
        total = total - term;
      } else {
        break;
      }
    }
    --depth;
    return total;
  }

  Result<Dim> product() {
    NPU_LET(Dim value, atom());
    while (take('*')) {
      NPU_LET(const Dim factor, atom());
      value = value * factor;
      if (!value.is_static() && value.str().size() > kMaxText)
        return fail(ErrorId::kIrParse, "a dimension expression is too long",
                    text(value.str().size(), " characters multiplied out"),
                    text("at most ", kMaxText));
    }
    return value;
  }

  Result<Dim> atom() {
    skip_space();
    if (take('(')) {
      NPU_LET(const Dim inner, sum());
      if (!take(')')) return bad("')'");
      return inner;
    }
    if (rest.empty()) return bad("a number or a name");
    if (std::isdigit(static_cast<unsigned char>(rest[0])) != 0) return number();
    std::string_view name = word();
    if (name.empty()) return bad("a number or a name");
    if (!take('(')) return Dim::symbol(name);
    return call(name);
  }

  Result<Dim> number() {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error != std::errc()) return bad("a number of at most 63 bits");
    rest.remove_prefix(static_cast<size_t>(end - rest.data()));
    return Dim(value);
  }

  std::string_view word() {
    size_t length = 0;
    while (length < rest.size() && (std::isalnum(static_cast<unsigned char>(rest[length])) != 0 ||
                                    rest[length] == '_' || rest[length] == '.'))
      ++length;
    const std::string_view out = rest.substr(0, length);
    rest.remove_prefix(length);
    return out;
  }

  Result<Dim> call(std::string_view name) {
    NPU_LET(const Dim a, sum());
    if (!take(',')) return bad("','");
    NPU_LET(const Dim b, sum());
    if (!take(')')) return bad("')'");
    if (name == "floordiv") return Dim::floor_div(a, b);
    if (name == "ceildiv") return Dim::ceil_div(a, b);
    if (name == "mod") return Dim::mod(a, b);
    if (name == "min") return Dim::min(a, b);
    if (name == "max") return Dim::max(a, b);
    if (name == "broadcast") return Dim::broadcast(a, b);
    return fail(ErrorId::kIrParse, "unknown function in a dimension", std::string(name),
                "floordiv, ceildiv, mod, min, max or broadcast");
  }
};

Result<Dim> Dim::parse(std::string_view text) {
  DimParser parser{text};
  NPU_LET(Dim value, parser.sum());
  parser.skip_space();
  if (!parser.rest.empty()) return parser.bad("the end");
  return value;
}

}  // namespace npugraph
