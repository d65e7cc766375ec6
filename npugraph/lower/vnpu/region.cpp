// SPDX-License-Identifier: Apache-2.0
// A subgraph as one image: every value gets a buffer, every node a command.
#include <map>

#include "npugraph/base/text.h"
#include "npugraph/lower/vnpu/operation.h"
#include "npugraph/plan/arena.h"

namespace npugraph {
namespace {

constexpr int64_t kAlign_bytes = 64;

class RegionBuilder {
 public:
  explicit RegionBuilder(const Graph& graph) : graph_(graph), nodes_(graph.nodes()) {}

  Result<VnpuRegion> build() {
    NPU_TRY(bind_inputs());
    NPU_TRY(bind_outputs());
    NPU_TRY(bind_scratch());
    for (const Node* node : nodes_) {
      NPU_TRY_AT(text("node '", node->name(), "'"), add_command(*node));
    }
    NPU_TRY(copy_outputs());
    return std::move(region_);
  }

 private:
  vnpu::Image& image() { return region_.image; }

  static Result<uint64_t> bytes_of_value(const Value& value) {
    const auto dims = value.type.shape.known();
    if (!dims) {
      return fail(ErrorId::kUnknownDim, text("shape of value '", value.name(), "' on vnpu"),
                  value.type.str(), "numbers only");
    }
    NPU_LET(const int64_t bytes, dense_bytes(value.type.dtype, *dims));
    return static_cast<uint64_t>(bytes);
  }

  uint32_t add_buffer(vnpu::Region kind, size_t index, uint64_t offset, uint64_t size_bytes) {
    image().buffers.push_back({kind, static_cast<uint32_t>(index), offset, size_bytes});
    return static_cast<uint32_t>(image().buffers.size() - 1);
  }

  Status bind_inputs() {
    for (const Value* value : graph_.inputs()) {
      NPU_LET(const uint64_t bytes, bytes_of_value(*value));
      buffer_of_.emplace(value,
                         add_buffer(vnpu::Region::kInput, image().input_bytes.size(), 0, bytes));
      image().input_bytes.push_back(bytes);
    }
    return ok();
  }

  Status bind_outputs() {
    for (const Value* value : graph_.outputs()) {
      NPU_LET(const uint64_t bytes, bytes_of_value(*value));
      const uint32_t buffer =
          add_buffer(vnpu::Region::kOutput, image().output_bytes.size(), 0, bytes);
      image().output_bytes.push_back(bytes);
      // A value that no node makes, or that is given twice, is copied at the end instead.
      const bool is_made = value->producer() != nullptr && &value->graph() == &graph_;
      const bool is_new = is_made && buffer_of_.emplace(value, buffer).second;
      if (!is_new) copies_.emplace_back(value, buffer);
    }
    return ok();
  }

  /// The rest: values that are made and read inside.
  Status bind_scratch() {
    std::map<const Node*, int64_t> step_of;
    for (size_t i = 0; i < nodes_.size(); ++i) step_of[nodes_[i]] = static_cast<int64_t>(i);
    std::vector<Lifetime> lifetimes;
    std::vector<const Value*> values;
    for (const Node* node : nodes_) {
      for (const Value* value : node->outputs()) {
        if (buffer_of_.contains(value)) continue;
        NPU_LET(const uint64_t bytes, bytes_of_value(*value));
        Lifetime life = {step_of[node], step_of[node], static_cast<int64_t>(bytes), kAlign_bytes};
        for (const Use& use : value->uses()) life.last = std::max(life.last, step_of[use.node]);
        lifetimes.push_back(life);
        values.push_back(value);
      }
    }
    NPU_LET(const ArenaPlan plan, plan_arena(lifetimes));
    image().scratch_bytes = static_cast<uint64_t>(plan.arena_bytes);
    for (size_t i = 0; i < values.size(); ++i) {
      buffer_of_.emplace(values[i], add_buffer(vnpu::Region::kScratch, 0,
                                               static_cast<uint64_t>(plan.offset_bytes[i]),
                                               static_cast<uint64_t>(lifetimes[i].size_bytes)));
    }
    return ok();
  }

  Result<uint32_t> buffer_of(const Value* value) {
    if (value == nullptr) return vnpu::kNoBuffer;
    if (const auto found = buffer_of_.find(value); found != buffer_of_.end()) return found->second;
    if (value->constant() == nullptr) {
      return fail(ErrorId::kGraphInvalid, "a subgraph reads a value that is not its own",
                  value->name(), "its inputs, constants and nodes' outputs");
    }
    const auto bytes = static_cast<uint64_t>(value->constant()->bytes().size());
    const uint32_t buffer =
        add_buffer(vnpu::Region::kWeight, image().weight_bytes.size(), 0, bytes);
    image().weight_bytes.push_back(bytes);
    region_.weights.push_back(*value->constant());
    buffer_of_.emplace(value, buffer);
    return buffer;
  }

  Status add_command(const Node& node) {
    const VnpuOp* op = find_vnpu_op(node);
    if (op == nullptr) {
      return fail(ErrorId::kNodeUnplaced, "vnpu does not run this operator", std::string(node.op()),
                  "only nodes that supports() took");
    }
    NPU_LET(const VnpuOperation operation, op->lower(node));
    vnpu::Command command = {.op = operation.op, .count = operation.count};
    if (operation.has_shape) {
      command.shape = static_cast<uint32_t>(image().shapes.size());
      image().shapes.push_back(operation.shape);
    }
    NPU_LET(command.a, buffer_of(node.input(0)));
    NPU_LET(command.b, buffer_of(node.input(1)));
    NPU_LET(command.c, buffer_of(node.input(2)));
    NPU_LET(command.dst, buffer_of(node.output()));
    image().commands.push_back(command);
    return ok();
  }

  Status copy_outputs() {
    for (const auto& [value, buffer] : copies_) {
      vnpu::Command command = {.op = vnpu::Opcode::kCopy, .dst = buffer};
      NPU_LET(command.a, buffer_of(value));
      command.count = image().buffers[buffer].size_bytes / sizeof(float);
      image().commands.push_back(command);
    }
    return ok();
  }

  const Graph& graph_;
  std::vector<Node*> nodes_;
  VnpuRegion region_;
  std::map<const Value*, uint32_t> buffer_of_;
  std::vector<std::pair<const Value*, uint32_t>> copies_;
};

}  // namespace

Result<VnpuRegion> lower_region(const Graph& graph) { return RegionBuilder(graph).build(); }

}  // namespace npugraph
