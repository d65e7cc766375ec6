// SPDX-License-Identifier: Apache-2.0
// The second half of a rewrite: what stands in place of a match is first worked out with its types,
// and only then, when the root's type comes out, built into the graph.
#include <algorithm>
#include <utility>

#include "npugraph/base/text.h"
#include "npugraph/passes/passes.h"
#include "npugraph/passes/pattern.h"
#include "npugraph/passes/pattern_text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

/// Where an input of a planned node comes from: a value of the graph, a new constant, an output of
/// a planned node; none of them: absent.
struct Source {
  Value* value = nullptr;
  int64_t constant = -1;
  int64_t node = -1;
  int64_t output = 0;
};

struct PlannedNode {
  const PatternTerm* term = nullptr;
  std::string name = {};
  Attrs attrs = {};
  std::vector<Source> inputs = {};
  std::vector<InferOutput> outputs = {};
  int64_t output_count = 1;
};

struct PlannedConstant {
  std::string name;
  Tensor data;
  TensorType type;
  Value* made = nullptr;
};

/// An input that takes integers only, as axes and shapes.
bool takes_integers_only(const InputSchema& row) {
  return (row.dtypes.bits & ~kIntTypes.bits) == 0;
}

}  // namespace

/// Puts one replacement in place of one match.
class Replacer {
 public:
  Replacer(const PatternText& text, Match& match, Misfit misfit)
      : text_(text), match_(match), misfit_(misfit), made_(text.words.size()) {}

  /// False, and the graph as it was, when the replacement does not fit.
  Result<bool> run() {
    for (const PatternStatement& statement : text_.statements) {
      NPU_LET(const bool fits, plan_statement(statement));
      if (!fits) return false;
    }
    const Value& root = *root_value();
    if (!has_type(result_, root)) return false;
    if (result_.value != nullptr && !can_redirect(root, *result_.value)) return false;
    if (result_.constant >= 0 && is_any_output(root)) return false;  // that is made by a node
    NPU_TRY(build());
    return true;
  }

 private:
  Value* root_value() const {
    const auto outputs = match_.root().outputs();
    const auto used = std::find_if(outputs.begin(), outputs.end(),
                                   [](const Value* value) { return value->is_used(); });
    return used != outputs.end() ? *used : outputs[0];
  }

  // ---- planning
  Result<bool> plan_statement(const PatternStatement& statement) {
    const bool is_last = &statement == &text_.statements.back();
    const auto count = static_cast<int64_t>(statement.words.size());
    std::string hint;
    for (const int64_t word : statement.words)
      if (word >= 0 && hint.empty()) hint = text_.word(word).name;
    const PatternTerm& term = text_.term(statement.expr);
    Source made;
    if (term.kind == PatternTerm::Kind::kNode) {
      NPU_LET(const int64_t index, plan_node(term, is_last ? "" : hint, count));
      if (index < 0) return false;
      made.node = index;
    } else {
      NPU_LET(const std::optional<Source> found, plan_term(statement.expr, nullptr));
      if (!found) return false;
      made = *found;
    }
    for (int64_t i = 0; i < count; ++i) {
      const int64_t word = statement.words[static_cast<size_t>(i)];
      if (word < 0) continue;
      Source output = made;
      if (made.node >= 0 && term.kind == PatternTerm::Kind::kNode) output.output = i;
      made_[static_cast<size_t>(word)] = output;
      if (is_last) result_ = output;
    }
    return true;
  }

  /// Nothing when the term does not fit. row: the input that it is for, which may decide a dtype.
  Result<std::optional<Source>> plan_term(int64_t index, const InputSchema* row) {
    const PatternTerm& term = text_.term(index);
    switch (term.kind) {
      case PatternTerm::Kind::kNode: {
        NPU_LET(const int64_t node, plan_node(term, std::string(term.schema->name), 1));
        if (node < 0) return std::optional<Source>();
        return std::optional<Source>(Source{.node = node});
      }
      case PatternTerm::Kind::kWord: {
        NPU_LET(Source source, plan_word(term));
        return std::optional<Source>(std::move(source));
      }
      case PatternTerm::Kind::kNumber:
        return std::optional<Source>(plan_number(term.number, row));
      case PatternTerm::Kind::kAbsent:
      case PatternTerm::Kind::kAnyOf:
        break;
    }
    return std::optional<Source>(Source{});
  }

