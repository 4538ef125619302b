// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/kernel_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/good_fake_host.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kDep = "/lib/modules/6.12.1/modules.dep";
constexpr const char* kBuiltIn = "/lib/modules/6.12.1/modules.builtin";

KernelModule Module(FakeHost host, std::string_view name) {
  const Fact<Kernel> kernel = Kernel{.release = "6.12.1"};
  const Fact<std::vector<KernelModule>> modules =
      ReadStorageModules(host, kernel, ReadKernelOptions(host, kernel));
  for (const KernelModule& module : *modules) {
    if (module.name == name) return module;
  }
  ADD_FAILURE() << "no " << name;
  return {};
}

TEST(ModuleLines, NameTheModuleAndWhatItNeeds) {
  const std::vector<std::string> lines{"kernel/a/nvme-rdma.ko.xz: kernel/b/rdma_cm.ko.xz kernel/c/ib_core.ko",
                                       "updates/ksmbd.ko:", "kernel/d/ib_iser.ko.zst", "nonsense",
                                       "/.ko: x.ko"};
  EXPECT_THAT(DecodeModuleLines(lines),
              ElementsAre(ModuleLine{"nvme_rdma", {"rdma_cm", "ib_core"}, false, true}, ModuleLine{"ksmbd"},
                          ModuleLine{"ib_iser"}));
}

TEST(ModuleLines, TellAKernelsModuleFromTheCoreOfAVendor) {
  const auto foreign = [](const std::string& line) {
    return DecodeModuleLines(std::vector{line}).front().foreign_core;
  };
  EXPECT_TRUE(foreign("kernel/nvme-rdma.ko.xz: kernel/nvme-core.ko.xz extra/mlnx-ofa_kernel/rdma_cm.ko"));
  EXPECT_TRUE(foreign("kernel/cifs.ko: updates/dkms/ib_core.ko"));
  EXPECT_FALSE(foreign("extra/mlnx-nvme/nvme-rdma.ko: extra/mlnx-ofa_kernel/rdma_cm.ko"));
  EXPECT_FALSE(foreign("updates/ksmbd.ko: kernel/rdma_cm.ko")) << "built for this kernel";
  EXPECT_FALSE(foreign("kernel/nvme-rdma.ko: kernel/rdma_cm.ko extra/other.ko"));
}

TEST(StorageModules, TellAForeignCoreOfInstalledModulesOnly) {
  FakeHost host = GoodFakeHost();
  EXPECT_FALSE(*Module(host, "nvme_rdma").foreign_core);
  EXPECT_EQ(Module(host, "ksmbd").foreign_core.missing().kind, Missing::Kind::kUnsupported);
  host.files[kDep] = "kernel/drivers/nvme/host/nvme-rdma.ko: extra/rdma_cm.ko\n";
  EXPECT_TRUE(*Module(host, "nvme_rdma").foreign_core);
}

TEST(StorageModules, CompareTheCoreOnDiskWithTheOneThatRuns) {
  constexpr const char* kTaint = "/sys/module/ib_core/taint";
  constexpr const char* kVendors = "updates/dkms/nvme-rdma.ko: updates/dkms/rdma_cm.ko\n";
  constexpr const char* kKernels = "kernel/nvme-rdma.ko: kernel/rdma_cm.ko\n";
  constexpr const char* kRebuilt = "updates/dkms/nvme-rdma.ko: kernel/rdma_cm.ko\n";
  const auto foreign = [](const char* dep, const absl::StatusOr<std::string>& taint) {
    FakeHost host = GoodFakeHost();
    host.files[kDep] = dep;
    host.files[kTaint] = taint;
    return Module(host, "nvme_rdma").foreign_core;
  };
  EXPECT_EQ(foreign(kVendors, "\n"), Fact<bool>(true)) << "installed, and the host was not booted since";
  EXPECT_EQ(foreign(kVendors, "OE\n"), Fact<bool>(false));
  EXPECT_EQ(foreign(kKernels, "OE\n"), Fact<bool>(true)) << "removed, and the host was not booted since";
  EXPECT_EQ(foreign(kKernels, "\n"), Fact<bool>(false));
  EXPECT_EQ(foreign(kRebuilt, "\n"), Fact<bool>(false)) << "built for the kernel's core";
  EXPECT_EQ(foreign(kRebuilt, "OE\n"), Fact<bool>(true));
  EXPECT_EQ(foreign(kKernels, ErrnoStatus(EACCES, "open")).missing().kind, Missing::Kind::kDenied);
  EXPECT_EQ(foreign(kKernels, ErrnoStatus(ENOENT, "open")), Fact<bool>(false)) << "built into the kernel";
}

