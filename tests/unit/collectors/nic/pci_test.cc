// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/pci.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/collectors/fake_host.h"
#include "tests/unit/collectors/nic/pci_wire.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const std::string kRoot = "0000:3a:00.0";
const std::string kPciNic = "0000:3b:00.0";

std::string Sys(const std::string& address, const std::string& file) {
  return "/sys/bus/pci/devices/" + address + "/" + file;
}

void AddLink(FakeHost* host, const std::string& address, const char* speed, const char* width,
             const char* max_speed, const char* max_width) {
  host->files[Sys(address, "current_link_speed")] = std::string(speed) + "\n";
  host->files[Sys(address, "current_link_width")] = std::string(width) + "\n";
  host->files[Sys(address, "max_link_speed")] = std::string(max_speed) + "\n";
  host->files[Sys(address, "max_link_width")] = std::string(max_width) + "\n";
}

// A NIC of 16 GT/s x16 in a slot of 8 GT/s x8.
FakeHost HostWithNic() {
  FakeHost host;
  host.links["/sys/class/infiniband/mlx5_0"] =
      "../../devices/pci0000:3a/" + kRoot + "/" + kPciNic + "/infiniband/mlx5_0";
  AddLink(&host, kPciNic, "8.0 GT/s PCIe", "8", "16.0 GT/s PCIe", "16");
  AddLink(&host, kRoot, "8.0 GT/s PCIe", "8", "8.0 GT/s PCIe", "8");
  host.files[Sys(kPciNic, "vendor")] = "0x15b3\n";
  host.files[Sys(kPciNic, "device")] = "0x1017\n";
  host.files[Sys(kPciNic, "numa_node")] = "1\n";
  host.files[Sys(kPciNic, "power/runtime_status")] = "active\n";
  host.files[Sys(kPciNic, "aer_dev_fatal")] = "Undefined 0\nDLP 0\nTOTAL_ERR_FATAL 2\n";
  host.files[Sys(kPciNic, "aer_dev_nonfatal")] = "Undefined 0\nTOTAL_ERR_NONFATAL 0\n";
  host.files[Sys(kPciNic, "aer_dev_correctable")] = "RxErr 7\nTOTAL_ERR_COR 7\n";
  return host;
}

Fact<PciFunction> ReadPciOf(FakeHost& host) { return ReadPci(host, "mlx5_0", false); }

TEST(PciAddresses, RunFromTheRootPortDown) {
  EXPECT_THAT(PciAddresses("../../devices/pci0000:3a/0000:3a:00.0/0000:3b:00.1/infiniband/mlx5_0"),
              ElementsAre("0000:3a:00.0", "0000:3b:00.1"));
}

TEST(PciAddresses, OfASubfunctionAreThoseOfItsFunction) {
  EXPECT_THAT(PciAddresses("../../devices/pci0000:00/0000:00:02.0/mlx5_core.sf.4/infiniband/mlx5_2"),
              ElementsAre("0000:00:02.0"));
}

TEST(PciAddresses, BeginAtTheNearestHostBridge) {
  EXPECT_THAT(PciAddresses("../../devices/pci0000:00/0000:00:0e.0/pci10000:00/10000:00:01.0/10000:01:00.0/x"),
              ElementsAre("10000:00:01.0", "10000:01:00.0"));
}

TEST(PciAddresses, OfAnotherBusAreNone) {
  EXPECT_THAT(PciAddresses("../../devices/virtual/infiniband/rxe0"), IsEmpty());
  for (const char* text :
       {"", "/", "0000:3b:00", "0000:3b:00.8", "0000;3b:00.0", "zzzz:3b:00.0", "000:3b:00.0"}) {
    EXPECT_THAT(PciAddresses(text), IsEmpty()) << text;
  }
}

