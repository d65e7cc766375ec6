// SPDX-License-Identifier: Apache-2.0
// Bytes -> Graph. Nothing in the bytes is trusted: every number is checked against what it counts.
#include <google/protobuf/io/coded_stream.h>

#include <algorithm>
#include <limits>

#include "npugraph/base/file.h"
#include "npugraph/base/text.h"
#include "npugraph/ir/container.h"
#include "npugraph/ir/graph.pb.h"
#include "npugraph/ir/proto.h"
#include "npugraph/ir/text_reader.h"

namespace npugraph {
namespace {

// Messages hold at most three levels for each nested graph, and a few for a value.
constexpr int kMaxMessageDepth = 4 * static_cast<int>(kMaxGraphDepth) + 8;

Error bad(std::string what, std::string found = {}, std::string expected = {}) {
  return fail(ErrorId::kIrParse, std::move(what), std::move(found), std::move(expected));
}

/// The tensors' bytes and what keeps them alive.
struct Data {
  std::span<const std::byte> bytes;
  std::shared_ptr<const void> owner;
};

class Loader {
 public:
  Loader(const ir::Graph& top, const Data& data) : top_(top), data_(data) {}

  Status graph(const ir::Graph& from, Graph& to) {
    if (++depth_ > kMaxGraphDepth)
      return bad("graphs are nested too deeply", "", text(kMaxGraphDepth, " levels or fewer"));
    to.set_name(from.name());
    for (const ir::Value& item : from.inputs()) {
      Value& input = to.add_input(item.name(), {});
      input.has_type = false;
      NPU_TRY_AT(text("input '", item.name(), "'"), describe(item, input));
    }
    for (const ir::Constant& item : from.constants()) {
      const std::string place = text("constant '", item.name(), "'");
      auto data = tensor(item.data());
      if (!data) return at(place, std::move(data).error());
      Value& constant = to.add_constant(item.name(), *std::move(data));
      NPU_TRY_AT(place, check_name(item.name(), constant.name()));
      values_.push_back(&constant);
    }
    for (const ir::Node& item : from.nodes())
      NPU_TRY_AT(text("node '", item.name(), "'"), node(item, to));
    for (const uint32_t number : from.outputs()) {
      NPU_LET(Value * output, value(number, to));
      if (output == nullptr) return bad("an output of the graph is missing");
      to.add_output(*output);
    }
    NPU_TRY(facts(from, to));
    for (const ir::Text& item : from.metadata())
      to.metadata.insert_or_assign(item.key(), item.value());
    --depth_;
    return ok();
  }

 private:
  static Status check_name(const std::string& wanted, const std::string& got) {
    if (wanted == got) return ok();
    return bad("two things have one name, or one has none", text("'", wanted, "'"), "unique names");
  }

  static Status facts(const ir::Graph& from, Graph& to) {
    for (const ir::Fact& item : from.facts()) {
      if (item.min() < 0 || item.max() < item.min() || item.multiple_of() < 1)
        return bad(text("the range of '", item.symbol(), "'"),
                   text(item.min(), "..", item.max(), " % ", item.multiple_of()),
                   "0 <= min <= max, and a multiple of 1 or more");
      to.facts.insert_or_assign(item.symbol(),
                                SymbolFact{item.min(), item.max(), item.multiple_of()});
    }
    return ok();
  }

  /// The value of a reference, if it can be seen from `graph`; null for an absent one.
  Result<Value*> value(uint32_t number, const Graph& graph) const {
    if (number == 0) return static_cast<Value*>(nullptr);
    if (number > values_.size())
      return bad("a value is read before it is made", text("value ", number),
                 text("1..", values_.size()));
    Value* item = values_[number - 1];
    for (const Graph* around = &graph; around != nullptr; around = around->parent())
      if (around == &item->graph()) return item;
    return bad("a value of a graph that cannot be seen from here is read",
               text("'", item->name(), "'"));
  }

  static Result<DType> dtype(int32_t number) {
    if (const auto known = dtype_from_onnx(number)) return *known;
    return bad("no such dtype", text(number));
  }

  static Result<Dim> dim(const ir::Dim& from) {
    if (from.kind_case() == ir::Dim::kNumber) return Dim(from.number());
    if (from.kind_case() == ir::Dim::kExpression) return parse_written_dim(from.expression());
    return bad("a dimension is missing");
  }

  static Result<TensorType> type(const ir::Type& from) {
    TensorType out;
    NPU_LET(out.dtype, dtype(from.dtype()));
    if (from.unranked()) {
      out.shape = Shape::unranked();
      return out;
    }
    std::vector<Dim> dims;
    for (const ir::Dim& item : from.dims()) {
      NPU_LET(Dim made, dim(item));
      if (made.known().value_or(0) < 0) return bad("a dimension is negative", made.str());
      dims.push_back(std::move(made));
    }
    out.shape = Shape(std::move(dims));
    return out;
  }

  /// Name, type and content of a value just made; gives it its number.
  Status describe(const ir::Value& from, Value& to) {
    NPU_TRY(check_name(from.name(), to.name()));
    values_.push_back(&to);
    if (from.has_type()) {
      NPU_LET(to.type, type(from.type()));
      to.has_type = true;
    }
    if (!from.has_content()) return ok();
    const auto dims = to.has_type ? to.type.shape.known() : std::nullopt;
    const auto count = dims ? element_count(*dims) : Result<int64_t>(-1);
    if (!count || *count != from.content_size() || *count > kMaxContent)
      return bad("the content of a value does not fit its type", text(from.content_size()),
                 to.has_type ? to.type.str() : "a type");
    std::vector<Dim> content;
    for (const ir::Dim& item : from.content()) {
      NPU_LET(Dim made, dim(item));
      content.push_back(std::move(made));
    }
    to.content = std::move(content);
    return ok();
  }

