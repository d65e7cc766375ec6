// SPDX-License-Identifier: Apache-2.0
#include "tests/kernels/harness.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

#include "npugraph/base/text.h"

namespace npugraph::test {

namespace {

constexpr int64_t kGuard_bytes = 256;
constexpr std::byte kGuard{0xff};  // as floats, NaN

// Memory with guards on both sides.
class Guarded {
 public:
  explicit Guarded(int64_t size_bytes)
      : size_bytes_(size_bytes),
        storage_(static_cast<size_t>(size_bytes + 2 * kGuard_bytes + 64), kGuard) {
    const auto address = reinterpret_cast<uintptr_t>(storage_.data()) + kGuard_bytes;
    shift_ = static_cast<int64_t>((64 - address % 64) % 64) + kGuard_bytes;
  }
  std::byte* data() { return storage_.data() + shift_; }
  std::span<std::byte> span() { return {data(), static_cast<size_t>(size_bytes_)}; }
  bool intact() const {
    const auto begin = storage_.begin();
    const auto is_guard = [](std::byte b) { return b == kGuard; };
    return std::all_of(begin, begin + shift_, is_guard) &&
           std::all_of(begin + shift_ + size_bytes_, storage_.end(), is_guard);
  }

 private:
  int64_t size_bytes_;
  std::vector<std::byte> storage_;
  int64_t shift_ = 0;
};

using Outputs = std::vector<std::vector<std::byte>>;

struct Prepared {
  const OpSchema* schema = nullptr;
  Attrs attrs;
  std::vector<TensorType> types;
  std::vector<KernelInput> inputs;
  std::vector<TensorView> views;
  std::vector<TensorType> out;
  bool allow_fast = false;

