// SPDX-License-Identifier: Apache-2.0
#include "npugraph/interp/interp.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <unordered_map>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"
#include "npugraph/interp/op_runner.h"

namespace npugraph {
namespace {

/// A graph's nodes, and for each the values of this graph that nobody reads after it.
struct GraphPlan {
  std::vector<const Node*> nodes;
  std::vector<std::vector<const Value*>> release_after;
};

GraphPlan plan_graph(const Graph& graph) {
  GraphPlan plan;
  std::unordered_map<const Value*, size_t> last;
  std::vector<const Value*> order;  // of the keys of `last`, so that nothing depends on addresses
  const auto see = [&](const Value* value, size_t index) {
    if (&value->graph() != &graph || value->constant() != nullptr || value->is_graph_output())
      return;
    if (last.insert_or_assign(value, index).second) order.push_back(value);
  };
  for (const Node* node : graph.nodes()) {
    const size_t index = plan.nodes.size();
    plan.nodes.push_back(node);
    // What nested graphs read is read by the node that holds them.
    for (const Value* value : values_read(*node)) see(value, index);
    for (const Value* output : node->outputs()) see(output, index);
  }
  plan.release_after.resize(plan.nodes.size());
  for (const Value* value : order) plan.release_after[last.at(value)].push_back(value);
  return plan;
}

Status check_input(const Value& input, const Tensor& tensor, Dim::Bindings& bindings) {
  if (!input.has_type) return ok();
  if (tensor.dtype() != input.type.dtype)
    return fail(ErrorId::kDTypeMismatch, "the input has another dtype",
                std::string(dtype_name(tensor.dtype())), std::string(dtype_name(input.type.dtype)));
  const Shape& shape = input.type.shape;
  if (!shape.ranked()) return ok();
  const Dims& dims = tensor.dims();
  bool fits = static_cast<int64_t>(dims.size()) == shape.rank();
  for (int64_t axis = 0; fits && axis < shape.rank(); ++axis) {
    const int64_t found = dims[static_cast<size_t>(axis)];
    const std::vector<std::string> symbols = shape[axis].symbols();
    if (symbols.size() == 1 && shape[axis] == Dim::symbol(symbols[0])) {
      fits = bindings.emplace(symbols[0], found).first->second == found;
    } else if (const auto expected = shape[axis].evaluate(bindings)) {
      fits = *expected == found;
    }
  }
  if (fits) return ok();
  std::vector<std::string> bound;
  for (const auto& [symbol, number] : bindings) bound.push_back(text(symbol, " = ", number));
  return fail(ErrorId::kShapeMismatch, "the input has another shape", dims_str(dims),
              bound.empty() ? shape.str() : text(shape.str(), " with ", join(bound)));
}

Result<bool> read_flag(const Tensor& tensor, std::string_view name) {
  if (tensor.elements() == 1) return tensor.view().load_int(0) != 0;
  return fail(ErrorId::kShapeMismatch, text("'", name, "' is not a single value"),
              dims_str(tensor.dims()), "one element");
}

/// A tensor of one element in the shape that a Loop's body declares: a scalar, or 1-D.
Result<Tensor> single(const Value& wanted, DType dtype, int64_t number) {
  const bool is_vector = wanted.has_type && wanted.type.shape.rank() == 1;
  NPU_LET(Tensor tensor, Tensor::zeros(dtype, is_vector ? Dims{1} : Dims{}));
  tensor.mutable_view().store_int(0, number);
  return tensor;
}

/// Copies `from` into `to`, starting at element `first`.
void copy_elements(const TensorView& from, const TensorView& to, int64_t first) {
  const int64_t count = from.elements();
  const int64_t bits = dtype_bits(from.dtype);
  if (bits < 8) {  // two elements share a byte
    for (int64_t i = 0; i < count; ++i) to.store_int(first + i, from.load_int(i));
  } else if (count > 0) {
    std::memcpy(to.data + first * bits / 8, from.data, static_cast<size_t>(count * bits / 8));
  }
}

}  // namespace

struct Interpreter::State {
  State(const Graph* top, InterpretOptions settings)
      : graph(top), options(std::move(settings)), runner(options.kernels, options.pool) {}

