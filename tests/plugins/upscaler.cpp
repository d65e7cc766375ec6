// SPDX-License-Identifier: Apache-2.0
// A device for small super-resolution networks: Conv, Relu, and Resize by whole numbers in the
// modes nearest and linear. It has no bicubic Resize, as many NPUs. One node a program, in the
// caller's memory.
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <vector>

#include "npugraph/hal/plugin_abi.h"
#include "npugraph/target/plugin_abi.h"

namespace {

constexpr const char* kName = "upscaler";
constexpr const char* kFingerprint = "upscaler 1";
constexpr int64_t kMagic = 0x75707363616c6572;

enum Op : int64_t { kConv = 0, kRelu = 1, kNearest = 2, kLinear = 3 };

/// A program: all numbers of one node. Images are n x c x h x w, the output n x k x oh x ow.
struct Code {
  int64_t magic = kMagic, op = kRelu;
  int64_t n = 1, c = 1, h = 1, w = 1, k = 1, oh = 1, ow = 1;
  int64_t kh = 1, kw = 1, sh = 1, sw = 1, top = 0, left = 0, group = 1, has_bias = 0;
};

struct Program {
  Code code;
  const float* weights = nullptr;
  const float* bias = nullptr;
};

int32_t refuse(NpugraphErrorText* error, int32_t status, const char* what, const char* found,
               const char* expected) {
  std::snprintf(error->what, sizeof(error->what), "%s", what);
  std::snprintf(error->found, sizeof(error->found), "%s", found);
  std::snprintf(error->expected, sizeof(error->expected), "%s", expected);
  return status;
}

// ---- compile side

void answer_no(NpugraphSupport* answer, const std::string& reason, const std::string& found,
               const std::string& allowed) {
  answer->yes = 0;
  std::snprintf(answer->reason, sizeof(answer->reason), "%s", reason.c_str());
  std::snprintf(answer->found, sizeof(answer->found), "%s", found.c_str());
  std::snprintf(answer->allowed, sizeof(answer->allowed), "%s", allowed.c_str());
}

const NpugraphAttr* attr_of(const NpugraphNode& node, const char* name) {
  for (int64_t i = 0; i < node.attr_count; ++i)
    if (std::strcmp(node.attrs[i].name, name) == 0) return &node.attrs[i];
  return nullptr;
}

std::string word_of(const NpugraphNode& node, const char* name) {
  const NpugraphAttr* attr = attr_of(node, name);
  return attr != nullptr && attr->kind == NPUGRAPH_ATTR_STRING ? attr->s : "";
}

std::vector<int64_t> ints_of(const NpugraphNode& node, const char* name,
                             std::vector<int64_t> fallback) {
  const NpugraphAttr* attr = attr_of(node, name);
  if (attr == nullptr || attr->count != static_cast<int64_t>(fallback.size())) return fallback;
  return {attr->ints, attr->ints + attr->count};
}

bool is_image(const NpugraphValue& value) {
  bool fits = value.dtype == NPUGRAPH_FLOAT32 && value.rank == 4;
  for (int32_t i = 0; fits && i < 4; ++i) fits = value.dims[i] > 0;
  return fits;
}

const NpugraphValue* input_of(const NpugraphGraph& graph, int64_t index) {
  const NpugraphNode& node = graph.nodes[0];
  if (index >= node.input_count || node.inputs[index] < 0) return nullptr;
  return &graph.values[node.inputs[index]];
}

void check_conv(const NpugraphGraph& graph, NpugraphSupport* answer) {
  const NpugraphNode& node = graph.nodes[0];
  const NpugraphValue* bias = input_of(graph, 2);
  if (input_of(graph, 1)->data == nullptr || (bias != nullptr && bias->data == nullptr))
    return answer_no(answer, "weights of Conv", "computed at run time", "constants");
  if (ints_of(node, "dilations", {1, 1}) != std::vector<int64_t>{1, 1})
    return answer_no(answer, "attribute 'dilations' of Conv", "another", "1, 1");
  if (word_of(node, "auto_pad") != "NOTSET")
    answer_no(answer, "attribute 'auto_pad' of Conv", word_of(node, "auto_pad"), "NOTSET");
}

void check_resize(const NpugraphGraph& graph, NpugraphSupport* answer) {
  const NpugraphNode& node = graph.nodes[0];
  const std::string mode = word_of(node, "mode");
  if (mode != "nearest" && mode != "linear")
    return answer_no(answer, "attribute 'mode' of Resize", mode, "nearest, linear");
  const std::string wanted = mode == "nearest" ? "asymmetric" : "half_pixel";
  const std::string found = word_of(node, "coordinate_transformation_mode");
  if (found != wanted)
    return answer_no(answer, "attribute 'coordinate_transformation_mode'", found, wanted);
  if (mode == "nearest" && word_of(node, "nearest_mode") != "floor")
    return answer_no(answer, "attribute 'nearest_mode'", word_of(node, "nearest_mode"), "floor");
  const NpugraphValue& x = *input_of(graph, 0);
  const NpugraphValue& y = graph.values[node.outputs[0]];
  const bool is_whole = x.dims[0] == y.dims[0] && x.dims[1] == y.dims[1] &&
                        y.dims[2] % x.dims[2] == 0 && y.dims[3] % x.dims[3] == 0;
  if (!is_whole) answer_no(answer, "scales of Resize", "others", "whole numbers for h and w");
}

void supports(const NpugraphGraph* graph, NpugraphSupport* answer) {
  const NpugraphNode& node = graph->nodes[0];
  const std::string op = std::strcmp(node.domain, "") == 0 ? node.op : "";
  if (op != "Conv" && op != "Relu" && op != "Resize")
    return answer_no(answer, "operator", node.op, "Conv, Relu, Resize");
  if (!is_image(*input_of(*graph, 0)) || !is_image(graph->values[node.outputs[0]]))
    return answer_no(answer, "input", "another type", "float32 n x c x h x w of known sizes");
  answer->yes = 1;
  if (op == "Conv") check_conv(*graph, answer);
  if (op == "Resize") check_resize(*graph, answer);
}

struct Owner {
  Code code;
  std::vector<std::vector<float>> data;
  std::vector<std::array<int64_t, 1>> dims;
  std::vector<NpugraphTensor> weights;
};

int32_t compile(const NpugraphGraph* graph, int32_t, NpugraphProgram* program,
                NpugraphErrorText* error) try {
  const NpugraphNode& node = graph->nodes[0];
  auto owner = std::make_unique<Owner>();
  Code& code = owner->code;
  const NpugraphValue& x = *input_of(*graph, 0);
  const NpugraphValue& y = graph->values[node.outputs[0]];
  code.n = x.dims[0], code.c = x.dims[1], code.h = x.dims[2], code.w = x.dims[3];
  code.k = y.dims[1], code.oh = y.dims[2], code.ow = y.dims[3];
  if (std::strcmp(node.op, "Resize") == 0)
    code.op = word_of(node, "mode") == "linear" ? kLinear : kNearest;
  if (std::strcmp(node.op, "Conv") == 0) {
    code.op = kConv;
    const NpugraphValue& weights = *input_of(*graph, 1);
    const std::vector<int64_t> strides = ints_of(node, "strides", {1, 1});
    const std::vector<int64_t> pads = ints_of(node, "pads", {0, 0, 0, 0});
    code.kh = weights.dims[2], code.kw = weights.dims[3];
    code.sh = strides[0], code.sw = strides[1], code.top = pads[0], code.left = pads[1];
    code.group = attr_of(node, "group")->i;
    code.has_bias = input_of(*graph, 2) != nullptr ? 1 : 0;
    for (int64_t i = 1; i <= 1 + code.has_bias; ++i) {
      const NpugraphValue& value = *input_of(*graph, i);
      const auto* first = static_cast<const float*>(value.data);
      owner->data.emplace_back(first, first + value.size_bytes / 4);
    }
    owner->dims.reserve(owner->data.size());
    for (std::vector<float>& data : owner->data) {
      owner->dims.push_back({static_cast<int64_t>(data.size())});
      owner->weights.push_back({NPUGRAPH_FLOAT32, 1, owner->dims.back().data(), data.data(),
                                static_cast<int64_t>(data.size() * sizeof(float))});
    }
  }
  program->code = &owner->code;
  program->code_bytes = sizeof(Code);
  program->weights = owner->weights.data();
  program->weight_count = static_cast<int64_t>(owner->weights.size());
  program->kernel = "plain loops";
  program->owner = owner.release();
  return NPUGRAPH_OK;
} catch (const std::bad_alloc&) {
  return refuse(error, NPUGRAPH_OUT_OF_MEMORY, "host memory ran out", "", "");
}

void free_program(NpugraphProgram* program) {
  const std::unique_ptr<Owner> owner(static_cast<Owner*>(program->owner));
  program->owner = nullptr;
}

// ---- run side

int32_t open(void** device, NpugraphErrorText*) {
  *device = nullptr;
  return NPUGRAPH_OK;
}
void close(void*) {}
int32_t accepts(void*, const char* name, const char* fingerprint, const char*,
                NpugraphErrorText* error) {
  if (std::strcmp(name, kName) == 0 && std::strcmp(fingerprint, kFingerprint) == 0)
    return NPUGRAPH_OK;
  return refuse(error, NPUGRAPH_WRONG_DEVICE, "the engine was compiled for another device",
                fingerprint, kFingerprint);
}
int32_t allocate(void*, int64_t size_bytes, int64_t align_bytes, void** memory, void** address,
                 NpugraphErrorText* error) {
  const auto bytes = static_cast<size_t>(std::max<int64_t>(size_bytes, 1));
  if (posix_memalign(memory, static_cast<size_t>(align_bytes), bytes) != 0)
    return refuse(error, NPUGRAPH_OUT_OF_MEMORY, "cannot allocate memory", "", "");
  *address = *memory;
  return NPUGRAPH_OK;
}
void release(void*, void* memory) { std::free(memory); }

bool is_sound(const Code& c, const NpugraphTensor* weights, int64_t weight_count) {
  if (c.magic != kMagic || c.op < kConv || c.op > kLinear) return false;
  for (const int64_t size : {c.n, c.c, c.h, c.w, c.k, c.oh, c.ow, c.kh, c.kw, c.sh, c.sw, c.group})
    if (size < 1 || size > (int64_t{1} << 20)) return false;
  if (c.op != kConv) return c.c == c.k && (c.op == kRelu || (c.oh % c.h == 0 && c.ow % c.w == 0));
  if (c.c % c.group != 0 || c.k % c.group != 0 || weight_count != 1 + c.has_bias) return false;
  const int64_t elements = c.k * (c.c / c.group) * c.kh * c.kw;
  return weights[0].size_bytes == elements * 4 &&
         (c.has_bias == 0 || weights[1].size_bytes == c.k * 4);
}

int32_t load(void*, const void* code, int64_t code_bytes, const NpugraphTensor* weights,
             int64_t weight_count, void** program, NpugraphErrorText* error) try {
  auto loaded = std::make_unique<Program>();
  const bool fits = code_bytes == static_cast<int64_t>(sizeof(Code));
  if (fits) std::memcpy(&loaded->code, code, sizeof(Code));
  if (!fits || !is_sound(loaded->code, weights, weight_count))
    return refuse(error, NPUGRAPH_CORRUPT, "the program is damaged", "", "");
  if (weight_count > 0) loaded->weights = static_cast<const float*>(weights[0].data);
  if (weight_count > 1) loaded->bias = static_cast<const float*>(weights[1].data);
  *program = loaded.release();
  return NPUGRAPH_OK;
} catch (const std::bad_alloc&) {
  return refuse(error, NPUGRAPH_OUT_OF_MEMORY, "host memory ran out", "", "");
}
void unload(void* program) { const std::unique_ptr<Program> p(static_cast<Program*>(program)); }

int32_t prepare(void* program, const NpugraphTensor* inputs, int64_t input_count,
                const NpugraphTensor* outputs, int64_t output_count, void** executable,
                int64_t* scratch_bytes, NpugraphErrorText* error) {
  const Code& c = static_cast<Program*>(program)->code;
  const bool fits = input_count == 1 && output_count == 1 &&
                    inputs[0].size_bytes == c.n * c.c * c.h * c.w * 4 &&
                    outputs[0].size_bytes == c.n * c.k * c.oh * c.ow * 4;
  if (!fits) return refuse(error, NPUGRAPH_INVALID_ARGUMENT, "tensors of a program", "", "");
  *executable = program;
  *scratch_bytes = 0;
  return NPUGRAPH_OK;
}
void discard(void*) {}

int32_t create_queue(void*, int32_t, void** queue, NpugraphErrorText*) {
  *queue = nullptr;
  return NPUGRAPH_OK;
}
void destroy_queue(void*) {}

float conv_at(const Program& p, const float* x, int64_t k, int64_t oy, int64_t ox) {
  const Code& c = p.code;
  const int64_t per_group = c.c / c.group, first = k / (c.k / c.group) * per_group;
  const float* weights = p.weights + k * per_group * c.kh * c.kw;
  float sum = p.bias != nullptr ? p.bias[k] : 0.0f;
  for (int64_t i = 0; i < per_group; ++i) {
    for (int64_t ky = 0; ky < c.kh; ++ky) {
      for (int64_t kx = 0; kx < c.kw; ++kx) {
        const int64_t iy = oy * c.sh - c.top + ky, ix = ox * c.sw - c.left + kx;
        if (iy < 0 || iy >= c.h || ix < 0 || ix >= c.w) continue;
        sum += weights[(i * c.kh + ky) * c.kw + kx] * x[((first + i) * c.h + iy) * c.w + ix];
      }
    }
  }
  return sum;
}

float linear_at(const Code& c, const float* plane, int64_t oy, int64_t ox) {
  const auto source = [](int64_t out, int64_t size, int64_t scale) {
    const double at = (static_cast<double>(out) + 0.5) / static_cast<double>(scale) - 0.5;
    return std::clamp(at, 0.0, static_cast<double>(size - 1));
  };
  const double y = source(oy, c.h, c.oh / c.h), x = source(ox, c.w, c.ow / c.w);
  const auto y0 = static_cast<int64_t>(y), x0 = static_cast<int64_t>(x);
  const int64_t y1 = std::min(y0 + 1, c.h - 1), x1 = std::min(x0 + 1, c.w - 1);
  const double fy = y - static_cast<double>(y0), fx = x - static_cast<double>(x0);
  const auto at = [&](int64_t row, int64_t column) {
    return static_cast<double>(plane[row * c.w + column]);
  };
  return static_cast<float>((at(y0, x0) * (1 - fx) + at(y0, x1) * fx) * (1 - fy) +
                            (at(y1, x0) * (1 - fx) + at(y1, x1) * fx) * fy);
}

int32_t execute(void*, void* executable, const NpugraphTensor* inputs, int64_t,
                const NpugraphTensor* outputs, int64_t, void*, int64_t, NpugraphErrorText*) {
  const Program& p = *static_cast<const Program*>(executable);
  const Code& c = p.code;
  float* y = static_cast<float*>(outputs[0].data);
  for (int64_t n = 0; n < c.n; ++n) {
    const float* x = static_cast<const float*>(inputs[0].data) + n * c.c * c.h * c.w;
    for (int64_t k = 0; k < c.k; ++k) {
      const float* plane = x + k * c.h * c.w;
      for (int64_t oy = 0; oy < c.oh; ++oy) {
        for (int64_t ox = 0; ox < c.ow; ++ox, ++y) {
          if (c.op == kConv) *y = conv_at(p, x, k, oy, ox);
          if (c.op == kRelu) *y = std::max(plane[oy * c.w + ox], 0.0f);
          if (c.op == kNearest) *y = plane[oy / (c.oh / c.h) * c.w + ox / (c.ow / c.w)];
          if (c.op == kLinear) *y = linear_at(c, plane, oy, ox);
        }
      }
    }
  }
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
int64_t now_ns(void*) {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}
int32_t wait(void*, int64_t, NpugraphErrorText*) { return NPUGRAPH_OK; }
int32_t synchronize(void*, NpugraphErrorText*) { return NPUGRAPH_OK; }
int64_t busy_ns(void*) { return 0; }

const NpugraphTarget kTarget = {sizeof(NpugraphTarget),
                                /*whole_regions=*/0,
                                /*host_memory=*/1,
                                /*align_bytes=*/64,     kName,    kFingerprint,
                                /*min_firmware=*/"",    supports,
                                /*cost_ns=*/nullptr,    compile,  free_program};

const NpugraphDriver kDriver = {sizeof(NpugraphDriver),
                                /*host_memory=*/1,
                                /*virtual_clock=*/0,
                                /*align_bytes=*/64,
                                kName,
                                kFingerprint,
                                /*firmware=*/"",
                                "test plug-in: Conv, Relu, Resize without bicubic",
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
                                /*record=*/now_ns,
                                wait,
                                synchronize,
                                /*clock_ns=*/now_ns,
                                busy_ns};

}  // namespace

NPUGRAPH_EXPORT const NpugraphPlugin* npugraph_device_plugin(void) {
  static const NpugraphPlugin plugin = {NPUGRAPH_PLUGIN_ABI_VERSION, sizeof(NpugraphPlugin),
                                        &kTarget, &kDriver};
  return &plugin;
}
