// SPDX-License-Identifier: Apache-2.0
// The matcher: goals (this term stands for that value) are met one after the other, depth first;
// where there is a choice, each is tried with a copy of what is bound so far.
#include "npugraph/passes/pattern.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>

#include "npugraph/passes/pattern_text.h"
#include "npugraph/passes/rewrite.h"

namespace npugraph {
namespace {

constexpr int64_t kMaxSteps = 100'000;

bool is_number(const Value* value, double number) {
  const std::optional<double> found = scalar_of(value);
  if (!found) return false;
  if (*found == number) return true;
  if (std::abs(*found - number) <= kConstantTolerance * std::abs(number)) return true;
  const DType dtype = value->constant()->dtype();
  return is_float(dtype) && Tensor::scalar(dtype, number).view().load(0) == *found;
}

bool same_literal(const AttrValue& found, const AttrValue& wanted) {
  const auto close = [](double a, double b) {
    return a == b || std::abs(a - b) <= kConstantTolerance * std::abs(b);
  };
  if (found.index() != wanted.index()) return false;
  if (const auto* real = std::get_if<double>(&found)) return close(*real, std::get<double>(wanted));
  if (const auto* reals = std::get_if<Floats>(&found)) {
    const auto& others = std::get<Floats>(wanted);
    return std::equal(reals->begin(), reals->end(), others.begin(), others.end(), close);
  }
  return attr_equal(found, wanted);
}

/// An attribute that a pattern does not write.
bool is_default(const OpSchema& schema, std::string_view name, const AttrValue& found) {
  const AttrSchema* row = schema.find_attr(name);
  return row != nullptr && row->fallback && same_literal(found, *row->fallback);
}

/// What is bound on the way; by the numbers of the pattern's words and attribute names.
struct Bindings {
  std::vector<Value*> values;
  std::vector<std::optional<const AttrValue*>> attrs;  // null: absent where it was looked for
  std::vector<Node*> nodes;
};

/// `value` is to be `term`, or `close` is complete: all its inputs fit.
struct Goal {
  int64_t term = -1;
  Value* value = nullptr;
  Node* close = nullptr;
  int64_t statement = -1;   // whose words a node then makes; -1: none
  bool is_present = false;  // an optional node that is tried as there
  const Goal* next = nullptr;
};

}  // namespace

class Matcher {
 public:
  Matcher(const PatternText& pattern, Node& root) : pattern_(pattern), root_(root) {}

  std::optional<Match> run() {
    const int64_t output = pattern_.root_output();
    if (output >= static_cast<int64_t>(root_.outputs().size())) return std::nullopt;
    Bindings bound;
    bound.values.resize(pattern_.words.size());
    bound.attrs.resize(pattern_.attr_names.size());
    const auto last = static_cast<int64_t>(pattern_.statements.size()) - 1;
    const PatternStatement& statement = pattern_.statements.back();
    const Goal* goal =
        push({.term = statement.expr, .value = root_.output(output), .statement = last});
    if (!solve(goal, std::move(bound))) return std::nullopt;
    return make_match();
  }

 private:
  const Goal* push(const Goal& goal) { return &goals_.emplace_back(goal); }
  const PatternTerm& term_of(const Goal& goal) const { return pattern_.term(goal.term); }

  bool solve(const Goal* goal, Bindings bound) {
    while (goal != nullptr) {
      if (--steps_left_ < 0) return false;
      const Goal& now = *goal;
      goal = now.next;
      if (now.close != nullptr) {
        // Two places of a pattern may fit one node.
        const bool is_new =
            std::find(bound.nodes.begin(), bound.nodes.end(), now.close) == bound.nodes.end();
        if (is_new) bound.nodes.push_back(now.close);
        continue;
      }
      const PatternTerm& term = term_of(now);
      if (!may_fit(now.term, now.value, bound)) return false;
      switch (term.kind) {
        case PatternTerm::Kind::kAbsent:
        case PatternTerm::Kind::kNumber:
          break;  // may_fit() has said all
        case PatternTerm::Kind::kWord:
          goal = meet_word(term, now, bound);
          break;
        case PatternTerm::Kind::kAnyOf:
          return any_of(term, now, bound);
        case PatternTerm::Kind::kNode: {
          if (term.is_optional && !now.is_present) return optional(term, now, bound);
          if (!meet_node(term, now, bound)) return false;
          Node& node = *now.value->producer();
          const Goal* const rest = push({.close = &node, .next = goal});
          if (!may_swap(term, node)) {
            goal = push_args(term, node, false, rest);
            break;
          }
          if (solve(push_args(term, node, false, rest), bound)) return true;
          goal = push_args(term, node, true, rest);
          break;
        }
      }
    }
    return finish(std::move(bound));
  }

