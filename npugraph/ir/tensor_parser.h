// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>

#include "npugraph/ir/print.h"
#include "npugraph/ir/text_reader.h"

/// Tensors in IR text; not for other folders.
namespace npugraph {

/// Reads tensors, all within one limit of bytes.
class TensorParser {
 public:
  TensorParser(TextReader& in, const ParseOptions& options)
      : in_(in), options_(options), left_bytes_(options.max_bytes) {}

  /// "float32[2] [1, 2]" and the other forms of print.h. Errors: kIrParse, kSizeOverflow,
  /// kOutOfMemory.
  Result<Tensor> tensor();

 private:
  Status fill(const TensorView& view);
  Status fill_random(const TensorView& view);
  Status numbers(const TensorView& view);
  Status number(const TensorView& view, int64_t index);
  Status bytes(const TensorView& view);
  Result<Tensor> by_hash(const TensorType& type, const Dims& dims);

  TextReader& in_;
  const ParseOptions& options_;
  int64_t left_bytes_;
  std::optional<std::map<std::string, Tensor>> data_;  // by hash, collected when first asked for
};

}  // namespace npugraph
