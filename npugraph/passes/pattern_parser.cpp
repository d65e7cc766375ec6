// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/passes/pattern_reader.h"
#include "npugraph/passes/pattern_text.h"

namespace npugraph {
namespace {

// Both bound the recursion of parser and matcher; real patterns have under a hundred terms.
constexpr int64_t kMaxDepth = 100;
constexpr size_t kMaxTerms = 1000;

class Parser {
 public:
  Parser(std::string_view text, PatternRole role) : in_(text), role_(role) {}

  Result<PatternText> parse() {
    while (true) {
      while (in_.take(';')) {
      }
      if (in_.peek() == '\0') break;
      NPU_TRY(statement());
      const char next = in_.peek();
      if (next != '\0' && next != ';' && !in_.is_on_new_line())
        return in_.bad("unexpected text after a statement", "';', a line end or the end");
    }
    if (out_.statements.empty()) return in_.bad("there is no statement", "word = Op(…)");
    NPU_TRY(check_root());
    return std::move(out_);
  }

 private:
  bool is_pattern() const { return role_ == PatternRole::kPattern; }

  int64_t word_index(std::string_view name) {
    const int64_t found = out_.find_word(name);
    if (found >= 0) return found;
    out_.words.push_back({.name = std::string(name)});
    return static_cast<int64_t>(out_.words.size()) - 1;
  }
  int64_t attr_index(std::string_view name) {
    const int64_t found = out_.find_attr_name(name);
    if (found >= 0) return found;
    out_.attr_names.emplace_back(name);
    return static_cast<int64_t>(out_.attr_names.size()) - 1;
  }
  Result<int64_t> add(PatternTerm term) {
    if (out_.terms.size() >= kMaxTerms)
      return in_.bad("the text is too long", text("at most ", kMaxTerms, " terms"));
    out_.terms.push_back(std::move(term));
    return static_cast<int64_t>(out_.terms.size()) - 1;
  }

  // ---- statements and expressions
  Status statement() {
    PatternStatement made = {.words = {}, .expr = -1, .place = {}};
    in_.peek();
    made.place = in_.place();
    std::vector<std::string> names;
    do {
      in_.peek();
      const std::string where = in_.place();
      const std::string_view name = in_.identifier();
      if (name.empty() || is_capital(name[0]))
        return bad_pattern(where, "a statement begins with the words that it makes",
                           text("'", name, "'"), "word = Op(…), words in small letters");
      const bool is_known =
          name != "_" &&
          (out_.find_word(name) >= 0 || std::find(names.begin(), names.end(), name) != names.end());
      if (is_known)
        return bad_pattern(where, "a word is made once, before it is read", text("'", name, "'"),
                           "another word");
      names.emplace_back(name);
    } while (in_.take(','));
    NPU_TRY(in_.expect('='));
    NPU_LET(made.expr, expr(0));
    const auto index = static_cast<int64_t>(out_.statements.size());
    for (size_t i = 0; i < names.size(); ++i) {
      // A word that its own statement reads would be known by now.
      if (names[i] != "_" && out_.find_word(names[i]) >= 0)
        return bad_pattern(made.place, "a statement reads a word that it makes",
                           text("'", names[i], "'"), "words of the statements before it");
      made.words.push_back(names[i] == "_" ? -1 : word_index(names[i]));
      if (made.words.back() < 0) continue;
      PatternWord& word = out_.words[static_cast<size_t>(made.words.back())];
      word.statement = index;
      word.output = static_cast<int64_t>(i);
    }
    if (made.words.size() > 1 && !makes_node(made.expr))
      return bad_pattern(made.place, "several words on the left need a node on the right",
                         text(made.words.size(), " words"), "Op(…), or alternatives of that form");
    out_.statements.push_back(std::move(made));
    return ok();
  }

  /// Whether a term always is a node of the statement itself.
  bool makes_node(int64_t index) const {
    const PatternTerm& term = out_.term(index);
    if (term.kind == PatternTerm::Kind::kNode) return !term.is_optional;
    if (term.kind != PatternTerm::Kind::kAnyOf) return false;
    return std::all_of(term.args.begin(), term.args.end(),
                       [&](int64_t arg) { return makes_node(arg); });
  }

