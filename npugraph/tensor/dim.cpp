// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/dim.h"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "npugraph/base/checked.h"
#include "npugraph/base/file.h"
#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

enum Kind : int { kSymbol, kFloorDiv, kCeilDiv, kMod, kMin, kMax, kBroadcast };
constexpr std::array<std::string_view, 7> kCallNames = {"",    "floordiv", "ceildiv",  "mod",
                                                        "min", "max",      "broadcast"};

int64_t saturating_add(int64_t a, int64_t b) {
  if (const auto sum = checked_add(a, b)) return *sum;
  return a > 0 ? std::numeric_limits<int64_t>::max() : std::numeric_limits<int64_t>::min();
}

int64_t saturating_mul(int64_t a, int64_t b) {
  if (const auto product = checked_mul(a, b)) return *product;
  return (a > 0) == (b > 0) ? std::numeric_limits<int64_t>::max()
                            : std::numeric_limits<int64_t>::min();
}

int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return saturating_mul(a, -1);
  const int64_t q = a / b;
  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

/// What a call computes on numbers; broadcast and division may have no answer.
Result<int64_t> apply(int kind, int64_t a, int64_t b) {
  switch (kind) {
    case kMin:
      return std::min(a, b);
    case kMax:
      return std::max(a, b);
    case kBroadcast:
      if (a == b || b == 1) return a;
      if (a == 1) return b;
      return fail(ErrorId::kShapeMismatch, "dimensions do not broadcast", text(a, " and ", b),
                  "equal dimensions, or a 1");
    default:
      break;
  }
  if (b == 0) return fail(ErrorId::kShapeMismatch, "a shape computation divides by zero");
  if (kind == kFloorDiv) return floor_quotient(a, b);
  if (kind == kCeilDiv) return -floor_quotient(-a, b);
  return a - b * floor_quotient(a, b);
}

}  // namespace

struct Dim::Call {
  int kind = kSymbol;
  std::string name;  // of a symbol
  Dim a, b;          // of a call
};

struct Dim::Term {
  int64_t coefficient = 0;
  std::vector<Atom> atoms;  // sorted; none for the constant term
};

struct Dim::Sum {
  std::vector<Term> terms;  // sorted by atoms, the constant term last, no zero coefficient

  static bool spend(const Dim& dim, int64_t& budget);
  static bool is_too_large(const Dim& a, const Dim& b, bool multiplied);
  static Dim too_large(std::string_view operation, const Dim& a, const Dim& b);
};

Dim::Dim(int64_t value) : constant_(value) {}

int Dim::compare_atoms(const Call& a, const Call& b) noexcept {
  if (a.kind != b.kind) return a.kind < b.kind ? -1 : 1;
  if (a.kind == kSymbol) return a.name.compare(b.name);
  if (const int first = compare(a.a, b.a)) return first;
  return compare(a.b, b.b);
}

int Dim::compare(const Dim& a, const Dim& b) noexcept {
  if (a.sum_ == b.sum_) return a.constant_ < b.constant_ ? -1 : a.constant_ > b.constant_;
  if (!a.sum_ || !b.sum_) return a.sum_ ? 1 : -1;
  const auto& x = a.sum_->terms;
  const auto& y = b.sum_->terms;
  if (x.size() != y.size()) return x.size() < y.size() ? -1 : 1;
  for (size_t i = 0; i < x.size(); ++i) {
    if (x[i].atoms.size() != y[i].atoms.size())
      return x[i].atoms.size() < y[i].atoms.size() ? -1 : 1;
    for (size_t j = 0; j < x[i].atoms.size(); ++j)
      if (const int order = compare_atoms(*x[i].atoms[j], *y[i].atoms[j])) return order;
    if (x[i].coefficient != y[i].coefficient) return x[i].coefficient < y[i].coefficient ? -1 : 1;
  }
  return 0;
}

bool Dim::operator==(const Dim& other) const noexcept { return compare(*this, other) == 0; }
bool Dim::operator<(const Dim& other) const noexcept { return compare(*this, other) < 0; }

