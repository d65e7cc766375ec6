// SPDX-License-Identifier: Apache-2.0
#include "npugraph/lower/null/null_target.h"

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

class NullTarget final : public Target {
 public:
  NullTarget() {
    info_.device = {.name = "null", .fingerprint = "null", .min_firmware = ""};
    info_.host_memory = true;
  }

  const TargetInfo& info() const noexcept override { return info_; }

  Support supports(const Node& node) const override {
    return Support::refuse("operator", std::string(node.op()),
                           "none: the null device runs nothing");
  }

  int64_t cost_ns(const Node&) const override { return 0; }
  std::vector<int64_t> in_place_inputs(const Node&) const override { return {}; }

  Result<TargetProgram> compile(const Graph& subgraph, const TargetOptions&) const override {
    return fail(ErrorId::kNodeUnplaced, "the null device compiles nothing",
                text("graph '", subgraph.name(), "' of ", subgraph.node_count(), " nodes"),
                "only nodes that supports() took");
  }

 private:
  TargetInfo info_;
};

}  // namespace

std::unique_ptr<Target> make_null_target() { return std::make_unique<NullTarget>(); }

}  // namespace npugraph