  Result<int64_t> expr(int64_t depth) {
    if (depth > kMaxDepth)
      return in_.bad("nested too deeply", text("at most ", kMaxDepth, " levels"));
    NPU_LET(const int64_t first, term(depth));
    if (in_.peek() != '|') return first;
    if (!is_pattern()) return in_.bad("a replacement has no alternatives", "one term");
    PatternTerm any = {.kind = PatternTerm::Kind::kAnyOf, .place = in_.place()};
    any.args.push_back(first);
    while (in_.take('|')) {
      NPU_LET(const int64_t next, term(depth));
      any.args.push_back(next);
    }
    return add(std::move(any));
  }

  Result<int64_t> term(int64_t depth) {
    if (in_.take('(')) {
      NPU_LET(const int64_t inner, expr(depth + 1));
      NPU_TRY(in_.expect(')'));
      return inner;
    }
    const char first = in_.peek();
    PatternTerm made = {.place = in_.place()};
    if (in_.at_number()) {
      NPU_LET(const WrittenNumber value, in_.number());
      made.kind = PatternTerm::Kind::kNumber;
      made.number = value.real;
      return add(std::move(made));
    }
    if (first == '#') {
      if (!is_pattern()) return in_.bad("'#' is for patterns only", "the word alone");
      in_.take('#');
      made.must_be_constant = true;
    }
    if (!begins_word(in_.peek()))
      return in_.bad("unexpected text", "Op(…), a word, '#' word or a number");
    if (!made.must_be_constant && in_.at_operator()) return node(std::move(made), depth);
    const std::string where = in_.place();
    const std::string_view name = in_.identifier();
    if (name.empty() || is_capital(name[0]) || name == "_")
      return bad_pattern(where, "not a word that can be read", text("'", name, "'"),
                         "a word that begins with a small letter");
    made.word = word_index(name);
    if (made.must_be_constant && out_.word(made.word).statement >= 0)
      return bad_pattern(where, "'#' is for inputs of the pattern", text("'", name, "'"),
                         "a word that no statement makes");
    return add(std::move(made));
  }

  Status operator_name(PatternTerm& made) {
    const auto [domain, name] = in_.operator_name();
    made.schema = find_op(domain, name);
    if (made.schema == nullptr) {
      std::vector<std::string_view> names;
      for (const OpSchema& schema : all_ops()) names.push_back(schema.name);
      const std::string close = nearest(name, names);
      return at(made.place, fail(ErrorId::kUnknownOp, "there is no such operator",
                                 domain.empty() ? std::string(name) : text(domain, "::", name),
                                 "an operator of `npugraph ops`",
                                 close.empty() ? "" : text("did you mean '", close, "'?")));
    }
    if (!made.schema->subgraphs.empty())
      return bad_pattern(made.place, "an operator with nested graphs", std::string(name),
                         "operators without");
    return ok();
  }

  Result<int64_t> node(PatternTerm made, int64_t depth) {
    made.kind = PatternTerm::Kind::kNode;
    NPU_TRY(operator_name(made));
    if (in_.peek() == '?') {
      if (!is_pattern()) return in_.bad("a replacement has no optional nodes", "'('");
      in_.take('?');
      made.is_optional = true;
    }
    if (in_.take('{')) NPU_TRY(attrs(made));
    NPU_TRY(in_.expect('('));
    if (!in_.take(')')) {
      do {
        if (made.more_args) return in_.bad("'...' comes last", "')'");
        NPU_TRY(arg(made, depth));
      } while (in_.take(','));
      NPU_TRY(in_.expect(')'));
    }
    NPU_TRY(check_node(made));
    return add(std::move(made));
  }

  Status arg(PatternTerm& made, int64_t depth) {
    const char first = in_.peek();
    if (in_.starts_with("...")) {
      if (!is_pattern()) return in_.bad("'...' is for patterns only", "an argument");
      in_.skip(3);
      made.more_args = true;
      return ok();
    }
    if (first == '-' && !in_.at_number()) {
      const std::string where = in_.place();
      in_.take('-');
      NPU_LET(const int64_t absent, add({.kind = PatternTerm::Kind::kAbsent, .place = where}));
      made.args.push_back(absent);
      return ok();
    }
    NPU_LET(const int64_t index, expr(depth + 1));
    made.args.push_back(index);
    return ok();
  }