  /// What can be said at a glance; it keeps the search from copying in vain.
  bool may_fit(int64_t index, const Value* value, const Bindings& bound) const {
    const PatternTerm& term = pattern_.term(index);
    if (term.kind == PatternTerm::Kind::kAbsent) return value == nullptr;
    if (value == nullptr) return false;
    switch (term.kind) {
      case PatternTerm::Kind::kNumber:
        return is_number(value, term.number);
      case PatternTerm::Kind::kWord: {
        const Value* known = bound.values[static_cast<size_t>(term.word)];
        if (known != nullptr) return known == value;
        return !term.must_be_constant || value->constant() != nullptr;
      }
      case PatternTerm::Kind::kNode:
        return term.is_optional ||
               (value->producer() != nullptr && &value->producer()->schema() == term.schema);
      case PatternTerm::Kind::kAnyOf:
      case PatternTerm::Kind::kAbsent:
        break;
    }
    return true;
  }

  /// The goals that are left: a word of a statement is what the statement says.
  const Goal* meet_word(const PatternTerm& term, const Goal& now, Bindings& bound) {
    Value*& known = bound.values[static_cast<size_t>(term.word)];
    if (known != nullptr) return now.next;
    known = now.value;
    const int64_t statement = pattern_.word(term.word).statement;
    if (statement < 0) return now.next;
    return push({.term = pattern_.statement(statement).expr,
                 .value = now.value,
                 .statement = statement,
                 .next = now.next});
  }

  bool any_of(const PatternTerm& term, const Goal& now, const Bindings& bound) {
    for (const int64_t choice : term.args) {
      if (!may_fit(choice, now.value, bound)) continue;
      Goal goal = now;
      goal.term = choice;
      if (solve(push(goal), bound)) return true;
    }
    return false;
  }

  bool optional(const PatternTerm& term, const Goal& now, const Bindings& bound) {
    Goal goal = now;
    goal.is_present = true;
    const Node* producer = now.value->producer();
    const bool is_there = producer != nullptr && &producer->schema() == term.schema;
    if (is_there && solve(push(goal), bound)) return true;
    goal = now;
    goal.term = term.args[0];
    goal.statement = -1;
    return solve(push(goal), bound);
  }

  /// The node itself: outputs, attributes; binds the words of its statement.
  bool meet_node(const PatternTerm& term, const Goal& now, Bindings& bound) const {
    Node* const node = now.value->producer();
    if (node == nullptr || &node->schema() != term.schema || &node->graph() != &root_.graph())
      return false;
    return meet_outputs(now, *node, bound) && meet_attrs(term, *node, bound) &&
           meet_arity(term, *node);
  }

  bool meet_outputs(const Goal& now, const Node& node, Bindings& bound) const {
    static const std::vector<int64_t> kOneWord = {-1};
    const std::vector<int64_t>& words =
        now.statement >= 0 ? pattern_.statement(now.statement).words : kOneWord;
    for (const Value* output : node.outputs()) {
      const bool is_named = output->output_index() < static_cast<int64_t>(words.size()) &&
                            words[static_cast<size_t>(output->output_index())] >= 0;
      if (output != now.value && !is_named && output->is_used()) return false;
    }
    if (words.size() == 1) {
      if (now.value->output_index() != 0) return false;
      if (words[0] >= 0) bound.values[static_cast<size_t>(words[0])] = now.value;
      return true;
    }
    for (size_t i = 0; i < words.size(); ++i) {
      if (words[i] < 0) continue;
      if (i >= node.outputs().size()) return false;
      Value* const output = node.output(static_cast<int64_t>(i));
      Value*& known = bound.values[static_cast<size_t>(words[i])];
      if (known != nullptr && known != output) return false;
      known = output;
    }
    return true;
  }