  Result<Source> plan_word(const PatternTerm& term) {
    std::optional<Source>& known = made_[static_cast<size_t>(term.word)];
    if (known) return *known;
    const std::string& word = text_.word(term.word).name;
    if (const auto set = match_.constants_.find(word); set != match_.constants_.end()) {
      known = plan_constant(word, set->second);
    } else if (const auto bound = match_.values_.find(word); bound != match_.values_.end()) {
      known = Source{.value = bound->second};  // null, absent, when its branch was not taken
    } else {
      return at(
          term.place,
          fail(ErrorId::kBadPattern, "a word of the replacement stands for nothing",
               text("'", word, "'"), "a word of the pattern, or a constant that the guard sets"));
    }
    return *known;
  }

  Source plan_number(double number, const InputSchema* row) {
    const DType dtype = root_value()->type.dtype;
    if (row != nullptr && takes_integers_only(*row) && !row->dtypes.has(dtype))
      return plan_constant("axes", Tensor::of_ints({static_cast<int64_t>(number)}));
    return plan_constant("number", Tensor::scalar(dtype, number));
  }

  Source plan_constant(const std::string& hint, const Tensor& data) {
    for (size_t i = 0; i < constants_.size(); ++i) {
      const Tensor& other = constants_[i].data;
      const bool is_same = other.dtype() == data.dtype() && other.dims() == data.dims() &&
                           std::equal(other.bytes().begin(), other.bytes().end(),
                                      data.bytes().begin(), data.bytes().end());
      if (is_same) return {.constant = static_cast<int64_t>(i)};
    }
    constants_.push_back(
        {.name = text(match_.root().name(), '.', hint), .data = data, .type = data.type()});
    return {.constant = static_cast<int64_t>(constants_.size()) - 1};
  }

  /// Index of the planned node; -1 when it does not fit. hint: of its name; empty: the root's.
  Result<int64_t> plan_node(const PatternTerm& term, const std::string& hint, int64_t outputs) {
    PlannedNode node = {.term = &term, .output_count = outputs};
    const std::string& root_name = match_.root().name();
    node.name = hint.empty() ? root_name : text(root_name, '.', hint);
    for (size_t i = 0; i < term.args.size(); ++i) {
      const std::vector<InputSchema>& rows = term.schema->inputs;
      const InputSchema* row = rows.empty() ? nullptr : &rows[std::min(i, rows.size() - 1)];
      NPU_LET(const std::optional<Source> source, plan_term(term.args[i], row));
      if (!source) return int64_t{-1};
      node.inputs.push_back(*source);
    }
    NPU_LET(const bool has_attrs, plan_attrs(term, node.attrs));
    if (!has_attrs) return int64_t{-1};
    NPU_LET(const bool fits, infer(node));
    if (!fits) return int64_t{-1};
    nodes_.push_back(std::move(node));
    return static_cast<int64_t>(nodes_.size()) - 1;
  }

  Result<bool> plan_attrs(const PatternTerm& term, Attrs& attrs) const {
    const auto is_written = [&](std::string_view name) {
      return std::any_of(term.attrs.begin(), term.attrs.end(),
                         [&](const PatternAttr& attr) { return attr.name == name; });
    };
    const Node* like = term.attrs_of.empty() ? nullptr : match_.node(term.attrs_of);
    if (like != nullptr) {
      for (const auto& [name, value] : like->attrs()) {
        if (is_written(name)) continue;
        const AttrSchema* row = term.schema->find_attr(name);
        const AttrSchema* own = like->schema().find_attr(name);
        const bool is_kept = row != nullptr && row->kind == kind_of(value);
        const bool is_default =
            own != nullptr && own->fallback && attr_equal(*own->fallback, value);
        if (!is_kept && !is_default) return false;  // it would be lost
        if (is_kept) attrs.set(name, value);
      }
    }
    for (const PatternAttr& attr : term.attrs) {
      if (attr.bound < 0) {
        attrs.set(attr.name, attr.value);
        continue;
      }
      const std::string& name = text_.attr_names[static_cast<size_t>(attr.bound)];
      if (const AttrValue* value = match_.attr(name)) attrs.set(attr.name, *value);
    }
    return true;
  }

  std::optional<InferInput> known(const Source& source) const {
    if (source.node >= 0) {
      const InferOutput& output =
          nodes_[static_cast<size_t>(source.node)].outputs[static_cast<size_t>(source.output)];
      return InferInput{.type = &output.type,
                        .content = output.content ? &*output.content : nullptr};
    }
    if (source.constant >= 0) {
      const PlannedConstant& constant = constants_[static_cast<size_t>(source.constant)];
      return InferInput{.type = &constant.type, .constant = &constant.data};
    }
    if (source.value == nullptr) return InferInput{};
    if (!source.value->has_type) return std::nullopt;
    return InferInput{.type = &source.value->type,
                      .content = source.value->content ? &*source.value->content : nullptr,
                      .constant = source.value->constant()};
  }