  // ---- values

  Result<const Tensor*> find(const Value& value) const {
    if (value.constant() != nullptr) return value.constant();
    const auto hit = values.find(&value);
    if (hit != values.end()) return &hit->second;
    return fail(ErrorId::kValueUnknown, text("'", value.name(), "' is not known here"));
  }

  Status grow(int64_t bytes) {
    const auto sum = checked_add(live_bytes, bytes);
    if (!sum || *sum > options.byte_limit)
      return fail(ErrorId::kOutOfMemory, "the values of the graph take too much memory",
                  text(live_bytes, " + ", bytes, " bytes"), text(options.byte_limit, " or fewer"));
    live_bytes = *sum;
    peak_bytes = std::max(peak_bytes, live_bytes);
    return ok();
  }

  Result<Tensor> make(const TensorType& type) {
    const auto dims = type.shape.known();
    NPU_CHECK(dims.has_value(), "an output without a size");
    NPU_LET(const int64_t bytes, dense_bytes(type.dtype, *dims));
    NPU_TRY(grow(bytes));
    return Tensor::zeros(type.dtype, *dims);
  }

  static int64_t bytes_of_tensor(const Tensor& tensor) {
    return static_cast<int64_t>(tensor.bytes().size());
  }

  void release(const Value& value) {
    const auto hit = values.find(&value);
    if (hit == values.end()) return;
    if (value.producer() != nullptr) live_bytes -= bytes_of_tensor(hit->second);
    values.erase(hit);
  }

  // ---- running

  const GraphPlan& plan(const Graph& of) {
    const auto hit = plans.find(&of);
    if (hit != plans.end()) return hit->second;
    return plans.emplace(&of, plan_graph(of)).first->second;
  }

  /// Takes the inputs, so that they too are freed after their last read.
  Result<std::vector<Tensor>> run_graph(const Graph& of, std::vector<Tensor> inputs) {
    for (size_t i = 0; i < inputs.size(); ++i)
      values.insert_or_assign(of.inputs()[i], std::move(inputs[i]));
    const GraphPlan& steps = plan(of);
    for (size_t i = 0; i < steps.nodes.size(); ++i) {
      NPU_TRY_AT(text("node '", steps.nodes[i]->name(), "'"), run_node(*steps.nodes[i]));
      for (const Value* value : steps.release_after[i]) release(*value);
    }
    std::vector<Tensor> outputs;
    for (const Value* output : of.outputs()) {
      NPU_LET(const Tensor* tensor, find(*output));
      outputs.push_back(*tensor);
    }
    for (const Value* output : of.outputs())
      if (&output->graph() == &of) release(*output);
    for (const Value* input : of.inputs()) release(*input);
    return outputs;
  }

  Status run_node(const Node& node) {
    std::vector<const Tensor*> inputs;
    for (const Value* value : node.inputs()) {
      inputs.push_back(nullptr);
      if (value == nullptr) continue;
      NPU_LET(inputs.back(), find(*value));
    }
    NPU_LET(std::vector<Tensor> outputs, run_any(node, inputs));
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (options.tap && !options.tap(node, static_cast<int64_t>(i), outputs[i]))
        return fail(ErrorId::kCancelled, "the run was interrupted");
      values.insert_or_assign(node.outputs()[i], std::move(outputs[i]));
    }
    return ok();
  }

  /// The outputs of a node, already counted in live_bytes.
  Result<std::vector<Tensor>> run_any(const Node& node, std::span<const Tensor* const> inputs) {
    if (node.schema().infer != nullptr) return run_op(node, inputs);
    std::optional<Result<std::vector<Tensor>>> outputs;
    if (node.is("If")) outputs = run_if(node, inputs);
    if (node.is("Loop")) outputs = run_loop(node, inputs);
    if (!outputs)
      return fail(ErrorId::kUnknownOp, text("nothing computes the operator ", node.op()),
                  std::string(node.op()), "an operator with a reference, If or Loop");
    if (*outputs)
      for (const Tensor& output : **outputs) NPU_TRY(grow(bytes_of_tensor(output)));
    return *std::move(outputs);
  }