  Status check_node(const PatternTerm& made) const {
    const OpSchema& schema = *made.schema;
    const auto count = static_cast<int64_t>(made.args.size());
    if (count > schema.max_inputs() || (count < schema.min_inputs() && !made.more_args))
      return bad_pattern(
          made.place, text("number of inputs of ", schema.name), text(count),
          text(schema.min_inputs(),
               schema.max_inputs() > 1000 ? " or more" : text("..", schema.max_inputs())));
    const bool has_first =
        !made.args.empty() && out_.term(made.args[0]).kind != PatternTerm::Kind::kAbsent;
    if (made.is_optional && !has_first)
      return bad_pattern(made.place, "an optional node needs a first argument", "none",
                         text(schema.name, "?(x, …)"));
    const bool takes_all = made.any_attrs || !made.attrs_of.empty();
    for (const AttrSchema& row : schema.attrs) {
      const bool is_written = std::any_of(made.attrs.begin(), made.attrs.end(),
                                          [&](const PatternAttr& a) { return a.name == row.name; });
      if (row.required && !is_written && !takes_all)
        return bad_pattern(made.place, text(schema.name, " has no default for an attribute"),
                           text("no '", row.name, "'"),
                           text(row.name, " = …, ", row.name, " = $name or *"));
    }
    return ok();
  }

  // ---- attributes
  Status attrs(PatternTerm& made) {
    if (in_.take('}')) return ok();
    do {
      NPU_TRY(attr(made));
    } while (in_.take(','));
    return in_.expect('}');
  }

  Status attr(PatternTerm& made) {
    in_.peek();
    const std::string where = in_.place();
    if (in_.take('*')) {
      const std::string_view of = in_.identifier();
      if (of.empty() != is_pattern())
        return bad_pattern(where, "not an attribute", text("'*", of, "'"),
                           is_pattern() ? "'*' alone" : "'*' and a word of the pattern");
      if (is_pattern()) {
        made.any_attrs = true;
      } else {
        made.attrs_of = std::string(of);
      }
      return ok();
    }
    const std::string name(in_.identifier());
    const AttrSchema* row = made.schema->find_attr(name);
    if (row == nullptr) {
      std::vector<std::string_view> names;
      for (const AttrSchema& known : made.schema->attrs) names.push_back(known.name);
      return bad_pattern(where, text(made.schema->name, " has no such attribute"),
                         text("'", name, "'"), names.empty() ? "none" : join(names));
    }
    for (const PatternAttr& other : made.attrs)
      if (other.name == name)
        return bad_pattern(where, "an attribute is written twice", text("'", name, "'"), "once");
    NPU_TRY(in_.expect('='));
    PatternAttr written = {.name = name};
    if (in_.take('$')) {
      const std::string_view bound = in_.identifier();
      if (bound.empty()) return in_.bad("unexpected text", "the name after '$'");
      written.bound = attr_index(bound);
    } else {
      NPU_LET(written.value, attr_value(*row));
      Attrs one;
      one.set(name, written.value);
      for (const AttrSchema& other : made.schema->attrs)
        if (other.required && other.name != name)
          one.set(std::string(other.name), any_legal(other));
      if (const Status legal = complete_attrs(*made.schema, one); !legal)
        return bad_pattern(where, legal.error().what, legal.error().found, legal.error().expected);
    }
    made.attrs.push_back(std::move(written));
    return ok();
  }

  /// Some legal value of a required attribute, so that another one can be checked.
  static AttrValue any_legal(const AttrSchema& row) {
    switch (row.kind) {
      case AttrKind::kInt:
        return std::clamp<int64_t>(1, row.min, row.max);
      case AttrKind::kFloat:
        return 0.0;
      case AttrKind::kString:
        return std::string(row.choices.empty() ? "" : row.choices[0]);
      case AttrKind::kInts:
        return Ints{};
      case AttrKind::kFloats:
        return Floats{};
      case AttrKind::kStrings:
        return Strings{};
      case AttrKind::kTensor:
        return Tensor();
    }
    return int64_t{0};
  }

