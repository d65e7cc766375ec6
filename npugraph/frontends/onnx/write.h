// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// Serialises a graph as an ONNX ModelProto: opset 20, or the newest that one of its nodes needs;
/// names kept, nested graphs included, weights inside. Late dims are written as unknown.
/// Errors: kOnnxWrite (a node of domain npugraph, an operator that ONNX does not have, more than
/// 2 GiB), with the node.
Result<std::string> write_onnx(const Graph& graph);

/// The most that a model may hold with its weights inside: what protobuf takes, less some room for
/// all that is not weights.
inline constexpr int64_t kMostInside_bytes = (int64_t{2} << 30) - (int64_t{64} << 20);

/// Writes a graph as an ONNX file, whole or not at all. Constants of more than max_inside_bytes in
/// all go to a file beside it, NAME.<digits>.data, whose digits change with what it holds: the
/// model is moved to its name last, so that at any time the model of that name has its own data.
/// Returns the data file's path, empty when there is none. Errors: as write_onnx(), kFileWrite.
Result<std::filesystem::path> write_onnx_file(const Graph& graph, const std::filesystem::path& path,
                                              int64_t max_inside_bytes = kMostInside_bytes);

}  // namespace npugraph