  Result<bool> infer(PlannedNode& node) const {
    const std::string place =
        text("replacement of node '", match_.root().name(), "': ", node.term->schema->name);
    std::vector<InferInput> in;
    for (const Source& source : node.inputs) {
      const std::optional<InferInput> input = known(source);
      if (!input) return false;
      in.push_back(*input);
    }
    if (const Status legal = complete_attrs(*node.term->schema, node.attrs); !legal)
      return misfit(at(place, legal.error()));
    auto outputs =
        infer_outputs(*node.term->schema, {in, node.attrs, node.output_count, node.name});
    if (!outputs) return misfit(at(place, std::move(outputs).error()));
    if (static_cast<int64_t>(outputs->size()) < node.output_count) return false;
    node.outputs = *std::move(outputs);
    return true;
  }

  Result<bool> misfit(Error error) const {
    if (misfit_ == Misfit::kSkip) return false;
    return error;
  }

  bool has_type(const Source& source, const Value& root) const {
    const std::optional<InferInput> found = known(source);
    return found && found->present() && root.has_type && root.type.shape.ranked() &&
           *found->type == root.type;
  }

  // ---- building
  Status build() {
    Node& root = match_.root();
    Graph& graph = root.graph();
    for (PlannedConstant& constant : constants_)
      constant.made = &graph.add_constant(constant.name, constant.data);
    std::vector<Node*> built;
    for (const PlannedNode& plan : nodes_) {
      std::vector<Value*> inputs;
      for (const Source& source : plan.inputs) inputs.push_back(value_of(source, built));
      std::vector<std::string> outputs;
      for (int64_t i = 0; i < plan.output_count; ++i)
        outputs.push_back(i == 0 ? plan.name : text(plan.name, '_', i));
      NPU_LET(Node* const node,
              graph.add_node(plan.term->schema->domain, plan.term->schema->name, plan.name,
                             std::move(inputs), plan.attrs, std::move(outputs), &root));
      for (int64_t i = 0; i < plan.output_count; ++i) {
        Value& output = *node->output(i);
        output.type = plan.outputs[static_cast<size_t>(i)].type;
        output.content = plan.outputs[static_cast<size_t>(i)].content;
        output.has_type = true;
      }
      built.push_back(node);
    }
    swap_in(*value_of(result_, built), built);
    return ok();
  }

  Value* value_of(const Source& source, const std::vector<Node*>& built) const {
    if (source.node >= 0) return built[static_cast<size_t>(source.node)]->output(source.output);
    if (source.constant >= 0) return constants_[static_cast<size_t>(source.constant)].made;
    return source.value;
  }

  /// Readers of the root read `to`; what is then dead is erased, its origins and names handed on.
  void swap_in(Value& to, const std::vector<Node*>& built) {
    Graph& graph = match_.root().graph();
    Value& from = *root_value();
    const std::string value_name = from.name(), node_name = match_.root().name();
    const bool is_new = result_.node >= 0;
    const bool takes_name = is_new || is_any_output(from);
    graph.replace_uses(from, to);
    std::vector<std::vector<std::string>> origins;  // of the erased nodes, the root's first
    for (size_t i = match_.nodes_.size(); i-- > 0;) {
      Node& node = *match_.nodes_[i];
      const bool is_read = std::any_of(node.outputs().begin(), node.outputs().end(),
                                       [](const Value* value) { return value->is_used(); });
      if (is_read) continue;  // the replacement reads it
      origins.push_back(origins_of(node));
      graph.erase(node);
    }
    if (takes_name) graph.rename(to, value_name);
    if (is_new) graph.rename(*to.producer(), node_name);
    std::vector<std::string> all;
    for (auto group = origins.rbegin(); group != origins.rend(); ++group)
      for (std::string& origin : *group) all.push_back(std::move(origin));
    all = each_once(std::move(all));
    for (Node* node : built) node->origins = all;
  }

  const PatternText& text_;
  Match& match_;
  Misfit misfit_;
  std::vector<std::optional<Source>> made_;  // by word
  std::vector<PlannedNode> nodes_;
  std::vector<PlannedConstant> constants_;
  Source result_;
};

struct Rewrites::Rule {
  Pattern pattern;
  PatternText replacement;
  std::function<Result<bool>(Match&)> guard;

