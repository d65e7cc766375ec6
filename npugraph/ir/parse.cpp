// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <optional>

#include "npugraph/base/text.h"
#include "npugraph/ir/print.h"
#include "npugraph/ir/tensor_parser.h"
#include "npugraph/ir/text_reader.h"

namespace npugraph {
namespace {

class GraphParser {
 public:
  GraphParser(std::string_view text, const ParseOptions& options)
      : in_(text), tensors_(in_, options) {}

  Result<std::unique_ptr<Graph>> whole() {
    if (!in_.take_word("graph")) return in_.bad("not a graph", "'graph'");
    auto graph = std::make_unique<Graph>();
    if (in_.peek() == '"') {
      NPU_LET(std::string name, in_.quoted());
      graph->set_name(std::move(name));
    }
    NPU_TRY(body(*graph));
    if (!in_.at_end()) return in_.bad("text after the graph", "the end");
    return graph;
  }

 private:
  using Scope = std::map<std::string, Value*, std::less<>>;

  Status body(Graph& graph) {
    if (scopes_.size() >= static_cast<size_t>(kMaxGraphDepth))
      return in_.bad("graphs are nested too deeply", "32 levels");
    NPU_TRY(in_.expect("{"));
    scopes_.emplace_back();
    while (!in_.take_word("return")) {
      if (in_.peek() == '%') {
        NPU_TRY(node(graph));
      } else if (in_.take_word("input")) {
        NPU_TRY(input(graph));
      } else if (in_.take_word("const")) {
        NPU_TRY(constant(graph));
      } else if (in_.take_word("fact")) {
        NPU_TRY(fact(graph));
      } else if (in_.take_word("meta")) {
        NPU_LET(std::string key, in_.quoted());
        NPU_TRY(in_.expect("="));
        NPU_LET(std::string value, in_.quoted());
        graph.metadata.insert_or_assign(std::move(key), std::move(value));
      } else {
        return in_.bad("unexpected text", "a node, input, const, fact, meta or return");
      }
    }
    while (in_.peek() == '%') {
      NPU_LET(Value * output, known_value());
      graph.add_output(*output);
      if (!in_.take(",")) break;
    }
    scopes_.pop_back();
    return in_.expect("}");
  }

  Result<std::string> value_name() {
    NPU_TRY(in_.expect("%"));
    return in_.name();
  }

  /// A name that nothing seen from here has.
  Result<std::string> new_name() {
    const size_t start = in_.offset();
    NPU_LET(std::string name, value_name());
    if (find(name) == nullptr) return name;
    return at(in_.place(start), fail(ErrorId::kIrParse, "a value of this name exists",
                                     text("%", name), "a new name"));
  }

  Value* find(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (const auto hit = scope->find(name); hit != scope->end()) return hit->second;
    return nullptr;
  }

  Result<Value*> known_value() {
    in_.skip_space();
    const size_t start = in_.offset();
    NPU_LET(const std::string name, value_name());
    if (Value* value = find(name)) return value;
    return at(in_.place(start), fail(ErrorId::kIrParse, "no value of this name has been made yet",
                                     text("%", name), "an input, a constant or an earlier output"));
  }

  Status input(Graph& graph) {
    NPU_LET(std::string name, new_name());
    TensorType type;
    const bool has_type = in_.take(":");
    if (has_type) {
      NPU_LET(type, in_.type());
    }
    Value& value = graph.add_input(name, std::move(type));
    value.has_type = has_type;
    scopes_.back().emplace(std::move(name), &value);
    return ok();
  }

  Status constant(Graph& graph) {
    NPU_LET(std::string name, new_name());
    NPU_TRY(in_.expect("="));
    NPU_LET(Tensor data, tensors_.tensor());
    scopes_.back().emplace(name, &graph.add_constant(name, std::move(data)));
    return ok();
  }

  Status fact(Graph& graph) {
    NPU_LET(std::string symbol, in_.word());
    SymbolFact fact;
    NPU_TRY(in_.expect("="));
    NPU_LET(fact.min, in_.integer());
    NPU_TRY(in_.expect(".."));
    if (!in_.take_word("inf")) {
      NPU_LET(fact.max, in_.integer());
    }
    if (in_.take("%")) {
      NPU_LET(fact.multiple_of, in_.integer());
    }
    if (fact.min < 0 || fact.max < fact.min || fact.multiple_of < 1)
      return in_.bad("not a range", "0 <= min <= max, and a multiple of 1 or more");
    graph.facts.insert_or_assign(std::move(symbol), fact);
    return ok();
  }

  // ---- nodes

  struct Output {
    std::string name;
    std::optional<TensorType> type;
  };

  /// Everything of a node before its nested graphs.
  struct NodeText {
    size_t start = 0;  // where it stands in the text
    std::string domain, op, name, device;
    std::vector<Output> outputs;
    std::vector<Value*> inputs;
    Attrs attrs;
    std::vector<std::string> origins;
  };

