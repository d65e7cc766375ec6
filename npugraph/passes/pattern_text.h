// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/ops/op.h"

/// The parsed form of pattern.h's texts; not for other folders. Terms, words and attribute names
/// are numbered: a term refers to others by their index in PatternText.
namespace npugraph {

struct PatternAttr {
  std::string name;
  AttrValue value = {};  // when bound < 0
  int64_t bound = -1;    // "$name": index in attr_names
};

struct PatternTerm {
  enum class Kind : uint8_t { kNode, kWord, kNumber, kAnyOf, kAbsent };
  Kind kind = Kind::kWord;
  std::string place = {};            // "line L, column C"
  int64_t word = -1;                 // kWord
  bool must_be_constant = false;     // kWord: "#w"
  double number = 0;                 // kNumber
  const OpSchema* schema = nullptr;  // kNode, and the next ones
  bool is_optional = false;
  bool any_attrs = false;
  std::string attrs_of = {};  // "*y": that word of the pattern
  std::vector<PatternAttr> attrs = {};
  bool more_args = false;          // "..."
  std::vector<int64_t> args = {};  // of a node; of kAnyOf the alternatives
};

struct PatternStatement {
  std::vector<int64_t> words;  // -1 for "_"
  int64_t expr = -1;
  std::string place;
};

struct PatternWord {
  std::string name;
  int64_t statement = -1;  // that makes it; -1: an input of the pattern
  int64_t output = 0;      // which of the statement's words
};

struct PatternText {
  std::vector<PatternWord> words;
  std::vector<std::string> attr_names;  // of "$name"
  std::vector<PatternTerm> terms;
  std::vector<PatternStatement> statements;
  std::vector<const OpSchema*> root_ops;  // what the root may be; patterns only

  const PatternTerm& term(int64_t index) const { return terms[static_cast<size_t>(index)]; }
  const PatternWord& word(int64_t index) const { return words[static_cast<size_t>(index)]; }
  const PatternStatement& statement(int64_t index) const {
    return statements[static_cast<size_t>(index)];
  }
  /// Index of a word or attribute name; -1 when there is none.
  int64_t find_word(std::string_view name) const;
  int64_t find_attr_name(std::string_view name) const;
  /// Which of the root statement's words is not "_".
  int64_t root_output() const;
};

enum class PatternRole : uint8_t { kPattern, kReplacement };

/// Errors: kBadPattern with line and column, kUnknownOp.
Result<PatternText> parse_pattern_text(std::string_view text, PatternRole role);

/// Whether its two inputs may change places.
bool commutes(const OpSchema& schema);

/// Whether the replacement makes just what the pattern looks for, other words aside.
bool same_meaning(const PatternText& pattern, const PatternText& replacement);

}  // namespace npugraph