  Result<Tensor> tensor(const ir::Tensor& from) const {
    NPU_LET(const DType element, dtype(from.dtype()));
    if (from.blob() >= static_cast<uint32_t>(top_.blobs_size()))
      return bad("a tensor's data is missing", text("blob ", from.blob()),
                 text("one of ", top_.blobs_size()));
    const ir::Blob& blob = top_.blobs(static_cast<int>(from.blob()));
    const size_t room = data_.bytes.size();
    if (blob.offset() > room || blob.length() > room - blob.offset() ||
        blob.offset() % kDataAlign_bytes != 0)
      return bad("a tensor's data lies outside the file",
                 text("offset ", blob.offset(), ", ", blob.length(), " bytes"),
                 text(room, " bytes"));
    auto made = Tensor::share(element, Dims(from.dims().begin(), from.dims().end()), data_.owner,
                              data_.bytes.subspan(blob.offset(), blob.length()));
    if (!made) return bad("a tensor's data does not fit its dims", made.error().message());
    return made;
  }

  Result<AttrValue> attr(const ir::Attr& from) const {
    switch (from.value_case()) {
      case ir::Attr::kI:
        return AttrValue(from.i());
      case ir::Attr::kF:
        return AttrValue(from.f());
      case ir::Attr::kS:
        return AttrValue(from.s());
      case ir::Attr::kInts:
        return AttrValue(Ints(from.ints().items().begin(), from.ints().items().end()));
      case ir::Attr::kFloats:
        return AttrValue(Floats(from.floats().items().begin(), from.floats().items().end()));
      case ir::Attr::kStrings:
        return AttrValue(Strings(from.strings().items().begin(), from.strings().items().end()));
      case ir::Attr::kTensor: {
        NPU_LET(Tensor made, tensor(from.tensor()));
        return AttrValue(std::move(made));
      }
      case ir::Attr::VALUE_NOT_SET:
        break;
    }
    return bad(text("attribute '", from.name(), "' has no value"));
  }

  Status node(const ir::Node& from, Graph& to) {
    std::vector<Value*> inputs;
    for (const uint32_t number : from.inputs()) {
      NPU_LET(Value * input, value(number, to));
      inputs.push_back(input);
    }
    Attrs attrs;
    for (const ir::Attr& item : from.attrs()) {
      NPU_LET(AttrValue made, attr(item));
      attrs.set(item.name(), std::move(made));
    }
    std::vector<std::string> names;
    for (const ir::Value& output : from.outputs()) names.push_back(output.name());
    NPU_LET(Node * made, to.add_node(from.domain(), from.op(), from.name(), std::move(inputs),
                                     std::move(attrs), std::move(names)));
    NPU_TRY(check_name(from.name(), made->name()));
    made->device = from.device();
    made->origins.assign(from.origins().begin(), from.origins().end());
    const auto& roles = made->schema().subgraphs;
    for (const ir::Subgraph& item : from.subgraphs()) {
      const bool is_known = std::find(roles.begin(), roles.end(), item.role()) != roles.end();
      if (!is_known || made->subgraph(item.role()) != nullptr)
        return bad("no such nested graph, or a second one", text("'", item.role(), "'"),
                   roles.empty() ? "none" : join(roles));
      NPU_TRY_AT(item.role(), graph(item.graph(), made->add_subgraph(item.role())));
    }
    for (int i = 0; i < from.outputs_size(); ++i)
      NPU_TRY(describe(from.outputs(i), *made->outputs()[static_cast<size_t>(i)]));
    return ok();
  }

  const ir::Graph& top_;
  const Data& data_;
  std::vector<Value*> values_;
  int64_t depth_ = 0;
};

Result<std::unique_ptr<Graph>> load_parts(const ContainerParts& parts, const Data& data) {
  if (parts.message.size() > static_cast<size_t>(std::numeric_limits<int32_t>::max()))
    return bad("the message is too long", text(parts.message.size(), " bytes"), "less than 2 GiB");
  google::protobuf::io::CodedInputStream stream(
      reinterpret_cast<const uint8_t*>(parts.message.data()),
      static_cast<int>(parts.message.size()));
  stream.SetRecursionLimit(kMaxMessageDepth);
  ir::Graph message;
  if (!message.ParseFromCodedStream(&stream) || !stream.ConsumedEntireMessage())
    return bad("the message of a saved graph cannot be read");
  auto graph = std::make_unique<Graph>();
  NPU_TRY(Loader(message, data).graph(message, *graph));
  return graph;
}

}  // namespace

Result<std::unique_ptr<Graph>> load_graph(std::span<const std::byte> bytes) {
  NPU_LET(const ContainerParts parts, unpack_container(bytes));
  const auto length_bytes = static_cast<int64_t>(parts.data.size());
  NPU_LET(Tensor copy, Tensor::copy(DType::kU8, {length_bytes}, parts.data));
  const auto owner = std::make_shared<const Tensor>(std::move(copy));
  return load_parts(parts, {owner->bytes(), owner});
}

Result<std::unique_ptr<Graph>> load_graph_file(const std::filesystem::path& path) {
  NPU_LET(MappedFile file, MappedFile::open(path));
  const auto owner = std::make_shared<const MappedFile>(std::move(file));
  const auto parts = unpack_container(owner->bytes());
  if (!parts) return at(path.string(), parts.error());
  auto graph = load_parts(*parts, {parts->data, owner});
  if (!graph) return at(path.string(), std::move(graph).error());
  return graph;
}

}  // namespace npugraph
