// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/frontends/onnx/external.h"
#include "npugraph/frontends/onnx/onnx.pb.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph::onnx {

/// Turns tensors of the file into ours. Sizes are checked against the bytes that are there before
/// anything is allocated.
class TensorReader {
 public:
  /// file_bytes: size of the model's file, which bounds what a sparse tensor may expand to.
  TensorReader(ExternalData external, int64_t file_bytes)
      : external_(std::move(external)), file_bytes_(file_bytes) {}

  /// Takes the bytes out of `proto` (raw_data is not copied), which is empty afterwards; external
  /// data is mapped. Errors: kOnnxTensor, kOnnxType, kOnnxExternalData, kSizeOverflow.
  Result<Tensor> take(TensorProto& proto);
  /// The dense form of a sparse tensor. Errors: as take().
  Result<Tensor> take_sparse(SparseTensorProto& proto);

 private:
  Result<Tensor> take_external(const TensorProto& proto, DType dtype, Dims dims);
  ExternalData external_;
  int64_t file_bytes_;
};

}  // namespace npugraph::onnx
