// SPDX-License-Identifier: Apache-2.0
// gpu.h and named_devices.h.
#include "collectors/system/gpu.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/base/status.h"
#include "collectors/system/named_devices.h"
#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

TEST(NvidiaVersion, TellsOpenModulesFromOthers) {
  const auto open = DecodeNvidiaVersion(
      "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  560.35.03  Release Build  (dvs)\nGCC version:  "
      "12\n");
  EXPECT_EQ(open, (NvidiaDriver{.version = "560.35.03", .open = true}));
  const auto closed = DecodeNvidiaVersion(
      "NVRM version: NVIDIA UNIX x86_64 Kernel Module  470.57.02  Tue Jul 13 16:14:05 UTC 2021\n");
  EXPECT_EQ(closed, (NvidiaDriver{.version = "470.57.02", .open = false}));
  EXPECT_EQ(DecodeNvidiaVersion("GCC version:  gcc\n"), std::nullopt);
  EXPECT_EQ(DecodeNvidiaVersion(""), std::nullopt);
}

std::vector<PciDevice> Bus(std::uint32_t class_code) {
  return {{.address = "0000:1b:00.0", .vendor_id = 0x10de, .device_id = 0x2330, .class_code = class_code}};
}

TEST(GpuSupport, IsReadWhereThereIsAGpu) {
  FakeHost host;
  host.directories["/sys/module"] = std::vector<std::string>{"ib_core", "nvidia", "nvidia_peermem"};
  host.files["/boot/config-6.12.0"] =
      "CONFIG_PCI=y\nCONFIG_PCI_P2PDMA=y\n# CONFIG_DMABUF_MOVE_NOTIFY is not set\n";
  const Fact<Kernel> kernel = Kernel{.release = "6.12.0"};
  const Fact<GpuSupport> gpu = ReadGpuSupport(host, kernel, Bus(0x030200));
  ASSERT_TRUE(gpu);
  EXPECT_THAT(*gpu->modules, ElementsAre("nvidia", "nvidia_peermem"));
  EXPECT_THAT(*gpu->options, ElementsAre(KernelOption{"CONFIG_PCI_P2PDMA", "y"},
                                         KernelOption{"CONFIG_DMABUF_MOVE_NOTIFY", "n"}));
  EXPECT_EQ(gpu->nvidia.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(ReadGpuSupport(host, kernel, Bus(0x020000)).missing().kind, Missing::Kind::kUnsupported);
  const Fact<std::vector<PciDevice>> denied = Missing{Missing::Kind::kDenied, "denied"};
  EXPECT_EQ(ReadGpuSupport(host, kernel, denied).missing().kind, Missing::Kind::kDenied);
  host.files["/proc/driver/nvidia/version"] = "nothing\n";
  EXPECT_EQ(ReadGpuSupport(host, kernel, Bus(0x030200))->nvidia.missing().kind, Missing::Kind::kFailed);
}

NamedDevice OfNccl(const char* device, bool exact, std::uint32_t port = 0, bool excluded = false) {
  return {device, exact, "f", "NCCL_IB_HCA", port, excluded};
}

TEST(NamedDevices, AreThoseOfNcclAndUcx) {
  using Texts = std::vector<std::string>;
  const auto decode = [](const Texts& lines) { return DecodeNamedDevices(lines, "f"); };
  EXPECT_THAT(decode({"NCCL_IB_HCA=mlx5"}), ElementsAre(OfNccl("mlx5", false)));
  EXPECT_THAT(decode({"export NCCL_IB_HCA=\"=mlx5_0:1,mlx5_3\"  # rails"}),
              ElementsAre(OfNccl("mlx5_0", true, 1), OfNccl("mlx5_3", true)));
  EXPECT_THAT(decode({"UCX_NET_DEVICES=mlx5_2:1,mlx5_3:1"}),
              ElementsAre(NamedDevice{"mlx5_2", true, "f", "UCX_NET_DEVICES", 1},
                          NamedDevice{"mlx5_3", true, "f", "UCX_NET_DEVICES", 1}));
  EXPECT_THAT(decode({"# NCCL_IB_HCA=mlx5_1", "UCX_NET_DEVICES=all", "UCX_NET_DEVICES=eth0",
                      "NCCL_IB_HCA_LIST=mlx5_0", "NCCL_IB_HCA=", "NCCL_IB_HCA=^", "NCCL_IB_HCA=^="}),
              IsEmpty());
}

TEST(DecodeNamedDevices, MarksExcludedDevices) {
  const std::vector<std::string> lines{"NCCL_IB_HCA=^mlx5_0,mlx5_1:2", "NCCL_IB_HCA=^=mlx5_4"};
  EXPECT_THAT(DecodeNamedDevices(lines, "f"),
              ElementsAre(OfNccl("mlx5_0", false, 0, true), OfNccl("mlx5_1", false, 2, true),
                          OfNccl("mlx5_4", true, 0, true)));
}

TEST(NamedDevices, AreReadOfTheFilesThatAreThere) {
  FakeHost host;
  host.files["/etc/nccl.conf"] = "NCCL_DEBUG=WARN\nNCCL_IB_HCA=mlx5_0\n";
  const Fact<std::vector<NamedDevice>> named = ReadNamedDevices(host);
  ASSERT_TRUE(named);
  EXPECT_THAT(*named, ElementsAre(NamedDevice{"mlx5_0", false, "/etc/nccl.conf", "NCCL_IB_HCA"}));
  host.files["/etc/environment"] = ErrnoStatus(EACCES, "read /etc/environment");
  EXPECT_EQ(ReadNamedDevices(host).missing().kind, Missing::Kind::kDenied);
}

TEST(ReadNamedDevices, ReadsScriptsOfLoginsAndUnits) {
  using Texts = std::vector<std::string>;
  FakeHost host;
  host.directories["/etc/profile.d"] = Texts{"lang.csh", "rails.sh"};
  host.files["/etc/profile.d/rails.sh"] = "export NCCL_IB_HCA='^=bnxt_re0:1'\n";
  host.directories["/etc/systemd/system"] = Texts{"ray.service", "ray.service.d", "x.timer"};
  host.files["/etc/systemd/system/ray.service"] = "[Service]\nEnvironment=NCCL_IB_HCA=irdma0 TOKEN=S\n";
  host.directories["/etc/systemd/system/ray.service.d"] = Texts{"10.conf"};
  host.files["/etc/systemd/system/ray.service.d/10.conf"] = "Environment=\"UCX_NET_DEVICES=irdma1:1\"\n";
  const Fact<std::vector<NamedDevice>> named = ReadNamedDevices(host);
  ASSERT_TRUE(named);
  EXPECT_THAT(*named,
              ElementsAre(NamedDevice{"bnxt_re0", true, "/etc/profile.d/rails.sh", "NCCL_IB_HCA", 1, true},
                          NamedDevice{"irdma0", false, "/etc/systemd/system/ray.service", "NCCL_IB_HCA"},
                          NamedDevice{"irdma1", true, "/etc/systemd/system/ray.service.d/10.conf",
                                      "UCX_NET_DEVICES", 1}));
  host.directories["/etc/profile.d"] = ErrnoStatus(EACCES, "list /etc/profile.d");
  EXPECT_EQ(ReadNamedDevices(host).missing().kind, Missing::Kind::kDenied);
}

}  // namespace
}  // namespace rdmaready
