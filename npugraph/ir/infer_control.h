// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "npugraph/ir/graph.h"

/// What infer.cpp and infer_control.cpp share; not for other folders.
namespace npugraph {

/// What is known of a node's inputs. Errors: kUnknownDim for one without a type.
Result<std::vector<InferInput>> known_inputs(const Node& node);

/// infer_outputs() of an ordinary operator. In a branch of an If, shapes that do not fit are no
/// error yet: exporters write branches for sizes that never meet in one run. The outputs are then
/// unranked, and whoever takes that branch is told by the node when it runs.
Result<std::vector<InferOutput>> infer_operator(const Node& node,
                                                const std::vector<InferInput>& in);

/// infer_node() over a graph, in order, without a look at declared types.
Status infer_nodes(Graph& graph);

/// Outputs of an If or a Loop, whose nested graphs are inferred on the way.
/// Errors: kBadArity, kDTypeMismatch, kShapeMismatch, and those of the nested nodes.
Result<std::vector<InferOutput>> infer_if(Node& node, const std::vector<InferInput>& in);
Result<std::vector<InferOutput>> infer_loop(Node& node, const std::vector<InferInput>& in);

}  // namespace npugraph
