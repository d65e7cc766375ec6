// SPDX-License-Identifier: Apache-2.0
// The run side. The "device" is plain C++ loops over memory that npugraph must copy to and from.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>

#include "npugraph/hal/plugin_abi.h"
#include "program.h"

namespace matmulrelu {
namespace {

struct LoadedProgram {
  Program program;
  std::vector<const float*> weights;  // npugraph keeps them until unload()
};

struct Queue {
  int64_t busy_ns = 0;
};

int64_t now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

int32_t open(void** device, NpugraphErrorText*) {
  *device = nullptr;  // nothing to keep
  return NPUGRAPH_OK;
}
void close(void*) {}

int32_t accepts(void*, const char* name, const char* fingerprint, const char*,
                NpugraphErrorText* error) {
  if (std::strcmp(name, kName) == 0 && std::strcmp(fingerprint, kFingerprint) == 0) {
    return NPUGRAPH_OK;
  }
  return refuse(error, NPUGRAPH_WRONG_DEVICE, "the engine was compiled for another device",
                fingerprint, kFingerprint);
}

int32_t allocate(void*, int64_t size_bytes, int64_t align_bytes, void** memory, void** address,
                 NpugraphErrorText* error) {
  void* data = nullptr;
  const auto bytes = static_cast<size_t>(size_bytes > 0 ? size_bytes : 1);
  if (posix_memalign(&data, static_cast<size_t>(align_bytes), bytes) != 0) {
    return refuse(error, NPUGRAPH_OUT_OF_MEMORY, "cannot allocate memory of device matmulrelu",
                  (std::to_string(size_bytes) + " bytes").c_str());
  }
  *memory = data;
  *address = data;
  return NPUGRAPH_OK;
}
void release(void*, void* memory) { std::free(memory); }

/// Buffers of one kind must have at least the bytes that the program says.
int32_t check_sizes(const Program& program, Kind kind, const NpugraphTensor* tensors, int64_t count,
                    int64_t expected_count, int32_t status, NpugraphErrorText* error) {
  if (count != expected_count) {
    return refuse(error, status, "number of tensors of a program", std::to_string(count).c_str(),
                  std::to_string(expected_count).c_str());
  }
  for (const Buffer& buffer : program.buffers) {
    if (buffer.kind != kind) continue;
    const NpugraphTensor& tensor = tensors[buffer.index];
    const int64_t bytes = buffer.elements * static_cast<int64_t>(sizeof(float));
    if (tensor.rank >= 0 && tensor.dtype == NPUGRAPH_FLOAT32 && tensor.size_bytes == bytes)
      continue;
    return refuse(error, status, "a tensor does not fit the program",
                  (std::to_string(tensor.size_bytes) + " bytes").c_str(),
                  ("float32 of " + std::to_string(bytes) + " bytes").c_str());
  }
  return NPUGRAPH_OK;
}

int32_t load(void*, const void* code, int64_t code_bytes, const NpugraphTensor* weights,
             int64_t weight_count, void** program, NpugraphErrorText* error) {
  return guarded(error, [&]() -> int32_t {
    auto loaded = std::make_unique<LoadedProgram>();
    if (!read_program(code, code_bytes, loaded->program, error)) return NPUGRAPH_CORRUPT;
    const int32_t status = check_sizes(loaded->program, Kind::kWeight, weights, weight_count,
                                       loaded->program.weight_count, NPUGRAPH_CORRUPT, error);
    if (status != NPUGRAPH_OK) return status;
    for (int64_t i = 0; i < weight_count; ++i) {
      loaded->weights.push_back(static_cast<const float*>(weights[i].data));
    }
    *program = loaded.release();
    return NPUGRAPH_OK;
  });
}
void unload(void* program) {
  const std::unique_ptr<LoadedProgram> loaded(static_cast<LoadedProgram*>(program));
}

int32_t prepare(void* program, const NpugraphTensor* inputs, int64_t input_count,
                const NpugraphTensor* outputs, int64_t output_count, void** executable,
                int64_t* scratch_bytes, NpugraphErrorText* error) {
  const auto& loaded = *static_cast<LoadedProgram*>(program);
  int32_t status = check_sizes(loaded.program, Kind::kInput, inputs, input_count,
                               loaded.program.input_count, NPUGRAPH_INVALID_ARGUMENT, error);
  if (status == NPUGRAPH_OK) {
    status = check_sizes(loaded.program, Kind::kOutput, outputs, output_count,
                         loaded.program.output_count, NPUGRAPH_INVALID_ARGUMENT, error);
  }
  if (status != NPUGRAPH_OK) return status;
  *executable = program;  // shapes are fixed: there is nothing more to prepare
  *scratch_bytes = loaded.program.scratch_floats * static_cast<int64_t>(sizeof(float));
  return NPUGRAPH_OK;
}
void discard(void*) {}

int32_t create_queue(void*, int32_t, void** queue, NpugraphErrorText* error) {
  return guarded(error, [&]() -> int32_t {
    *queue = std::make_unique<Queue>().release();
    return NPUGRAPH_OK;
  });
}
void destroy_queue(void* queue) { const std::unique_ptr<Queue> owned(static_cast<Queue*>(queue)); }

void multiply(const Step& s, const float* a, const float* b, float* dst) {
  if (s.m == 0 || s.n == 0) return;
  for (int64_t batch = 0; batch < s.batch; ++batch) {
    for (int64_t i = 0; i < s.m; ++i, a += s.k, dst += s.n) {
      std::memset(dst, 0, static_cast<size_t>(s.n) * sizeof(float));
      for (int64_t p = 0; p < s.k; ++p) {
        const float factor = a[p];
        const float* row = b + p * s.n;
        for (int64_t j = 0; j < s.n; ++j) dst[j] += factor * row[j];
      }
    }
    b += s.b_step * s.k * s.n;
  }
}

int32_t execute(void* queue, void* executable, const NpugraphTensor* inputs, int64_t,
                const NpugraphTensor* outputs, int64_t, void* scratch, int64_t,
                NpugraphErrorText*) {
  const int64_t start_ns = now_ns();
  const auto& loaded = *static_cast<const LoadedProgram*>(executable);
  const auto place = [&](int64_t number) -> float* {
    const Buffer& buffer = loaded.program.buffers[static_cast<size_t>(number)];
    switch (buffer.kind) {
      case Kind::kInput:
        return static_cast<float*>(inputs[buffer.index].data);
      case Kind::kOutput:
        return static_cast<float*>(outputs[buffer.index].data);
      case Kind::kWeight:
        return const_cast<float*>(loaded.weights[static_cast<size_t>(buffer.index)]);
      case Kind::kTemp:
        return static_cast<float*>(scratch) + buffer.index;
    }
    return nullptr;
  };
  for (const Step& step : loaded.program.steps) {
    const float* a = place(step.a);
    float* dst = place(step.dst);
    switch (step.op) {
      case Op::kMatMul:
        multiply(step, a, place(step.b), dst);
        break;
      case Op::kRelu:
        for (int64_t i = 0; i < step.m; ++i) dst[i] = a[i] < 0 ? 0.0f : a[i];
        break;
      case Op::kCopy:
        if (step.m > 0) std::memmove(dst, a, static_cast<size_t>(step.m) * sizeof(float));
        break;
    }
  }
  static_cast<Queue*>(queue)->busy_ns += now_ns() - start_ns;
  return NPUGRAPH_OK;
}

int32_t copy_in(void*, void* device_address, const void* host, int64_t size_bytes,
                NpugraphErrorText*) {
  if (size_bytes > 0) std::memcpy(device_address, host, static_cast<size_t>(size_bytes));
  return NPUGRAPH_OK;
}
int32_t copy_out(void*, void* host, const void* device_address, int64_t size_bytes,
                 NpugraphErrorText*) {
  if (size_bytes > 0) std::memcpy(host, device_address, static_cast<size_t>(size_bytes));
  return NPUGRAPH_OK;
}

// All work is done when its call returns.
int64_t record(void*) { return now_ns(); }
int32_t wait(void*, int64_t, NpugraphErrorText*) { return NPUGRAPH_OK; }
int32_t synchronize(void*, NpugraphErrorText*) { return NPUGRAPH_OK; }
int64_t clock_ns(void*) { return now_ns(); }
int64_t busy_ns(void* queue) { return static_cast<Queue*>(queue)->busy_ns; }

}  // namespace

const NpugraphDriver& driver_table() {
  static const NpugraphDriver table = {sizeof(NpugraphDriver),
                                       /*host_memory=*/0,
                                       /*virtual_clock=*/0,
                                       /*align_bytes=*/64,
                                       kName,
                                       kFingerprint,
                                       /*firmware=*/"",
                                       "example plug-in: MatMul and Relu in plain loops",
                                       open,
                                       close,
                                       accepts,
                                       allocate,
                                       release,
                                       load,
                                       unload,
                                       prepare,
                                       discard,
                                       create_queue,
                                       destroy_queue,
                                       execute,
                                       copy_in,
                                       copy_out,
                                       record,
                                       wait,
                                       synchronize,
                                       clock_ns,
                                       busy_ns};
  return table;
}

}  // namespace matmulrelu