  KernelNode node(Isa isa) const { return {*schema, attrs, inputs, out, isa, 3, allow_fast}; }
};

Prepared resolve(const Case& test) {
  Prepared p;
  p.schema = find_op(test.domain, test.op);
  p.allow_fast = test.allow_fast;
  EXPECT_NE(p.schema, nullptr) << test.op;
  if (p.schema == nullptr) return p;
  for (const auto& [name, value] : test.attrs) p.attrs.set(name, value);
  const Status complete = complete_attrs(*p.schema, p.attrs);
  EXPECT_TRUE(complete.has_value());
  for (const Input& input : test.inputs) p.types.push_back(input.tensor.type());
  for (size_t i = 0; i < test.inputs.size(); ++i) {
    const Input& input = test.inputs[i];
    p.views.push_back(input.is_absent ? no_tensor() : input.tensor.view());
    p.inputs.push_back(input.is_absent
                           ? KernelInput{}
                           : KernelInput{&p.types[i], input.is_constant ? &input.tensor : nullptr});
  }
  auto out = infer_concrete(*p.schema, p.attrs, p.views, test.outputs);
  EXPECT_TRUE(out.has_value()) << (out ? "" : out.error().message());
  if (out) p.out = *std::move(out);
  return p;
}

std::vector<TensorView> views_of(const std::vector<TensorType>& types,
                                 std::vector<Guarded>& memory) {
  std::vector<TensorView> views;
  for (const TensorType& type : types) {
    memory.emplace_back(*dense_bytes(type.dtype, *type.shape.known()));
    views.push_back({type.dtype, *type.shape.known(), memory.back().data()});
  }
  return views;
}

Outputs bytes_of(const std::vector<TensorView>& views) {
  Outputs all;
  for (const TensorView& view : views) all.emplace_back(view.data, view.data + view.bytes());
  return all;
}

// Runs a plan; input `in_place` (-1: none) lends its memory to output 0.
Result<Outputs> run_plan(const Prepared& p, const KernelPlan& plan, const Kernel& kernel,
                         bool is_packed, const Case& test, int64_t threads, int64_t in_place) {
  const auto pool = std::move(*ThreadPool::create(threads));
  std::vector<Guarded> memory;
  std::vector<TensorView> out = views_of(p.out, memory);
  std::vector<TensorView> in = p.views;
  for (const int64_t index : kernel.packed_inputs) {
    const auto i = static_cast<size_t>(index);
    if (is_packed && i < in.size() && test.inputs[i].is_constant) in[i].data = nullptr;
  }
  if (in_place >= 0) {
    const auto i = static_cast<size_t>(in_place);
    std::copy_n(in[i].data, in[i].bytes(), out[0].data);
    in[i].data = out[0].data;
  }
  Guarded scratch(plan.scratch_bytes());
  NPU_TRY(plan.run({in, out, scratch.span(), *pool}));
  EXPECT_TRUE(scratch.intact()) << "scratch overrun by " << kernel.name;
  for (const Guarded& guarded : memory) {
    EXPECT_TRUE(guarded.intact()) << "output overrun by " << kernel.name;
  }
  return bytes_of(out);
}

void expect_close(const TensorType& type, const std::vector<std::byte>& got,
                  const std::vector<std::byte>& want, double tolerance, const std::string& place) {
  ASSERT_EQ(got.size(), want.size());
  if (!is_float(type.dtype)) {
    EXPECT_TRUE(got == want) << place;
    return;
  }
  const auto view = [&](const std::vector<std::byte>& bytes) {
    return TensorView{type.dtype, *type.shape.known(), const_cast<std::byte*>(bytes.data())};
  };
  const TensorView a = view(got), b = view(want);
  double largest = 0;
  for (int64_t i = 0; i < b.elements(); ++i) {
    if (std::isfinite(b.load(i))) largest = std::max(largest, std::fabs(b.load(i)));
  }
  for (int64_t i = 0; i < b.elements(); ++i) {
    const double x = a.load(i), y = b.load(i);
    if (std::isnan(y)) {
      ASSERT_TRUE(std::isnan(x)) << place << " element " << i << " is " << x << ", not NaN";
    } else if (std::isinf(y)) {
      ASSERT_EQ(x, y) << place << " element " << i;
    } else {
      ASSERT_NEAR(x, y, tolerance * std::max(largest, 1e-30)) << place << " element " << i;
    }
  }
}

std::vector<int64_t> in_place_inputs(const Kernel& kernel, const Prepared& p) {
  std::vector<int64_t> all;
  for (size_t i = 0; i < p.inputs.size(); ++i) {
    const auto index = static_cast<int64_t>(i);
    if (p.inputs[i].type == nullptr || !(*p.inputs[i].type == p.out[0])) continue;
    const bool allowed = std::any_of(kernel.in_place.begin(), kernel.in_place.end(),
                                     [index](int64_t row) { return row == -1 || row == index; });
    if (allowed) all.push_back(index);
  }
  return all;
}

struct Made {
  const Kernel* kernel = nullptr;
  std::vector<Tensor> packed;
  std::unique_ptr<KernelPlan> plan;
};

Made make(const Prepared& p, const Case& test, Isa isa) {
  Made made;
  made.kernel = &find_kernel(p.node(isa));
  EXPECT_EQ(made.kernel->name, test.kernel);
  if (made.kernel->pack != nullptr) {
    auto packed = made.kernel->pack(p.node(isa));
    EXPECT_TRUE(packed.has_value());
    if (packed) made.packed = *std::move(packed);
  }
  Prepared withheld = p;
  for (const int64_t index : made.kernel->packed_inputs) {
    if (index < static_cast<int64_t>(withheld.inputs.size())) {
      withheld.inputs[static_cast<size_t>(index)].constant = nullptr;
    }
  }
  for (size_t i = 0; i < withheld.inputs.size(); ++i) {
    if (withheld.inputs[i].type != nullptr) withheld.inputs[i].type = &p.types[i];
  }
  auto plan = made.kernel->prepare(withheld.node(isa), made.packed);
  EXPECT_TRUE(plan.has_value()) << (plan ? "" : plan.error().message());
  if (plan) made.plan = *std::move(plan);
  return made;
}

std::vector<Isa> levels() {
  std::vector<Isa> all;
  for (const Isa isa : {Isa::kPortable, Isa::kAvx2, Isa::kAvx512}) {
    if (isa <= native_isa()) all.push_back(isa);
  }
  return all;
}

}  // namespace

void check(const Case& test) {
  const Prepared p = resolve(test);
  if (p.out.empty()) return;
  std::vector<Guarded> memory;
  const std::vector<TensorView> expected = views_of(p.out, memory);
  const Status reference = p.schema->reference({p.views, expected, p.attrs});
  ASSERT_TRUE(reference.has_value()) << reference.error().message();
  const Outputs want = bytes_of(expected);
  for (const Isa isa : levels()) {
    const Made made = make(p, test, isa);
    if (made.plan == nullptr) return;
    const auto run = [&](int64_t threads, int64_t in_place) {
      return run_plan(p, *made.plan, *made.kernel, !made.packed.empty(), test, threads, in_place);
    };
    const auto got = run(1, -1);
    ASSERT_TRUE(got.has_value()) << got.error().message();
    for (size_t i = 0; i < want.size(); ++i) {
      expect_close(p.out[i], (*got)[i], want[i], test.tolerance,
                   text(test.op, " on ", isa_name(isa), ", output ", i));
    }
    const auto again = run(3, -1);
    ASSERT_TRUE(again.has_value());
    EXPECT_TRUE(*again == *got) << test.op << " on 3 threads gives other bits";
    for (const int64_t input : in_place_inputs(*made.kernel, p)) {
      const auto placed = run(2, input);
      ASSERT_TRUE(placed.has_value());
      EXPECT_TRUE((*placed)[0] == (*got)[0]) << test.op << " in place of input " << input;
    }
  }
}

void check_fails(const Case& test, ErrorId id) {
  const Prepared p = resolve(test);
  for (const Isa isa : levels()) {
    const Made made = make(p, test, isa);
    ASSERT_NE(made.plan, nullptr);
    const auto got = run_plan(p, *made.plan, *made.kernel, !made.packed.empty(), test, 1, -1);
    ASSERT_FALSE(got.has_value());
    EXPECT_EQ(got.error().id, id);
  }
}

std::string kernel_name(const Case& test) {
  return std::string(find_kernel(resolve(test).node(Isa::kPortable)).name);
}

Tensor floats(Dims dims, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values;
  for (int64_t i = 0; i < *element_count(dims); ++i) {
    values.push_back(static_cast<float>(static_cast<int64_t>(random() % 4001) - 2000) / 1000.0f);
  }
  return Tensor::of_floats(values, std::move(dims));
}

Tensor special_floats(Dims dims, uint32_t seed) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const float specials[] = {std::numeric_limits<float>::quiet_NaN(), kInf, -kInf, -0.0f};
  const Tensor ordinary = floats(dims, seed);
  std::vector<float> values(ordinary.as<float>().begin(), ordinary.as<float>().end());
  for (size_t i = 0; i < values.size(); i += 7) values[i] = specials[i / 7 % 4];
  return Tensor::of_floats(values, std::move(dims));
}

Tensor ints(std::vector<int64_t> values) { return Tensor::of_ints(values); }

Tensor of(DType dtype, const std::vector<double>& values, Dims dims) {
  Tensor tensor = std::move(*Tensor::zeros(dtype, std::move(dims)));
  const TensorView view = tensor.mutable_view();
  for (size_t i = 0; i < values.size(); ++i) view.store(static_cast<int64_t>(i), values[i]);
  return tensor;
}

}  // namespace npugraph::test
