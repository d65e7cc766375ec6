// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/read.h"

#include <algorithm>
#include <limits>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/importer.h"
#include "npugraph/frontends/onnx/names.h"
#include "npugraph/frontends/onnx/survey.h"
#include "npugraph/frontends/onnx/wire.h"
#include "npugraph/ir/infer.h"

namespace npugraph {
namespace onnx {
namespace {

constexpr int64_t kOldestIr = 3;  // the first with opset_import

Status check_model(const ModelProto& model) {
  if (!model.has_graph())
    return fail(ErrorId::kOnnxParse, "the file holds no ONNX graph", "no graph", "a ModelProto");
  if (model.ir_version() < kOldestIr || model.ir_version() > Version::IR_VERSION)
    return fail(ErrorId::kOnnxVersion, "the IR version is not supported", text(model.ir_version()),
                text(kOldestIr, "..", static_cast<int64_t>(Version::IR_VERSION)));
  return ok();
}

Result<ModelProto> parse_model(std::span<const std::byte> bytes) {
  if (bytes.size() > static_cast<size_t>(std::numeric_limits<int>::max()))
    return fail(ErrorId::kOnnxParse, "the file is larger than protobuf allows",
                text(bytes.size(), " bytes"), "less than 2 GiB",
                "keep the weights as external data");
  if (bytes.empty())
    return fail(ErrorId::kOnnxParse, "the file is empty", "0 bytes", "a ModelProto");
  constexpr std::string_view kOwnMagic = "NPUGRAPH";
  if (bytes.size() >= kOwnMagic.size() &&
      std::string_view(reinterpret_cast<const char*>(bytes.data()), kOwnMagic.size()) == kOwnMagic)
    return fail(ErrorId::kOnnxParse, "this is a file of npugraph's own, not a model",
                "an engine or a graph", "an .onnx file",
                "give an engine to `npugraph run`, `bench` or `inspect`");
  NPU_TRY(scan_model(bytes));
  ModelProto model;
  if (!model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())))
    return fail(ErrorId::kOnnxParse, "not a readable ONNX model", "damaged protobuf data",
                "a ModelProto");
  NPU_TRY(check_model(model));
  return model;
}

/// The graph of a model whose operators are known to be supported.
Result<std::unique_ptr<Graph>> build_known(ModelProto& model, const FunctionTable& functions,
                                           int64_t file_bytes, const ReadOptions& options,
                                           Importer::NodesMade* made) {
  Importer importer(
      model, functions,
      TensorReader(ExternalData(options.data_folder, options.allow_linked_data), file_bytes),
      options);
  NPU_LET(std::unique_ptr<Graph> graph, importer.run(made));
  NPU_TRY(infer_types(*graph));
  NPU_TRY(importer.check_outputs(*graph));
  NPU_TRY(verify(*graph));
  return graph;
}

Result<std::unique_ptr<Graph>> build(ModelProto& model, int64_t file_bytes,
                                     const ReadOptions& options) {
  NPU_LET(const FunctionTable functions, FunctionTable::of(model));
  NPU_TRY(check_operators(model, functions));
  return build_known(model, functions, file_bytes, options, nullptr);
}

std::string file_place(const std::filesystem::path& path) { return path.filename().string(); }

/// Where it is, when graphs are nested deeply: the outermost and the innermost of it.
std::string short_place(const std::string& place) {
  constexpr size_t kMostShown = 320;
  constexpr std::string_view kLevel = ": ";
  if (place.size() <= kMostShown) return place;
  // Cut between levels, so that no name is shown in part; a level is at most about 90 bytes long.
  const size_t head = place.rfind(kLevel, kMostShown / 2);
  const size_t tail = place.find(kLevel, place.size() - kMostShown / 2);
  if (head == std::string::npos || tail == std::string::npos || head >= tail) return place;
  return text(std::string_view(place).substr(0, head), ": …", std::string_view(place).substr(tail));
}

/// Whatever the file holds, an error's text can be printed, is UTF-8 and of a length to read.
template <class T>
Result<T> clean(Result<T> result) {
  if (result) return result;
  Error error = std::move(result).error();
  for (std::string* part : {&error.what, &error.place, &error.found, &error.expected})
    *part = printable(*part);
  error.place = short_place(error.place);
  return error;
}

/// Maps a file, parses it, and lets go of the mapping: the parsed model has copies.
Result<ModelProto> parse_file(const std::filesystem::path& path, int64_t& file_bytes) {
  NPU_LET(const MappedFile file, MappedFile::open(path));
  file_bytes = static_cast<int64_t>(file.bytes().size());
  auto model = parse_model(file.bytes());
  if (!model) return at(file_place(path), std::move(model).error());
  return model;
}

/// The options for a model of a file: its data lies beside it unless they say otherwise.
ReadOptions beside(const std::filesystem::path& path, const ReadOptions& options) {
  ReadOptions own = options;
  if (own.data_folder.empty())
    own.data_folder = path.has_parent_path() ? path.parent_path() : std::filesystem::path(".");
  return own;
}

Result<std::unique_ptr<Graph>> read_file(const std::filesystem::path& path,
                                         const ReadOptions& options) {
  int64_t file_bytes = 0;
  NPU_LET(ModelProto model, parse_file(path, file_bytes));
  auto graph = build(model, file_bytes, beside(path, options));
  if (!graph) return at(file_place(path), std::move(graph).error());
  return graph;
}

Result<std::vector<SurveyedNode>> survey(ModelProto& model) {
  NPU_LET(const FunctionTable functions, FunctionTable::of(model));
  std::vector<SurveyedNode> nodes;
  NPU_TRY(survey_model(model, functions, [&](const NodeProto&, SurveyedNode node) {
    nodes.push_back(std::move(node));
  }));
  return nodes;
}

Result<SurveyedModel> build_with_survey(ModelProto& model, int64_t file_bytes,
                                        const ReadOptions& options) {
  NPU_LET(const FunctionTable functions, FunctionTable::of(model));
  SurveyedModel out;
  std::vector<const NodeProto*> protos;
  NPU_TRY(survey_model(model, functions, [&](const NodeProto& proto, SurveyedNode node) {
    protos.push_back(&proto);
    out.nodes.push_back(std::move(node));
  }));
  const bool all = std::all_of(out.nodes.begin(), out.nodes.end(),
                               [](const SurveyedNode& node) { return node.supported; });
  if (!all) return out;
  Importer::NodesMade made;
  NPU_LET(out.graph, build_known(model, functions, file_bytes, options, &made));
  for (size_t i = 0; i < protos.size(); ++i) {
    const auto hit = made.find(protos[i]);
    if (hit == made.end()) continue;
    for (const Node* node : hit->second) out.nodes[i].graph_nodes.push_back(node->name());
  }
  return out;
}

}  // namespace
}  // namespace onnx

