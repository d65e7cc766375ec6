// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "npugraph/base/text.h"
#include "npugraph/kernels/kernel.h"
#include "npugraph/micro/micro.h"

/// What the kernels share: reading nodes, plans made of a function, loops over broadcast rows.
namespace npugraph::kernels {

// ---- Nodes ------------------------------------------------------------------------------------

inline bool is_f32(const KernelNode& node, int64_t input) {
  return node.has(input) && node.type(input).dtype == DType::kF32;
}
/// Every input that is present is float32.
bool all_f32(const KernelNode& node);
/// Rank of an input, -1 when unknown.
inline int64_t rank_of(const KernelNode& node, int64_t input) {
  return node.type(input).shape.rank();
}
/// Concrete dims, in prepare.
inline Dims dims_of(const TensorType& type) { return *type.shape.known(); }
inline Dims in_dims(const KernelNode& node, int64_t input) { return dims_of(node.type(input)); }
inline Dims out_dims(const KernelNode& node) { return dims_of(node.out[0]); }

inline int64_t dim(const Dims& dims, int64_t axis) { return dims[static_cast<size_t>(axis)]; }
/// Product of dims[first, last).
int64_t product_of(const Dims& dims, int64_t first, int64_t last);
int64_t product_of(const Dims& dims);
/// An axis counted from the front; it has been checked by the operator.
inline int64_t front_axis(int64_t axis, int64_t rank) { return axis < 0 ? axis + rank : axis; }
/// Whole bytes of an element; nothing for 4-bit types.
std::optional<int64_t> element_bytes(DType dtype);

/// The `activation` and `activation_params` attributes of FusedConv and FusedGemm; none when the
/// node has no such attributes. Nothing when the name is not known.
std::optional<micro::Activation> fused_activation(const Attrs& attrs);

// ---- Plans ------------------------------------------------------------------------------------

/// A plan that is a function of the run, and some scratch.
template <class Run>
class FunctionPlan final : public KernelPlan {
 public:
  FunctionPlan(int64_t scratch_bytes, Run run)
      : scratch_bytes_(scratch_bytes), run_(std::move(run)) {}
  int64_t scratch_bytes() const noexcept override { return scratch_bytes_; }
  Status run(const KernelRun& run) const noexcept override { return run_(run); }

 private:
  int64_t scratch_bytes_;
  Run run_;
};

using PlanResult = Result<std::unique_ptr<KernelPlan>>;

/// run: Status(const KernelRun&), noexcept and without allocation.
template <class Run>
PlanResult make_plan(Run run, int64_t scratch_bytes = 0) {
  return std::unique_ptr<KernelPlan>(
      std::make_unique<FunctionPlan<Run>>(scratch_bytes, std::move(run)));
}

/// Packed weights come from a file: each must have at least the floats that run() will read.
/// Errors: kProgramInvalid.
inline Status check_packed(std::span<const Tensor> packed, std::initializer_list<int64_t> floats) {
  if (packed.size() != floats.size())
    return fail(ErrorId::kProgramInvalid, "packed weights of a kernel", text(packed.size()),
                text(floats.size()));
  for (size_t i = 0; i < packed.size(); ++i)
    if (packed[i].dtype() != DType::kF32 || packed[i].elements() < floats.begin()[i])
      return fail(ErrorId::kProgramInvalid, "packed weights of a kernel are too short",
                  packed[i].type().str(), text(floats.begin()[i], " of float32"));
  return ok();
}

inline const float* floats(const TensorView& view) {
  return reinterpret_cast<const float*>(view.data);
}
inline float* mutable_floats(const TensorView& view) { return reinterpret_cast<float*>(view.data); }
inline std::span<float> scratch_floats(const KernelRun& run) {
  return {reinterpret_cast<float*>(run.scratch.data()), run.scratch.size() / sizeof(float)};
}

// ---- Loops ------------------------------------------------------------------------------------

/// Calls body(begin, end) on parts of [0, count), in parallel when `item_work` operations (or
/// bytes) an item make that worth while.
template <class Body>
void parallel_items(ThreadPool& pool, int64_t count, double item_work, const Body& body) noexcept {
  constexpr double kChunkWork = 60'000;
  const double total = item_work * static_cast<double>(count);
  const int64_t grain =
      total < 2 * kChunkWork
          ? count
          : std::max<int64_t>(1, static_cast<int64_t>(kChunkWork / std::max(item_work, 1.0)));
  pool.parallel_for(count, grain, body);
}

/// Rows of a broadcast: the output's dims with the strides of each operand, neighbouring axes
/// merged where every operand allows it. The innermost axis is the row: along it an operand's step
/// is inner_step. The output is dense.
template <size_t Operands>
class RowLoop {
 public:
  RowLoop(const Dims& out, const std::array<Dims, Operands>& operand_dims);
  /// Strides given as they are, in elements.
  static RowLoop strided(const Dims& out, const std::array<Dims, Operands>& strides);

