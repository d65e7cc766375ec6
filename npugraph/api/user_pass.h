// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/tensor/tensor.h"

/// Passes of your own: what to look for in a graph, written as text, and what to put there. The
/// grammar of patterns, with examples, is in docs/passes.md.
///
///   NPU_TRY(library.register_pass({
///       .name = "relu6",
///       .rewrites = {{"y = Min(Relu(x), 6)", "y = Clip(x, 0, 6)"}},
///   }));
namespace npugraph {

class Match;

/// Value of an operator's attribute.
using AttributeValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                                    std::vector<double>, std::vector<std::string>, Tensor>;

/// What a guard is told of a place where its pattern fits, by the words of the pattern, and where
/// it sets what the replacement needs. Valid during the call of the guard. One thread at a time.
class PatternMatch {
 public:
  /// Dtype and shape of the value that a word stands for; nothing when it stands for none (its
  /// branch was not taken) or its type is unknown.
  std::optional<TensorType> type(std::string_view word) const;
  /// The data of a word that stands for a constant.
  std::optional<Tensor> constant(std::string_view word) const;
  /// The attribute that "$name" found.
  std::optional<AttributeValue> attr(std::string_view name) const;
  /// Name of the node that is replaced last: the root.
  const std::string& root_name() const noexcept;

  /// The constant that a word of the replacement stands for.
  void set_constant(std::string word, Tensor data);
  /// The attribute that "$name" stands for in the replacement.
  void set_attr(std::string name, AttributeValue value);

  /// Made by the compiler, which owns what it looks at.
  explicit PatternMatch(Match& match) : match_(&match) {}

 private:
  Match* match_;
};

/// Answers whether the match may be replaced. It may be called from any thread that compiles, also
/// from several at once.
using PatternGuard = std::function<Result<bool>(PatternMatch& match)>;

/// One pattern and what to put in its place.
struct UserRewrite {
  std::string pattern;
  std::string replacement;
  PatternGuard guard = {};  // empty: always
};

/// A pass of the user. Its rewrites are tried in order at every node; a match is replaced when the
/// replacement gives exactly the same dtype and shape.
struct UserPass {
  std::string name;  // letters, digits and "_"
  std::string doc = {};
  std::vector<UserRewrite> rewrites = {};
  std::string before = {};  // runs right before this pass; empty: before the fusing ones
  int64_t level = 1;        // lowest opt level at which it is on
  bool exact = false;       // results stay equal bit for bit; --self-check holds it to that
};

/// A pass as its library has it, in the order in which they run.
struct PassDescription {
  std::string name;
  std::string doc;
  bool fuses = false;  // runs after the clean-up passes found nothing more to do
  int64_t level = 1;
  bool exact = true;
  bool user = false;  // registered, not built in
};

}  // namespace npugraph
