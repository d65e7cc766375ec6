// SPDX-License-Identifier: Apache-2.0
// Graph -> bytes.
#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>

#include <limits>
#include <map>
#include <unordered_map>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/ir/container.h"
#include "npugraph/ir/graph.pb.h"
#include "npugraph/ir/proto.h"
#include "npugraph/ir/text_reader.h"

namespace npugraph {
namespace {

class Saver {
 public:
  Status graph(const Graph& from, ir::Graph& to) {
    if (++depth_ > kMaxGraphDepth)
      return fail(ErrorId::kIrParse, "graphs are nested too deeply", text(depth_, " levels"),
                  text(kMaxGraphDepth, " or fewer"));
    to.set_name(from.name());
    for (const Value* input : from.inputs()) NPU_TRY(value(*input, *to.add_inputs()));
    for (const Value* item : from.values()) {
      if (item->constant() == nullptr) continue;
      ir::Constant& out = *to.add_constants();
      out.set_name(item->name());
      tensor(*item->constant(), *out.mutable_data());
      number(*item);
    }
    for (const Node* item : from.nodes())
      NPU_TRY_AT(text("node '", item->name(), "'"), node(*item, *to.add_nodes()));
    for (const Value* output : from.outputs()) to.add_outputs(numbers_.at(output));
    for (const auto& [symbol, fact] : from.facts) {
      ir::Fact& out = *to.add_facts();
      out.set_symbol(symbol);
      out.set_min(fact.min);
      out.set_max(fact.max);
      out.set_multiple_of(fact.multiple_of);
    }
    for (const auto& [key, word] : from.metadata) {
      ir::Text& out = *to.add_metadata();
      out.set_key(key);
      out.set_value(word);
    }
    --depth_;
    return ok();
  }

  void blobs(ir::Graph& to) const {
    for (const ir::Blob& blob : blobs_) *to.add_blobs() = blob;
  }
  const std::string& data() const { return data_; }

 private:
  void number(const Value& item) {
    numbers_.emplace(&item, static_cast<uint32_t>(numbers_.size() + 1));
  }

  static Status dim(const Dim& from, ir::Dim& to) {
    if (const auto known = from.known()) {
      to.set_number(*known);
      return ok();
    }
    std::string words = from.str();
    if (words.size() > kMaxDim_chars)
      return fail(ErrorId::kIrParse, "the expression of a dimension is too long",
                  text(words.size(), " characters"), text(kMaxDim_chars, " or fewer"));
    to.set_expression(std::move(words));
    return ok();
  }

  Status value(const Value& from, ir::Value& to) {
    to.set_name(from.name());
    if (from.has_type) {
      ir::Type& type = *to.mutable_type();
      type.set_dtype(onnx_dtype(from.type.dtype));
      type.set_unranked(!from.type.shape.ranked());
      for (const Dim& item : from.type.shape.dims()) NPU_TRY(dim(item, *type.add_dims()));
    }
    if (from.content) {
      to.set_has_content(true);
      for (const Dim& item : *from.content) NPU_TRY(dim(item, *to.add_content()));
    }
    number(from);
    return ok();
  }

  void tensor(const Tensor& from, ir::Tensor& to) {
    to.set_dtype(onnx_dtype(from.dtype()));
    for (const int64_t item : from.dims()) to.add_dims(item);
    to.set_blob(blob(from.bytes()));
  }

  uint32_t blob(std::span<const std::byte> bytes) {
    const auto key = std::pair(bytes.size(), hash_bytes(bytes).hex());
    const auto [hit, fresh] = blob_numbers_.emplace(key, static_cast<uint32_t>(blobs_.size()));
    if (!fresh) return hit->second;
    ir::Blob entry;
    entry.set_offset(data_.size());
    entry.set_length(bytes.size());
    blobs_.push_back(std::move(entry));
    data_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    data_.append((kDataAlign_bytes - data_.size() % kDataAlign_bytes) % kDataAlign_bytes, '\0');
    return hit->second;
  }

  void attr(const AttrValue& from, ir::Attr& to) {
    if (const auto* x = std::get_if<int64_t>(&from)) return to.set_i(*x);
    if (const auto* x = std::get_if<double>(&from)) return to.set_f(*x);
    if (const auto* x = std::get_if<std::string>(&from)) return to.set_s(*x);
    if (const auto* x = std::get_if<Tensor>(&from)) return tensor(*x, *to.mutable_tensor());
    if (const auto* list = std::get_if<Ints>(&from)) {
      to.mutable_ints();
      for (const int64_t item : *list) to.mutable_ints()->add_items(item);
    } else if (const auto* reals = std::get_if<Floats>(&from)) {
      to.mutable_floats();
      for (const double item : *reals) to.mutable_floats()->add_items(item);
    } else {
      to.mutable_strings();
      for (const std::string& item : std::get<Strings>(from)) to.mutable_strings()->add_items(item);
    }
  }

  Status node(const Node& from, ir::Node& to) {
    to.set_domain(std::string(from.schema().domain));
    to.set_op(std::string(from.op()));
    to.set_name(from.name());
    to.set_device(from.device);
    for (const std::string& origin : from.origins) to.add_origins(origin);
    for (const Value* input : from.inputs())
      to.add_inputs(input == nullptr ? 0 : numbers_.at(input));
    for (const auto& [name, item] : from.attrs()) {
      ir::Attr& out = *to.add_attrs();
      out.set_name(name);
      attr(item, out);
    }
    for (const auto& [role, nested] : from.subgraphs()) {
      ir::Subgraph& out = *to.add_subgraphs();
      out.set_role(role);
      NPU_TRY_AT(role, graph(*nested, *out.mutable_graph()));
    }
    for (const Value* output : from.outputs()) NPU_TRY(value(*output, *to.add_outputs()));
    return ok();
  }

  std::unordered_map<const Value*, uint32_t> numbers_;
  std::map<std::pair<size_t, std::string>, uint32_t> blob_numbers_;
  std::vector<ir::Blob> blobs_;
  std::string data_;
  int64_t depth_ = 0;
};

}  // namespace

Result<std::string> save_graph(const Graph& graph) {
  Saver saver;
  ir::Graph message;
  NPU_TRY(saver.graph(graph, message));
  saver.blobs(message);
  const size_t length_bytes = message.ByteSizeLong();
  if (length_bytes > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return fail(ErrorId::kSizeOverflow, "the graph is too large to save",
                text(length_bytes, " bytes without constants"), "less than 2 GiB");
  std::string bytes;
  {
    google::protobuf::io::StringOutputStream stream(&bytes);
    google::protobuf::io::CodedOutputStream coded(&stream);
    coded.SetSerializationDeterministic(true);
    message.SerializeWithCachedSizes(&coded);
  }
  return pack_container(bytes, saver.data());
}

Status save_graph_file(const Graph& graph, const std::filesystem::path& path) {
  NPU_LET(const std::string bytes, save_graph(graph));
  return write_file(path, bytes);
}

Result<Hash128> graph_hash(const Graph& graph) {
  NPU_LET(const std::string bytes, save_graph(graph));
  return hash_bytes(bytes_of(bytes));
}

}  // namespace npugraph
