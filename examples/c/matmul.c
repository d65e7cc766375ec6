/* SPDX-License-Identifier: Apache-2.0 */
/* One MatMul through the C interface, on the device that is named: matmul [cpu|vnpu] */
#include <math.h>
#include <stdio.h>

#include "npugraph/api/npugraph_c.h"

static const char* const kGraph =
    "graph \"matmul\" {\n"
    "  input %x: float32[2, 3]\n"
    "  input %w: float32[3, 2]\n"
    "  %y = MatMul(%x, %w)\n"
    "  return %y\n"
    "}\n";

static npugraph_status multiply(const char* device, float* y) {
  const int64_t x_dims[] = {2, 3}, w_dims[] = {3, 2}, y_dims[] = {2, 2};
  float x[] = {1, 2, 3, 4, 5, 6}, w[] = {1, -1, 0.5f, 2, -2, 0.25f};
  const npugraph_tensor inputs[] = {
      {.struct_size = sizeof inputs[0], .data = x, .dims = x_dims, .dtype = 1, .rank = 2},
      {.struct_size = sizeof inputs[0], .data = w, .dims = w_dims, .dtype = 1, .rank = 2}};
  const npugraph_tensor output = {.struct_size = sizeof output,
                                  .data = y,
                                  .dims = y_dims,
                                  .dtype = NPUGRAPH_DTYPE_FLOAT32,
                                  .rank = 2};
  npugraph_library* library = NULL;
  npugraph_compile_options* options = NULL;
  npugraph_engine* engine = NULL;
  npugraph_session* session = NULL;

  npugraph_status status = npugraph_library_create(NULL, &library);
  if (status == 0) status = npugraph_compile_options_create(&options);
  if (status == 0) status = npugraph_compile_options_set(options, "device", device);
  if (status == 0) status = npugraph_compile_text(library, kGraph, options, &engine);
  if (status == 0) status = npugraph_session_create(library, engine, NULL, &session);
  if (status == 0) status = npugraph_session_run(session, inputs, 2, &output, 1);

  npugraph_session_destroy(session);
  npugraph_engine_destroy(engine);
  npugraph_compile_options_destroy(options);
  npugraph_library_destroy(library);
  return status;
}

int main(int argc, char** argv) {
  const char* const device = argc > 1 ? argv[1] : "cpu";
  const float expected[] = {-4, 3.75f, -5.5f, 7.5f}; /* x times w, by hand */
  float y[4] = {0};
  if (multiply(device, y) != NPUGRAPH_STATUS_OK) {
    fprintf(stderr, "%s\n", npugraph_last_error());
    return 1;
  }
  for (int i = 0; i < 4; ++i) {
    if (fabsf(y[i] - expected[i]) > 1e-5f * fabsf(expected[i])) return 2;
  }
  printf("%s: [%g, %g; %g, %g]\n", device, y[0], y[1], y[2], y[3]);
  return 0;
}
