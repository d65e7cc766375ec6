// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/base/result.h"

namespace npugraph {

/// A dimension or integer of a shape computation: a number or an expression over named symbols.
///
/// Kept in one canonical form, a sum of products: c0 + c1*a*b + c2*floordiv(h + 1, 2) + …, so that
/// two expressions which are equal as polynomials over the same atoms compare equal. Atoms are
/// symbols and the calls floordiv, ceildiv, mod, min, max and broadcast of expressions (broadcast
/// is ONNX's rule: the one that is not 1, or either when they are equal). Immutable value type;
/// cheap to copy; arithmetic saturates at the int64 limits rather than wrap, and evaluate() refuses
/// what overflows.
class Dim {
 public:
  Dim(int64_t value = 0);  // NOLINT(google-explicit-constructor): numbers are dims
  /// A named unknown, at least 0. Name: a letter or '_' first, then letters, digits, '_' or '.'.
  static Dim symbol(std::string_view name);

  bool is_static() const noexcept;
  /// The number of a static dim; NPU_CHECKs that it is one.
  int64_t value() const;
  std::optional<int64_t> known() const noexcept;
  /// True when it is 0 or more whatever the symbols are (which are at least 0); false: not proved.
  bool is_nonnegative() const noexcept;

  friend Dim operator+(const Dim& a, const Dim& b);
  friend Dim operator-(const Dim& a, const Dim& b);
  friend Dim operator*(const Dim& a, const Dim& b);
  /// floor(a / b), ceil(a / b) and a - b * floor(a / b); b = 0 gives an expression that evaluate()
  /// refuses.
  static Dim floor_div(const Dim& a, const Dim& b);
  static Dim ceil_div(const Dim& a, const Dim& b);
  static Dim mod(const Dim& a, const Dim& b);
  static Dim min(const Dim& a, const Dim& b);
  static Dim max(const Dim& a, const Dim& b);
  static Dim broadcast(const Dim& a, const Dim& b);
  /// a / b when it divides exactly as a polynomial (such as (4*b*t) / (2*t)), else nothing.
  static std::optional<Dim> exact_div(const Dim& a, const Dim& b);

  /// Equal as canonical expressions. Two unequal dims may still be equal for some bindings.
  bool operator==(const Dim& other) const noexcept;
  /// A total order with no meaning but determinism.
  bool operator<(const Dim& other) const noexcept;

  using Bindings = std::map<std::string, int64_t, std::less<>>;
  /// The number under `bindings`. Errors: kUnknownDim (unbound symbol, named), kShapeMismatch
  /// (broadcast of 2 and 3, division by zero), kSizeOverflow.
  Result<int64_t> evaluate(const Bindings& bindings) const;
  /// Replaces symbols by expressions.
  Dim substitute(const std::map<std::string, Dim, std::less<>>& by) const;
  /// Symbol names in it, sorted, each once.
  std::vector<std::string> symbols() const;

  /// "1", "b", "2*b*t + 1", "floordiv(h + 1, 2)": what parse() reads back.
  std::string str() const;
  /// Errors: kIrParse.
  static Result<Dim> parse(std::string_view text);

 private:
  struct Call;
  using Atom = std::shared_ptr<const Call>;
  struct Term;  // coefficient and sorted atoms
  struct Sum;
  explicit Dim(std::shared_ptr<const Sum> sum) : sum_(std::move(sum)) {}
  static Dim make_call(int kind, const Dim& a, const Dim& b);
  static int compare(const Dim& a, const Dim& b) noexcept;
  static int compare_atoms(const Call& a, const Call& b) noexcept;
  static Dim from_terms(std::vector<Term> terms);
  static Dim from_atom(Atom atom);
  std::string atom_str(const Call& call) const;
  friend struct DimParser;

  int64_t constant_ = 0;            // the value when sum_ is null
  std::shared_ptr<const Sum> sum_;  // null for a static dim
};

inline std::ostream& operator<<(std::ostream& stream, const Dim& dim) {
  return stream << dim.str();
}

}  // namespace npugraph
