// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace npugraph::micro {

/// Functions of one float. alpha and beta as ONNX names them.
enum class Unary : uint8_t {
  kCopy,
  kRelu,         // max(x, 0), NaN stays
  kClip,         // min(max(x, alpha), beta), NaN stays
  kLeakyRelu,    // x < 0 ? alpha x : x
  kHardSigmoid,  // max(0, min(1, alpha x + beta))
  kHardSwish,    // x max(0, min(1, x / 6 + 1/2))
  kSigmoid,
  kSilu,  // x sigmoid(x)
  kTanh,
  kGelu,      // x (1 + erf(x / sqrt 2)) / 2
  kGeluTanh,  // x (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))) / 2
  // An approximation: kGeluTanh with exp_fast() (math.h), within 5e-4 of kGelu.
  kGeluFast,
  kErf,
  kExp,
  kSqrt,
  kReciprocal,
  kAbs,
  kNeg,
  kSquare,
  kElu,    // x < 0 ? alpha (e^x - 1) : x
  kSwish,  // x sigmoid(alpha x)
  kMish,   // x tanh(ln(1 + e^x))
  kCount,
};

struct Activation {
  Unary op = Unary::kCopy;
  float alpha = 0;
  float beta = 0;
};

/// Functions of two floats.
enum class Binary : uint8_t {
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,  // NaN when either is NaN
  kMin,
  kCount,
};

}  // namespace npugraph::micro