  int64_t rows() const noexcept { return rows_; }
  int64_t inner() const noexcept { return inner_; }
  int64_t inner_step(size_t operand) const noexcept { return inner_step_[operand]; }
  const Dims& outer_dims() const noexcept { return outer_; }
  const Dims& outer_strides(size_t operand) const noexcept { return outer_strides_[operand]; }

  /// Where row `row` starts in each operand, in elements.
  std::array<int64_t, Operands> offsets(int64_t row) const noexcept {
    std::array<int64_t, Operands> at = {};
    for (size_t axis = outer_.size(); axis-- > 0;) {
      const int64_t index = row % outer_[axis];
      row /= outer_[axis];
      for (size_t k = 0; k < Operands; ++k) at[k] += index * outer_strides_[k][axis];
    }
    return at;
  }

  /// Calls body(offsets, out_offset, count) for parts of rows, in parallel.
  template <class Body>
  void run(ThreadPool& pool, double element_work, const Body& body) const noexcept;

 private:
  RowLoop() = default;
  void merge(const Dims& out, std::array<Dims, Operands> strides);

  Dims outer_;
  std::array<Dims, Operands> outer_strides_;
  std::array<int64_t, Operands> inner_step_ = {};
  int64_t rows_ = 1;
  int64_t inner_ = 1;
};

/// Strides in elements to read a dense tensor of `from` as one of `to`, 0 along repeated axes.
Dims broadcast_steps(const Dims& from, const Dims& to);

template <size_t Operands>
RowLoop<Operands>::RowLoop(const Dims& out, const std::array<Dims, Operands>& operand_dims) {
  std::array<Dims, Operands> strides;
  for (size_t k = 0; k < Operands; ++k) strides[k] = broadcast_steps(operand_dims[k], out);
  merge(out, std::move(strides));
}

template <size_t Operands>
RowLoop<Operands> RowLoop<Operands>::strided(const Dims& out,
                                             const std::array<Dims, Operands>& strides) {
  RowLoop loop;
  loop.merge(out, strides);
  return loop;
}

template <size_t Operands>
void RowLoop<Operands>::merge(const Dims& out, std::array<Dims, Operands> strides) {
  for (size_t axis = 0; axis < out.size(); ++axis) {
    if (out[axis] == 1) continue;
    bool joins = !outer_.empty();
    for (size_t k = 0; joins && k < Operands; ++k) {
      joins = outer_strides_[k].back() == strides[k][axis] * out[axis];
    }
    if (!joins) {
      outer_.push_back(1);
      for (size_t k = 0; k < Operands; ++k) outer_strides_[k].push_back(0);
    }
    outer_.back() *= out[axis];
    for (size_t k = 0; k < Operands; ++k) outer_strides_[k].back() = strides[k][axis];
  }
  if (!outer_.empty()) {
    inner_ = outer_.back();
    outer_.pop_back();
    for (size_t k = 0; k < Operands; ++k) {
      inner_step_[k] = outer_strides_[k].back();
      outer_strides_[k].pop_back();
    }
  }
  for (const int64_t size : outer_) rows_ *= size;
}

template <size_t Operands>
template <class Body>
void RowLoop<Operands>::run(ThreadPool& pool, double element_work,
                            const Body& body) const noexcept {
  if (rows_ == 1) {
    parallel_items(pool, inner_, element_work, [&](int64_t begin, int64_t end) {
      std::array<int64_t, Operands> at = {};
      for (size_t k = 0; k < Operands; ++k) at[k] = begin * inner_step_[k];
      body(at, begin, end - begin);
    });
    return;
  }
  const double row_work = element_work * static_cast<double>(inner_) + 20;
  parallel_items(pool, rows_, row_work, [&](int64_t begin, int64_t end) {
    for (int64_t row = begin; row < end; ++row) body(offsets(row), row * inner_, inner_);
  });
}

}  // namespace npugraph::kernels
