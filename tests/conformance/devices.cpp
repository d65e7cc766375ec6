// SPDX-License-Identifier: Apache-2.0
// The devices, and what each of them does not do. A new device adds one entry.
#include "tests/conformance/devices.h"

#include "npugraph/drivers/cpu/cpu_driver.h"
#include "npugraph/drivers/null/null_driver.h"
#include "npugraph/drivers/plugin/plugin_driver.h"
#include "npugraph/drivers/vnpu/vnpu_driver.h"
#include "npugraph/lower/cpu/cpu_target.h"
#include "npugraph/lower/null/null_target.h"
#include "npugraph/lower/plugin/plugin_target.h"
#include "npugraph/lower/vnpu/vnpu_target.h"

namespace npugraph::conformance {
namespace {

Result<Halves> make_cpu() {
  NPU_LET(const Isa isa, selected_isa());
  return Halves{make_cpu_target(isa), make_cpu_driver(isa)};
}

Result<Halves> make_null() { return Halves{make_null_target(), make_null_driver()}; }

Result<Halves> make_vnpu() {
  NPU_LET(const vnpu::Hardware hardware, vnpu::find_hardware("dev16"));
  NPU_LET(auto driver, make_vnpu_driver(hardware));
  return Halves{make_vnpu_target(hardware), std::move(driver)};
}

Result<Halves> make_plugin() {
  NPU_LET(auto target, load_plugin_target(plugin_path("matmulrelu")));
  NPU_LET(auto driver, load_plugin_driver(plugin_path("matmulrelu")));
  return Halves{std::move(target), std::move(driver)};
}

/// One reason for many names.
Reasons all_for(const std::string& reason, const std::vector<std::string>& names,
                Reasons more = {}) {
  for (const std::string& name : names) more.emplace(name, reason);
  return more;
}

}  // namespace

std::string plugin_path(const std::string& name) {
  return std::string(NPU_TEST_PLUGINS) + "/" + name + ".so";
}

std::vector<DeviceCase> all_devices() {
  const std::string kOneNode = "compiles one node a program, so it never sees a region";
  const std::string kNothing = "the null device runs nothing";
  const std::string kTwoOps = "the example takes MatMul and Relu alone";
  const std::string kNoFirmware = "the device has no firmware";
  std::vector<std::string> every_op;
  for (const OpCase& op : all_op_cases()) every_op.push_back(op.name);
  return {
      {.name = "cpu",
       .make = make_cpu,
       .unsupported = all_for(kOneNode, {"region_chain", "region_shared", "region_outputs"},
                              {{"firmware", kNoFirmware}})},
      {.name = "null",
       .make = make_null,
       .unsupported =
           all_for(kNothing, every_op, {{"firmware", kNoFirmware}, {"execute", kNothing}})},
      {.name = "vnpu", .make = make_vnpu},
      {.name = "matmulrelu",
       .make = make_plugin,
       .unsupported =
           all_for(kTwoOps,
                   {"add_same", "add_row", "add_column", "add_scalar", "add_outer", "conv_1x1",
                    "conv_padded", "conv_uneven", "conv_grouped", "conv_depthwise", "conv_auto_pad",
                    "conv_bias", "region_shared", "region_outputs"},
                   {{"firmware", kNoFirmware},
                    {"matmul_one_left", "the example repeats the second matrix only"},
                    {"matmul_outer_batch", "the example repeats the second matrix only"}})},
  };
}

std::vector<OpCase> all_op_cases() {
  const auto one = [](const std::string& name, const std::string& inputs, const std::string& node) {
    return OpCase{name, "graph \"" + name + "\" {\n" + inputs + "\n" + node + "\nreturn %y\n}", {}};
  };
  const std::string x4 = "input %x: float32[2, 6, 9, 7]";
  std::vector<OpCase> cases = {
      one("relu", "input %x: float32[3, 5, 7]", "%y = Relu(%x)"),
      one("relu_scalar", "input %x: float32[]", "%y = Relu(%x)"),
      one("relu_empty", "input %x: float32[0, 3]", "%y = Relu(%x)"),
      one("add_same", "input %x: float32[2, 3, 5] input %z: float32[2, 3, 5]", "%y = Add(%x, %z)"),
      one("add_row", "input %x: float32[4, 5] const %c = float32[5] random(3)", "%y = Add(%x, %c)"),
      one("add_column", "input %x: float32[2, 3, 4, 5] const %c = float32[3, 1, 1] random(4)",
          "%y = Add(%c, %x)"),
      one("add_scalar", "input %x: float32[7] const %c = float32[] [0.5]", "%y = Add(%x, %c)"),
      one("add_outer", "input %x: float32[2, 1, 4, 1] input %z: float32[3, 1, 5]",
          "%y = Add(%x, %z)"),
      one("matmul", "input %x: float32[13, 17] const %w = float32[17, 9] random(5)",
          "%y = MatMul(%x, %w)"),
      one("matmul_one", "input %x: float32[1, 1] const %w = float32[1, 1] [3]",
          "%y = MatMul(%x, %w)"),
      one("matmul_two_inputs", "input %x: float32[5, 300] input %z: float32[300, 70]",
          "%y = MatMul(%x, %z)"),
      one("matmul_tall", "input %x: float32[2, 3, 5, 4] const %w = float32[4, 6] random(6)",
          "%y = MatMul(%x, %w)"),
      one("matmul_batch", "input %x: float32[2, 3, 5, 4] input %z: float32[2, 3, 4, 6]",
          "%y = MatMul(%x, %z)"),
      one("matmul_one_left", "input %x: float32[5, 4] input %z: float32[3, 4, 6]",
          "%y = MatMul(%x, %z)"),
      one("matmul_outer_batch", "input %x: float32[2, 1, 5, 4] input %z: float32[3, 4, 6]",
          "%y = MatMul(%x, %z)"),
      one("conv_1x1", x4 + " const %w = float32[5, 6, 1, 1] random(7)", "%y = Conv(%x, %w)"),
      one("conv_padded", x4 + " const %w = float32[4, 6, 3, 3] random(8)",
          "%y = Conv(%x, %w) {pads = [1, 1, 1, 1]}"),
      one("conv_uneven", x4 + " const %w = float32[3, 6, 5, 2] random(9)",
          "%y = Conv(%x, %w) {dilations = [1, 3], pads = [0, 2, 3, 1], strides = [2, 3]}"),
      one("conv_grouped", x4 + " const %w = float32[4, 3, 3, 3] random(10)",
          "%y = Conv(%x, %w) {group = 2, pads = [1, 1, 1, 1], strides = [2, 2]}"),
      one("conv_depthwise", x4 + " const %w = float32[12, 1, 3, 3] random(11)",
          "%y = Conv(%x, %w) {group = 6, pads = [1, 1, 1, 1]}"),
      one("conv_auto_pad", x4 + " const %w = float32[2, 6, 4, 4] random(12)",
          "%y = Conv(%x, %w) {auto_pad = \"SAME_LOWER\", strides = [2, 2]}"),
      one("conv_bias",
          x4 + " const %w = float32[67, 6, 3, 3] random(13) const %b = float32[67] random(14)",
          "%y = Conv(%x, %w, %b)"),
      one("region_chain", "input %x: float32[6, 8] const %w = float32[8, 5] random(15)",
          "%p = MatMul(%x, %w)\n%q = Relu(%p)\n%r = Relu(%q)\n%y = Relu(%r)"),
      one("region_shared",
          "input %x: float32[1, 4, 6, 6] const %w = float32[4, 4, 3, 3] random(16)",
          "%p = Conv(%x, %w) {pads = [1, 1, 1, 1]}\n%q = Relu(%p)\n"
          "%r = Conv(%q, %w) {pads = [1, 1, 1, 1]}\n%s = Add(%r, %x)\n%t = Add(%s, %p)\n"
          "%y = Relu(%t)"),
  };
  const float infinity = std::numeric_limits<float>::infinity();
  cases.push_back(
      {"relu_special",
       "graph \"relu_special\" {\ninput %x: float32[6]\n%y = Relu(%x)\nreturn %y\n}",
       {{-infinity, infinity, std::numeric_limits<float>::quiet_NaN(), -0.0f, 1e-45f, -1e-45f}}});
  cases.push_back({"region_outputs",
                   "graph \"region_outputs\" {\ninput %x: float32[2, 3]\n"
                   "%p = Relu(%x)\n%q = Add(%p, %x)\nreturn %q, %p, %x, %q\n}",
                   {}});
  return cases;
}

}  // namespace npugraph::conformance