TEST(Options, AreYesModuleOrNotSet) {
  const std::vector<std::string> lines{"CONFIG_A=y", "CONFIG_B=m", "# CONFIG_C is not set", "CONFIG_D=\"text\"",
                                       "# a b"};
  EXPECT_THAT(DecodeOptions(lines), ElementsAre(KernelOption{"CONFIG_A", "y"}, KernelOption{"CONFIG_B", "m"},
                                                KernelOption{"CONFIG_C", "n"}));
}

TEST(Options, AreLookedForInBothPlaces) {
  FakeHost host;
  host.files["/lib/modules/6.12.1/config"] = "CONFIG_NVME_RDMA=m\nCONFIG_ELSE=y\n";
  const Fact<Kernel> kernel = Kernel{.release = "6.12.1"};
  EXPECT_THAT(*ReadKernelOptions(host, kernel), ElementsAre(KernelOption{"CONFIG_NVME_RDMA", "m"}));
  EXPECT_EQ(ReadKernelOptions(host, Missing{}).missing().kind, Missing::Kind::kNotCollected);
  host.files.clear();
  EXPECT_EQ(ReadKernelOptions(host, kernel).missing().kind, Missing::Kind::kUnsupported);
  host.files["/boot/config-6.12.1"] = ErrnoStatus(EACCES, "open");
  EXPECT_EQ(ReadKernelOptions(host, kernel).missing().kind, Missing::Kind::kDenied);
}

TEST(StorageModules, AreLoadedInstalledBuiltInOrAbsent) {
  const FakeHost host = GoodFakeHost();
  EXPECT_EQ(*Module(host, "ksmbd").state, ModuleState::kLoaded);
  EXPECT_EQ(*Module(host, "nvme_rdma").state, ModuleState::kInstalled);
  EXPECT_EQ(*Module(host, "nfsd").state, ModuleState::kBuiltIn);
  EXPECT_EQ(*Module(host, "rpcrdma").state, ModuleState::kAbsent);
}

TEST(StorageModules, HaveSmbDirectWhenTheyNeedRdma) {
  FakeHost host = GoodFakeHost();
  EXPECT_TRUE(*Module(host, "ksmbd").uses_rdma);
  EXPECT_FALSE(*Module(host, "cifs").uses_rdma);
  host.directories["/sys/module"] = std::vector<std::string>{"rdma_cm"};  // not loaded: what is installed tells
  EXPECT_TRUE(*Module(host, "ksmbd").uses_rdma);
  EXPECT_FALSE(*Module(host, "cifs").uses_rdma);
  EXPECT_EQ(Module(host, "rpcrdma").uses_rdma.missing().kind, Missing::Kind::kUnsupported);
}

TEST(StorageModules, ThatAreLoadedCountAndNotTheOnesInstalledSince) {
  FakeHost host = GoodFakeHost();
  host.directories["/sys/module/rdma_cm/holders"] = std::vector<std::string>{"cifs"};
  EXPECT_TRUE(*Module(host, "cifs").uses_rdma);
  EXPECT_FALSE(*Module(host, "ksmbd").uses_rdma);
}

TEST(StorageModules, MayUseRdmaByWayOfSmbdirect) {
  FakeHost host = GoodFakeHost();
  host.directories["/sys/module/rdma_cm/holders"] = std::vector<std::string>{"smbdirect"};
  host.directories["/sys/module/smbdirect/holders"] = std::vector<std::string>{"cifs"};
  EXPECT_TRUE(*Module(host, "cifs").uses_rdma);
  EXPECT_FALSE(*Module(host, "ksmbd").uses_rdma);
}