  Result<std::vector<Tensor>> run_op(const Node& node, std::span<const Tensor* const> inputs) {
    NPU_LET(const std::vector<TensorType> types, OpRunner::output_types(node, inputs));
    std::vector<Tensor> outputs;
    for (const TensorType& type : types) {
      NPU_LET(Tensor output, make(type));
      outputs.push_back(std::move(output));
    }
    NPU_TRY(runner.run(node, inputs, outputs));
    return outputs;
  }

  static Result<const Graph*> nested(const Node& node, std::string_view name, size_t inputs,
                                     size_t outputs) {
    const Graph* found = node.subgraph(name);
    if (found != nullptr && found->inputs().size() == inputs && found->outputs().size() == outputs)
      return found;
    return fail(ErrorId::kGraphInvalid, text("the nested graph '", name, "' of ", node.op()),
                found == nullptr ? "none"
                                 : text(found->inputs().size(), " inputs and ",
                                        found->outputs().size(), " outputs"),
                text(inputs, " inputs and ", outputs, " outputs"));
  }

  Result<std::vector<Tensor>> run_if(const Node& node, std::span<const Tensor* const> inputs) {
    if (inputs.empty() || inputs[0] == nullptr)
      return fail(ErrorId::kBadArity, "input 'cond' of If", "absent", "a tensor");
    NPU_LET(const bool condition, read_flag(*inputs[0], "cond"));
    const std::string_view branch = condition ? "then_branch" : "else_branch";
    NPU_LET(const Graph* taken, nested(node, branch, 0, node.outputs().size()));
    auto outputs = run_graph(*taken, {});
    if (!outputs) return at(branch, std::move(outputs).error());
    return outputs;
  }

  Result<std::vector<Tensor>> run_loop(const Node& node, std::span<const Tensor* const> inputs) {
    const size_t carried_count = inputs.size() < 2 ? 0 : inputs.size() - 2;
    NPU_LET(const Graph* body, nested(node, "body", 2 + carried_count, 1 + node.outputs().size()));
    int64_t limit = std::numeric_limits<int64_t>::max();
    if (!inputs.empty() && inputs[0] != nullptr) {
      NPU_TRY(read_flag(*inputs[0], "M"));
      limit = inputs[0]->view().load_int(0);
    }
    bool runs = true;
    if (inputs.size() >= 2 && inputs[1] != nullptr) {
      NPU_LET(runs, read_flag(*inputs[1], "cond"));
    }
    std::vector<Tensor> carried;
    for (size_t i = 0; i < carried_count; ++i) {
      if (inputs[2 + i] == nullptr)
        return fail(ErrorId::kBadArity, text("carried value ", i, " of Loop"), "absent",
                    "a tensor");
      carried.push_back(*inputs[2 + i]);
    }
    std::vector<std::vector<Tensor>> stacks(node.outputs().size() - carried_count);
    for (int64_t round = 0; runs && round < limit; ++round)
      NPU_TRY_AT("body", run_round(*body, round, runs, carried, stacks));
    return finish_loop(*body, std::move(carried), stacks);
  }

  Status run_round(const Graph& body, int64_t round, bool& runs, std::vector<Tensor>& carried,
                   std::vector<std::vector<Tensor>>& stacks) {
    std::vector<Tensor> in(2);
    NPU_LET(in[0], single(*body.inputs()[0], DType::kI64, round));
    NPU_LET(in[1], single(*body.inputs()[1], DType::kBool, 1));
    for (Tensor& tensor : carried) in.push_back(std::move(tensor));
    NPU_LET(std::vector<Tensor> out, run_graph(body, std::move(in)));
    NPU_LET(runs, read_flag(out[0], "cond"));
    for (size_t i = 0; i < carried.size(); ++i) carried[i] = std::move(out[1 + i]);
    for (size_t i = 0; i < stacks.size(); ++i) {
      Tensor& item = out[1 + carried.size() + i];
      if (!stacks[i].empty() &&
          (item.dims() != stacks[i][0].dims() || item.dtype() != stacks[i][0].dtype()))
        return fail(ErrorId::kShapeMismatch, text("scan output ", i, " changes its shape"),
                    item.type().str(), stacks[i][0].type().str());
      NPU_TRY(grow(bytes_of_tensor(item)));
      stacks[i].push_back(std::move(item));
    }
    return ok();
  }

