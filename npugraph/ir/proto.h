// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>

#include "npugraph/base/hash.h"
#include "npugraph/ir/graph.h"

/// Graphs as bytes: files, other processes, and the subgraphs that a device compiles.
///
/// Layout, little endian: 8 bytes "NPUGRAPH", uint32 format version, uint32 0, uint64 length of the
/// message, uint64 length of all, 16 bytes hash of everything else, the message (graph.proto),
/// zeros up to a multiple of 64, then the tensors' bytes, each at a multiple of 64. Equal data is
/// stored once. One changed or missing byte anywhere is found by the hash.
namespace npugraph {

/// Equal graphs give equal bytes, in any process.
/// Errors: kIrParse for what load_graph() would refuse (graphs nested deeper than 32, a dimension
/// whose expression is longer than 8192 characters), kSizeOverflow for a message of 2 GiB or more.
Result<std::string> save_graph(const Graph& graph);

/// The tensors' bytes are copied once. Safe on hostile input: sizes are checked before anything is
/// allocated. Errors: kIrParse; what operators say of their nodes.
Result<std::unique_ptr<Graph>> load_graph(std::span<const std::byte> bytes);

/// The same with a file. load_graph_file() maps it and uses the tensors in place; the mapping lives
/// as long as any of them. Errors: as above, kFileNotFound, kFileRead, kFileWrite.
Status save_graph_file(const Graph& graph, const std::filesystem::path& path);
Result<std::unique_ptr<Graph>> load_graph_file(const std::filesystem::path& path);

/// Identity of a graph: the hash of its saved bytes. Errors: as save_graph().
Result<Hash128> graph_hash(const Graph& graph);

}  // namespace npugraph
