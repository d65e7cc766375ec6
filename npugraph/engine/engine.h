// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "npugraph/base/file.h"
#include "npugraph/engine/task_plan.h"
#include "npugraph/tensor/tensor.h"

namespace npugraph {

/// Format that this library writes, and the oldest that it reads.
inline constexpr uint32_t kEngineFormat = 1;
inline constexpr uint32_t kOldestEngineFormat = 1;

/// What a compiler hands to engine_bytes().
struct EngineParts {
  TaskPlan plan;      // weights' offsets, sizes and hashes are filled in by engine_bytes()
  std::string graph;  // the optimised graph as text, for people: see ir/print.h
  std::string code;   // programs, one after another
  std::vector<Tensor> weights;
};

/// The bytes of an engine file: header, section table, then plan, graph, code and weights, each
/// with its XXH3-128; weights 64-byte aligned and hashed one by one. Equal parts give equal bytes.
Result<std::string> engine_bytes(EngineParts parts);
/// An engine file, mapped or in memory. Immutable and thread-safe; sessions share it.
///
/// Opening checks magic, versions and the hashes of header, plan, graph and code; a weight chunk
/// is checked when it is first asked for, so that opening costs no pass over the weights.
class EngineFile {
 public:
  /// Errors: kFileNotFound, kFileRead, kEngineCorrupt (damaged, truncated, not an engine),
  /// kEngineVersion (both versions named).
  static Result<std::shared_ptr<const EngineFile>> open(const std::filesystem::path& path);
  static Result<std::shared_ptr<const EngineFile>> from_bytes(std::string bytes);

  const TaskPlan& plan() const noexcept { return plan_; }
  std::span<const std::byte> graph() const noexcept { return graph_; }
  std::span<const std::byte> code(const PlanProgram& program) const noexcept;
  /// A weight chunk, used in place and kept alive by `self`.
  /// Errors: kEngineCorrupt when its hash does not hold.
  static Result<Tensor> weight(const std::shared_ptr<const EngineFile>& self, int64_t index);
  const std::string& producer() const noexcept { return producer_; }
  uint32_t format() const noexcept { return format_; }
  /// The whole file.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  EngineFile() = default;
  Status read();
  Status read_sections(std::span<const std::byte> table);

  std::unique_ptr<MappedFile> file_;
  std::string memory_;
  std::span<const std::byte> bytes_;
  TaskPlan plan_;
  std::span<const std::byte> graph_, code_, weights_;
  std::string producer_;
  uint32_t format_ = 0;
};

/// "0.1.0": this library.
std::string_view version() noexcept;

}  // namespace npugraph
