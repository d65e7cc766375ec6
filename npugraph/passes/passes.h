// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "npugraph/passes/pass.h"

namespace npugraph::passes {

// One function a file of the same name; what each does is said in pipeline.cpp.
#define NPU_PASS(name) Result<int64_t> name(Graph& graph, const PassContext& context);
NPU_PASS(infer_shapes)
NPU_PASS(fold_constants)
NPU_PASS(fold_if)
NPU_PASS(eliminate_dead_code)
NPU_PASS(remove_identity)
NPU_PASS(cleanup_transpose)
NPU_PASS(cleanup_reshape)
NPU_PASS(eliminate_common_subexpressions)
NPU_PASS(cancel_slice_concat)
NPU_PASS(cleanup_cast)
NPU_PASS(push_transpose)
NPU_PASS(fold_shapes)
NPU_PASS(normalise_resize)
NPU_PASS(remove_unused_outputs)
NPU_PASS(fuse_affine_conv)
NPU_PASS(merge_pointwise_convs)
NPU_PASS(fuse_matmul_affine)
NPU_PASS(fuse_channel_shuffle)
NPU_PASS(fuse_pad)
NPU_PASS(fuse_conv_batch_norm)
NPU_PASS(fuse_conv_affine)
NPU_PASS(fuse_instance_norm)
NPU_PASS(fuse_group_norm)
NPU_PASS(fuse_layer_norm)
NPU_PASS(fuse_rms_norm)
NPU_PASS(fuse_softmax)
NPU_PASS(fuse_gelu)
NPU_PASS(fuse_swish)
NPU_PASS(fuse_hard_sigmoid)
NPU_PASS(fuse_hard_swish)
NPU_PASS(fuse_mish)
NPU_PASS(bound_slice)
NPU_PASS(fuse_rotary)
NPU_PASS(fuse_attention)
NPU_PASS(fuse_attention_heads)
NPU_PASS(fuse_qkv)
NPU_PASS(fuse_conv_activation)
NPU_PASS(fuse_gemm_activation)
#undef NPU_PASS

}  // namespace npugraph::passes