TEST(PciSpeed, IsMegatransfers) {
  EXPECT_EQ(*DecodePciSpeed("2.5 GT/s PCIe\n"), 2500U);
  EXPECT_EQ(*DecodePciSpeed("8.0 GT/s PCIe\n"), 8000U);
  EXPECT_EQ(*DecodePciSpeed("64.0 GT/s PCIe\n"), 64000U);
  EXPECT_EQ(*DecodePciSpeed("5 GT/s\n"), 5000U);  // kernels before 5.7
}

TEST(PciSpeed, ThatTheKernelDoesNotKnowIsNotANumber) {
  EXPECT_EQ(DecodePciSpeed("Unknown\n").missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(DecodePciSpeed("Unknown speed\n").missing().kind, Missing::Kind::kUnsupported);
  for (const char* text : {"", "fast", "8", "8.0", "8.0 Gb/s", "0 GT/s", "-8 GT/s", "8. GT/s", "99999 GT/s"}) {
    EXPECT_EQ(DecodePciSpeed(text).missing().kind, Missing::Kind::kFailed) << text;
  }
}

TEST(PciWidth, IsLanesThatASlotCanHave) {
  EXPECT_EQ(*DecodePciWidth("16\n"), 16U);
  for (const char* text : {"0\n", "63\n", "255\n", "x8\n", "", "4294967296\n"})
    EXPECT_FALSE(DecodePciWidth(text));
}

TEST(AerTotal, IsTheLineOfThatName) {
  const char* const text = "Undefined 0\nTOTAL_ERR_FATAL 12\n";
  EXPECT_EQ(*DecodeAerTotal(text, "TOTAL_ERR_FATAL"), 12U);
  EXPECT_EQ(DecodeAerTotal(text, "TOTAL_ERR_COR").missing().detail, "no line TOTAL_ERR_COR");
  for (const char* bad : {"TOTAL_ERR_COR\n", "TOTAL_ERR_COR many\n", "TOTAL_ERR_CORR 1\n", ""}) {
    EXPECT_FALSE(DecodeAerTotal(bad, "TOTAL_ERR_COR")) << bad;
  }
}

TEST(Pci, OfHardwareIsReadWhole) {
  FakeHost host = HostWithNic();
  host.files[Sys(kPciNic, "config")] = wire::PciConfig(0x5810, 0x05);
  host.files[Sys(kRoot, "config")] = wire::PciConfig(0x5030, std::nullopt).substr(0, 64);
  host.links[Sys(kPciNic, "iommu_group")] = "../../../kernel/iommu_groups/12";
  host.files["/sys/kernel/iommu_groups/12/type"] = "DMA-FQ\n";
  const Fact<PciFunction> pci = ReadPciOf(host);
  ASSERT_TRUE(pci) << pci.missing().detail;
  EXPECT_EQ(pci->address, kPciNic);
  EXPECT_EQ(pci->vendor_id, 0x15b3);
  EXPECT_EQ(pci->device_id, 0x1017);
  EXPECT_FALSE(pci->virtual_function);
  EXPECT_EQ(*pci->numa_node, 1);
  EXPECT_EQ(*pci->aer_fatal, 2U);
  EXPECT_EQ(*pci->aer_nonfatal, 0U);
  EXPECT_EQ(*pci->aer_correctable, 7U);
  EXPECT_EQ(*pci->iommu_domain, "DMA-FQ");
  const Missing denied{Missing::Kind::kDenied,
                       "only root is shown more than 64 bytes of the configuration space"};
  EXPECT_THAT(*pci->path, ElementsAre(PciHop{kPciNic, {8000, 8}, {16000, 16}, 128U, 4096U, true},
                                      PciHop{kRoot, {8000, 8}, {8000, 8}, denied, denied, denied}));
}

TEST(Pci, WithoutAnIommuOrAWordAboutItThatIsTheOnlyGap) {
  FakeHost host = HostWithNic();
  EXPECT_EQ(ReadPciOf(host)->iommu_domain.missing(),
            (Missing{Missing::Kind::kUnsupported, "no IOMMU stands before it"}));
  host.links[Sys(kPciNic, "iommu_group")] = "../../../kernel/iommu_groups/12";
  EXPECT_EQ(ReadPciOf(host)->iommu_domain.missing(),
            (Missing{Missing::Kind::kUnsupported, "the kernel does not tell the type of an IOMMU group"}));
  host.links[Sys(kPciNic, "iommu_group")] = "../../../../etc";
  EXPECT_EQ(ReadPciOf(host)->iommu_domain.missing().kind, Missing::Kind::kFailed);
}

TEST(Pci, AConfigurationSpaceThatCannotBeReadIsNoReasonToLoseThePath) {
  FakeHost host = HostWithNic();
  host.files[Sys(kPciNic, "config")] = ErrnoStatus(EPERM, "open config");
  const Fact<PciFunction> pci = ReadPciOf(host);
  EXPECT_EQ(pci->path->front().max_payload_bytes.missing().kind, Missing::Kind::kDenied);
  EXPECT_EQ(pci->path->back().max_payload_bytes.missing().kind, Missing::Kind::kFailed);
}

TEST(Pci, ASoftwareDeviceHasNone) {
  FakeHost host = HostWithNic();
  EXPECT_EQ(ReadPci(host, "mlx5_0", true).missing(),
            (Missing{Missing::Kind::kUnsupported, "a software device has no PCIe"}));
  EXPECT_TRUE(host.asked.empty());
}

TEST(Pci, ADeviceOnAnotherBusSaysSo) {
  FakeHost host;
  host.links["/sys/class/infiniband/mlx5_0"] = "../../devices/platform/soc/infiniband/mlx5_0";
  EXPECT_EQ(ReadPciOf(host).missing(), (Missing{Missing::Kind::kUnsupported, "not a PCI device"}));
}

TEST(Pci, AVirtualFunctionIsJudgedByTheLinkOfItsPhysicalOne) {
  FakeHost host = HostWithNic();
  const std::string virtual_function = "0000:3b:00.2";
  host.links["/sys/class/infiniband/mlx5_0"] =
      "../../devices/pci0000:3a/" + kRoot + "/" + virtual_function + "/infiniband/mlx5_0";
  host.links[Sys(virtual_function, "physfn")] = "../" + kPciNic;
  AddLink(&host, virtual_function, "Unknown", "0", "Unknown", "0");
  host.files[Sys(virtual_function, "vendor")] = "0x15b3\n";
  host.files[Sys(virtual_function, "device")] = "0x1018\n";
  const Fact<PciFunction> pci = ReadPciOf(host);
  ASSERT_TRUE(pci);
  EXPECT_TRUE(pci->virtual_function);
  EXPECT_EQ(pci->address, virtual_function);
  ASSERT_TRUE(pci->path) << pci->path.missing().detail;
  EXPECT_EQ(pci->path->front().address, kPciNic);
  EXPECT_EQ(pci->aer_fatal.missing().kind, Missing::Kind::kUnsupported);
}

TEST(Pci, AVirtualFunctionNamesItsPhysicalOneAndItsNumberThere) {
  FakeHost host = HostWithNic();
  const std::string virtual_function = "0000:3b:00.2";
  const std::string folder = "/sys/bus/pci/devices/" + kPciNic;
  host.links["/sys/class/infiniband/mlx5_0"] =
      "../../devices/pci0000:3a/" + kRoot + "/" + virtual_function + "/infiniband/mlx5_0";
  host.links[Sys(virtual_function, "physfn")] = "../" + kPciNic;
  host.links[folder + "/virtfn0"] = "../0000:3b:00.1";
  host.links[folder + "/virtfn1"] = "../" + virtual_function;
  host.directories[folder] = std::vector<std::string>{"net", "virtfn0", "virtfn1"};
  host.directories[folder + "/net"] = std::vector<std::string>{"ens1f0np0"};
  host.files[Sys(virtual_function, "vendor")] = "0x15b3\n";
  host.files[Sys(virtual_function, "device")] = "0x1018\n";
  const Fact<PciFunction> pci = ReadPciOf(host);
  ASSERT_TRUE(pci && pci->physical);
  EXPECT_EQ(*pci->physical, (PhysicalFunction{.address = kPciNic, .netdev = "ens1f0np0", .number = 1U}));
}

TEST(Pci, IsNotCalledAPhysicalFunctionWhereThatCannotBeRead) {
  FakeHost host = HostWithNic();
  EXPECT_EQ(ReadPciOf(host)->physical.missing().kind, Missing::Kind::kUnsupported);
  host.links[Sys(kPciNic, "physfn")] = ErrnoStatus(EACCES, "readlink physfn");
  const Fact<PciFunction> pci = ReadPciOf(host);
  ASSERT_TRUE(pci);
  EXPECT_EQ(pci->physical.missing().kind, Missing::Kind::kDenied);
  EXPECT_EQ(pci->path.missing().kind, Missing::Kind::kDenied);
}

TEST(Pci, ALinkThatIsNotKnownLeavesNoPathAndNothingElseOut) {
  FakeHost host = HostWithNic();
  host.files[Sys(kRoot, "current_link_speed")] = "Unknown\n";
  const Fact<PciFunction> pci = ReadPciOf(host);
  ASSERT_TRUE(pci);
  EXPECT_EQ(pci->path.missing(), (Missing{Missing::Kind::kUnsupported,
                                          Sys(kRoot, "current_link_speed") + ": the kernel does not know it"}));
  EXPECT_TRUE(pci->numa_node);
}

TEST(Pci, ASuspendedFunctionIsNotJudgedByItsSlowLink) {
  FakeHost host = HostWithNic();
  host.files[Sys(kPciNic, "power/runtime_status")] = "suspended\n";
  EXPECT_THAT(ReadPciOf(host)->path.missing().detail, HasSubstr("is suspended"));
}

TEST(Pci, AConventionalDeviceHasNoLink) {
  FakeHost host = HostWithNic();
  for (const char* file : {"current_link_speed", "current_link_width", "max_link_speed", "max_link_width"}) {
    host.files.erase(Sys(kPciNic, file));
  }
  EXPECT_EQ(ReadPciOf(host)->path.missing(),
            (Missing{Missing::Kind::kUnsupported, kPciNic + " has no PCI Express link"}));
}

TEST(Pci, WithoutNumaOrAerThoseAreTheOnlyGaps) {
  FakeHost host = HostWithNic();
  host.files.erase(Sys(kPciNic, "numa_node"));
  host.files.erase(Sys(kPciNic, "aer_dev_fatal"));
  host.files[Sys(kPciNic, "aer_dev_correctable")] = ErrnoStatus(EACCES, "open aer_dev_correctable");
  const Fact<PciFunction> pci = ReadPciOf(host);
  ASSERT_TRUE(pci);
  EXPECT_EQ(pci->numa_node.missing().detail, kPciNic + ": kernel without NUMA");
  EXPECT_EQ(pci->aer_fatal.missing().kind, Missing::Kind::kUnsupported);
  EXPECT_EQ(pci->aer_correctable.missing().kind, Missing::Kind::kDenied);
  EXPECT_TRUE(pci->path);
}

TEST(Pci, AFunctionThatWentAwayIsAFailure) {
  FakeHost host = HostWithNic();
  host.files[Sys(kPciNic, "vendor")] = ErrnoStatus(EIO, "read vendor");
  EXPECT_EQ(ReadPciOf(host).missing().kind, Missing::Kind::kFailed);
  host.files[Sys(kPciNic, "vendor")] = "none\n";
  EXPECT_THAT(ReadPciOf(host).missing().detail, HasSubstr("vendor: \"none\" is not a number"));
}

}  // namespace
}  // namespace rdmaready