Dim Dim::from_terms(std::vector<Term> terms) {
  const auto before = [](const Term& x, const Term& y) {
    if (x.atoms.empty() != y.atoms.empty()) return y.atoms.empty();
    return std::lexicographical_compare(
        x.atoms.begin(), x.atoms.end(), y.atoms.begin(), y.atoms.end(),
        [](const Atom& p, const Atom& q) { return compare_atoms(*p, *q) < 0; });
  };
  std::sort(terms.begin(), terms.end(), before);
  std::vector<Term> merged;
  for (Term& term : terms) {
    if (!merged.empty() && !before(merged.back(), term))
      merged.back().coefficient = saturating_add(merged.back().coefficient, term.coefficient);
    else
      merged.push_back(std::move(term));
  }
  std::erase_if(merged, [](const Term& term) { return term.coefficient == 0; });
  if (merged.empty()) return Dim(0);
  if (merged.size() == 1 && merged[0].atoms.empty()) return Dim(merged[0].coefficient);
  return Dim(std::make_shared<const Sum>(Sum{std::move(merged)}));
}

Dim Dim::from_atom(Atom atom) { return from_terms({Term{1, {std::move(atom)}}}); }

Dim Dim::symbol(std::string_view name) {
  return from_atom(std::make_shared<const Call>(Call{kSymbol, std::string(name), {}, {}}));
}

bool Dim::is_static() const noexcept { return sum_ == nullptr; }

std::optional<int64_t> Dim::known() const noexcept {
  if (sum_) return std::nullopt;
  return constant_;
}

int64_t Dim::value() const {
  NPU_CHECK(is_static(), "value() of a symbolic dim");
  return constant_;
}

bool Dim::is_nonnegative() const noexcept {
  if (!sum_) return constant_ >= 0;
  const auto atom_is = [](const Atom& atom) {
    if (atom->kind == kSymbol) return true;
    const bool a = atom->a.is_nonnegative(), b = atom->b.is_nonnegative();
    return atom->kind == kMax ? a || b : atom->kind == kMod ? b : a && b;
  };
  return std::all_of(sum_->terms.begin(), sum_->terms.end(), [&](const Term& term) {
    return term.coefficient >= 0 && std::all_of(term.atoms.begin(), term.atoms.end(), atom_is);
  });
}

Dim operator+(const Dim& a, const Dim& b) {
  if (!a.sum_ && !b.sum_) return Dim(saturating_add(a.constant_, b.constant_));
  std::vector<Dim::Term> terms;
  for (const Dim* side : {&a, &b}) {
    if (side->sum_)
      terms.insert(terms.end(), side->sum_->terms.begin(), side->sum_->terms.end());
    else if (side->constant_ != 0)
      terms.push_back({side->constant_, {}});
  }
  return Dim::from_terms(std::move(terms));
}

Dim operator-(const Dim& a, const Dim& b) { return a + b * Dim(-1); }

Dim operator*(const Dim& a, const Dim& b) {
  if (!a.sum_ && !b.sum_) return Dim(saturating_mul(a.constant_, b.constant_));
  if (Dim::Sum::is_too_large(a, b, true)) return Dim::Sum::too_large("mul", a, b);
  const auto terms_of = [](const Dim& dim) {
    return dim.sum_ ? dim.sum_->terms : std::vector<Dim::Term>{{dim.constant_, {}}};
  };
  std::vector<Dim::Term> product;
  for (const Dim::Term& x : terms_of(a)) {
    for (const Dim::Term& y : terms_of(b)) {
      Dim::Term term{saturating_mul(x.coefficient, y.coefficient), x.atoms};
      term.atoms.insert(term.atoms.end(), y.atoms.begin(), y.atoms.end());
      std::sort(term.atoms.begin(), term.atoms.end(),
                [](const auto& p, const auto& q) { return Dim::compare_atoms(*p, *q) < 0; });
      product.push_back(std::move(term));
    }
  }
  return Dim::from_terms(std::move(product));
}

/// Whether a product's terms and factors, or the size of a call on a and b, pass what is worth
/// keeping: expressions are compared and printed often, and a few nested products make millions.
bool Dim::Sum::is_too_large(const Dim& a, const Dim& b, bool multiplied) {
  constexpr size_t kMaxTerms = 64;
  constexpr size_t kMaxFactors = 24;
  constexpr int64_t kMaxSize = 400;
  int64_t budget = kMaxSize;
  if (!spend(a, budget) || !spend(b, budget)) return true;
  if (!multiplied) return false;
  const auto measure = [](const Dim& dim) {
    size_t factors = 0;
    if (!dim.sum_) return std::pair(size_t{1}, factors);
    for (const Term& term : dim.sum_->terms) factors = std::max(factors, term.atoms.size());
    return std::pair(dim.sum_->terms.size(), factors);
  };
  const auto [a_terms, a_factors] = measure(a);
  const auto [b_terms, b_factors] = measure(b);
  return a_terms * b_terms > kMaxTerms || a_factors + b_factors > kMaxFactors;
}