  static Result<Rule> parse(Rewrite rewrite);
};

namespace {

/// Words and attributes of the replacement that nobody could ever give a meaning.
Status check_pair(const PatternText& pattern, const PatternText& replacement, bool has_guard) {
  for (const PatternTerm& term : replacement.terms) {
    const auto unknown = [&](const std::string& name, std::string_view expected) {
      return at("replacement", at(term.place, fail(ErrorId::kBadPattern,
                                                   "a word of the replacement stands for nothing",
                                                   text("'", name, "'"), std::string(expected))));
    };
    if (term.kind == PatternTerm::Kind::kWord) {
      const PatternWord& word = replacement.word(term.word);
      const int64_t root =
          pattern.statements.back().words[static_cast<size_t>(pattern.root_output())];
      if (word.statement < 0 && pattern.find_word(word.name) == root)
        return at("replacement",
                  at(term.place, fail(ErrorId::kBadPattern, "a replacement reads what it replaces",
                                      text("'", word.name, "'"), "another word")));
    }
    if (!term.attrs_of.empty()) {
      const std::string& name = term.attrs_of;
      const int64_t word = pattern.find_word(name);
      if (word < 0 || pattern.word(word).statement < 0)
        return unknown("*" + name, "a word that a statement of the pattern makes");
    }
    if (has_guard) continue;
    for (const PatternAttr& attr : term.attrs) {
      if (attr.bound < 0) continue;
      const std::string& name = replacement.attr_names[static_cast<size_t>(attr.bound)];
      if (pattern.find_attr_name(name) < 0)
        return unknown("$" + name, "an attribute that the pattern binds or a guard sets");
    }
    if (term.kind != PatternTerm::Kind::kWord) continue;
    const PatternWord& word = replacement.word(term.word);
    if (word.statement < 0 && pattern.find_word(word.name) < 0)
      return unknown(word.name, "a word of the pattern, or a constant that a guard sets");
  }
  return ok();
}

}  // namespace

Result<Rewrites::Rule> Rewrites::Rule::parse(Rewrite rewrite) {
  auto pattern = parse_pattern_text(rewrite.pattern, PatternRole::kPattern);
  if (!pattern) return at("pattern", std::move(pattern).error());
  auto replacement = parse_pattern_text(rewrite.replacement, PatternRole::kReplacement);
  if (!replacement) return at("replacement", std::move(replacement).error());
  NPU_TRY(check_pair(*pattern, *replacement, rewrite.guard != nullptr));
  // A guard may set another constant or attribute.
  if (!rewrite.guard && same_meaning(*pattern, *replacement))
    return at("replacement: line 1",
              fail(ErrorId::kBadPattern, "a replacement is what it replaces", rewrite.replacement,
                   "another node, input or attribute", "change the replacement"));
  NPU_LET(Pattern parsed, Pattern::parse(rewrite.pattern));
  return Rule{std::move(parsed), *std::move(replacement), std::move(rewrite.guard)};
}

Rewrites::Rewrites(std::vector<Rewrite> rewrites, Misfit misfit) : misfit_(misfit) {
  for (size_t i = 0; i < rewrites.size(); ++i) {
    auto rule = Rule::parse(std::move(rewrites[i]));
    if (!rule) {
      status_ = at(text("rewrite ", i + 1), std::move(rule).error());
      return;
    }
    rules_.push_back(std::make_shared<const Rule>(*std::move(rule)));
  }
}

Result<bool> Rewrites::apply_at(Node& root) const {
  for (const auto& rule : rules_) {
    std::optional<Match> match = rule->pattern.match(root);
    if (!match) continue;
    if (rule->guard) {
      NPU_LET(const bool passes, rule->guard(*match));
      if (!passes) continue;
    }
    NPU_LET(const bool is_replaced, Replacer(rule->replacement, *match, misfit_).run());
    if (is_replaced) return true;
  }
  return false;
}

Result<int64_t> Rewrites::apply(Graph& graph) const {
  NPU_TRY(status_);
  int64_t count = 0;
  // A replacement erases nodes that stand before its root only: the list stays valid.
  for (Node* node : graph.nodes()) {
    const std::string name = node->name();
    auto is_replaced = apply_at(*node);
    if (!is_replaced) return at(text("node '", name, "'"), std::move(is_replaced).error());
    count += *is_replaced ? 1 : 0;
  }
  if (count != 0) NPU_TRY(passes::eliminate_dead_code(graph, {}));
  return count;
}

}  // namespace npugraph