  Result<std::vector<Tensor>> finish_loop(const Graph& body, std::vector<Tensor> carried,
                                          std::vector<std::vector<Tensor>>& stacks) {
    std::vector<Tensor> outputs = std::move(carried);
    const size_t first = 1 + outputs.size();
    for (size_t i = 0; i < stacks.size(); ++i) {
      // Without a round, what is not known of the item's shape is 0.
      const Value& inner = *body.outputs()[first + i];
      const TensorType& declared = inner.type;
      DType dtype = declared.dtype;
      Dims dims{static_cast<int64_t>(stacks[i].size())};
      if (!stacks[i].empty()) {
        dtype = stacks[i][0].dtype();
        dims.insert(dims.end(), stacks[i][0].dims().begin(), stacks[i][0].dims().end());
      } else if (!inner.has_type) {
        return fail(ErrorId::kUnknownDim, text("the type of '", inner.name(), "' is unknown"),
                    "no type", "infer_types() of the graph before it is run");
      } else {
        for (const Dim& dim : declared.shape.dims()) dims.push_back(dim.known().value_or(0));
      }
      NPU_LET(Tensor whole, make({dtype, Shape(dims)}));
      const TensorView view = whole.mutable_view();
      int64_t place = 0;
      for (Tensor& item : stacks[i]) {
        copy_elements(item.view(), view, place);
        place += item.elements();
        live_bytes -= bytes_of_tensor(item);
        item = Tensor();
      }
      live_bytes -= bytes_of_tensor(whole);  // counted again with the node's other outputs
      outputs.push_back(std::move(whole));
    }
    return outputs;
  }

  const Graph* graph;
  InterpretOptions options;
  OpRunner runner;
  std::unordered_map<const Value*, Tensor> values;
  std::unordered_map<const Graph*, GraphPlan> plans;
  int64_t live_bytes = 0;
  int64_t peak_bytes = 0;
};

Interpreter::Interpreter(const Graph& graph, InterpretOptions options)
    : state_(std::make_unique<State>(&graph, std::move(options))) {}
Interpreter::Interpreter(Interpreter&&) noexcept = default;
Interpreter::~Interpreter() = default;

int64_t Interpreter::peak_bytes() const noexcept { return state_->peak_bytes; }

Result<std::vector<Tensor>> Interpreter::run(std::span<const Tensor> inputs) {
  const Graph& graph = *state_->graph;
  if (inputs.size() != graph.inputs().size())
    return fail(ErrorId::kBadArity, "number of inputs of the graph", text(inputs.size()),
                text(graph.inputs().size()));
  Dim::Bindings bindings;
  for (size_t i = 0; i < inputs.size(); ++i)
    NPU_TRY_AT(text("input '", graph.inputs()[i]->name(), "'"),
               check_input(*graph.inputs()[i], inputs[i], bindings));
  state_->live_bytes = 0;
  state_->peak_bytes = 0;
  auto outputs = state_->run_graph(graph, {inputs.begin(), inputs.end()});
  NPU_CHECK(!outputs || (state_->values.empty() && state_->live_bytes == 0),
            "a value outlives its last read");
  state_->values.clear();  // what an error left behind
  return outputs;
}

Result<std::vector<Tensor>> interpret(const Graph& graph, std::span<const Tensor> inputs,
                                      const InterpretOptions& options) {
  return Interpreter(graph, options).run(inputs);
}

Result<std::vector<Tensor>> interpret_node(const Node& node, std::span<const Tensor* const> inputs,
                                           const InterpretOptions& options) {
  Interpreter interpreter(node.graph(), options);
  auto outputs = interpreter.state_->run_any(node, inputs);
  if (!outputs) return at(text("node '", node.name(), "'"), std::move(outputs).error());
  return outputs;
}

}  // namespace npugraph
