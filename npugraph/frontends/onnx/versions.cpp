// SPDX-License-Identifier: Apache-2.0
// Source: the ONNX operator changelog, opsets 20 to 28, and the table of released versions.
#include "npugraph/frontends/onnx/versions.h"

#include <algorithm>
#include <array>
#include <string>

namespace npugraph::onnx {
namespace {

struct OpSince {
  std::string_view op;
  int64_t opset;
};

/// Operators that are newer than opset 20, or got the meaning that they have here after it.
constexpr std::array kOps = {
    OpSince{"GroupNormalization", 21},
    OpSince{"Attention", 23},
    OpSince{"RotaryEmbedding", 23},
    OpSince{"RMSNormalization", 23},
    OpSince{"Swish", 24},
    OpSince{"TensorScatter", 24},
    OpSince{"BitCast", 26},
    OpSince{"CumProd", 26},
    OpSince{"LinearAttention", 27},
    OpSince{"CausalConvWithState", 27},
    OpSince{"SwiGLU", 28},
};

struct AttrSince {
  std::string_view op;
  std::string_view attr;
  int64_t opset;
};

constexpr std::array kAttrs = {
    AttrSince{"QuantizeLinear", "block_size", 21},
    AttrSince{"QuantizeLinear", "output_dtype", 21},
    AttrSince{"QuantizeLinear", "precision", 23},
    AttrSince{"DequantizeLinear", "block_size", 21},
    AttrSince{"DequantizeLinear", "output_dtype", 23},
    AttrSince{"Cast", "round_mode", 24},
    AttrSince{"CastLike", "round_mode", 24},
    AttrSince{"SpaceToDepth", "mode", 28},
    AttrSince{"Attention", "left_window_size", 25},
    AttrSince{"Attention", "right_window_size", 25},
};

constexpr DTypeSet kSmall = types({DType::kU4, DType::kI4, DType::kF8E4M3FN, DType::kF8E4M3FNUZ,
                                   DType::kF8E5M2, DType::kF8E5M2FNUZ});
constexpr DTypeSet kBf16 = types({DType::kBF16});

struct DTypeSince {
  int64_t opset;
  DTypeSet dtypes;
  std::string_view ops;  // each between spaces
};

/// Dtypes that operators took up after opset 20.
const std::array kDTypes = {
    DTypeSince{21, types({DType::kU16, DType::kI16}), " QuantizeLinear DequantizeLinear "},
    DTypeSince{
        22, kBf16,
        " Acos Acosh Asin Asinh Atan Atanh AveragePool Bernoulli Conv ConvTranspose Cos Cosh "
        "DeformConv Det Dropout Elu EyeLike GRU GlobalAveragePool GlobalLpPool GlobalMaxPool "
        "GridSample HardSigmoid HardSwish InstanceNormalization LSTM LpNormalization LpPool "
        "MaxPool MaxRoiPool MaxUnpool Mish Multinomial NegativeLogLikelihoodLoss RNN "
        "RandomNormal RandomNormalLike RandomUniform RandomUniformLike RoiAlign Round Selu "
        "Sin Sinh Softplus Softsign Tan ThresholdedRelu "},
    DTypeSince{24, kBf16, " SplitToSequence TopK "},
    DTypeSince{27, types({DType::kF16, DType::kBF16}), " Range "},
    DTypeSince{28, kBf16, " Compress Einsum OneHot ReverseSequence Unique "},
    DTypeSince{28, types({DType::kF16, DType::kBF16, DType::kF64}), " Celu "},
    DTypeSince{28, types({DType::kI8, DType::kI16, DType::kI32, DType::kI64}), " BitShift "},
};

int64_t needed_for_dtype(const Node& node, DType dtype) {
  int64_t opset = kSmall.has(dtype) ? 21 : kWrittenOpset;
  const std::string word = " " + std::string(node.op()) + " ";
  for (const DTypeSince& row : kDTypes)
    if (row.dtypes.has(dtype) && row.ops.find(word) != std::string_view::npos)
      opset = std::max(opset, row.opset);
  return opset;
}

}  // namespace

std::optional<int64_t> attr_since(const Node& node, std::string_view attr) {
  for (const AttrSince& row : kAttrs)
    if (row.op == node.op() && row.attr == attr) return row.opset;
  return std::nullopt;
}

int64_t needed_opset(const Node& node) {
  int64_t opset = kWrittenOpset;
  if (!node.schema().domain.empty()) return opset;
  for (const OpSince& row : kOps)
    if (row.op == node.op()) opset = std::max(opset, row.opset);
  for (const auto& [name, value] : node.attrs()) {
    const auto since = attr_since(node, name);
    const AttrSchema* row = node.schema().find_attr(name);
    const bool is_default = row != nullptr && row->fallback && attr_equal(*row->fallback, value);
    if (since && !is_default) opset = std::max(opset, *since);
  }
  for (const Value* value : node.inputs())
    if (value != nullptr && value->has_type)
      opset = std::max(opset, needed_for_dtype(node, value->type.dtype));
  for (const Value* value : node.outputs())
    if (value->has_type) opset = std::max(opset, needed_for_dtype(node, value->type.dtype));
  return opset;
}

int64_t ir_version_for(int64_t opset) {
  constexpr std::array<int64_t, 9> kFrom20 = {9, 10, 10, 11, 12, 13, 13, 13, 14};
  const int64_t index = std::clamp<int64_t>(opset - kWrittenOpset, 0, kFrom20.size() - 1);
  return kFrom20[static_cast<size_t>(index)];
}

}  // namespace npugraph::onnx
