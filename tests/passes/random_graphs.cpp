// SPDX-License-Identifier: Apache-2.0
// Graphs of operators that move, cut, join and compute, put together at random: every pass leaves a
// sound graph with the same numbers. What each pass changes is compared at once. Every other graph
// has a first dimension that is not known.
#include <random>

#include "npugraph/base/text.h"
#include "tests/passes/helpers.h"

namespace npugraph {
namespace {

constexpr int64_t kGraphs = 100;
constexpr int64_t kNodes = 24;

/// Draws graphs. Equal seeds give equal graphs on every machine: only the engine's own numbers are
/// used, which the standard fixes.
class Drawer {
 public:
  explicit Drawer(uint32_t seed) : engine_(seed) {}

  std::unique_ptr<Graph> draw() {
    auto graph = std::make_unique<Graph>(text("random", engine_()));
    graph_ = graph.get();
    const Dim n = below(2) == 0 ? Dim(2) : Dim::symbol("n");
    values_ = {&graph_->add_input("x", {DType::kF32, {n, Dim(4), Dim(3), Dim(5)}}),
               &graph_->add_input("z", {DType::kF32, {n, Dim(4), Dim(3), Dim(5)}}),
               &graph_->add_input("m", {DType::kF32, {Dim(6), Dim(4)}})};
    for (int64_t i = 0; i < kNodes; ++i) add_node();
    for (Value* value : values_) {
      if (value->producer() != nullptr && (!value->is_used() || below(12) == 0)) {
        graph_->add_output(*value);
      }
    }
    if (graph_->outputs().empty()) graph_->add_output(*node("Neg", {values_[0]}));
    return graph;
  }

 private:
  int64_t below(int64_t end) { return static_cast<int64_t>(engine_()) % end; }
  Value* any() {
    // Late values more often, so that chains grow.
    const auto count = static_cast<int64_t>(values_.size());
    const int64_t from = below(3) == 0 ? 0 : std::max<int64_t>(0, count - 4);
    return values_[static_cast<size_t>(from + below(count - from))];
  }
  static int64_t rank(const Value& value) { return value.type.shape.rank(); }
  /// 0 when it is not a number.
  static int64_t dim(const Value& value, int64_t axis) {
    return value.type.shape[axis].known().value_or(0);
  }
  /// Elements for the sizes that the graphs are run with; 0 when not known.
  static int64_t elements(const Value& value) {
    if (!value.has_type || !value.type.shape.ranked()) return 0;
    return value.type.shape.elements().substitute({{"n", Dim(2)}}).known().value_or(0);
  }

  Value* ints(const std::vector<int64_t>& numbers) {
    return &graph_->add_constant("c", Tensor::of_ints(numbers));
  }
  Value* floats(const Dims& dims) {
    int64_t count = 1;
    for (const int64_t size : dims) count *= size;
    std::vector<float> numbers;
    for (int64_t i = 0; i < count; ++i) numbers.push_back(static_cast<float>(below(9)) / 4 - 1);
    return &graph_->add_constant("c", Tensor::of_floats(numbers, dims));
  }

  /// A node when it is legal; null, and nothing added, when not.
  Value* node(std::string_view op, std::vector<Value*> inputs, Attrs attrs = {},
              size_t outputs = 1) {
    auto made = graph_->add_node("", op, "", std::move(inputs), std::move(attrs),
                                 std::vector<std::string>(outputs));
    if (!made) return nullptr;
    if (!infer_node(**made) || elements(*(*made)->output()) == 0) {
      graph_->erase(**made);
      return nullptr;
    }
    for (Value* output : (*made)->outputs()) values_.push_back(output);
    return (*made)->output();
  }
  static Attrs with(std::string name, AttrValue value) {
    Attrs attrs;
    attrs.set(std::move(name), std::move(value));
    return attrs;
  }

  Ints permutation(int64_t count) {
    if (count == 4 && below(2) == 0) {
      return below(2) == 0 ? Ints{0, 2, 3, 1} : Ints{0, 3, 1, 2};
    }
    Ints perm;
    for (int64_t i = 0; i < count; ++i) perm.insert(perm.begin() + below(i + 1), i);
    return perm;
  }

  void add_node() {
    Value* const x = any();
    const int64_t axis = rank(*x) > 0 ? below(rank(*x)) : 0;
    if (rank(*x) == 0 || elements(*x) > 4000) return;
    switch (below(16)) {
      case 0:
      case 1:
      case 2:
        node("Transpose", {x}, with("perm", permutation(rank(*x))));
        return;
      case 3:
        node(below(2) == 0 ? "Relu" : "Neg", {x});
        return;
      case 4:
      case 5:
        add_binary(*x);
        return;
      case 6:
        node("Concat", {x, below(2) == 0 ? x : any()}, with("axis", axis));
        return;
      case 7:
        add_split(*x, axis);
        return;
      case 8:
        add_slice(*x, axis);
        return;
      case 9:
        add_join(*x, axis);
        return;
      case 10:
        node(below(2) == 0 ? "ReduceMean" : "ReduceMax", {x, ints({axis})},
             with("keepdims", below(2)));
        return;
      case 11:
        node("Softmax", {x}, with("axis", axis));
        return;
      case 12:
        add_reshape(*x);
        return;
      case 13:
        node("Cast", {node("Cast", {x}, with("to", int64_t{11}))}, with("to", int64_t{1}));
        return;
      case 14:
        add_pad(*x, axis);
        return;
      default:
        add_product(*x);
    }
  }

