// SPDX-License-Identifier: Apache-2.0
// What is particular to the virtual NPU; what every driver promises is in tests/conformance.
#include "npugraph/drivers/vnpu/vnpu_driver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "npugraph/base/file.h"
#include "npugraph/vnpu/image.h"

namespace npugraph {
namespace {

using testing::HasSubstr;

std::unique_ptr<Driver> make(const std::string& firmware = "1.0.0", int64_t dram_bytes = 1 << 24) {
  vnpu::Hardware hardware = *vnpu::find_hardware("dev16");
  hardware.firmware = *vnpu::Version::parse(firmware);
  hardware.dram_bytes = dram_bytes;
  auto driver = make_vnpu_driver(hardware);
  EXPECT_TRUE(driver.has_value());
  return *std::move(driver);
}

/// out = relu(in), 4 elements.
std::string relu_program() {
  vnpu::Image image;
  image.input_bytes = {16};
  image.output_bytes = {16};
  image.buffers = {{vnpu::Region::kInput, 0, 0, 16}, {vnpu::Region::kOutput, 0, 0, 16}};
  image.commands = {{.op = vnpu::Opcode::kRelu, .a = 0, .dst = 1, .count = 4}};
  return vnpu::write_image(image);
}

TEST(VnpuDriver, older_firmware_is_refused_naming_both_versions) {
  const auto driver = make("1.9.0");
  PlanDevice device = {"vnpu", driver->info().fingerprint, "1.9.0"};
  EXPECT_TRUE(driver->accepts(device).has_value());
  device.min_firmware = "1.10.0";
  const Status status = driver->accepts(device);
  ASSERT_FALSE(status.has_value());
  EXPECT_EQ(status.error().id, ErrorId::kFirmware);
  EXPECT_THAT(status.error().message(), HasSubstr("1.9.0"));
  EXPECT_THAT(status.error().message(), HasSubstr("1.10.0"));
  device.min_firmware = "one";
  EXPECT_EQ(driver->accepts(device).error().id, ErrorId::kFirmware);
}

TEST(VnpuDriver, the_clock_moves_by_the_model_alone) {
  const auto driver = make();
  const auto queue = *driver->create_queue({});
  EXPECT_EQ(queue->clock_ns(), 0);
  const auto memory = *driver->allocate(16, 64);
  const TensorView device = {DType::kF32, {4}, memory->address()};
  const Tensor data = Tensor::of_floats({-1, 2, -3, 4}, {4});
  ASSERT_TRUE(queue->copy_in(device, data.view()).has_value());
  EXPECT_EQ(queue->clock_ns(), 10000 + 4);  // 10 us and 16 bytes at 4 GB/s
  EXPECT_EQ(queue->busy_ns(), 0);

  const auto program = *driver->load(bytes_of(relu_program()), {});
  const TensorType type = data.type();
  const TensorType* in = &type;
  const auto executable = *program->prepare({&in, 1}, {&type, 1});
  ASSERT_TRUE(queue->execute(*executable, {&device, 1}, {&device, 1}, {}).has_value());
  // Launch of 5 us, 2 cycles of decoding, 32 bytes at 3.75 bytes a cycle.
  EXPECT_EQ(queue->busy_ns(), 5000 + 2 + 9);
  EXPECT_EQ(queue->clock_ns(), 10004 + 5011);
  ASSERT_TRUE(queue->wait({20000}).has_value());
  EXPECT_EQ(queue->record().time_ns, 20000);

  Tensor back = *Tensor::zeros(DType::kF32, {4});
  ASSERT_TRUE(queue->copy_out(back.mutable_view(), device).has_value());
  EXPECT_THAT(back.as<float>(), testing::ElementsAre(0, 2, 0, 4));
}

TEST(VnpuDriver, host_addresses_and_freed_memory_are_refused) {
  const auto driver = make();
  const auto queue = *driver->create_queue({});
  Tensor data = Tensor::of_floats({1, 2, 3, 4}, {4});
  EXPECT_EQ(queue->copy_in(data.view(), data.view()).error().id, ErrorId::kBadTensor);
  auto memory = *driver->allocate(16, 64);
  const TensorView device = {DType::kF32, {4}, memory->address()};
  const TensorView beyond = {DType::kF32, {4}, memory->address() + 4};
  EXPECT_FALSE(queue->copy_in(beyond, data.view()).has_value());
  memory.reset();
  EXPECT_FALSE(queue->copy_in(device, data.view()).has_value());

  const auto program = *driver->load(bytes_of(relu_program()), {});
  const TensorType type = data.type();
  const TensorType* in = &type;
  const auto executable = *program->prepare({&in, 1}, {&type, 1});
  const Status run = queue->execute(*executable, {&device, 1}, {&device, 1}, {});
  ASSERT_FALSE(run.has_value());
  EXPECT_EQ(run.error().id, ErrorId::kBadTensor);
}

TEST(VnpuDriver, weights_live_in_device_memory_as_long_as_the_program) {
  const auto driver = make("1.0.0", 1 << 20);
  vnpu::Image image;
  image.output_bytes = {4096};
  image.weight_bytes = {4096};
  image.buffers = {{vnpu::Region::kWeight, 0, 0, 4096}, {vnpu::Region::kOutput, 0, 0, 4096}};
  image.commands = {{.op = vnpu::Opcode::kCopy, .a = 0, .dst = 1, .count = 1024}};
  const std::string code = vnpu::write_image(image);
  const Tensor weight = *Tensor::zeros(DType::kF32, {1024});
  {
    const auto program = driver->load(bytes_of(code), {&weight, 1});
    ASSERT_TRUE(program.has_value());
    EXPECT_EQ(driver->counters().bytes_in_use, 4096);
  }
  EXPECT_EQ(driver->counters().bytes_in_use, 0);

  const Tensor wrong = *Tensor::zeros(DType::kF32, {1023});
  EXPECT_EQ(driver->load(bytes_of(code), {&wrong, 1}).error().id, ErrorId::kProgramInvalid);
  const auto hog = driver->allocate((1 << 20) - 4096, 64);
  ASSERT_TRUE(hog.has_value());
  EXPECT_EQ(driver->load(bytes_of(code), {&weight, 1}).error().id, ErrorId::kOutOfMemory);
}

TEST(VnpuDriver, memory_and_programs_may_outlive_the_driver) {
  auto driver = make();
  const auto memory = *driver->allocate(16, 64);
  const auto program = *driver->load(bytes_of(relu_program()), {});
  const auto queue = *driver->create_queue({});
  driver.reset();
  const Tensor data = Tensor::of_floats({-1, 2, -3, 4}, {4});
  const TensorView device = {DType::kF32, {4}, memory->address()};
  const TensorType type = data.type();
  const TensorType* in = &type;
  const auto executable = *program->prepare({&in, 1}, {&type, 1});
  EXPECT_TRUE(queue->copy_in(device, data.view()).has_value());
  EXPECT_TRUE(queue->execute(*executable, {&device, 1}, {&device, 1}, {}).has_value());
}

}  // namespace
}  // namespace npugraph
