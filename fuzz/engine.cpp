// SPDX-License-Identifier: Apache-2.0
// The engine reader and what it feeds: any bytes are refused with a typed error, or give an engine
// that can be described, and that runs or fails with a typed error. Mutations know the file's
// layout and put the checksums right again, so that they get past them.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "fuzz/driver.h"
#include "npugraph/api/engine_state.h"
#include "npugraph/base/hash.h"

namespace npugraph::fuzz {
namespace {

constexpr int64_t kMostElements = 1 << 18;
constexpr int64_t kMostArena_bytes = int64_t{64} << 20;

const Library& library() {
  static const Library made = *Library::create();
  return made;
}

void must_be_typed(const Error& error) {
  if (error.id == ErrorId::kInternal || error.message().empty()) std::abort();
}

/// Whether the inputs of an engine, open dims taken as 2, are few enough to be made.
bool is_small(const std::vector<PortDescription>& ports) {
  int64_t elements = 0;
  for (const PortDescription& port : ports) {
    int64_t count = 1;
    for (const Dim& dim : port.type.shape.dims()) {
      const int64_t size = dim.known().value_or(2);
      if (size < 0 || size > kMostElements) return false;
      if ((count *= size) > kMostElements) return false;
    }
    elements += count;
  }
  return elements <= kMostElements;
}

Status run(const Engine& engine) {
  NPU_LET(Session session,
          Session::create(library(), engine, {.threads = 1, .late_limit_bytes = kMostArena_bytes}));
  // A damaged loop may be one without end.
  if (!is_small(session.inputs()) || engine.state()->file->plan().task_count(TaskKind::kLoop) > 0)
    return ok();
  NPU_LET(const std::vector<Tensor> inputs, random_inputs(session.inputs(), 1, 2));
  std::vector<TensorView> views;
  std::vector<Dims> dims;
  for (const Tensor& input : inputs) {
    views.push_back(input.view());
    dims.emplace_back(input.dims().begin(), input.dims().end());
  }
  NPU_TRY(session.prepare(dims));
  if (session.counters().arena_bytes > kMostArena_bytes) return ok();
  NPU_TRY(session.run(views));
  return ok();
}

// ---- the layout, as docs/engine.md has it

constexpr size_t kHeader_bytes = 200, kTable = 56, kRow_bytes = 32, kHash = 184, kAlign = 64;
constexpr size_t kSections = 4, kWeights = 3;

uint64_t number_at(const Bytes& bytes, size_t offset) {
  uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof(value));
  return value;
}

void put(Bytes& bytes, size_t offset, uint64_t value) {
  std::memcpy(bytes.data() + offset, &value, sizeof(value));
}

/// The sections of a whole engine file; none for other bytes.
std::vector<Bytes> take_apart(const Bytes& bytes) {
  std::vector<Bytes> sections;
  if (bytes.size() < kHeader_bytes) return sections;
  for (size_t i = 0; i < kSections; ++i) {
    const uint64_t offset = number_at(bytes, kTable + i * kRow_bytes);
    const uint64_t length = number_at(bytes, kTable + i * kRow_bytes + 8);
    if (offset > bytes.size() || length > bytes.size() - offset) return {};
    const auto begin = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
    sections.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(length));
  }
  return sections;
}

/// An engine file of these sections, with the first bytes of `old` and checksums that hold.
Bytes put_together(const Bytes& old, const std::vector<Bytes>& sections) {
  Bytes out(old.begin(), old.begin() + kHeader_bytes);
  for (size_t i = 0; i < kSections; ++i) {
    out.resize((out.size() + kAlign - 1) / kAlign * kAlign);
    const Hash128 hash = i == kWeights ? Hash128{} : hash_bytes(sections[i]);
    put(out, kTable + i * kRow_bytes, out.size());
    put(out, kTable + i * kRow_bytes + 8, sections[i].size());
    put(out, kTable + i * kRow_bytes + 16, hash.low);
    put(out, kTable + i * kRow_bytes + 24, hash.high);
    out.insert(out.end(), sections[i].begin(), sections[i].end());
  }
  out.resize((out.size() + kAlign - 1) / kAlign * kAlign);
  put(out, 48, out.size());
  const Hash128 hash = hash_bytes(std::span(out).first(kHash));
  put(out, kHash, hash.low);
  put(out, kHash + 8, hash.high);
  return out;
}

}  // namespace

void fuzz_one(std::span<const std::byte> bytes) {
  auto file = EngineFile::from_bytes(
      std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  if (!file) return must_be_typed(file.error());
  auto state = std::make_shared<Engine::State>();
  state->file = *std::move(file);
  const Engine engine(std::move(state), {});
  if (engine.describe_json().empty()) std::abort();
  const Status status = run(engine);
  if (!status) must_be_typed(status.error());
}

void mutate_format(Bytes& bytes, const Bytes& other, Random& random) {
  constexpr size_t kPlan = 0, kCode = 2;
  std::vector<Bytes> sections = take_apart(bytes);
  if (sections.empty()) return;
  const std::vector<Bytes> others = take_apart(other);
  const size_t chosen = random() % 4 != 0 ? kPlan : kCode;
  mutate_protobuf(sections[chosen], others.empty() ? bytes : others[chosen], random);
  bytes = put_together(bytes, sections);
}

}  // namespace npugraph::fuzz
