// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/plugin/plugin_target.h"

#include <cstring>

#include "npugraph/base/shared_library.h"
#include "npugraph/base/text.h"
#include "npugraph/ir/proto.h"
#include "npugraph/lower/plugin/c_graph.h"

namespace npugraph {
namespace {

template <size_t N>
std::string text_of(const char (&array)[N]) {
  return std::string(array, strnlen(array, N));
}

Result<Tensor> copy_weight(const NpugraphTensor& weight) {
  const auto dtype = dtype_from_onnx(weight.dtype);
  if (!dtype || weight.rank < 0 || weight.size_bytes < 0 ||
      (weight.data == nullptr && weight.size_bytes > 0)) {
    return fail(ErrorId::kPluginFailed, "a plug-in gave a weight that is not a tensor",
                text("dtype ", weight.dtype, ", rank ", weight.rank), "a dense tensor on the host");
  }
  return Tensor::copy(
      *dtype, Dims(weight.dims, weight.dims + weight.rank),
      {static_cast<const std::byte*>(weight.data), static_cast<size_t>(weight.size_bytes)});
}

class PluginTarget final : public Target {
 public:
  PluginTarget(LoadedPlugin plugin, const NpugraphTarget& target)
      : plugin_(std::move(plugin)), target_(target), subject_(text("plug-in '", target.name, "'")) {
    info_.device = {.name = target.name,
                    .fingerprint = target.fingerprint,
                    .min_firmware = target.min_firmware};
    info_.host_memory = target.host_memory != 0;
    info_.whole_regions = target.whole_regions != 0;
    info_.align_bytes = target.align_bytes;
  }

  const TargetInfo& info() const noexcept override { return info_; }

  Support supports(const Node& node) const override {
    if (!node.subgraphs().empty()) {
      return Support::refuse("control flow", std::string(node.op()), "operators without subgraphs");
    }
    CGraph graph(node);
    NpugraphSupport answer = {};
    target_.supports(&graph.get(), &answer);
    if (answer.yes != 0) return Support::accept();
    std::string reason = text_of(answer.reason);
    return Support::refuse(reason.empty() ? "refused without a reason" : std::move(reason),
                           text_of(answer.found), text_of(answer.allowed));
  }

  int64_t cost_ns(const Node& node) const override {
    if (target_.cost_ns == nullptr || !node.subgraphs().empty()) return 0;
    CGraph graph(node);
    return std::max<int64_t>(0, target_.cost_ns(&graph.get()));
  }

  std::vector<int64_t> in_place_inputs(const Node&) const override { return {}; }

  Result<TargetProgram> compile(const Graph& subgraph,
                                const TargetOptions& options) const override {
    NPU_LET(const std::string saved, save_graph(subgraph));
    CGraph graph(subgraph);
    graph.get().saved = saved.data();
    graph.get().saved_bytes = std::ssize(saved);
    NpugraphProgram program = {};
    NpugraphErrorText error = {};
    const int32_t status =
        target_.compile(&graph.get(), static_cast<int32_t>(options.opt_level), &program, &error);
    if (status != NPUGRAPH_OK) return plugin_error(status, error, subject_);
    auto taken = take(program);
    target_.free_program(&program);
    return taken;
  }

 private:
  static Result<TargetProgram> take(const NpugraphProgram& program) {
    if (program.code_bytes < 0 || program.weight_count < 0 ||
        (program.code == nullptr && program.code_bytes > 0) ||
        (program.weights == nullptr && program.weight_count > 0)) {
      return fail(ErrorId::kPluginFailed, "a plug-in gave a program that is not one",
                  text(program.code_bytes, " bytes of code, ", program.weight_count, " weights"));
    }
    TargetProgram out;
    if (program.code_bytes > 0) {
      out.code.assign(static_cast<const char*>(program.code),
                      static_cast<size_t>(program.code_bytes));
    }
    for (int64_t i = 0; i < program.weight_count; ++i) {
      NPU_LET(Tensor weight, copy_weight(program.weights[i]));
      out.weights.push_back(std::move(weight));
    }
    if (program.kernel != nullptr) out.kernel = program.kernel;
    return out;
  }

  LoadedPlugin plugin_;  // keeps target_ loaded
  const NpugraphTarget& target_;
  std::string subject_;
  TargetInfo info_;
};

bool is_power_of_two(int64_t value) { return value > 0 && (value & (value - 1)) == 0; }

}  // namespace

Result<std::unique_ptr<Target>> load_plugin_target(const std::filesystem::path& path) {
  NPU_LET(LoadedPlugin plugin, open_plugin(path));
  const std::string place = text("plug-in '", path.string(), "'");
  const NpugraphTarget* target = plugin.table->target;
  if (target == nullptr || target->struct_bytes < sizeof(NpugraphTarget)) {
    return at(place,
              fail(ErrorId::kPluginLoad, "the plug-in's compile side is missing or too small",
                   target == nullptr ? "null" : text(target->struct_bytes, " bytes"),
                   text(sizeof(NpugraphTarget), " bytes")));
  }
  if (target->name == nullptr || target->fingerprint == nullptr ||
      target->min_firmware == nullptr || target->supports == nullptr ||
      target->compile == nullptr || target->free_program == nullptr ||
      !is_power_of_two(target->align_bytes)) {
    return at(place, fail(ErrorId::kPluginLoad, "the plug-in's compile side is not complete", {},
                          "names, functions (all but cost_ns) and an alignment"));
  }
  return std::unique_ptr<Target>(std::make_unique<PluginTarget>(std::move(plugin), *target));
}

}  // namespace npugraph
