// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "npugraph/api/npugraph.h"
#include "npugraph/metrics/agreement.h"

namespace npugraph::tools {

/// One tensor of a model beside the engine's.
struct LayerRow {
  std::string name;                  // of the value
  std::string node;                  // node of the model that makes it
  std::string task;                  // what made it in the engine
  std::vector<std::string> origins;  // nodes of the model that this task stands for
  Agreement agreement;
  std::vector<std::string> unseen;  // see nodes_unseen()
  std::string problem;              // why they could not be compared at all
  bool over = false;                // over tolerance, or a problem
};

/// Nodes of the model by the name of a node of the engine.
using Origins = std::map<std::string, std::vector<std::string>, std::less<>>;

/// Pairs the values of both sides by name, in the reference's order; a value that was made several
/// times (in a loop) pairs in order. Values that only one side has are left out: the optimiser may
/// remove them. over: relative_error > tolerance, unequal shapes, or elements finite on one side.
std::vector<LayerRow> compare_layers(const std::vector<NamedTensor>& reference,
                                     const std::vector<NamedTensor>& engine, const Origins& origins,
                                     double tolerance);

/// The first row over tolerance, or nothing.
std::optional<size_t> first_over(const std::vector<LayerRow>& rows);

/// What reads what in an engine, by names.
struct Wiring {
  std::map<std::string, std::vector<std::string>, std::less<>> values_read;  // by task
  std::map<std::string, std::string, std::less<>> maker;                     // task, by value
};

/// Nodes of the model between a row and the values before it that could be compared: a fused task
/// may give a value that the model does not have, so that its fault shows in the next row only.
/// In no order that means anything; each once.
std::vector<std::string> nodes_unseen(const LayerRow& row, const std::vector<LayerRow>& rows,
                                      const Wiring& wiring, const Origins& origins);

}  // namespace npugraph::tools
