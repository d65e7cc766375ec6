// SPDX-License-Identifier: Apache-2.0
// The compile side: takes MatMul and Relu in float32 with known shapes.
#include "npugraph/target/plugin_abi.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>

#include "npugraph/hal/plugin_abi.h"
#include "program.h"

namespace matmulrelu {

const NpugraphDriver& driver_table();  // driver.cpp

namespace {

bool is(const NpugraphNode& node, const char* op) {
  return std::strcmp(node.domain, "") == 0 && std::strcmp(node.op, op) == 0;
}

int64_t elements_of(const NpugraphValue& value) {
  int64_t count = 1;
  for (int32_t i = 0; i < value.rank; ++i) count *= value.dims[i];
  return count;
}

std::string dims_text(const NpugraphValue& value) {
  std::string out = "[";
  for (int32_t i = 0; i < value.rank; ++i) {
    out += (i == 0 ? "" : ", ") + (value.dims[i] < 0 ? "?" : std::to_string(value.dims[i]));
  }
  return out + "]";
}

/// Product of the dims before the matrix.
int64_t batch_of(const NpugraphValue& value) {
  int64_t count = 1;
  for (int32_t i = 0; i + 2 < value.rank; ++i) count *= value.dims[i];
  return count;
}

bool same_batch(const NpugraphValue& a, const NpugraphValue& b) {
  return a.rank == b.rank &&
         std::memcmp(a.dims, b.dims, static_cast<size_t>(a.rank - 2) * sizeof(int64_t)) == 0;
}

void answer_no(NpugraphSupport* answer, const std::string& reason, const std::string& found,
               const std::string& allowed) {
  answer->yes = 0;
  std::snprintf(answer->reason, sizeof(answer->reason), "%s", reason.c_str());
  std::snprintf(answer->found, sizeof(answer->found), "%s", found.c_str());
  std::snprintf(answer->allowed, sizeof(answer->allowed), "%s", allowed.c_str());
}

bool check_value(const NpugraphValue& value, NpugraphSupport* answer) {
  const std::string role = std::string(" of '") + value.name + "'";
  if (value.dtype != NPUGRAPH_FLOAT32) {
    answer_no(answer, "dtype" + role, "ONNX type " + std::to_string(value.dtype), "float32");
    return false;
  }
  bool known = value.rank >= 0;
  for (int32_t i = 0; i < value.rank; ++i) known = known && value.dims[i] >= 0;
  if (!known) answer_no(answer, "shape" + role, dims_text(value), "dims known at compile time");
  return known;
}

void check_node(const NpugraphGraph& graph, NpugraphSupport* answer) {
  const NpugraphNode& node = graph.nodes[0];
  const bool matmul = is(node, "MatMul");
  if (!matmul && !is(node, "Relu")) return answer_no(answer, "operator", node.op, "MatMul, Relu");
  for (int64_t i = 0; i < graph.value_count; ++i) {
    if (!check_value(graph.values[i], answer)) return;
  }
  answer->yes = 1;
  if (!matmul) return;
  const NpugraphValue& a = graph.values[node.inputs[0]];
  const NpugraphValue& b = graph.values[node.inputs[1]];
  if (a.rank < 2 || b.rank < 2) {
    return answer_no(answer, "rank of a MatMul input", dims_text(a.rank < 2 ? a : b), "2 or more");
  }
  if (b.rank != 2 && !same_batch(a, b)) {
    answer_no(answer, "batch dims of MatMul", dims_text(a) + " and " + dims_text(b),
              "equal ones, or a second input of rank 2");
  }
}

/// Builds a program from a graph.
class Builder {
 public:
  explicit Builder(const NpugraphGraph& graph) : graph_(graph) {}

  void build() {
    program.input_count = graph_.input_count;
    program.output_count = graph_.output_count;
    for (int64_t i = 0; i < graph_.input_count; ++i) bind(graph_.inputs[i], Kind::kInput, i);
    std::vector<std::pair<int32_t, int64_t>> copies;  // value, output buffer
    std::map<int32_t, bool> made;
    for (int64_t i = 0; i < graph_.node_count; ++i) made[graph_.nodes[i].outputs[0]] = true;
    for (int64_t i = 0; i < graph_.output_count; ++i) {
      const int32_t value = graph_.outputs[i];
      if (made.count(value) != 0 && buffer_of_.count(value) == 0) {
        bind(value, Kind::kOutput, i);
      } else {  // an input, a constant, or a value that is given twice
        copies.emplace_back(value, add(Kind::kOutput, i, elements_of(graph_.values[value])));
      }
    }
    for (int64_t i = 0; i < graph_.node_count; ++i) add_step(graph_.nodes[i]);
    for (const auto& [value, buffer] : copies) {
      const int64_t from = buffer_of(value);
      program.steps.push_back({Op::kCopy, from, 0, buffer, 1, elements_of(graph_.values[value])});
    }
  }