/// Takes the number of atoms in `dim`, nested ones included, off the budget; false when it is gone.
bool Dim::Sum::spend(const Dim& dim, int64_t& budget) {
  if (!dim.sum_) return --budget > 0;
  for (const Term& term : dim.sum_->terms) {
    for (const Atom& atom : term.atoms) {
      if (--budget <= 0) return false;
      if (atom->kind != kSymbol && (!spend(atom->a, budget) || !spend(atom->b, budget)))
        return false;
    }
  }
  return true;
}

/// Stands for an expression that is not worth keeping: a symbol that only running can tell, the
/// same for the same expression.
Dim Dim::Sum::too_large(std::string_view operation, const Dim& a, const Dim& b) {
  const auto name_of = [](const Dim& dim) {
    int64_t budget = 4000;
    return spend(dim, budget) ? dim.str() : std::string("?");
  };
  const std::string whole = text(operation, "(", name_of(a), ", ", name_of(b), ")");
  return symbol(text("late.large.", hash_bytes(bytes_of(whole)).hex()));
}

Dim Dim::make_call(int kind, const Dim& a, const Dim& b) {
  if (!a.sum_ && !b.sum_)
    if (const auto number = apply(kind, a.constant_, b.constant_)) return Dim(*number);
  if (Sum::is_too_large(a, b, false))
    return Sum::too_large(kCallNames[static_cast<size_t>(kind)], a, b);
  return from_atom(std::make_shared<const Call>(Call{kind, {}, a, b}));
}

std::optional<Dim> Dim::exact_div(const Dim& a, const Dim& b) {
  if (b == Dim(0)) return std::nullopt;
  if (a == Dim(0)) return Dim(0);
  if (a == b) return Dim(1);
  const bool single = !b.sum_ || b.sum_->terms.size() == 1;
  if (!single) {  // (k * b) / b for a sum b: some term of a is k times b's first
    if (!a.sum_ || a.sum_->terms.size() % b.sum_->terms.size() != 0) return std::nullopt;
    for (const Term& term : a.sum_->terms) {
      const auto factor = exact_div(from_terms({term}), from_terms({b.sum_->terms[0]}));
      if (factor && *factor * b == a) return factor;
    }
    return std::nullopt;
  }
  const Term divisor = b.sum_ ? b.sum_->terms[0] : Term{b.constant_, {}};
  std::vector<Term> out;
  for (const Term& term : a.sum_ ? a.sum_->terms : std::vector<Term>{{a.constant_, {}}}) {
    if (term.coefficient % divisor.coefficient != 0) return std::nullopt;
    Term quotient{term.coefficient / divisor.coefficient, term.atoms};
    for (const Atom& atom : divisor.atoms) {
      const auto hit = std::find_if(
          quotient.atoms.begin(), quotient.atoms.end(),
          [&](const Atom& candidate) { return compare_atoms(*candidate, *atom) == 0; });
      if (hit == quotient.atoms.end()) return std::nullopt;
      quotient.atoms.erase(hit);
    }
    out.push_back(std::move(quotient));
  }
  return from_terms(std::move(out));
}

Dim Dim::floor_div(const Dim& a, const Dim& b) {
  // A symbolic divisor may be zero at run time, when a*b/b is no longer a: only numbers cancel.
  if (b.is_static())
    if (const auto exact = exact_div(a, b)) return *exact;
  return make_call(kFloorDiv, a, b);
}

Dim Dim::ceil_div(const Dim& a, const Dim& b) {
  if (b.is_static())
    if (const auto exact = exact_div(a, b)) return *exact;
  return make_call(kCeilDiv, a, b);
}

Dim Dim::mod(const Dim& a, const Dim& b) {
  if (b.is_static() && exact_div(a, b)) return Dim(0);
  return make_call(kMod, a, b);
}

Dim Dim::min(const Dim& a, const Dim& b) {
  if ((b - a).is_nonnegative()) return a;
  if ((a - b).is_nonnegative()) return b;
  return b < a ? make_call(kMin, b, a) : make_call(kMin, a, b);
}

