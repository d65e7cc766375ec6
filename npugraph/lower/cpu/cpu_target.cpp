// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/cpu/cpu_target.h"

#include <algorithm>

#include "npugraph/base/text.h"
#include "npugraph/kernels/program.h"

namespace npugraph {
namespace {

// One core of the machines that this was built on (AMD Zen 4), measured: the cost model of the cpu
// needs proportions, not absolute truth.
constexpr double kPeakFlops_avx512 = 117e9;
constexpr double kPeakFlops_avx2 = 110e9;
constexpr double kPeakFlops_portable = 14e9;
constexpr double kMemoryBytesPerSecond = 28e9;
constexpr int64_t kDispatch_ns = 200;

/// A node's inputs as a kernel sees them; the types live in the graph's values.
struct NodeView {
  explicit NodeView(const Node& node, Isa isa_level) : isa(isa_level) {
    for (const Value* value : node.inputs())
      inputs.push_back(value == nullptr ? KernelInput{}
                                        : KernelInput{&value->type, value->constant()});
    for (const Value* value : node.outputs()) outputs.push_back(value->type);
  }
  KernelNode kernel_node(const Node& node) const {
    return {.schema = node.schema(),
            .attrs = node.attrs(),
            .in = inputs,
            .out = outputs,
            .isa = isa,
            .allow_fast = node.allow_fast};
  }
  Isa isa;
  std::vector<KernelInput> inputs;
  std::vector<TensorType> outputs;
};

class CpuTarget final : public Target {
 public:
  explicit CpuTarget(Isa isa) : isa_(isa) {
    info_.device = {"cpu", cpu_fingerprint(isa), ""};
    info_.host_memory = true;
  }

  const TargetInfo& info() const noexcept override { return info_; }

  Support supports(const Node& node) const override {
    if (!node.subgraphs().empty() || node.schema().reference != nullptr) return Support::accept();
    return Support::refuse("operator without an implementation", std::string(node.op()),
                           "an operator of `npugraph ops`");
  }

  std::string kernel(const Node& node) const override {
    if (!node.subgraphs().empty()) return "runtime task";
    return std::string(find_kernel(NodeView(node, isa_).kernel_node(node)).name);
  }

  int64_t cost_ns(const Node& node) const override {
    std::vector<TensorType> in, out;
    for (const Value* value : node.inputs())
      if (value != nullptr) in.push_back(value->type);
    for (const Value* value : node.outputs()) out.push_back(value->type);
    for (const auto* list : {&in, &out})
      for (const TensorType& type : *list)
        if (!type.shape.is_static()) return 0;
    if (node.inputs().size() != in.size() || !node.subgraphs().empty()) return kDispatch_ns;
    const Work work = work_of(node.schema(), in, out, node.attrs());
    const double peak = isa_ >= Isa::kAvx512 ? kPeakFlops_avx512
                        : isa_ == Isa::kAvx2 ? kPeakFlops_avx2
                                             : kPeakFlops_portable;
    const double seconds = std::max(work.flops / peak, work.bytes / kMemoryBytesPerSecond);
    return kDispatch_ns + static_cast<int64_t>(seconds * 1e9);
  }

  std::vector<int64_t> in_place_inputs(const Node& node) const override {
    const NodeView view(node, isa_);
    const Kernel& kernel = find_kernel(view.kernel_node(node));
    std::vector<int64_t> rows = kernel.in_place;
    if (kernel.name == "reference") {
      rows.clear();
      if (node.schema().is_view) rows = {0};
      if (node.schema().is_elementwise) rows = {-1};
    }
    std::vector<int64_t> out;
    for (int64_t i = 0; i < static_cast<int64_t>(node.inputs().size()); ++i) {
      if (node.input(i) == nullptr) continue;
      const bool listed = std::find(rows.begin(), rows.end(), i) != rows.end();
      const bool any = std::find(rows.begin(), rows.end(), -1) != rows.end() &&
                       node.input(i)->type == node.output(0)->type;
      if (listed || any) out.push_back(i);
    }
    return out;
  }

  Result<TargetProgram> compile(const Graph& subgraph, const TargetOptions&) const override {
    const std::vector<Node*> nodes = subgraph.nodes();
    NPU_CHECK(nodes.size() == 1, "the cpu target compiles one node a program");
    const Node& node = *nodes[0];
    const NodeView view(node, isa_);
    const KernelNode kernel_node = view.kernel_node(node);
    const Kernel& kernel = find_kernel(kernel_node);

    KernelProgram program{.schema = &node.schema(),
                          .kernel = &kernel,
                          .isa = isa_,
                          .attrs = node.attrs(),
                          .inputs = {},
                          .output_count = static_cast<int32_t>(node.outputs().size())};
    TargetProgram out;
    out.kernel = std::string(kernel.name);
    for (int64_t i = 0; i < static_cast<int64_t>(node.inputs().size()); ++i)
      program.inputs.push_back(input_of(subgraph, node, i, kernel, out.weights));
    if (kernel.pack != nullptr) {
      NPU_LET(std::vector<Tensor> packed, kernel.pack(kernel_node));
      program.packed_first = static_cast<int32_t>(out.weights.size());
      program.packed_count = static_cast<int32_t>(packed.size());
      for (Tensor& tensor : packed) out.weights.push_back(std::move(tensor));
    }
    out.code = save_program(program);
    return out;
  }

 private:
  static ProgramInput input_of(const Graph& subgraph, const Node& node, int64_t index,
                               const Kernel& kernel, std::vector<Tensor>& weights) {
    using Kind = ProgramInput::Kind;
    const Value* value = node.input(index);
    if (value == nullptr) return {Kind::kAbsent, 0, {}};
    if (value->constant() == nullptr) {
      const auto inputs = subgraph.inputs();
      const auto hit = std::find(inputs.begin(), inputs.end(), value);
      return {Kind::kRuntime, static_cast<int32_t>(hit - inputs.begin()), {}};
    }
    const auto& packed = kernel.packed_inputs;
    if (std::find(packed.begin(), packed.end(), index) != packed.end())
      return {Kind::kPacked, 0, value->type};
    weights.push_back(*value->constant());
    return {Kind::kWeight, static_cast<int32_t>(weights.size()) - 1, {}};
  }

  Isa isa_;
  TargetInfo info_;
};

}  // namespace

std::string cpu_fingerprint(Isa isa) { return text("x86-64 ", isa_name(isa)); }

std::unique_ptr<Target> make_cpu_target(Isa isa) { return std::make_unique<CpuTarget>(isa); }

}  // namespace npugraph
