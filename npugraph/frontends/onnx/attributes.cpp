// SPDX-License-Identifier: Apache-2.0
#include "npugraph/frontends/onnx/attributes.h"

#include "npugraph/base/text.h"
#include "npugraph/frontends/onnx/names.h"

namespace npugraph::onnx {

AttributeProto::AttributeType attr_type(const AttributeProto& proto) {
  if (proto.type() != AttributeProto::UNDEFINED) return proto.type();
  if (proto.has_f()) return AttributeProto::FLOAT;
  if (proto.has_i()) return AttributeProto::INT;
  if (proto.has_s()) return AttributeProto::STRING;
  if (proto.has_t()) return AttributeProto::TENSOR;
  if (proto.has_g()) return AttributeProto::GRAPH;
  if (proto.has_sparse_tensor()) return AttributeProto::SPARSE_TENSOR;
  if (proto.ints_size() > 0) return AttributeProto::INTS;
  if (proto.floats_size() > 0) return AttributeProto::FLOATS;
  if (proto.strings_size() > 0) return AttributeProto::STRINGS;
  return AttributeProto::UNDEFINED;
}

namespace {

Status check_text(const std::string& word) {
  if (is_utf8(word)) return ok();
  return fail(ErrorId::kOnnxAttribute, "a string of an attribute is not UTF-8", shown(word),
              "UTF-8 text");
}

}  // namespace

Result<AttrValue> take_attr(AttributeProto& proto, TensorReader& tensors) {
  switch (attr_type(proto)) {
    case AttributeProto::FLOAT:
      return AttrValue(static_cast<double>(proto.f()));
    case AttributeProto::INT:
      return AttrValue(int64_t{proto.i()});
    case AttributeProto::STRING:
      NPU_TRY(check_text(proto.s()));
      return AttrValue(proto.s());
    case AttributeProto::TENSOR: {
      NPU_LET(Tensor tensor, tensors.take(*proto.mutable_t()));
      return AttrValue(std::move(tensor));
    }
    case AttributeProto::SPARSE_TENSOR: {
      NPU_LET(Tensor tensor, tensors.take_sparse(*proto.mutable_sparse_tensor()));
      return AttrValue(std::move(tensor));
    }
    case AttributeProto::FLOATS:
      return AttrValue(Floats(proto.floats().begin(), proto.floats().end()));
    case AttributeProto::INTS:
      return AttrValue(Ints(proto.ints().begin(), proto.ints().end()));
    case AttributeProto::STRINGS:
      for (const std::string& word : proto.strings()) NPU_TRY(check_text(word));
      return AttrValue(Strings(proto.strings().begin(), proto.strings().end()));
    default:
      return fail(ErrorId::kOnnxAttribute, text("attribute ", shown(proto.name())),
                  text("attribute type ", static_cast<int>(proto.type())),
                  "a number, a string, a tensor, a graph, or a list of numbers or strings");
  }
}

namespace {

Error wrong_kind(std::string_view name, const AttributeProto& proto, std::string_view expected) {
  return fail(ErrorId::kOnnxAttribute, text("attribute '", name, "' of Constant"),
              text("attribute type ", static_cast<int>(attr_type(proto))), std::string(expected));
}

}  // namespace

Result<Tensor> take_constant(AttributeProto& proto, std::string_view name, TensorReader& tensors) {
  const auto type = attr_type(proto);
  if (name == "value_string" || name == "value_strings" || type == AttributeProto::STRING)
    return fail(ErrorId::kOnnxType, "a constant of strings is not supported", std::string(name),
                "a constant of numbers");
  if (name == "value") {
    if (type != AttributeProto::TENSOR) return wrong_kind(name, proto, "a tensor");
    return tensors.take(*proto.mutable_t());
  }
  if (name == "sparse_value") {
    if (type != AttributeProto::SPARSE_TENSOR) return wrong_kind(name, proto, "a sparse tensor");
    return tensors.take_sparse(*proto.mutable_sparse_tensor());
  }
  if (name == "value_float") {
    if (type != AttributeProto::FLOAT) return wrong_kind(name, proto, "a float");
    return Tensor::of_floats({proto.f()}, {});
  }
  if (name == "value_int") {
    if (type != AttributeProto::INT) return wrong_kind(name, proto, "an integer");
    return Tensor::of_ints({proto.i()}, {});
  }
  if (name == "value_floats") {
    if (type != AttributeProto::FLOATS) return wrong_kind(name, proto, "a list of floats");
    return Tensor::of_floats({proto.floats().begin(), proto.floats().end()},
                             {int64_t{proto.floats_size()}});
  }
  if (name == "value_ints") {
    if (type != AttributeProto::INTS) return wrong_kind(name, proto, "a list of integers");
    return Tensor::of_ints({proto.ints().begin(), proto.ints().end()});
  }
  return fail(ErrorId::kOnnxAttribute, "Constant has no such attribute", shown(name),
              "value, sparse_value, value_float(s) or value_int(s)");
}

int64_t attr_elements(const AttributeProto& proto) {
  int64_t count = 1 + proto.ints_size() + proto.floats_size() + proto.strings_size();
  for (const std::string& word : proto.strings()) count += static_cast<int64_t>(word.size() / 64);
  return count + static_cast<int64_t>(proto.s().size() / 64);
}

}  // namespace npugraph::onnx
