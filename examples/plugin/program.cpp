// SPDX-License-Identifier: Apache-2.0
#include "program.h"

#include <cstring>
#include <string>

namespace matmulrelu {
namespace {

constexpr int64_t kMagic = 0x315f524d4d5f;  // "_MMR_1"
constexpr int64_t kHeaderWords = 7;
constexpr int64_t kBufferWords = 3;
constexpr int64_t kStepWords = 9;
constexpr int64_t kMostElements = int64_t{1} << 40;
constexpr int64_t kMostRows = int64_t{1} << 20;  // of a table

/// a * b * c for numbers of 0 or more; kMostElements + 1 when it is more than that.
int64_t product(int64_t a, int64_t b, int64_t c) {
  int64_t out = a;
  for (const int64_t factor : {b, c}) {
    if (out != 0 && factor > kMostElements / out) return kMostElements + 1;
    out *= factor;
  }
  return out;
}

bool in_range(int64_t value, int64_t end) { return 0 <= value && value < end; }

bool buffer_is_legal(const Buffer& buffer, const Program& program) {
  if (!in_range(buffer.elements, kMostElements + 1)) return false;
  switch (buffer.kind) {
    case Kind::kInput:
      return in_range(buffer.index, program.input_count);
    case Kind::kOutput:
      return in_range(buffer.index, program.output_count);
    case Kind::kWeight:
      return in_range(buffer.index, program.weight_count);
    case Kind::kTemp:
      return buffer.index >= 0 && buffer.elements <= program.scratch_floats &&
             buffer.index <= program.scratch_floats - buffer.elements;
  }
  return false;
}

bool step_is_legal(const Step& step, const Program& program) {
  const auto count = static_cast<int64_t>(program.buffers.size());
  if (!in_range(step.a, count) || !in_range(step.dst, count)) return false;
  for (const int64_t dim : {step.batch, step.m, step.n, step.k}) {
    if (!in_range(dim, kMostElements)) return false;
  }
  const Buffer& a = program.buffers[static_cast<size_t>(step.a)];
  const Buffer& dst = program.buffers[static_cast<size_t>(step.dst)];
  if (dst.kind == Kind::kInput || dst.kind == Kind::kWeight) return false;
  switch (step.op) {
    case Op::kRelu:
    case Op::kCopy:
      return step.m <= a.elements && step.m <= dst.elements;
    case Op::kMatMul:
      break;
    default:
      return false;
  }
  if (!in_range(step.b, count) || !in_range(step.b_step, 2)) return false;
  const Buffer& b = program.buffers[static_cast<size_t>(step.b)];
  return product(step.batch, step.m, step.k) <= a.elements &&
         product(step.b_step == 0 ? 1 : step.batch, step.k, step.n) <= b.elements &&
         product(step.batch, step.m, step.n) <= dst.elements;
}

}  // namespace

std::vector<int64_t> write_program(const Program& program) {
  std::vector<int64_t> words = {kMagic,
                                program.input_count,
                                program.output_count,
                                program.weight_count,
                                program.scratch_floats,
                                static_cast<int64_t>(program.buffers.size()),
                                static_cast<int64_t>(program.steps.size())};
  for (const Buffer& buffer : program.buffers) {
    words.insert(words.end(), {static_cast<int64_t>(buffer.kind), buffer.index, buffer.elements});
  }
  for (const Step& s : program.steps) {
    words.insert(words.end(),
                 {static_cast<int64_t>(s.op), s.a, s.b, s.dst, s.batch, s.m, s.n, s.k, s.b_step});
  }
  return words;
}

bool read_program(const void* code, int64_t code_bytes, Program& program,
                  NpugraphErrorText* error) {
  const auto bad = [&](const char* what) {
    refuse(error, NPUGRAPH_CORRUPT, what, (std::to_string(code_bytes) + " bytes").c_str(),
           "a program that this plug-in wrote");
    return false;
  };
  std::vector<int64_t> words(static_cast<size_t>(code_bytes) / sizeof(int64_t));
  if (code_bytes % 8 != 0 || code_bytes < kHeaderWords * 8) return bad("length of the program");
  std::memcpy(words.data(), code, static_cast<size_t>(code_bytes));
  if (words[0] != kMagic) return bad("magic number of the program");
  program.input_count = words[1];
  program.output_count = words[2];
  program.weight_count = words[3];
  program.scratch_floats = words[4];
  const int64_t buffers = words[5];
  const int64_t steps = words[6];
  if (!in_range(program.scratch_floats, kMostElements)) return bad("scratch size");
  for (const int64_t rows : {words[1], words[2], words[3], buffers, steps}) {
    if (!in_range(rows, kMostRows)) return bad("a count in the program");
  }
  const int64_t expected = kHeaderWords + buffers * kBufferWords + steps * kStepWords;
  if (static_cast<int64_t>(words.size()) != expected) return bad("length of the program");
  const int64_t* at = words.data() + kHeaderWords;
  for (int64_t i = 0; i < buffers; ++i, at += kBufferWords) {
    program.buffers.push_back({static_cast<Kind>(at[0]), at[1], at[2]});
    if (!buffer_is_legal(program.buffers.back(), program)) return bad("a buffer of the program");
  }
  for (int64_t i = 0; i < steps; ++i, at += kStepWords) {
    program.steps.push_back(
        {static_cast<Op>(at[0]), at[1], at[2], at[3], at[4], at[5], at[6], at[7], at[8]});
    if (!step_is_legal(program.steps.back(), program)) return bad("a step of the program");
  }
  return true;
}

}  // namespace matmulrelu
