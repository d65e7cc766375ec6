// SPDX-License-Identifier: Apache-2.0
// Compiles an ONNX model, saves the engine, opens it again and runs it on made-up inputs:
//   run_model MODEL.onnx ENGINE [DEVICE]
#include <iostream>
#include <string>
#include <vector>

#include "npugraph/api/npugraph.h"

namespace {

using namespace npugraph;

Status run_model(const std::string& model, const std::string& device, const std::string& path) {
  NPU_LET(const Library library, Library::create());
  NPU_LET(const Engine compiled, compile(library, model, {.device = device}));
  NPU_TRY(compiled.save(path));

  NPU_LET(const Engine engine, Engine::open(path));
  NPU_LET(Session session, Session::create(library, engine, {.threads = 2}));
  NPU_LET(const std::vector<Tensor> tensors, random_inputs(engine.inputs(), /*seed=*/1));
  std::vector<TensorView> inputs;
  for (const Tensor& tensor : tensors) inputs.push_back(tensor.view());

  NPU_LET(const std::vector<TensorView> outputs, session.run(inputs));
  for (size_t i = 0; i < outputs.size(); ++i)
    std::cout << session.outputs()[i].name << ": " << dtype_name(outputs[i].dtype) << " "
              << dims_str(outputs[i].dims) << "\n";
  std::cout << "ran in " << session.times().wall_ns / 1000 << " us on " << device << "\n";
  return ok();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: run_model MODEL.onnx ENGINE [DEVICE]\n";
    return 2;
  }
  const Status status = run_model(argv[1], /*device=*/argc > 3 ? argv[3] : "cpu", /*path=*/argv[2]);
  if (status) return 0;
  std::cerr << status.error().message() << "\n";
  return 1;
}
