// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "npugraph/base/result.h"
#include "npugraph/ir/graph.h"

namespace npugraph {

/// What every pass is told.
struct PassContext {
  /// A folded result may be this large; a larger one is folded only when it has no more elements
  /// than the inputs that it replaces.
  int64_t fold_limit_bytes = int64_t{1} << 20;
  /// Whether a pass may change the order or number of roundings (Conv with BatchNormalization).
  bool reassociate = true;
};

/// Clean-up passes run in rounds until none changes anything; then the fusing ones once, and all of
/// it again until they find nothing more.
enum class PassGroup : uint8_t { kCleanup, kFuse };

/// One rewrite of a graph, in a file of its own and a line of pipeline.cpp. Values that are graph
/// outputs, and values with another reader, are never taken away; outputs keep their names and are
/// always made by a node of their graph.
struct Pass {
  std::string_view name;
  std::string_view doc;
  /// Changes one graph, not the ones nested in it; returns the number of changes.
  Result<int64_t> (*run)(Graph& graph, const PassContext& context) = nullptr;
  PassGroup group = PassGroup::kCleanup;
  int64_t level = 1;   // lowest opt level at which it is on
  bool exact = true;   // results stay equal bit for bit
  bool nested = true;  // also called for each nested graph, inner ones first
  /// Makes operators of our own that only the cpu takes, out of ones that other devices may take.
  bool makes_cpu_ops = false;
};

/// All passes, in the order in which they run.
std::span<const Pass> pipeline();
inline constexpr int64_t kMaxOptLevel = 3;

}  // namespace npugraph
