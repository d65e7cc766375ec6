// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/ir/graph.h"

/// Patterns: a small piece of graph written as text, what to look for and what to put there.
///
///   y = Mul(Mul(x, Add(Erf(Div(x, 1.41421356) | Mul(x, 0.70710678)), 1)), 0.5)
///
/// Grammar. Statements are separated by ";" or a line end; the last one makes the root. "#" before
/// a blank starts a comment that goes to the end of the line.
///   statement = word {"," word} "=" expr      outputs of a node; "_": an output that nobody reads
///   expr      = term {"|" term}               the first that fits
///   term      = node | word | "#" word | number | "(" expr ")"
///   node      = [domain "::"] Op ["?"] [attrs] "(" [arg {"," arg}] ")"
///   arg       = expr | "-" | "..."            "-": absent; "...": any further inputs
///   attrs     = "{" [attr {"," attr}] "}"
///   attr      = word "=" (int | float | string | "[" … "]" | "$" word) | "*" [word]
/// What begins with a capital letter, or has a domain, is an operator. A statement reads words of
/// statements before it. A word that no statement makes is an input of the pattern: it stands for
/// any value, the same one wherever it is written; "#w" for a constant. A number stands for a
/// constant of one element that equals it up to kConstantTolerance, or is the nearest to it that
/// the constant's dtype has. Operators that commute (Add, Mul, Min, Max, And, Or, Xor, Equal, Sum
/// of two) fit in either order of their inputs. "Op?" may be missing: its first argument then
/// stands for it. Attributes that are not written must have the operator's default (or be absent);
/// "*" lets them be anything; "$name" binds what is found, the same wherever it is written, or
/// nothing where the attribute is absent. The root is a node that is always there, and one output
/// of it is read.
///
/// In a replacement a number is a constant of one element, a scalar of the root's dtype; for an
/// input that takes integers only, an int64 of shape [1]. "$name" is the attribute bound by the
/// pattern or set by the guard, left out when nothing was bound; "*y" copies the attributes of the
/// node that the pattern found for y, those written beside it win; words that the pattern does not
/// know are constants that the guard sets; words of a branch that was not taken are absent inputs.
/// The last statement may be a word alone: its value then stands for the root's. "|", "?", "#",
/// "..." and "*" alone are for patterns only. A replacement that says what its pattern says is
/// refused where no guard is there to change something.
namespace npugraph {

struct PatternText;  // parsed form, pattern_text.h

/// Constants of a formula are taken for the exact numbers up to float32 rounding.
inline constexpr double kConstantTolerance = 1e-6;

/// Where a pattern fits: nodes and values of the graph for its words. Valid until the graph
/// changes. One thread at a time.
class Match {
 public:
  Node& root() const noexcept { return *nodes_.back(); }
  /// Every node that the pattern stands for, producers first, the root last.
  std::span<Node* const> nodes() const noexcept { return nodes_; }
  /// The value for a word of the pattern; null when the branch that has it was not taken, and when
  /// there is no such word.
  Value* value(std::string_view word) const;
  /// The node of the match that makes value(word); null for inputs and constants.
  Node* node(std::string_view word) const;
  /// The data of value(word) when it is a constant.
  const Tensor* constant(std::string_view word) const;
  /// The attribute bound by "$name"; null when there is none.
  const AttrValue* attr(std::string_view name) const;

  /// For the replacement: a constant for one of its words (also in place of what the pattern found
  /// for it), an attribute for "$name".
  void set_constant(std::string word, Tensor data);
  void set_attr(std::string name, AttrValue value);

 private:
  friend class Matcher;
  friend class Replacer;
  std::vector<Node*> nodes_;
  std::map<std::string, Value*, std::less<>> values_;
  std::map<std::string, AttrValue, std::less<>> attrs_;
  std::map<std::string, Tensor, std::less<>> constants_;
};

/// A pattern, parsed. Immutable; copies share the parsed form.
class Pattern {
 public:
  /// Errors: kBadPattern with line and column; kUnknownOp.
  static Result<Pattern> parse(std::string_view text);
  /// The match whose last node is `root`. Values between the nodes of a match have no reader
  /// outside it and are no outputs of a graph; all its nodes lie in root's graph. The search takes
  /// a bounded number of steps: a pattern with very many alternatives may then not be found.
  std::optional<Match> match(Node& root) const;

 private:
  explicit Pattern(std::shared_ptr<const PatternText> text) : text_(std::move(text)) {}
  std::shared_ptr<const PatternText> text_;
};

/// One pattern and what to put in its place.
struct Rewrite {
  std::string pattern;
  std::string replacement;
  /// Says whether the match may be replaced, and sets what the replacement needs; empty: always.
  std::function<Result<bool>(Match&)> guard = {};
};

/// What happens to a match whose replacement an operator refuses (dtype, shape, attribute range).
enum class Misfit : uint8_t { kSkip, kError };

/// Rewrites, parsed: a pass keeps them as a static const. Immutable, thread-safe when the guards
/// are.
class Rewrites {
 public:
  /// Never fails; an error in a text is returned by status() and by every apply().
  explicit Rewrites(std::vector<Rewrite> rewrites, Misfit misfit = Misfit::kSkip);
  /// Errors: kBadPattern saying which of the rewrites, which text, line and column; kUnknownOp.
  const Status& status() const noexcept { return status_; }

  /// Tries the rewrites, in order, at every node; each match that its guard lets pass is replaced
  /// when the replacement's output has exactly the type of the root's. It takes the root's name,
  /// and the origins of the nodes that it replaces; they, and what only they read, are removed.
  /// A match that cannot be replaced leaves the graph as it is, and the next rewrite is tried.
  /// Returns the number of replacements.
  /// Errors: status(); those of the guards; kBadPattern for a word or attribute that the guard did
  /// not set; with Misfit::kError those of inferring the replacement's types.
  Result<int64_t> apply(Graph& graph) const;

 private:
  struct Rule;
  Result<bool> apply_at(Node& root) const;
  std::vector<std::shared_ptr<const Rule>> rules_;  // shared by copies
  Misfit misfit_ = Misfit::kSkip;
  Status status_ = ok();
};

}  // namespace npugraph
