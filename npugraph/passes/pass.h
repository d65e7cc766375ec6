// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

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
  std::string name;
  std::string doc;
  /// Changes one graph, not the ones nested in it; returns the number of changes.
  std::function<Result<int64_t>(Graph& graph, const PassContext& context)> run;
  PassGroup group = PassGroup::kCleanup;
  int64_t level = 1;   // lowest opt level at which it is on
  bool exact = true;   // results stay equal bit for bit
  bool nested = true;  // also called for each nested graph, inner ones first
  /// Makes operators that only the cpu takes out of ones that other devices may take: off where the
  /// model is compiled for one of those.
  bool cpu_only = false;
  /// What it makes is a model for any runtime of ONNX, so that optimise() may write it. Not
  /// operators of our own, nor Attention where runtimes differ in the masks that they broadcast.
  bool onnx = true;
};

/// All built-in passes, in the order in which they run; a Library's own ones come between them.
std::span<const Pass> pipeline();
inline constexpr int64_t kMaxOptLevel = 3;
/// From this level on implementations marked fast may be chosen; a matter of lowering, not passes.
inline constexpr int64_t kFastLevel = 3;

}  // namespace npugraph
