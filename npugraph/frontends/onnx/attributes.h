// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/frontends/onnx/onnx.pb.h"
#include "npugraph/frontends/onnx/tensors.h"
#include "npugraph/ops/attrs.h"

namespace npugraph::onnx {

/// The type of an attribute; files of the first IR versions do not say it, so it is then taken from
/// the field that is filled.
AttributeProto::AttributeType attr_type(const AttributeProto& proto);

/// The value of an attribute that is not a graph. Takes tensors out of `proto`.
/// Errors: kOnnxAttribute (a kind that no operator here has), kOnnxTensor, kOnnxType.
Result<AttrValue> take_attr(AttributeProto& proto, TensorReader& tensors);

/// The tensor of a Constant node's attribute (value, value_floats, sparse_value, …).
/// Errors: kOnnxAttribute, kOnnxType (strings), kOnnxTensor.
Result<Tensor> take_constant(AttributeProto& proto, std::string_view name, TensorReader& tensors);

/// How much of the file an attribute holds, in elements.
int64_t attr_elements(const AttributeProto& proto);

}  // namespace npugraph::onnx
