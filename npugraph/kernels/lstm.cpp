// SPDX-License-Identifier: Apache-2.0
// LSTM on float32 with the default activations: the inputs of all steps in one matrix product, then
// each step adds the product of the state and applies the gates in one pass.
#include <cstring>

#include "npugraph/kernels/tools.h"
#include "npugraph/micro/gemm.h"

namespace npugraph::kernels {
namespace {

using micro::Gemm;

constexpr int64_t kBias = 3;
constexpr int64_t kLengths = 4;
constexpr int64_t kStateH = 5;
constexpr int64_t kStateC = 6;
constexpr int64_t kPeephole = 7;
constexpr int64_t kAlignFloats = 16;

int64_t padded(int64_t count) { return (count + kAlignFloats - 1) / kAlignFloats * kAlignFloats; }

struct Sizes {
  int64_t steps, batch, inputs, hidden, directions;
  bool is_batch_first;
  bool is_reverse;
  bool has_bias, has_h, has_c, has_peephole;
  size_t outputs;
  int64_t gates() const { return 4 * hidden; }
  // Rows of X and Y from one step, or one sample, to the next.
  int64_t step_rows() const { return is_batch_first ? 1 : batch; }
  int64_t sample_rows() const { return is_batch_first ? steps : 1; }
};

class LstmPlan final : public KernelPlan {
 public:
  LstmPlan(const Sizes& sizes, const KernelNode& node, std::span<const Tensor> packed)
      : sizes_(sizes), kernels_(micro::micro_kernels(node.isa)) {
    for (int64_t d = 0; d < sizes.directions; ++d) {
      w_.push_back(packed[0].as<float>().data() +
                   d * micro::packed_columns_floats(kernels_, sizes.inputs, sizes.gates()));
      r_.push_back(packed[1].as<float>().data() +
                   d * micro::packed_columns_floats(kernels_, sizes.hidden, sizes.gates()));
    }
    input_.kernels = state_.kernels = &kernels_;
    input_.m = sizes.steps * sizes.batch;
    input_.n = state_.n = sizes.gates();
    input_.k = sizes.inputs;
    input_.a = {.row_stride = sizes.inputs};
    input_.b.packed = state_.b.packed = true;
    input_.c_stride = sizes.gates();
    state_.m = sizes.batch;
    state_.k = sizes.hidden;
    state_.a = {.row_stride = sizes.hidden};
    state_.c_stride = sizes.sample_rows() * sizes.gates();
    gemm_floats_ = std::max(micro::gemm_scratch_floats(input_, node.threads),
                            micro::gemm_scratch_floats(state_, node.threads));
    gates_floats_ = padded(input_.m * sizes.gates());
    bias_floats_ = padded(sizes.gates());
    states_floats_ = padded(sizes.batch * sizes.hidden);
  }

  int64_t scratch_bytes() const noexcept override {
    return (gemm_floats_ + gates_floats_ + bias_floats_ + 2 * states_floats_) * 4;
  }

  Status run(const KernelRun& run) const noexcept override {
    for (int64_t d = 0; d < sizes_.directions; ++d) direction(run, d);
    return ok();
  }

 private:
  struct Buffers {
    std::span<float> gemm;
    float* gates;
    float* bias;
    float* h;
    float* c;
  };

  Buffers buffers(const KernelRun& run) const {
    const std::span<float> all = scratch_floats(run);
    float* at = all.data() + gemm_floats_;
    return {all.first(static_cast<size_t>(gemm_floats_)), at, at + gates_floats_,
            at + gates_floats_ + bias_floats_, at + gates_floats_ + bias_floats_ + states_floats_};
  }

  // Where sample n of direction d has its state: [d, n, h], or [n, d, h].
  int64_t state_at(int64_t d, int64_t n) const {
    const int64_t row = sizes_.is_batch_first ? n * sizes_.directions + d : d * sizes_.batch + n;
    return row * sizes_.hidden;
  }
  // Row of step t, sample n in Y: [t, d, n, h], or [n, t, d, h].
  int64_t y_at(int64_t t, int64_t d, int64_t n) const {
    const int64_t row = sizes_.is_batch_first ? (n * sizes_.steps + t) * sizes_.directions + d
                                              : (t * sizes_.directions + d) * sizes_.batch + n;
    return row * sizes_.hidden;
  }

  void load_state(const KernelRun& run, int64_t input, bool is_given, int64_t d, float* to) const {
    const auto bytes = static_cast<size_t>(sizes_.hidden) * sizeof(float);
    for (int64_t n = 0; n < sizes_.batch; ++n) {
      float* row = to + n * sizes_.hidden;
      if (is_given) {
        std::memcpy(row, floats(run.in[static_cast<size_t>(input)]) + state_at(d, n), bytes);
      } else {
        std::memset(row, 0, bytes);
      }
    }
  }

  void store_state(const KernelRun& run, size_t output, int64_t d, const float* from) const {
    if (output >= sizes_.outputs || run.out[output].data == nullptr) return;
    for (int64_t n = 0; n < sizes_.batch; ++n) {
      std::memcpy(mutable_floats(run.out[output]) + state_at(d, n), from + n * sizes_.hidden,
                  static_cast<size_t>(sizes_.hidden) * sizeof(float));
    }
  }

