// SPDX-License-Identifier: Apache-2.0
#include "npugraph/ir/print.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "npugraph/base/file.h"
#include "npugraph/base/hash.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

bool is_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           std::string_view("_./").find(c) != std::string_view::npos;
  });
}

std::string quote(std::string_view raw) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out = "\"";
  for (const char c : raw) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\r') {
      out += "\\r";
    } else if (c == '\t') {
      out += "\\t";
    } else if (byte < 0x20 || byte == 0x7f) {
      out += "\\x";
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string value_str(const Value& value) {
  return "%" + (is_word(value.name()) ? value.name() : quote(value.name()));
}

std::string quote_list(const std::vector<std::string>& items) {
  std::vector<std::string> out;
  for (const std::string& item : items) out.push_back(quote(item));
  return "[" + join(out) + "]";
}

/// Shortest text that reads back as the same number.
template <class T>
std::string number(T value) {
  std::array<char, 64> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  return {buffer.data(), end};
}

std::string element_str(const TensorView& view, int64_t index) {
  if (!is_float(view.dtype)) {
    const int64_t value = view.load_int(index);
    return view.dtype == DType::kU64 ? number(static_cast<uint64_t>(value)) : number(value);
  }
  if (view.dtype == DType::kF64) return number(view.load(index));
  // Every narrower float is exact as float, and shorter to write.
  return number(static_cast<float>(view.load(index)));
}

std::string hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const std::byte byte : bytes) {
    out += kHex[static_cast<size_t>(byte) >> 4];
    out += kHex[static_cast<size_t>(byte) & 15];
  }
  return out;
}

/// Whether every element reads back from its number: a NaN has bits that a number does not show,
/// and a bool byte may be other than 0 and 1.
bool has_plain_elements(const TensorView& view) {
  for (int64_t i = 0; i < view.elements(); ++i) {
    if (is_float(view.dtype) && std::isnan(view.load(i))) return false;
    if (view.dtype == DType::kBool && static_cast<uint8_t>(view.data[i]) > 1) return false;
  }
  return true;
}

/// All elements have the same bytes.
bool is_splat(const TensorView& view) {
  const int64_t bits = dtype_bits(view.dtype);
  if (bits < 8 || view.elements() < 2) return false;
  const auto length = static_cast<size_t>(view.bytes() - bits / 8);
  return std::memcmp(view.data, view.data + bits / 8, length) == 0;
}

/// The data of a tensor after its type. Non-const view, never written through.
std::string data_str(const Tensor& tensor, const PrintOptions& options) {
  const TensorView view = tensor.view();
  const int64_t count = view.elements();
  const bool is_short = count <= options.max_elements;
  if (!is_short && is_splat(view) && has_plain_elements({view.dtype, {1}, view.data})) {
    const bool is_zero = std::all_of(tensor.bytes().begin(), tensor.bytes().end(),
                                     [](std::byte byte) { return byte == std::byte{0}; });
    return is_zero ? "zeros" : text("splat(", element_str(view, 0), ")");
  }
  if (!is_short && !options.all_data) return "#" + data_hash(tensor);
  if (!is_short || !has_plain_elements(view)) return text("hex \"", hex(tensor.bytes()), '"');
  std::vector<std::string> items;
  for (int64_t i = 0; i < count; ++i) items.push_back(element_str(view, i));
  return "[" + join(items) + "]";
}

std::string tensor_str(const Tensor& tensor, const PrintOptions& options) {
  return text(tensor.type().str(), " ", data_str(tensor, options));
}

std::string attr_text(const AttrValue& value, const PrintOptions& options) {
  if (const auto* word = std::get_if<std::string>(&value)) return quote(*word);
  if (const auto* words = std::get_if<Strings>(&value)) return quote_list(*words);
  if (const auto* tensor = std::get_if<Tensor>(&value)) return tensor_str(*tensor, options);
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  if (const auto* reals = std::get_if<Floats>(&value)) {
    std::vector<std::string> items;
    for (const double item : *reals) items.push_back(number(item));
    return "[" + join(items) + "]";
  }
  return attr_str(value);
}