  void add_binary(Value& x) {
    constexpr std::string_view kOps[] = {"Add", "Mul", "Sub", "Max"};
    Value* other = any();
    if (below(3) == 0) {
      Dims dims(static_cast<size_t>(rank(x)), 1);
      const int64_t axis = below(rank(x));
      dims[static_cast<size_t>(axis)] = std::max<int64_t>(1, dim(x, axis));
      other = floats(dims);
    } else if (below(4) == 0) {
      other = node("Expand", {floats({1}), node("Shape", {&x})});
      if (other == nullptr) return;
    }
    // Shapes that do not broadcast are refused, and nothing is added.
    if (below(2) == 0) {
      node(kOps[below(4)], {&x, other});
    } else {
      node(kOps[below(4)], {other, &x});
    }
  }

  void add_split(Value& x, int64_t axis) {
    if (dim(x, axis) == 0 || dim(x, axis) % 2 != 0) return;
    Attrs attrs = with("axis", axis);
    attrs.set("num_outputs", int64_t{2});
    node("Split", {&x}, std::move(attrs), 2);
  }

  void add_slice(Value& x, int64_t axis) {
    const int64_t start = below(std::max<int64_t>(1, dim(x, axis)));
    node("Slice",
         {&x, ints({start}), ints({start + 1 + below(4)}), ints({axis}), ints({1 + below(2)})});
  }

  /// Pieces that meet, joined again, in order or not.
  void add_join(Value& x, int64_t axis) {
    const int64_t length = dim(x, axis);
    if (length < 2) return;
    const int64_t border = 1 + below(length - 1);
    Value* const a = node("Slice", {&x, ints({0}), ints({border}), ints({axis})});
    Value* const b = node("Slice", {&x, ints({border}), ints({length}), ints({axis})});
    if (a == nullptr || b == nullptr) return;
    if (below(4) == 0) {
      node("Concat", {b, a}, with("axis", axis));
    } else {
      node("Concat", {a, b}, with("axis", axis));
    }
  }

  void add_reshape(Value& x) {
    Ints target;
    for (int64_t i = 0; i < rank(x); ++i) target.push_back(dim(x, i));
    const int64_t at = below(rank(x));
    if (dim(x, at) == 0 || (at + 1 < rank(x) && dim(x, at + 1) == 0)) return;
    const auto place = target.begin() + at;
    if (*place % 2 == 0 && below(2) == 0 && rank(x) < 5) {
      *place /= 2;
      target.insert(place, 2);
    } else if (at + 1 < rank(x)) {
      *place *= *(place + 1);
      target.erase(place + 1);
    }
    node("Reshape", {&x, ints(target)});
  }

  void add_pad(Value& x, int64_t axis) {
    Ints pads(static_cast<size_t>(2 * rank(x)), 0);
    pads[static_cast<size_t>(axis)] = 1;
    node("Pad", {&x, ints(pads)});
  }

  void add_product(Value& x) {
    if (rank(x) < 2 || dim(x, 1) == 0) return;
    if (rank(x) == 2) {
      node("MatMul", {&x, floats({dim(x, 1), 3})});
    } else if (rank(x) == 4 && below(2) == 0) {
      node("Conv", {&x, floats({4, dim(x, 1), 1, 1}), floats({4})});
    } else if (rank(x) == 4) {
      node("Conv", {&x, floats({dim(x, 1), 1, 2, 2})}, with("group", dim(x, 1)));
    }
  }

  std::mt19937 engine_;
  Graph* graph_ = nullptr;
  std::vector<Value*> values_;
};

TEST(RandomGraphs, keep_their_numbers_in_every_pass) {
  int64_t before = 0, after = 0;
  for (int64_t seed = 0; seed < kGraphs; ++seed) {
    const std::unique_ptr<Graph> graph = Drawer(static_cast<uint32_t>(seed)).draw();
    graph->erase_unused_constants();
    const std::string source = print(*graph);
    PassOptions options;
    options.self_check = true;
    options.self_check_options.bindings = {{"n", 2}};
    // Dims that only may be equal, and are not for n = 2.
    if (!SelfCheck::start(*graph, options.self_check_options)) continue;
    before += graph->node_count();
    const auto reports = run_passes(*graph, options);
    ASSERT_TRUE(reports) << "seed " << seed << ": " << reports.error().message() << "\n" << source;
    after += graph->node_count();
    // Run again, the passes find nothing: they do not undo each other.
    const std::string first = print(*graph);
    ASSERT_TRUE(run_passes(*graph, PassOptions{})) << "seed " << seed;
    EXPECT_EQ(print(*graph), first) << "seed " << seed << "\n" << source;
  }
  EXPECT_LT(after, before * 9 / 10);
}

}  // namespace
}  // namespace npugraph
