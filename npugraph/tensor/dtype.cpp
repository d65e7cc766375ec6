// SPDX-License-Identifier: Apache-2.0
#include "npugraph/tensor/dtype.h"

#include <array>

namespace npugraph {
namespace {

struct Row {
  std::string_view name;
  int64_t bits;
  int32_t onnx;
};

constexpr std::array kRows = {
#define X(enumerator, name, bits, onnx) Row{name, bits, onnx},
#include "npugraph/tensor/dtypes.inc"
#undef X
};

const Row& row(DType dtype) noexcept { return kRows[static_cast<size_t>(dtype)]; }

}  // namespace

std::string_view dtype_name(DType dtype) noexcept { return row(dtype).name; }

std::optional<DType> parse_dtype(std::string_view name) noexcept {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].name == name) return static_cast<DType>(i);
  return std::nullopt;
}

int32_t onnx_dtype(DType dtype) noexcept { return row(dtype).onnx; }

std::optional<DType> dtype_from_onnx(int32_t number) noexcept {
  for (size_t i = 0; i < kRows.size(); ++i)
    if (kRows[i].onnx == number) return static_cast<DType>(i);
  return std::nullopt;
}

int64_t dtype_bits(DType dtype) noexcept { return row(dtype).bits; }

bool is_float(DType dtype) noexcept {
  return row(dtype).name.find("float") != std::string_view::npos;
}

bool is_integer(DType dtype) noexcept { return !is_float(dtype) && dtype != DType::kBool; }

bool is_signed(DType dtype) noexcept { return is_float(dtype) || row(dtype).name[0] == 'i'; }

}  // namespace npugraph