  void direction(const KernelRun& run, int64_t d) const {
    const Buffers to = buffers(run);
    const int64_t gates = sizes_.gates();
    Gemm input = input_;
    input.a.data = floats(run.in[0]);
    input.b.data = w_[static_cast<size_t>(d)];
    input.c = to.gates;
    if (sizes_.has_bias) {
      // The biases of W and of R are added to the same sums.
      const float* bias = floats(run.in[kBias]) + d * 2 * gates;
      kernels_.binary(micro::Binary::kAdd,
                      {.a = bias, .b = bias + gates, .dst = to.bias, .count = gates});
      input.col_bias = to.bias;
    }
    micro::run_gemm(input, to.gemm, run.pool);
    load_state(run, kStateH, sizes_.has_h, d, to.h);
    load_state(run, kStateC, sizes_.has_c, d, to.c);
    const bool backwards = sizes_.is_reverse || d == 1;
    for (int64_t i = 0; i < sizes_.steps; ++i) {
      step(run, d, backwards ? sizes_.steps - 1 - i : i, to);
    }
    store_state(run, 1, d, to.h);
    store_state(run, 2, d, to.c);
  }

  void step(const KernelRun& run, int64_t d, int64_t t, const Buffers& to) const {
    const int64_t hidden = sizes_.hidden;
    float* gates = to.gates + t * sizes_.step_rows() * sizes_.gates();
    Gemm state = state_;
    state.a.data = to.h;
    state.b.data = r_[static_cast<size_t>(d)];
    state.c = gates;
    state.residual = gates;
    micro::run_gemm(state, to.gemm, run.pool);
    const bool wants_y = sizes_.outputs > 0 && run.out[0].data != nullptr;
    for (int64_t n = 0; n < sizes_.batch; ++n) {
      float* h = to.h + n * hidden;
      kernels_.lstm(
          {.gates = gates + n * sizes_.sample_rows() * sizes_.gates(),
           .peephole = sizes_.has_peephole ? floats(run.in[kPeephole]) + d * 3 * hidden : nullptr,
           .cell = to.c + n * hidden,
           .h = h,
           .hidden = hidden});
      if (wants_y) {
        std::memcpy(mutable_floats(run.out[0]) + y_at(t, d, n), h,
                    static_cast<size_t>(hidden) * sizeof(float));
      }
    }
  }

  Sizes sizes_;
  const micro::MicroKernels& kernels_;
  std::vector<const float*> w_, r_;
  Gemm input_, state_;
  int64_t gemm_floats_ = 0;
  int64_t gates_floats_ = 0;
  int64_t bias_floats_ = 0;
  int64_t states_floats_ = 0;
};

bool has_default_activations(const Attrs& attrs) {
  if (!attrs.has("activations")) return true;
  const Strings& names = attrs.strings("activations");
  for (size_t i = 0; i < names.size(); ++i) {
    if (names[i] != (i % 3 == 0 ? "Sigmoid" : "Tanh")) return false;
  }
  return true;
}

bool supports(const KernelNode& node) {
  const Attrs& attrs = node.attrs;
  for (int64_t input = 0; input < static_cast<int64_t>(node.in.size()); ++input) {
    if (node.has(input) && node.type(input).dtype != DType::kF32) return false;
  }
  return !node.has(kLengths) && node.constant(1) != nullptr && node.constant(2) != nullptr &&
         has_default_activations(attrs) && !attrs.flag("input_forget") &&
         (!attrs.has("clip") || attrs.f64("clip") == 0);
}

// W and R, [d, 4 h, k], turned into panels of columns.
Result<std::vector<Tensor>> pack(const KernelNode& node) {
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  std::vector<Tensor> packed;
  for (const int64_t input : {1, 2}) {
    const Tensor* weights = node.constant(input);
    if (weights == nullptr) return fail(ErrorId::kInternal, "LSTM weights are not constant");
    const Dims& dims = weights->dims();
    const int64_t gates = dim(dims, 1);
    const int64_t k = dim(dims, 2);
    const int64_t size = micro::packed_columns_floats(kernels, k, gates);
    NPU_LET(Tensor panels, Tensor::zeros(DType::kF32, {dim(dims, 0), size}));
    for (int64_t d = 0; d < dim(dims, 0); ++d) {
      micro::pack_columns(kernels, weights->as<float>().data() + d * gates * k, 1, k, k, gates,
                          mutable_floats(panels.mutable_view()) + d * size);
    }
    packed.push_back(std::move(panels));
  }
  return packed;
}

PlanResult prepare(const KernelNode& node, std::span<const Tensor> packed) {
  const Dims x = in_dims(node, 0);
  const Dims w = in_dims(node, 1);
  const bool is_batch_first = node.attrs.has("layout") && node.attrs.flag("layout");
  const Sizes sizes = {.steps = dim(x, is_batch_first ? 1 : 0),
                       .batch = dim(x, is_batch_first ? 0 : 1),
                       .inputs = dim(x, 2),
                       .hidden = dim(w, 1) / 4,
                       .directions = dim(w, 0),
                       .is_batch_first = is_batch_first,
                       .is_reverse = node.attrs.str("direction") == "reverse",
                       .has_bias = node.has(kBias),
                       .has_h = node.has(kStateH),
                       .has_c = node.has(kStateC),
                       .has_peephole = node.has(kPeephole),
                       .outputs = node.out.size()};
  const micro::MicroKernels& kernels = micro::micro_kernels(node.isa);
  const auto floats = [&](int64_t k) {
    return sizes.directions * micro::packed_columns_floats(kernels, k, sizes.gates());
  };
  NPU_TRY(check_packed(packed, {floats(sizes.inputs), floats(sizes.hidden)}));
  return std::unique_ptr<KernelPlan>(std::make_unique<LstmPlan>(sizes, node, packed));
}

}  // namespace

std::vector<Kernel> lstm() {
  return {{.name = "lstm_f32",
           .op = "LSTM",
           .supports = supports,
           .pack = pack,
           .packed_inputs = {1, 2},
           .prepare = prepare}};
}

}  // namespace npugraph::kernels
