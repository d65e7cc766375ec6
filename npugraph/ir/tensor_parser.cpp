// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/tensor_parser.h"

#include <charconv>

#include "npugraph/base/text.h"

namespace npugraph {
namespace {

/// A small generator with the same values on every machine. Source: S. Vigna, splitmix64.
class Random {
 public:
  explicit Random(int64_t seed) : state_(static_cast<uint64_t>(seed)) {}

  uint64_t bits() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  /// Twelve uniform numbers added: mean 0, deviation 1, close to normal, and without a math library
  /// whose last bit differs between machines.
  double normal() {
    int64_t sum = 0;
    for (int word = 0; word < 3; ++word)
      for (uint64_t rest = bits(), i = 0; i < 4; ++i, rest >>= 16)
        sum += static_cast<int64_t>(rest & 0xffffu);
    return (static_cast<double>(sum) - 12 * 32767.5) / 65536;
  }

 private:
  uint64_t state_;
};

void collect_data(const Graph& graph, std::map<std::string, Tensor>& data) {
  const auto add = [&](const Tensor& tensor) { data.emplace(data_hash(tensor), tensor); };
  for (const Value* value : graph.values())
    if (value->constant() != nullptr) add(*value->constant());
  for (const Node* node : graph.nodes()) {
    for (const auto& [name, value] : node->attrs())
      if (const auto* tensor = std::get_if<Tensor>(&value)) add(*tensor);
    for (const auto& [name, nested] : node->subgraphs()) collect_data(*nested, data);
  }
}

void copy_first(const TensorView& view, int64_t index) {
  if (is_float(view.dtype))
    view.store(index, view.load(0));
  else
    view.store_int(index, view.load_int(0));
}

template <class T>
std::optional<T> read(std::string_view word) {
  T value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return value;
}

}  // namespace

Result<Tensor> TensorParser::tensor() {
  const size_t start = in_.offset();
  NPU_LET(const TensorType type, in_.type());
  const auto dims = type.shape.known();
  if (!dims)
    return at(in_.place(start), fail(ErrorId::kIrParse, "a tensor's dims", type.str(), "numbers"));
  const auto length_bytes = dense_bytes(type.dtype, *dims);
  if (!length_bytes) return at(in_.place(start), length_bytes.error());
  if (in_.peek() == '#') return by_hash(type, *dims);
  if (*length_bytes > left_bytes_)
    return at(in_.place(start),
              fail(ErrorId::kIrParse, "the constants take too much memory",
                   text(*length_bytes, " more bytes"), text(left_bytes_, " or fewer")));
  left_bytes_ -= *length_bytes;
  auto made = Tensor::zeros(type.dtype, *dims);
  if (!made) return at(in_.place(start), std::move(made).error());
  NPU_TRY(fill(made->mutable_view()));
  return made;
}

Status TensorParser::fill(const TensorView& view) {
  if (in_.peek() == '[') return numbers(view);
  if (in_.take_word("zeros")) return ok();
  if (in_.take_word("hex")) return bytes(view);
  if (in_.take_word("splat")) {
    NPU_TRY(in_.expect("("));
    if (view.elements() > 0) NPU_TRY(number(view, 0));
    for (int64_t i = 1; i < view.elements(); ++i) copy_first(view, i);
    return in_.expect(")");
  }
  if (!in_.take_word("random"))
    return in_.bad("not the data of a tensor", "'[', zeros, splat(…), hex, random(…) or a hash");
  return fill_random(view);
}

Status TensorParser::fill_random(const TensorView& view) {
  NPU_TRY(in_.expect("("));
  NPU_LET(const int64_t seed, in_.integer());
  Random random(seed);
  for (int64_t i = 0; i < view.elements(); ++i) {
    if (is_float(view.dtype))
      view.store(i, random.normal());
    else
      view.store_int(i, static_cast<int64_t>(random.bits() & (view.dtype == DType::kBool ? 1 : 7)));
  }
  return in_.expect(")");
}

Status TensorParser::numbers(const TensorView& view) {
  NPU_TRY(in_.expect("["));
  for (int64_t i = 0; i < view.elements(); ++i) {
    if (i > 0) NPU_TRY(in_.expect(","));
    NPU_TRY(number(view, i));
  }
  return in_.expect("]");
}

Status TensorParser::number(const TensorView& view, int64_t index) {
  in_.skip_space();
  const size_t start = in_.offset();
  NPU_LET(const std::string_view word, in_.number_text());
  bool fits = false;
  if (view.dtype == DType::kF64) {
    const auto value = read<double>(word);
    if (value) view.store(index, *value);
    fits = value.has_value();
  } else if (is_float(view.dtype)) {
    const auto value = read<float>(word);
    if (value) view.store(index, static_cast<double>(*value));
    fits = value.has_value();
  } else if (view.dtype == DType::kU64) {
    const auto value = read<uint64_t>(word);
    if (value) view.store_int(index, static_cast<int64_t>(*value));
    fits = value.has_value();
  } else if (const auto value = read<int64_t>(word)) {
    view.store_int(index, *value);
    fits = view.load_int(index) == *value;
  }
  if (fits) return ok();
  return at(in_.place(start), fail(ErrorId::kIrParse, "not an element of this dtype",
                                   std::string(word), std::string(dtype_name(view.dtype))));
}

Status TensorParser::bytes(const TensorView& view) {
  NPU_LET(const std::string digits, in_.quoted());
  if (static_cast<int64_t>(digits.size()) != 2 * view.bytes())
    return in_.bad("wrong number of hexadecimal digits", text(2 * view.bytes(), " digits"));
  for (int64_t i = 0; i < view.bytes(); ++i) {
    const std::string_view pair = std::string_view(digits).substr(static_cast<size_t>(2 * i), 2);
    uint8_t byte = 0;
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + 2, byte, 16);
    if (error != std::errc() || end != pair.data() + 2)
      return in_.bad("not hexadecimal", "digits 0-9 and a-f");
    view.data[i] = static_cast<std::byte>(byte);
  }
  return ok();
}

Result<Tensor> TensorParser::by_hash(const TensorType& type, const Dims& dims) {
  NPU_TRY(in_.expect("#"));
  NPU_LET(const std::string hash, in_.word());
  if (!data_) {
    data_.emplace();
    if (options_.data != nullptr) collect_data(*options_.data, *data_);
  }
  const auto hit = data_->find(hash);
  if (hit == data_->end())
    return in_.bad("the data of a constant is not in the text",
                   "a graph to take it from, or text printed with all data");
  if (hit->second.dtype() != type.dtype || hit->second.dims() != dims)
    return in_.bad("the hash is that of another type", hit->second.type().str());
  return hit->second;
}

}  // namespace npugraph