class Printer {
 public:
  explicit Printer(const PrintOptions& options) : options_(options) {}

  void graph_body(const Graph& graph, const std::string& indent) {
    const std::string inner = indent + "  ";
    out_ += "{\n";
    for (const auto& [key, value] : graph.metadata)
      out_ += text(inner, "meta ", quote(key), " = ", quote(value), '\n');
    for (const auto& [symbol, fact] : graph.facts) out_ += inner + fact_str(symbol, fact) + '\n';
    for (const Value* input : graph.inputs()) out_ += text(inner, "input ", typed(*input), '\n');
    for (const Value* value : graph.values())
      if (value->constant() != nullptr)
        out_ += text(inner, "const ", value_str(*value), " = ",
                     tensor_str(*value->constant(), options_), '\n');
    for (const Node* item : graph.nodes()) {
      out_ += inner;
      node(*item);
      for (const auto& [role, nested] : item->subgraphs()) {
        out_ += text('\n', inner, "  with ", role);
        if (nested->name() != role) out_ += " " + quote(nested->name());
        out_ += ' ';
        graph_body(*nested, inner + "  ");
      }
      out_ += '\n';
    }
    out_ += inner + "return";
    for (size_t i = 0; i < graph.outputs().size(); ++i)
      out_ += (i == 0 ? " " : ", ") + value_str(*graph.outputs()[i]);
    out_ += text('\n', indent, '}');
  }

  void node(const Node& item) {
    std::vector<std::string> outputs, inputs;
    for (const Value* output : item.outputs()) outputs.push_back(typed(*output));
    for (const Value* input : item.inputs())
      inputs.push_back(input == nullptr ? "-" : value_str(*input));
    const OpSchema& schema = item.schema();
    out_ += text(join(outputs), " = ", schema.domain,
                 schema.domain.empty() ? "" : "::", schema.name, "(", join(inputs), ")");
    attributes(item);
    if (!item.device.empty())
      out_ += " @" + (is_word(item.device) ? item.device : quote(item.device));
    if (item.outputs().empty() || item.name() != item.outputs()[0]->name())
      out_ += " name " + quote(item.name());
    if (!item.origins.empty()) out_ += " from " + quote_list(item.origins);
  }

  std::string take() { return std::move(out_); }
  void append(std::string_view piece) { out_ += piece; }

 private:
  static std::string typed(const Value& value) {
    return value.has_type ? text(value_str(value), ": ", value.type.str()) : value_str(value);
  }

  static std::string fact_str(const std::string& symbol, const SymbolFact& fact) {
    constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
    std::string out = text("fact ", symbol, " = ", fact.min, "..",
                           fact.max == kNone ? std::string("inf") : std::to_string(fact.max));
    return fact.multiple_of == 1 ? out : text(out, " % ", fact.multiple_of);
  }

  /// Attributes that are not at their default.
  void attributes(const Node& item) {
    std::vector<std::string> items;
    for (const auto& [name, value] : item.attrs()) {
      const AttrSchema* row = item.schema().find_attr(name);
      if (row != nullptr && row->fallback && attr_equal(*row->fallback, value)) continue;
      items.push_back(text(name, " = ", attr_text(value, options_)));
    }
    if (!items.empty()) out_ += " {" + join(items) + "}";
  }

  const PrintOptions& options_;
  std::string out_;
};

}  // namespace

std::string data_hash(const Tensor& tensor) {
  // Dtype and dims are hashed as text before the hash of the bytes: one tensor is never taken for
  // another of the same bytes.
  const std::string whole = text(tensor.type().str(), hash_bytes(tensor.bytes()).hex());
  return hash_bytes(bytes_of(whole)).hex();
}

std::string print(const Graph& graph, const PrintOptions& options) {
  Printer printer(options);
  printer.append(text("graph ", quote(graph.name()), " "));
  printer.graph_body(graph, "");
  printer.append("\n");
  return printer.take();
}

std::string print(const Node& node) {
  const PrintOptions options{.all_data = false, .max_elements = 8};
  Printer printer(options);
  printer.node(node);
  return printer.take();
}

}  // namespace npugraph
