// SPDX-License-Identifier: Apache-2.0
// Whether a replacement says what its pattern says. Terms are numbered so that those of one meaning
// have one number: texts in which a word is read again and again stay short that way.
#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "npugraph/base/text.h"
#include "npugraph/passes/pattern_text.h"

namespace npugraph {
namespace {

class Meanings {
 public:
  /// Number of what the last statement makes.
  int64_t root_of(const PatternText& text) {
    std::vector<int64_t> statements;
    for (const PatternStatement& statement : text.statements)
      statements.push_back(meaning(text, statement.expr, statements));
    return output_of(statements.back(), text.root_output());
  }

 private:
  int64_t number(const std::string& meaning) {
    return numbers_.emplace(meaning, static_cast<int64_t>(numbers_.size())).first->second;
  }

  /// The first output is written as the node itself where no word is between.
  int64_t output_of(int64_t node, int64_t output) {
    return output == 0 ? node : number(npugraph::text(node, '#', output));
  }

  /// statements: the numbers of those before the term's own.
  int64_t meaning(const PatternText& text, int64_t index, const std::vector<int64_t>& statements) {
    const PatternTerm& term = text.term(index);
    std::vector<int64_t> args;
    for (const int64_t arg : term.args) args.push_back(meaning(text, arg, statements));
    switch (term.kind) {
      case PatternTerm::Kind::kWord:
        return word(text.word(term.word), statements);
      case PatternTerm::Kind::kNumber:
        return number(npugraph::text("number ", term.number));
      case PatternTerm::Kind::kAbsent:
        return number("absent");
      case PatternTerm::Kind::kAnyOf:
        return number(npugraph::text("any of ", join(args)));
      case PatternTerm::Kind::kNode:
        break;
    }
    if (args.size() == 2 && commutes(*term.schema)) std::sort(args.begin(), args.end());
    // "*" of a pattern and "*y" of a replacement: the attributes stay as they are.
    const bool keeps_attrs = term.any_attrs || !term.attrs_of.empty();
    return number(npugraph::text(term.schema->domain, "::", term.schema->name, "{",
                                 attrs(text, term), keeps_attrs ? "*" : "", "}",
                                 term.is_optional ? "?" : "", "(", join(args),
                                 term.more_args ? "..." : "", ")"));
  }

  int64_t word(const PatternWord& word, const std::vector<int64_t>& statements) {
    if (word.statement < 0) return number("word " + word.name);
    return output_of(statements[static_cast<size_t>(word.statement)], word.output);
  }

  static std::string attrs(const PatternText& text, const PatternTerm& term) {
    std::vector<std::string> all;
    for (const PatternAttr& attr : term.attrs) {
      const std::string value = attr.bound < 0
                                    ? attr_str(attr.value)
                                    : "$" + text.attr_names[static_cast<size_t>(attr.bound)];
      all.push_back(npugraph::text(attr.name, "=", value));
    }
    std::sort(all.begin(), all.end());
    return join(all, ";");
  }

  std::map<std::string, int64_t, std::less<>> numbers_;
};

}  // namespace

bool commutes(const OpSchema& schema) {
  static constexpr std::array<std::string_view, 9> kOps = {"Add", "Mul", "Min",   "Max", "And",
                                                           "Or",  "Xor", "Equal", "Sum"};
  return schema.domain.empty() && std::find(kOps.begin(), kOps.end(), schema.name) != kOps.end();
}

bool same_meaning(const PatternText& pattern, const PatternText& replacement) {
  Meanings meanings;
  return meanings.root_of(pattern) == meanings.root_of(replacement);
}

}  // namespace npugraph
