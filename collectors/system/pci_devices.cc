// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/pci_devices.h"

#include <optional>
#include <string>
#include <string_view>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr std::string_view kPciFolder = "/sys/bus/pci/devices";
constexpr std::uint32_t kBaseClassNetwork = 0x02;
constexpr std::uint32_t kBaseClassDisplay = 0x03;
constexpr std::uint32_t kBaseClassAccelerator = 0x12;

// Nothing of a function that went away meanwhile.
absl::StatusOr<std::optional<std::uint32_t>> ReadHexOf(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (text.status().code() == absl::StatusCode::kNotFound) return std::nullopt;
  if (!text.ok()) return text.status();
  if (!text->starts_with("0x")) return absl::DataLossError(path + ": no number");
  return ParseNumber<std::uint32_t>(std::string_view(TrimRight(*text)).substr(2), 16);
}

// 3D controllers, which servers' GPUs are, and processing accelerators; a display adapter is no accelerator.
bool MattersForRdma(std::uint32_t class_code) {
  constexpr std::uint32_t k3dController = 0x0302;
  constexpr std::uint32_t kDisplayOther = 0x0380;
  const std::uint32_t base = class_code >> 16U;
  const std::uint32_t sub_class = class_code >> 8U;
  if (base == kBaseClassDisplay) return sub_class == k3dController || sub_class == kDisplayOther;
  return base == kBaseClassNetwork || base == kBaseClassAccelerator;
}

absl::StatusOr<std::vector<std::string>> NamesIn(HostReader& host, const std::string& folder) {
  absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  if (names.status().code() == absl::StatusCode::kNotFound) return std::vector<std::string>{};
  return names;
}

// Empty: there is no such link.
absl::StatusOr<std::string> LastPart(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> link = host.ReadLink(path);
  if (link.status().code() == absl::StatusCode::kNotFound) return std::string();
  if (!link.ok()) return link.status();
  return link->substr(link->rfind('/') + 1);
}

// Nothing where the function does not matter.
absl::StatusOr<std::optional<PciDevice>> ReadFunction(HostReader& host, const std::string& address) {
  const std::string folder = std::string(kPciFolder) + "/" + address + "/";
  RR_ASSIGN_OR_RETURN(const std::optional<std::uint32_t> class_code, ReadHexOf(host, folder + "class"));
  if (!class_code || !MattersForRdma(*class_code)) return std::nullopt;
  RR_ASSIGN_OR_RETURN(const std::optional<std::uint32_t> vendor, ReadHexOf(host, folder + "vendor"));
  RR_ASSIGN_OR_RETURN(const std::optional<std::uint32_t> product, ReadHexOf(host, folder + "device"));
  if (!vendor || !product) return std::nullopt;
  PciDevice device{.address = address,
                   .vendor_id = static_cast<std::uint16_t>(*vendor),
                   .device_id = static_cast<std::uint16_t>(*product),
                   .class_code = *class_code};
  RR_ASSIGN_OR_RETURN(device.driver, LastPart(host, folder + "driver"));
  if (*class_code >> 16U != kBaseClassNetwork) return device;
  RR_ASSIGN_OR_RETURN(const std::string physical, LastPart(host, folder + "physfn"));
  device.virtual_function = !physical.empty();
  RR_ASSIGN_OR_RETURN(device.netdevs, NamesIn(host, folder + "net"));
  RR_ASSIGN_OR_RETURN(device.rdma_devices, NamesIn(host, folder + "infiniband"));
  return device;
}

}  // namespace

Fact<std::vector<PciDevice>> ReadPciDevices(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> addresses = host.ListDirectory(kPciFolder);
  if (addresses.status().code() == absl::StatusCode::kNotFound)
    return Missing{Missing::Kind::kUnsupported, "this machine has no PCI bus"};
  if (!addresses.ok()) return MissingFrom(addresses.status());
  std::vector<PciDevice> devices;
  for (const std::string& address : *addresses) {
    absl::StatusOr<std::optional<PciDevice>> device = ReadFunction(host, address);
    if (!device.ok()) return MissingFrom(device.status());
    if (*device) devices.push_back(**std::move(device));
  }
  return devices;
}

}  // namespace rdmaready
