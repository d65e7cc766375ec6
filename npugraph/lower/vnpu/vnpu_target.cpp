// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/vnpu/vnpu_target.h"

#include <algorithm>
#include <map>

#include "npugraph/base/text.h"
#include "npugraph/lower/vnpu/operation.h"
#include "npugraph/vnpu/timing.h"

namespace npugraph {
namespace {

const std::vector<VnpuOp>& vnpu_ops() {
  static const std::vector<VnpuOp> ops = {
#define X(function) function##_on_vnpu(),
#include "npugraph/lower/vnpu/list.inc"
#undef X
  };
  return ops;
}

/// "CONV x 53 + ADD x 16"
std::string command_summary(const vnpu::Image& image) {
  std::map<vnpu::Opcode, int64_t> counts;
  for (const vnpu::Command& command : image.commands) ++counts[command.op];
  std::vector<std::string> parts;
  for (const auto& [op, count] : counts) {
    parts.push_back(count == 1 ? std::string(opcode_name(op))
                               : text(opcode_name(op), " x ", count));
  }
  return join(parts, " + ");
}

class VnpuTarget final : public Target {
 public:
  explicit VnpuTarget(const vnpu::Hardware& hardware) : hardware_(hardware) {
    info_.device = {.name = "vnpu",
                    .fingerprint = hardware.fingerprint(),
                    .min_firmware = hardware.firmware.str()};
    info_.whole_regions = true;
  }

  const TargetInfo& info() const noexcept override { return info_; }

  Support supports(const Node& node) const override {
    const VnpuOp* op = find_vnpu_op(node);
    const auto rule = hardware_.legal.find(std::string(node.op()));
    if (op == nullptr || rule == hardware_.legal.end()) {
      return Support::refuse("operator", std::string(node.op()), listed_ops());
    }
    Support support = check_legal(node, rule->second);
    if (support.yes && op->supports != nullptr) support = op->supports(node, rule->second);
    return support;
  }

  int64_t cost_ns(const Node& node) const override {
    if (!supports(node).yes) return 0;
    const auto operation = find_vnpu_op(node)->lower(node);
    if (!operation) return 0;
    const int64_t cycles =
        vnpu::command_cycles(hardware_, operation->op, operation->shape, operation->count);
    return std::max<int64_t>(1, vnpu::cycles_ns(hardware_, cycles));
  }

  std::vector<int64_t> in_place_inputs(const Node&) const override { return {}; }

  Result<TargetProgram> compile(const Graph& subgraph, const TargetOptions&) const override {
    NPU_LET(VnpuRegion region, lower_region(subgraph));
    return TargetProgram{.code = vnpu::write_image(region.image),
                         .weights = std::move(region.weights),
                         .kernel = command_summary(region.image)};
  }

 private:
  std::string listed_ops() const {
    std::vector<std::string> names;
    for (const auto& [name, rule] : hardware_.legal) names.push_back(name);
    return names.empty() ? "none" : join(names);
  }

  vnpu::Hardware hardware_;
  TargetInfo info_;
};

}  // namespace

const VnpuOp* find_vnpu_op(const Node& node) {
  const auto found = std::find_if(vnpu_ops().begin(), vnpu_ops().end(),
                                  [&](const VnpuOp& op) { return node.is(op.name); });
  return found == vnpu_ops().end() ? nullptr : &*found;
}

std::unique_ptr<Target> make_vnpu_target(const vnpu::Hardware& hardware) {
  return std::make_unique<VnpuTarget>(hardware);
}

}  // namespace npugraph