  Status node(Graph& graph) {
    NPU_LET(NodeText words, node_text());
    std::vector<std::string> names;
    for (const Output& output : words.outputs) names.push_back(output.name);
    const std::string name = words.name.empty() ? names[0] : words.name;
    if (graph.find_node(name) != nullptr)
      return at(in_.place(words.start),
                fail(ErrorId::kIrParse, "a node of this name exists", text("'", name, "'")));
    auto added = graph.add_node(words.domain, words.op, name, std::move(words.inputs),
                                std::move(words.attrs), std::move(names));
    if (!added) return at(in_.place(words.start), std::move(added).error());
    Node& made = **added;
    made.device = std::move(words.device);
    made.origins = std::move(words.origins);
    for (size_t i = 0; i < words.outputs.size(); ++i) {
      Value& value = *made.outputs()[i];
      if (!words.outputs[i].type) continue;
      value.type = *words.outputs[i].type;
      value.has_type = true;
    }
    while (in_.take_word("with")) NPU_TRY(nested(made));
    // Only now: a nested graph cannot read what its own node makes.
    for (size_t i = 0; i < words.outputs.size(); ++i)
      scopes_.back().emplace(words.outputs[i].name, made.outputs()[i]);
    return ok();
  }

  Status nested(Node& node) {
    NPU_LET(std::string role, in_.word());
    const auto& roles = node.schema().subgraphs;
    if (std::find(roles.begin(), roles.end(), role) == roles.end() ||
        node.subgraph(role) != nullptr)
      return in_.bad(text(node.op(), " takes no nested graph '", role, "' here"),
                     roles.empty() ? "none" : join(roles));
    Graph& graph = node.add_subgraph(role);
    if (in_.peek() == '"') {
      NPU_LET(std::string name, in_.quoted());
      graph.set_name(std::move(name));
    }
    return body(graph);
  }

  Result<NodeText> node_text() {
    NodeText words;
    words.start = in_.offset();
    do {
      Output output;
      NPU_LET(output.name, new_name());
      if (in_.take(":")) {
        NPU_LET(output.type, in_.type());
      }
      words.outputs.push_back(std::move(output));
    } while (in_.take(","));
    NPU_TRY(in_.expect("="));
    NPU_LET(words.op, in_.word());
    if (in_.take("::")) {
      words.domain = std::move(words.op);
      NPU_LET(words.op, in_.word());
    }
    NPU_TRY(arguments(words.inputs));
    if (in_.take("{")) NPU_TRY(attributes(words));
    if (in_.take("@")) {
      NPU_LET(words.device, in_.name());
    }
    if (in_.take_word("name")) {
      NPU_LET(words.name, in_.quoted());
    }
    if (in_.take_word("from")) {
      NPU_LET(words.origins, strings());
    }
    return words;
  }

  Status arguments(std::vector<Value*>& inputs) {
    NPU_TRY(in_.expect("("));
    if (in_.take(")")) return ok();
    do {
      if (in_.take("-")) {
        inputs.push_back(nullptr);
        continue;
      }
      NPU_LET(Value * input, known_value());
      inputs.push_back(input);
    } while (in_.take(","));
    return in_.expect(")");
  }

  Status attributes(NodeText& words) {
    const OpSchema* schema = find_op(words.domain, words.op);
    if (schema == nullptr) {
      const auto known = Graph().add_node(words.domain, words.op, "", {}, {}, {});
      return at(in_.place(words.start), known.error());
    }
    if (in_.take("}")) return ok();
    do {
      in_.skip_space();
      const size_t start = in_.offset();
      NPU_LET(std::string name, in_.word());
      NPU_TRY(in_.expect("="));
      const AttrSchema* row = schema->find_attr(name);
      if (row == nullptr)
        return at(in_.place(start),
                  fail(ErrorId::kBadAttribute, text(schema->name, " has no such attribute"),
                       text("'", name, "'")));
      NPU_LET(AttrValue value, attribute(row->kind));
      words.attrs.set(std::move(name), std::move(value));
    } while (in_.take(","));
    return in_.expect("}");
  }

  Result<AttrValue> attribute(AttrKind kind) {
    switch (kind) {
      case AttrKind::kInt: {
        NPU_LET(const int64_t value, in_.integer());
        return AttrValue(value);
      }
      case AttrKind::kFloat: {
        NPU_LET(const double value, in_.real());
        return AttrValue(value);
      }
      case AttrKind::kString: {
        NPU_LET(std::string value, in_.quoted());
        return AttrValue(std::move(value));
      }
      case AttrKind::kInts: {
        NPU_LET(Ints value, list<int64_t>([&] { return in_.integer(); }));
        return AttrValue(std::move(value));
      }
      case AttrKind::kFloats: {
        NPU_LET(Floats value, list<double>([&] { return in_.real(); }));
        return AttrValue(std::move(value));
      }
      case AttrKind::kStrings: {
        NPU_LET(Strings value, strings());
        return AttrValue(std::move(value));
      }
      case AttrKind::kTensor: {
        NPU_LET(Tensor value, tensors_.tensor());
        return AttrValue(std::move(value));
      }
    }
    return in_.bad("an attribute of an unknown kind", "int, float, string, a list or a tensor");
  }

  template <class T, class F>
  Result<std::vector<T>> list(const F& item) {
    NPU_TRY(in_.expect("["));
    std::vector<T> out;
    if (in_.take("]")) return out;
    do {
      NPU_LET(T value, item());
      out.push_back(std::move(value));
    } while (in_.take(","));
    NPU_TRY(in_.expect("]"));
    return out;
  }

  Result<Strings> strings() {
    return list<std::string>([&] { return in_.quoted(); });
  }

  TextReader in_;
  TensorParser tensors_;
  std::vector<Scope> scopes_;
};

}  // namespace

Result<std::unique_ptr<Graph>> parse(std::string_view text, const ParseOptions& options) {
  return GraphParser(text, options).whole();
}

}  // namespace npugraph
