// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "npugraph/base/result.h"
#include "npugraph/ir/graph.h"

namespace npugraph {

struct PassReport;

/// One node as text; names are unique in a graph and its nested ones.
struct NodeLine {
  std::string name;
  std::string op;    // "Conv", "npugraph::FusedConv"
  std::string text;  // print(node)
};
using NodeLines = std::vector<NodeLine>;

/// The nodes of a graph and of the graphs nested in it, in order.
NodeLines node_lines(const Graph& graph);

/// What changed, one line a node: those that are gone, those that are new, those of the same name
/// that are another operator or read or say something else. Empty when nothing did.
///   removed  Sigmoid  gate
///   changed  Mul -> Swish  y
///   added    Conv  y.t
std::string node_diff(const NodeLines& before, const NodeLines& after);

/// A folder of what passes did: NNN_pass.before.txt, NNN_pass.after.txt (ir/print.h), and
/// NNN_pass.diff.txt (node_diff) for each call NNN that changed the graph, and index.txt that lists
/// these calls, none at all too. One thread at a time.
class PassDump {
 public:
  /// Makes the folder where there is none, and takes away what an earlier dump left in it.
  /// Errors: kFileWrite.
  static Result<PassDump> start(std::filesystem::path folder);

  /// Errors: kFileWrite.
  Status add(int64_t call, const PassReport& report, const std::string& before,
             const std::string& after, const std::string& diff);

 private:
  explicit PassDump(std::filesystem::path folder) : folder_(std::move(folder)) {}

  std::filesystem::path folder_;
  std::string index_ = "call  pass  changes  nodes before  nodes after\n";
};

}  // namespace npugraph