  Program program;
  std::vector<NpugraphTensor> weights;

 private:
  int64_t add(Kind kind, int64_t index, int64_t elements) {
    program.buffers.push_back({kind, index, elements});
    return static_cast<int64_t>(program.buffers.size()) - 1;
  }
  void bind(int32_t value, Kind kind, int64_t index) {
    buffer_of_[value] = add(kind, index, elements_of(graph_.values[value]));
  }

  int64_t buffer_of(int32_t number) {
    const auto found = buffer_of_.find(number);
    if (found != buffer_of_.end()) return found->second;
    const NpugraphValue& value = graph_.values[number];
    if (value.data != nullptr) {
      weights.push_back(
          {value.dtype, value.rank, value.dims, const_cast<void*>(value.data), value.size_bytes});
      bind(number, Kind::kWeight, program.weight_count++);
    } else {
      bind(number, Kind::kTemp, program.scratch_floats);
      program.scratch_floats += elements_of(value);
    }
    return buffer_of_[number];
  }

  void add_step(const NpugraphNode& node) {
    Step step;
    step.a = buffer_of(node.inputs[0]);
    step.dst = buffer_of(node.outputs[0]);
    const NpugraphValue& a = graph_.values[node.inputs[0]];
    step.m = elements_of(a);
    step.op = Op::kRelu;
    if (is(node, "MatMul")) {
      const NpugraphValue& b = graph_.values[node.inputs[1]];
      step.op = Op::kMatMul;
      step.b = buffer_of(node.inputs[1]);
      step.batch = batch_of(a);
      step.m = a.dims[a.rank - 2];
      step.k = a.dims[a.rank - 1];
      step.n = b.dims[b.rank - 1];
      step.b_step = b.rank == 2 ? 0 : 1;
    }
    program.steps.push_back(step);
  }

  const NpugraphGraph& graph_;
  std::map<int32_t, int64_t> buffer_of_;
};

/// What NpugraphProgram points to, until free_program(). Weights point into the graph's constants,
/// which may be gone by then, so they are copied.
struct Owner {
  std::vector<int64_t> code;
  std::vector<NpugraphTensor> weights;
  std::vector<std::vector<int64_t>> dims;
  std::vector<std::vector<char>> bytes;
};

void supports(const NpugraphGraph* graph, NpugraphSupport* answer) { check_node(*graph, answer); }

int32_t compile(const NpugraphGraph* graph, int32_t, NpugraphProgram* program,
                NpugraphErrorText* error) {
  return guarded(error, [&]() -> int32_t {
    for (int64_t i = 0; i < graph->node_count; ++i) {
      const NpugraphNode& node = graph->nodes[i];
      if (!is(node, "MatMul") && !is(node, "Relu")) {
        return refuse(error, NPUGRAPH_UNSUPPORTED, "cannot compile this operator", node.op,
                      "MatMul, Relu");
      }
    }
    Builder builder(*graph);
    builder.build();
    auto owner = std::make_unique<Owner>();
    owner->code = write_program(builder.program);
    for (NpugraphTensor weight : builder.weights) {
      owner->dims.emplace_back(weight.dims, weight.dims + weight.rank);
      const char* data = static_cast<const char*>(weight.data);
      owner->bytes.emplace_back(data, data + weight.size_bytes);
      weight.dims = owner->dims.back().data();
      weight.data = owner->bytes.back().data();
      owner->weights.push_back(weight);
    }
    program->code = owner->code.data();
    program->code_bytes = static_cast<int64_t>(owner->code.size() * sizeof(int64_t));
    program->weights = owner->weights.data();
    program->weight_count = static_cast<int64_t>(owner->weights.size());
    program->kernel = "plain loops";
    program->owner = owner.release();
    return NPUGRAPH_OK;
  });
}

void free_program(NpugraphProgram* program) {
  const std::unique_ptr<Owner> owner(static_cast<Owner*>(program->owner));
  program->owner = nullptr;
}

const NpugraphTarget kTarget = {sizeof(NpugraphTarget),
                                /*whole_regions=*/1,
                                /*host_memory=*/0,
                                /*align_bytes=*/64,     kName,    kFingerprint,
                                /*min_firmware=*/"",    supports,
                                /*cost_ns=*/nullptr,    compile,  free_program};

}  // namespace
}  // namespace matmulrelu

NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) {
  static const NpugraphPlugin plugin = {NPUGRAPH_PLUGIN_ABI_VERSION, sizeof(NpugraphPlugin),
                                        &matmulrelu::kTarget, &matmulrelu::driver_table()};
  return &plugin;
}
