// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <set>
#include <string>

#include "npugraph/target/target.h"

namespace npugraph {

/// A target for testing lower/ without any real device: takes the operators that it is told, and
/// its program is the list of their names.
class MockTarget final : public Target {
 public:
  MockTarget(std::string name, std::set<std::string> ops, bool whole_regions)
      : ops_(std::move(ops)) {
    info_.device = {std::move(name), "mock", ""};
    info_.whole_regions = whole_regions;
  }
  const TargetInfo& info() const noexcept override { return info_; }
  Support supports(const Node& node) const override {
    if (ops_.empty() || ops_.contains(std::string(node.op()))) return Support::accept();
    return Support::refuse("operator", std::string(node.op()), *ops_.begin());
  }
  int64_t cost_ns(const Node&) const override { return 7; }
  std::vector<int64_t> in_place_inputs(const Node& node) const override {
    if (node.is("Relu")) return {0};
    if (node.is("Add")) return {0, 1};
    return {};
  }
  Result<TargetProgram> compile(const Graph& subgraph, const TargetOptions&) const override {
    TargetProgram program;
    for (const Node* node : subgraph.nodes()) program.code += std::string(node->op()) + ";";
    program.kernel = "mock";
    return program;
  }

 private:
  std::set<std::string> ops_;  // empty: all
  TargetInfo info_;
};

}  // namespace npugraph
