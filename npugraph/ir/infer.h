// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Infers the types (and contents) of a node's outputs from its inputs, and stores them. Nested
/// graphs of If and Loop are inferred as well: an If output whose branches differ in a dim gets a
/// late dim there, one whose branches differ in rank is unranked; Loop-carried values keep only
/// the dims that the body preserves.
/// Errors: those of the operator, with the node's name; kUnknownDim when an input has no type.
Status infer_node(Node& node);

/// infer_node() over the whole graph, in order. Declared types of outputs are refined, never
/// contradicted: kShapeMismatch names the value when they disagree.
Status infer_types(Graph& graph);

/// Gives the graph's inputs these shapes (by input name) and infers everything again. A dim that
/// was a symbol may become a number or another symbol; the symbol is replaced everywhere.
/// Errors: kShapeMismatch (a fixed dim or fact contradicted, wrong rank), kBadOption (no such
/// input, with the nearest name).
Status bind_shapes(Graph& graph, const std::map<std::string, Shape, std::less<>>& shapes);

}  // namespace npugraph