Dim Dim::max(const Dim& a, const Dim& b) {
  if ((a - b).is_nonnegative()) return a;
  if ((b - a).is_nonnegative()) return b;
  return b < a ? make_call(kMax, b, a) : make_call(kMax, a, b);
}

Dim Dim::broadcast(const Dim& a, const Dim& b) {
  if (a == b || b == Dim(1)) return a;
  if (a == Dim(1)) return b;
  // A number above 1 wins whatever the other turns out to be (it must then be 1 or equal); keep the
  // call nevertheless, so that evaluate() still refuses what does not broadcast.
  return b < a ? make_call(kBroadcast, b, a) : make_call(kBroadcast, a, b);
}

Result<int64_t> Dim::evaluate(const Bindings& bindings) const {
  if (!sum_) return constant_;
  int64_t total = 0;
  for (const Term& term : sum_->terms) {
    int64_t product = term.coefficient;
    for (const Atom& atom : term.atoms) {
      int64_t factor = 0;
      if (atom->kind == kSymbol) {
        const auto hit = bindings.find(atom->name);
        if (hit == bindings.end())
          return fail(ErrorId::kUnknownDim, "a dimension is unknown", text("symbol ", atom->name));
        factor = hit->second;
      } else {
        NPU_LET(const int64_t a, atom->a.evaluate(bindings));
        NPU_LET(const int64_t b, atom->b.evaluate(bindings));
        NPU_LET(factor, apply(atom->kind, a, b));
      }
      const auto next = checked_mul(product, factor);
      if (!next)
        return fail(ErrorId::kSizeOverflow, "a dimension overflows", str(), "a number of 63 bits");
      product = *next;
    }
    const auto next = checked_add(total, product);
    if (!next)
      return fail(ErrorId::kSizeOverflow, "a dimension overflows", str(), "a number of 63 bits");
    total = *next;
  }
  return total;
}

Dim Dim::substitute(const std::map<std::string, Dim, std::less<>>& by) const {
  if (!sum_) return *this;
  Dim total(0);
  for (const Term& term : sum_->terms) {
    Dim product(term.coefficient);
    for (const Atom& atom : term.atoms) {
      if (atom->kind == kSymbol) {
        const auto hit = by.find(atom->name);
        product = product * (hit == by.end() ? from_atom(atom) : hit->second);
        continue;
      }
      const Dim a = atom->a.substitute(by);
      const Dim b = atom->b.substitute(by);
      switch (atom->kind) {
        case kFloorDiv:
          product = product * floor_div(a, b);
          break;
        case kCeilDiv:
          product = product * ceil_div(a, b);
          break;
        case kMod:
          product = product * mod(a, b);
          break;
        case kMin:
          product = product * min(a, b);
          break;
        case kMax:
          product = product * max(a, b);
          break;
        default:
          product = product * broadcast(a, b);
      }
    }
    total = total + product;
  }
  return total;
}

std::vector<std::string> Dim::symbols() const {
  std::set<std::string> names;
  if (sum_) {
    for (const Term& term : sum_->terms) {
      for (const Atom& atom : term.atoms) {
        if (atom->kind == kSymbol) {
          names.insert(atom->name);
          continue;
        }
        for (const Dim* side : {&atom->a, &atom->b})
          for (std::string& name : side->symbols()) names.insert(std::move(name));
      }
    }
  }
  return {names.begin(), names.end()};
}

std::string Dim::atom_str(const Call& call) const {
  if (call.kind == kSymbol) return call.name;
  return text(kCallNames[static_cast<size_t>(call.kind)], "(", call.a.str(), ", ", call.b.str(),
              ")");
}

std::string Dim::str() const {
  if (!sum_) return std::to_string(constant_);
  std::string out;
  for (const Term& term : sum_->terms) {
    const bool negative = term.coefficient < 0;
    const std::string magnitude = std::to_string(term.coefficient).substr(negative ? 1 : 0);
    out += out.empty() ? (negative ? "-" : "") : (negative ? " - " : " + ");
    std::string product = magnitude == "1" && !term.atoms.empty() ? "" : magnitude;
    for (const Atom& atom : term.atoms) {
      if (!product.empty()) product += "*";
      product += atom_str(*atom);
    }
    out += product;
  }
  return out;
}

}  // namespace npugraph
