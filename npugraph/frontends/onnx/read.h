// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "npugraph/ir/graph.h"

namespace npugraph {

/// The oldest and the newest ai.onnx opset that can be read.
inline constexpr int64_t kOldestOnnxOpset = 7;
inline constexpr int64_t kNewestOnnxOpset = 28;

struct ReadOptions {
  /// The folder that external data lies in. Empty: the folder of the model's file; a model that is
  /// read from bytes may then have no external data.
  std::filesystem::path data_folder = {};
  /// Accept external data that is a hard link, or a symbolic link that leads out of the folder.
  /// Absolute paths and ".." are refused all the same. For models of trusted origin only.
  bool allow_linked_data = false;
  /// Inputs that stay inputs although the file gives them a value; all others become constants.
  std::vector<std::string> keep_inputs = {};
  /// Most nodes that a model may have after its functions are expanded.
  int64_t max_nodes = 250'000;
};

/// Reads an ONNX model: operators normalised to their newest opset, functions inlined, nested
/// graphs kept, types inferred, verified. External data stays mapped and is not copied; memory
/// stays below four times the file's size plus a fixed allowance before anything in the file is
/// trusted. Metadata: producer, producer_version, ir_version, and opset or opset.<domain>. Errors:
/// kFileNotFound, kFileRead, kOnnxParse, kOnnxVersion, kOnnxStructure, kOnnxAttribute, kOnnxTensor,
/// kOnnxExternalData, kOnnxType, kOnnxOperator (all unknown operators at once), and those of the
/// operators' inference; each with the file and the node.
Result<std::unique_ptr<Graph>> read_onnx(const std::filesystem::path& path,
                                         const ReadOptions& options = {});
/// The same from memory.
Result<std::unique_ptr<Graph>> read_onnx(std::span<const std::byte> bytes,
                                         const ReadOptions& options = {});

/// One node of a model as it stands in the file.
struct SurveyedNode {
  std::string name;    // its own, or that of its first output
  std::string path;    // "if_0/then_branch/conv_3"; "function my.domain.Block/conv_3"
  std::string domain;  // empty: ai.onnx
  std::string op;
  int64_t opset = 0;
  bool supported = false;
  std::string reason;              // why not; empty when supported
  std::vector<std::string> signs;  // what to look at: control flow, sizes only known at run time, …
  bool call = false;               // of a function of the model, which is inlined
  /// Names of the graph's nodes that it became, in order, as read_onnx_with_survey() tells: several
  /// where an old form takes several nodes; for a call, all nodes of the body; for a node of a
  /// function, those of every call; none for a constant.
  std::vector<std::string> graph_nodes;
};

/// A model, and each node of its file with what became of it.
struct SurveyedModel {
  std::vector<SurveyedNode> nodes;
  std::unique_ptr<Graph> graph;  // null when a node is not supported
};

/// survey_onnx() and, when every node is supported, read_onnx() in one reading of the file.
/// Errors: of both.
Result<SurveyedModel> read_onnx_with_survey(const std::filesystem::path& path,
                                            const ReadOptions& options = {});
Result<SurveyedModel> read_onnx_with_survey(std::span<const std::byte> bytes,
                                            const ReadOptions& options = {});

/// Lists every node of a model, nested graphs and functions (each once) included, without building
/// a graph. Errors: as read_onnx for a file that cannot be read or whose opset is not supported.
Result<std::vector<SurveyedNode>> survey_onnx(const std::filesystem::path& path);
Result<std::vector<SurveyedNode>> survey_onnx(std::span<const std::byte> bytes);

}  // namespace npugraph
