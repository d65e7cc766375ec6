// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "npugraph/ops/infer_tools.h"
#include "npugraph/ops/op.h"

/// What QuantizeLinear and DequantizeLinear share: inputs x, scale and an optional zero point; one
/// scale for the tensor, for each index of `axis`, or for each block of `block_size` along it.
namespace npugraph::ops {

inline constexpr DTypeSet kQuantizedTypes =
    types({DType::kU8, DType::kI8, DType::kU16, DType::kI16, DType::kU4, DType::kI4,
           DType::kF8E4M3FN, DType::kF8E4M3FNUZ, DType::kF8E5M2, DType::kF8E5M2FNUZ});

/// Errors: kShapeMismatch, kBadAttribute, kAxisOutsideRank.
Status check_scales(const InferContext& context);

/// Which element of scale (and zero point) belongs to element i of x.
class ScaleIndex {
 public:
  /// Errors: kAxisOutsideRank, kShapeMismatch.
  static Result<ScaleIndex> make(const RunContext& context);
  int64_t of(int64_t i) const;

 private:
  int64_t stride_ = 1, length_ = 1;       // of axis in x
  int64_t block_ = 1, scale_length_ = 1;  // scale_length_ 0: one scale for all
  bool blocked_ = false;
};

/// The dtype that attribute `name` names by its ONNX number; nothing for 0.
/// Errors: kBadAttribute.
Result<std::optional<DType>> dtype_attr(const Attrs& attrs, std::string_view name,
                                        DTypeSet allowed);

}  // namespace npugraph::ops