  bool meet_attrs(const PatternTerm& term, const Node& node, Bindings& bound) const {
    for (const PatternAttr& wanted : term.attrs) {
      const AttrValue* found = node.attrs().find(wanted.name);
      if (wanted.bound < 0) {
        if (found == nullptr || !same_literal(*found, wanted.value)) return false;
        continue;
      }
      std::optional<const AttrValue*>& known = bound.attrs[static_cast<size_t>(wanted.bound)];
      if (!known) known = found;
      const bool is_same = (*known == nullptr && found == nullptr) ||
                           (*known != nullptr && found != nullptr && attr_equal(**known, *found));
      if (!is_same) return false;
    }
    if (term.any_attrs) return true;
    for (const auto& [name, value] : node.attrs()) {
      const bool is_written =
          std::any_of(term.attrs.begin(), term.attrs.end(),
                      [&, &attr = name](const PatternAttr& a) { return a.name == attr; });
      if (!is_written && !is_default(node.schema(), name, value)) return false;
    }
    return true;
  }

  static bool meet_arity(const PatternTerm& term, const Node& node) {
    for (size_t i = term.args.size(); i < node.inputs().size(); ++i)
      if (node.inputs()[i] != nullptr && !term.more_args) return false;
    return true;
  }

  static bool may_swap(const PatternTerm& term, const Node& node) {
    return term.args.size() == 2 && !term.more_args && node.inputs().size() == 2 &&
           node.input(0) != node.input(1) && commutes(node.schema());
  }

  /// The first argument's goal is on top.
  const Goal* push_args(const PatternTerm& term, const Node& node, bool is_swapped,
                        const Goal* rest) {
    const auto count = static_cast<int64_t>(term.args.size());
    for (int64_t i = count - 1; i >= 0; --i) {
      rest = push({.term = term.args[static_cast<size_t>(i)],
                   .value = node.input(is_swapped ? 1 - i : i),
                   .next = rest});
    }
    return rest;
  }

  bool finish(Bindings bound) {
    if (bound.nodes.empty() || bound.nodes.back() != &root_) return false;
    for (const Node* node : bound.nodes) {
      if (node != &root_ && !is_inside(*node, bound.nodes)) return false;
    }
    found_ = std::move(bound);
    return true;
  }

  static bool is_inside(const Node& node, const std::vector<Node*>& nodes) {
    for (const Value* output : node.outputs()) {
      if (!output->output_of().empty()) return false;
      for (const Use& use : output->uses())
        if (std::find(nodes.begin(), nodes.end(), use.node) == nodes.end()) return false;
    }
    return true;
  }

  Match make_match() const {
    Match match;
    match.nodes_ = found_.nodes;
    for (size_t i = 0; i < pattern_.words.size(); ++i)
      match.values_.emplace(pattern_.words[i].name, found_.values[i]);
    for (size_t i = 0; i < pattern_.attr_names.size(); ++i)
      if (const AttrValue* const attr = found_.attrs[i].value_or(nullptr))
        match.attrs_.emplace(pattern_.attr_names[i], *attr);
    return match;
  }

  const PatternText& pattern_;
  Node& root_;
  std::deque<Goal> goals_;  // addresses stay
  Bindings found_;
  int64_t steps_left_ = kMaxSteps;
};

Value* Match::value(std::string_view word) const {
  const auto hit = values_.find(word);
  return hit == values_.end() ? nullptr : hit->second;
}

Node* Match::node(std::string_view word) const {
  const Value* made = value(word);
  Node* const producer = made != nullptr ? made->producer() : nullptr;
  return std::find(nodes_.begin(), nodes_.end(), producer) != nodes_.end() ? producer : nullptr;
}

const Tensor* Match::constant(std::string_view word) const {
  const Value* found = value(word);
  return found != nullptr ? found->constant() : nullptr;
}

const AttrValue* Match::attr(std::string_view name) const {
  const auto hit = attrs_.find(name);
  return hit == attrs_.end() ? nullptr : &hit->second;
}

void Match::set_constant(std::string word, Tensor data) {
  constants_.insert_or_assign(std::move(word), std::move(data));
}

void Match::set_attr(std::string name, AttrValue value) {
  attrs_.insert_or_assign(std::move(name), std::move(value));
}

Result<Pattern> Pattern::parse(std::string_view text) {
  NPU_LET(PatternText parsed, parse_pattern_text(text, PatternRole::kPattern));
  return Pattern(std::make_shared<const PatternText>(std::move(parsed)));
}

std::optional<Match> Pattern::match(Node& root) const {
  const std::vector<const OpSchema*>& ops = text_->root_ops;
  if (std::find(ops.begin(), ops.end(), &root.schema()) == ops.end()) return std::nullopt;
  return Matcher(*text_, root).run();
}

}  // namespace npugraph