TEST(StorageModules, OfAKernelWithRdmaBuiltInAreToldByItsOptions) {
  FakeHost host = GoodFakeHost();
  host.files[kBuiltIn] = "kernel/drivers/infiniband/core/rdma_cm.ko\n";
  host.directories["/sys/module/rdma_cm/holders"] = ErrnoStatus(ENOENT, "list");
  EXPECT_TRUE(*Module(host, "ksmbd").uses_rdma);
  EXPECT_FALSE(*Module(host, "cifs").uses_rdma);
  host.files["/boot/config-6.12.1"] = ErrnoStatus(ENOENT, "open");
  EXPECT_EQ(Module(host, "ksmbd").uses_rdma.missing().kind, Missing::Kind::kUnsupported);
}

TEST(StorageModules, WithoutTheirIndexAreNotAbsentButUnknown) {
  for (const char* index : {kDep, kBuiltIn}) {
    FakeHost host = GoodFakeHost();
    host.files[index] = ErrnoStatus(EACCES, std::string("open ") + index);
    EXPECT_EQ(Module(host, "rpcrdma").state.missing().kind, Missing::Kind::kDenied) << index;
    EXPECT_EQ(*Module(host, "ksmbd").state, ModuleState::kLoaded);
  }
  FakeHost host = GoodFakeHost();
  host.directories["/sys/module"] = ErrnoStatus(EACCES, "list");
  EXPECT_FALSE(Module(host, "nvme_rdma").state);
  EXPECT_FALSE(Module(host, "ksmbd").uses_rdma);
}

TEST(StorageModules, OfAKernelWithoutAnyAreAbsent) {
  FakeHost host;
  host.directories["/sys/module"] = std::vector<std::string>{};
  EXPECT_EQ(*Module(host, "cifs").state, ModuleState::kAbsent);
}

PciDevice Function(std::uint16_t vendor, std::uint16_t device, const char* driver) {
  return {.address = "0000:3b:00.0",
          .vendor_id = vendor,
          .device_id = device,
          .class_code = 0x020000,
          .driver = driver};
}

std::vector<KernelModule> OfAdapters(FakeHost host, std::vector<PciDevice> functions) {
  return ReadAdapterModules(host, Kernel{.release = "6.12.1"}, functions);
}

TEST(AdapterModules, ListTheDriversOfTheAdapters) {
  FakeHost host = GoodFakeHost();
  host.files[kDep] = "kernel/drivers/infiniband/hw/bnxt_re/bnxt_re.ko: kernel/ib_core.ko\n";
  host.directories["/sys/module"] = std::vector<std::string>{"mlx5_ib"};
  const std::vector<KernelModule> modules = OfAdapters(
      host, {Function(0x15b3, 0x1021, "mlx5_core"), Function(0x14e4, 0x1750, "bnxt_en"),
             Function(0x1dd8, 0x1002, "ionic"), Function(0x1d0f, 0xefa1, ""), Function(0x8086, 0x1521, "igb")});
  ASSERT_EQ(modules.size(), 4U);
  EXPECT_EQ(modules[0].name, "mlx5_ib");
  EXPECT_EQ(*modules[0].state, ModuleState::kLoaded);
  EXPECT_EQ(modules[1].name, "bnxt_re");
  EXPECT_EQ(*modules[1].state, ModuleState::kInstalled);
  EXPECT_EQ(modules[2].name, "ionic_rdma");
  EXPECT_EQ(*modules[2].state, ModuleState::kAbsent);
  EXPECT_EQ(modules[3].name, "efa");
  EXPECT_EQ(*modules[3].state, ModuleState::kAbsent);
}

TEST(AdapterModules, StayUnknownWithoutRdmaInTheIndex) {
  FakeHost host = GoodFakeHost();
  host.files[kDep] = "";
  host.files[kBuiltIn] = "";
  host.directories["/sys/module"] = std::vector<std::string>{};
  const std::vector<KernelModule> modules = OfAdapters(host, {Function(0x14e4, 0x1750, "bnxt_en")});
  ASSERT_EQ(modules.size(), 1U);
  EXPECT_EQ(modules[0].state.missing().kind, Missing::Kind::kFailed);
  EXPECT_THAT(OfAdapters(host, {}), IsEmpty());
}

TEST(StorageModules, OfAnUnknownKernelAreUnknown) {
  FakeHost host;
  EXPECT_EQ(ReadStorageModules(host, Missing{.detail = "no kernel"}, Missing{}).missing().detail, "no kernel");
}

}  // namespace
}  // namespace rdmaready
