// SPDX-License-Identifier: Apache-2.0
// The passes, in order. Level 0 infers types only; 1 adds clean-ups whose results are equal bit for
// bit; 2 and 3 add fusions.
#include <array>

#include "npugraph/passes/passes.h"

namespace npugraph {
namespace {

constexpr auto kCleanup = PassGroup::kCleanup;
constexpr auto kFuse = PassGroup::kFuse;

constexpr std::array kPipeline = {
    Pass{"infer_shapes", "infers the type of every value", passes::infer_shapes, kCleanup, 0, true,
         false},
    Pass{"fold_constants", "computes nodes whose inputs are known, up to a size limit",
         passes::fold_constants, kCleanup},
    Pass{"fold_if", "an If with a known condition becomes its branch", passes::fold_if, kCleanup},
    Pass{"remove_identity", "removes nodes that change nothing; Sum of two becomes Add",
         passes::remove_identity, kCleanup},
    Pass{"cleanup_reshape", "chains of Reshape, Squeeze, Unsqueeze, Flatten become one Reshape",
         passes::cleanup_reshape, kCleanup},
    Pass{"cleanup_transpose", "composes Transposes; one that moves size-1 dims becomes a Reshape",
         passes::cleanup_transpose, kCleanup},
    Pass{"eliminate_common_subexpressions", "equal nodes with equal inputs become one",
         passes::eliminate_common_subexpressions, kCleanup},
    Pass{"eliminate_dead_code", "removes nodes and constants that nothing reads",
         passes::eliminate_dead_code, kCleanup},

    Pass{"fuse_pad", "zero Pad before a Conv becomes its pads", passes::fuse_pad, kFuse, 2},
    Pass{"fuse_conv_batch_norm", "BatchNormalization after a Conv goes into its weights",
         passes::fuse_conv_batch_norm, kFuse, 2, false},
    Pass{"fuse_conv_affine", "Mul, Div, Add, Sub by channel go into the Conv or BatchNormalization",
         passes::fuse_conv_affine, kFuse, 2, false},
    Pass{"fuse_gelu", "x * 0.5 * (1 + erf(x / sqrt 2)) becomes Gelu", passes::fuse_gelu, kFuse, 2,
         false},
    Pass{"fuse_swish", "x * sigmoid(x) becomes Swish", passes::fuse_swish, kFuse, 2, false},
    Pass{"fuse_hard_swish", "x * clip(x + 3, 0, 6) / 6 becomes HardSwish", passes::fuse_hard_swish,
         kFuse, 2, false},
    Pass{"fuse_conv_activation", "Conv, residual Add and activation become FusedConv",
         passes::fuse_conv_activation, kFuse, 2, false, true, true},
    Pass{"fuse_gemm_activation", "MatMul or Gemm, bias, residual, activation become FusedGemm",
         passes::fuse_gemm_activation, kFuse, 2, false, true, true},
};

}  // namespace

std::span<const Pass> pipeline() { return kPipeline; }

}  // namespace npugraph
