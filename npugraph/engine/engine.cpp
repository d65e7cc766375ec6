// SPDX-License-Identifier: Apache-2.0
// Layout (little-endian, described in docs/engine.md): the Header below, then the sections plan,
// graph, code and weights, each starting at a multiple of 64 bytes, zeros between them.
#include "npugraph/engine/engine.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "npugraph/base/checked.h"
#include "npugraph/base/text.h"

namespace npugraph {
namespace {

constexpr std::array<char, 8> kMagic = {'N', 'P', 'U', 'G', 'R', 'A', 'P', 'H'};
constexpr int64_t kAlign_bytes = 64;

enum Section : size_t { kPlan, kGraph, kCode, kWeights, kSectionCount };
constexpr std::array<std::string_view, kSectionCount> kSectionNames = {"plan", "graph", "code",
                                                                       "weights"};

struct SectionRow {
  uint64_t offset;
  uint64_t length;
  uint64_t hash_low;  // of the section; zero for weights, which are hashed chunk by chunk
  uint64_t hash_high;
};

struct Header {
  std::array<char, 8> magic;
  uint32_t format;
  uint32_t oldest_reader;
  std::array<char, 32> producer;
  uint64_t file_bytes;
  std::array<SectionRow, kSectionCount> sections;
  uint64_t hash_low;  // of everything before
  uint64_t hash_high;
};
static_assert(sizeof(Header) == 200 && std::is_trivially_copyable_v<Header>);

constexpr size_t kHashed_bytes = offsetof(Header, hash_low);

Hash128 header_hash(const Header& header) {
  return hash_bytes(std::as_bytes(std::span(&header, 1)).first(kHashed_bytes));
}

Error corrupt(std::string what, std::string found, std::string expected) {
  return fail(ErrorId::kEngineCorrupt, std::move(what), std::move(found), std::move(expected));
}

/// Gives every weight its place; equal weights share one chunk. Returns where each went.
struct PackedWeights {
  std::string bytes;
  std::vector<WeightChunk> chunks;
  std::vector<int32_t> chunk_of;
};

PackedWeights pack(const std::vector<Tensor>& weights) {
  PackedWeights out;
  std::map<std::tuple<uint64_t, uint64_t, std::string>, int32_t> known;
  for (const Tensor& weight : weights) {
    const Hash128 hash = hash_bytes(weight.bytes());
    const auto key = std::tuple(hash.low, hash.high, weight.type().str());
    const auto [entry, fresh] = known.emplace(key, static_cast<int32_t>(out.chunks.size()));
    out.chunk_of.push_back(entry->second);
    if (!fresh) continue;
    const auto offset = static_cast<int64_t>(out.bytes.size());
    const auto length = static_cast<int64_t>(weight.bytes().size());
    out.bytes.append(reinterpret_cast<const char*>(weight.bytes().data()), weight.bytes().size());
    out.bytes.resize(static_cast<size_t>(round_up(offset + length, kAlign_bytes)));
    // The hash covers the padding too, so that no byte of the file is unguarded.
    const auto padded = bytes_of(std::string_view(out.bytes).substr(static_cast<size_t>(offset)));
    out.chunks.push_back({offset, length, hash_bytes(padded), weight.type()});
  }
  return out;
}

void renumber(TaskPlan& plan, const PackedWeights& weights) {
  for (PlanProgram& program : plan.programs)
    for (int32_t& index : program.weights) index = weights.chunk_of[static_cast<size_t>(index)];
  for (Slot& slot : plan.slots)
    if (slot.kind == SlotKind::kWeight)
      slot.index = weights.chunk_of[static_cast<size_t>(slot.index)];
}

}  // namespace

std::string_view version() noexcept { return NPUGRAPH_VERSION; }

Result<std::string> engine_bytes(EngineParts parts) {
  PackedWeights weights = pack(parts.weights);
  renumber(parts.plan, weights);
  parts.plan.weights = std::move(weights.chunks);
  const std::string plan = save_plan(parts.plan);
  const std::array<std::string_view, kSectionCount> sections = {plan, parts.graph, parts.code,
                                                                weights.bytes};
  Header header{};
  header.magic = kMagic;
  header.format = kEngineFormat;
  header.oldest_reader = kOldestEngineFormat;
  const size_t length = std::min(version().size(), header.producer.size() - 1);
  std::copy_n(version().begin(), length, header.producer.begin());
  auto offset = round_up(static_cast<int64_t>(sizeof(Header)), kAlign_bytes);
  for (size_t i = 0; i < kSectionCount; ++i) {
    const Hash128 hash = i == kWeights ? Hash128{} : hash_bytes(bytes_of(sections[i]));
    header.sections[i] = {static_cast<uint64_t>(offset), sections[i].size(), hash.low, hash.high};
    offset = round_up(offset + static_cast<int64_t>(sections[i].size()), kAlign_bytes);
  }
  header.file_bytes = static_cast<uint64_t>(offset);
  const Hash128 hash = header_hash(header);
  header.hash_low = hash.low;
  header.hash_high = hash.high;

  std::string out(static_cast<size_t>(offset), '\0');
  std::memcpy(out.data(), &header, sizeof(header));
  for (size_t i = 0; i < kSectionCount; ++i)
    std::copy(sections[i].begin(), sections[i].end(),
              out.begin() + static_cast<ptrdiff_t>(header.sections[i].offset));
  return out;
}

Result<std::shared_ptr<const EngineFile>> EngineFile::open(const std::filesystem::path& path) {
  NPU_LET(MappedFile file, MappedFile::open(path));
  std::shared_ptr<EngineFile> engine(new EngineFile);  // NOLINT: the constructor is private
  engine->file_ = std::make_unique<MappedFile>(std::move(file));
  engine->bytes_ = engine->file_->bytes();
  NPU_TRY_AT(text("engine '", path.string(), "'"), engine->read());
  return std::shared_ptr<const EngineFile>(std::move(engine));
}

Result<std::shared_ptr<const EngineFile>> EngineFile::from_bytes(std::string bytes) {
  std::shared_ptr<EngineFile> engine(new EngineFile);  // NOLINT: the constructor is private
  // A string's bytes are 16-byte aligned; the sections' own alignment is checked when weights are
  // used, which copies chunks that are not aligned.
  engine->memory_ = std::move(bytes);
  engine->bytes_ = bytes_of(engine->memory_);
  NPU_TRY_AT("engine in memory", engine->read());
  return std::shared_ptr<const EngineFile>(std::move(engine));
}

Status EngineFile::read() {
  Header header{};
  if (bytes_.size() < sizeof(Header))
    return corrupt("the file is too short for an engine", text(bytes_.size(), " bytes"),
                   text(sizeof(Header), " bytes or more"));
  std::memcpy(&header, bytes_.data(), sizeof(Header));
  if (header.magic != kMagic)
    return corrupt("the file is not an engine", "another first 8 bytes", "NPUGRAPH");
  const Hash128 wanted{header.hash_low, header.hash_high};
  if (header.oldest_reader > kEngineFormat || header.format < kOldestEngineFormat)
    return fail(
        ErrorId::kEngineVersion, "the engine cannot be read by this version of npugraph",
        text("format ", header.format, " written by npugraph ",
             std::string_view(header.producer.data(),
                              strnlen(header.producer.data(), header.producer.size()))),
        text("format ", kOldestEngineFormat, "..", kEngineFormat, " of npugraph ", version()));
  const Hash128 found = header_hash(header);
  if (found != wanted)
    return corrupt("the header's checksum does not hold", found.hex(), wanted.hex());
  if (header.file_bytes != bytes_.size())
    return corrupt("the file has the wrong length", text(bytes_.size(), " bytes"),
                   text(header.file_bytes, " bytes"));
  format_ = header.format;
  producer_.assign(header.producer.data(), strnlen(header.producer.data(), header.producer.size()));
  return read_sections(std::as_bytes(std::span(header.sections)));
}

Status EngineFile::read_sections(std::span<const std::byte> table) {
  std::array<SectionRow, kSectionCount> rows;
  std::memcpy(rows.data(), table.data(), sizeof(rows));
  std::array<std::span<const std::byte>, kSectionCount> sections;
  uint64_t end = sizeof(Header);
  for (size_t i = 0; i < kSectionCount; ++i) {
    const SectionRow& row = rows[i];
    if (row.offset % kAlign_bytes != 0 || row.offset < end || row.offset > bytes_.size() ||
        row.length > bytes_.size() - row.offset)
      return corrupt(text("section '", kSectionNames[i], "' lies outside its place in the file"),
                     text(row.length, " bytes at ", row.offset),
                     text("a multiple of ", kAlign_bytes, " from ", end, " to ", bytes_.size()));
    // Padding between sections is zero: nothing hides in it, and damage to it is seen.
    const auto gap = bytes_.subspan(end, row.offset - end);
    if (std::any_of(gap.begin(), gap.end(), [](std::byte b) { return b != std::byte{0}; }))
      return corrupt(text("the padding before section '", kSectionNames[i], "' is not zero"),
                     text("data at byte ", end, " or behind"), "zeros");
    sections[i] = bytes_.subspan(row.offset, row.length);
    end = row.offset + row.length;
    if (i == kWeights) continue;  // each chunk has its own, checked when it is used
    const Hash128 found = hash_bytes(sections[i]), wanted{row.hash_low, row.hash_high};
    if (found != wanted)
      return corrupt(text("the checksum of section '", kSectionNames[i], "' does not hold"),
                     found.hex(), wanted.hex());
  }
  const auto tail = bytes_.subspan(end);
  if (std::any_of(tail.begin(), tail.end(), [](std::byte b) { return b != std::byte{0}; }))
    return corrupt("the padding at the end is not zero", text("data at byte ", end, " or behind"),
                   "zeros");
  graph_ = sections[kGraph];
  code_ = sections[kCode];
  weights_ = sections[kWeights];
  NPU_LET(plan_, load_plan(sections[kPlan], static_cast<int64_t>(code_.size()),
                           static_cast<int64_t>(weights_.size())));
  return ok();
}

std::span<const std::byte> EngineFile::code(const PlanProgram& program) const noexcept {
  return code_.subspan(static_cast<size_t>(program.code_offset),
                       static_cast<size_t>(program.code_bytes));
}

Result<Tensor> EngineFile::weight(const std::shared_ptr<const EngineFile>& self, int64_t index) {
  const WeightChunk& chunk = self->plan_.weights[static_cast<size_t>(index)];
  const auto padded_bytes = std::min(round_up(chunk.bytes, kAlign_bytes),
                                     static_cast<int64_t>(self->weights_.size()) - chunk.offset);
  const auto padded =
      self->weights_.subspan(static_cast<size_t>(chunk.offset), static_cast<size_t>(padded_bytes));
  const Hash128 found = hash_bytes(padded);
  if (found != chunk.hash)
    return corrupt(text("the checksum of weight ", index, " does not hold"), found.hex(),
                   chunk.hash.hex());
  const auto bytes = padded.first(static_cast<size_t>(chunk.bytes));
  if (reinterpret_cast<uintptr_t>(bytes.data()) % kAlign_bytes != 0)
    return Tensor::copy(chunk.type.dtype, *chunk.type.shape.known(), bytes);
  return Tensor::share(chunk.type.dtype, *chunk.type.shape.known(), self, bytes);
}

}  // namespace npugraph
