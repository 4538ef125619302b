// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/pci_config.h"

#include <fmt/format.h>
#include <linux/pci_regs.h>

#include <cstddef>
#include <cstring>
#include <string>
#include <utility>

namespace rdmaready {
namespace {

constexpr std::size_t kShownToAll = kPciShownBytes;  // pci_read_config in drivers/pci/pci-sysfs.c
constexpr std::size_t kExtendedFrom = 256;           // PCI_CFG_SPACE_SIZE
constexpr int kMostCapabilities = (256 - 64) / 4;
constexpr int kMostExtended = (4096 - 256) / 8;
constexpr std::uint32_t kSmallestBytes = 128;
constexpr unsigned kReserved = 6;  // from here on codes of sizes have no meaning

Missing Denied() {
  return {Missing::Kind::kDenied, "only root is shown more than 64 bytes of the configuration space"};
}
Missing None(const char* detail) { return {Missing::Kind::kUnsupported, detail}; }
Missing PciConfigFailed(std::string detail) { return {Missing::Kind::kFailed, std::move(detail)}; }

// Little-endian, as the bus has it; 0 beyond the end.
template <class T>
T At(std::string_view config, std::size_t offset) {
  T value{};
  if (offset + sizeof value <= config.size()) std::memcpy(&value, config.data() + offset, sizeof value);
  return value;
}

// Where the capability stands; 0: nowhere.
std::size_t FindCapability(std::string_view config, std::uint8_t id) {
  if ((At<std::uint16_t>(config, PCI_STATUS) & PCI_STATUS_CAP_LIST) == 0) return 0;
  std::size_t at = At<std::uint8_t>(config, PCI_CAPABILITY_LIST) & ~std::size_t{3};
  for (int i = 0; i < kMostCapabilities && at >= kShownToAll; ++i) {
    if (At<std::uint8_t>(config, at + PCI_CAP_LIST_ID) == id) return at;
    at = At<std::uint8_t>(config, at + PCI_CAP_LIST_NEXT) & ~std::size_t{3};
  }
  return 0;
}

std::size_t FindExtended(std::string_view config, std::uint16_t id) {
  std::size_t at = kExtendedFrom;
  for (int i = 0; i < kMostExtended && at >= kExtendedFrom; ++i) {
    const auto header = At<std::uint32_t>(config, at);
    if (header == 0 || header == UINT32_MAX) return 0;
    if (PCI_EXT_CAP_ID(header) == id) return at;
    at = PCI_EXT_CAP_NEXT(header);
  }
  return 0;
}

Fact<std::uint32_t> SizeOf(unsigned code, const char* what) {
  if (code >= kReserved) return PciConfigFailed(fmt::format("{} has the reserved code {}", what, code));
  return kSmallestBytes << code;
}

Fact<bool> AcsRedirect(std::string_view config) {
  if (config.size() <= kExtendedFrom) return None("no extended configuration space");
  const std::size_t at = FindExtended(config, PCI_EXT_CAP_ID_ACS);
  if (at == 0) return None("no access control services (ACS)");
  return (At<std::uint16_t>(config, at + PCI_ACS_CTRL) & PCI_ACS_RR) != 0;
}

PciSettings AllMissing(const Missing& why) { return {why, why, why}; }

}  // namespace

PciSettings DecodePciConfig(std::string_view config) {
  if (config.size() < kShownToAll) {
    return AllMissing(PciConfigFailed(fmt::format("{} bytes of configuration space", config.size())));
  }
  if (At<std::uint32_t>(config, PCI_VENDOR_ID) == UINT32_MAX)
    return AllMissing(PciConfigFailed("the function does not answer"));
  if (config.size() == kShownToAll) return AllMissing(Denied());
  const std::size_t express = FindCapability(config, PCI_CAP_ID_EXP);
  if (express == 0) return AllMissing(None("no PCI Express capability"));
  if (express + PCI_EXP_DEVCTL + sizeof(std::uint16_t) > config.size())
    return AllMissing(PciConfigFailed("the PCI Express capability leads out of the configuration space"));
  const auto control = At<std::uint16_t>(config, express + PCI_EXP_DEVCTL);
  return {SizeOf((control & PCI_EXP_DEVCTL_PAYLOAD) >> 5U, "the largest payload"),
          SizeOf((control & PCI_EXP_DEVCTL_READRQ) >> 12U, "the largest read request"), AcsRedirect(config)};
}

bool IsPciExpress(std::string_view config) {
  return config.size() > kShownToAll && FindCapability(config, PCI_CAP_ID_EXP) != 0;
}

bool IsRootComplexIntegrated(std::string_view config) {
  if (config.size() <= kShownToAll) return false;
  const std::size_t express = FindCapability(config, PCI_CAP_ID_EXP);
  if (express == 0 || express + PCI_EXP_FLAGS + sizeof(std::uint16_t) > config.size()) return false;
  return (At<std::uint16_t>(config, express + PCI_EXP_FLAGS) & PCI_EXP_FLAGS_TYPE) >> 4U == PCI_EXP_TYPE_RC_END;
}

}  // namespace rdmaready