Result<std::unique_ptr<Graph>> read_onnx(const std::filesystem::path& path,
                                         const ReadOptions& options) {
  return onnx::clean(onnx::read_file(path, options));
}

Result<std::unique_ptr<Graph>> read_onnx(std::span<const std::byte> bytes,
                                         const ReadOptions& options) {
  auto model = onnx::parse_model(bytes);
  if (!model) return std::move(model).error();
  return onnx::clean(onnx::build(*model, static_cast<int64_t>(bytes.size()), options));
}

Result<SurveyedModel> read_onnx_with_survey(const std::filesystem::path& path,
                                            const ReadOptions& options) {
  int64_t file_bytes = 0;
  NPU_LET(onnx::ModelProto model, onnx::parse_file(path, file_bytes));
  auto read = onnx::build_with_survey(model, file_bytes, onnx::beside(path, options));
  if (read) return read;
  return onnx::clean<SurveyedModel>(at(onnx::file_place(path), std::move(read).error()));
}

Result<SurveyedModel> read_onnx_with_survey(std::span<const std::byte> bytes,
                                            const ReadOptions& options) {
  NPU_LET(onnx::ModelProto model, onnx::parse_model(bytes));
  return onnx::clean(onnx::build_with_survey(model, static_cast<int64_t>(bytes.size()), options));
}

Result<std::vector<SurveyedNode>> survey_onnx(const std::filesystem::path& path) {
  int64_t file_bytes = 0;
  NPU_LET(onnx::ModelProto model, onnx::parse_file(path, file_bytes));
  auto nodes = onnx::survey(model);
  if (nodes) return nodes;
  return onnx::clean<std::vector<SurveyedNode>>(
      at(onnx::file_place(path), std::move(nodes).error()));
}

Result<std::vector<SurveyedNode>> survey_onnx(std::span<const std::byte> bytes) {
  NPU_LET(onnx::ModelProto model, onnx::parse_model(bytes));
  return onnx::clean(onnx::survey(model));
}

}  // namespace npugraph