  Result<AttrValue> attr_value(const AttrSchema& row) {
    const std::string where = in_.place();
    const auto wrong = [&](std::string_view found) {
      return bad_pattern(where, text("attribute '", row.name, "' has another kind"),
                         std::string(found), attr_kind_name(row.kind));
    };
    if (in_.peek() == '"') {
      NPU_LET(std::string word, in_.quoted());
      if (row.kind != AttrKind::kString) return wrong("a string");
      return AttrValue(std::move(word));
    }
    if (in_.peek() == '[') return list(row, wrong);
    if (!in_.at_number()) return in_.bad("unexpected text", "an int, float, string, list or $name");
    NPU_LET(const WrittenNumber value, in_.number());
    if (row.kind == AttrKind::kInt && value.integer) return AttrValue(*value.integer);
    if (row.kind == AttrKind::kFloat) return AttrValue(value.real);
    return wrong("a number");
  }

  template <class Wrong>
  Result<AttrValue> list(const AttrSchema& row, const Wrong& wrong) {
    Ints ints;
    Floats floats;
    Strings strings;
    bool is_ints = true;
    in_.take('[');
    if (!in_.take(']')) {
      do {
        if (in_.peek() == '"') {
          NPU_LET(strings.emplace_back(), in_.quoted());
          continue;
        }
        NPU_LET(const WrittenNumber value, in_.number());
        floats.push_back(value.real);
        ints.push_back(value.integer.value_or(0));
        is_ints = is_ints && value.integer.has_value();
      } while (in_.take(','));
      NPU_TRY(in_.expect(']'));
    }
    if (row.kind == AttrKind::kInts && strings.empty() && is_ints)
      return AttrValue(std::move(ints));
    if (row.kind == AttrKind::kFloats && strings.empty()) return AttrValue(std::move(floats));
    if (row.kind == AttrKind::kStrings && floats.empty()) return AttrValue(std::move(strings));
    return wrong(strings.empty() ? "a list of numbers" : "a list with strings");
  }

  // ---- the root
  Status check_root() {
    const PatternStatement& last = out_.statements.back();
    const auto read =
        std::count_if(last.words.begin(), last.words.end(), [](int64_t word) { return word >= 0; });
    if (read != 1)
      return bad_pattern(last.place, "the last statement makes one value", text(read, " words"),
                         "one word; '_' for the other outputs");
    if (!is_pattern()) {
      const bool is_value =
          makes_node(last.expr) || out_.term(last.expr).kind == PatternTerm::Kind::kWord;
      if (is_value) return ok();
      return bad_pattern(last.place, "the last statement must make a value", "a number",
                         "Op(…) or a word");
    }
    if (!makes_node(last.expr))
      return bad_pattern(last.place, "the last statement must make a node",
                         "a term that may be something else", "Op(…), without '?'");
    collect_root_ops(last.expr);
    return ok();
  }

  void collect_root_ops(int64_t index) {
    const PatternTerm& term = out_.term(index);
    if (term.kind == PatternTerm::Kind::kNode) out_.root_ops.push_back(term.schema);
    if (term.kind != PatternTerm::Kind::kAnyOf) return;
    for (const int64_t arg : term.args) collect_root_ops(arg);
  }

  PatternReader in_;
  PatternRole role_;
  PatternText out_;
};

}  // namespace

int64_t PatternText::find_word(std::string_view name) const {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i].name == name) return static_cast<int64_t>(i);
  return -1;
}

int64_t PatternText::find_attr_name(std::string_view name) const {
  for (size_t i = 0; i < attr_names.size(); ++i)
    if (attr_names[i] == name) return static_cast<int64_t>(i);
  return -1;
}

int64_t PatternText::root_output() const {
  const std::vector<int64_t>& made = statements.back().words;
  const auto hit = std::find_if(made.begin(), made.end(), [](int64_t word) { return word >= 0; });
  return hit - made.begin();
}

Result<PatternText> parse_pattern_text(std::string_view text, PatternRole role) {
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos)
    return fail(ErrorId::kBadPattern, "the text holds a zero byte",
                npugraph::text("byte ", nul + 1, " of ", text.size()), "text without it");
  return Parser(text, role).parse();
}

}  // namespace npugraph
