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

std::optional<std::uint32_t> ReadHexOf(HostReader& host, const std::string& path) {
  const absl::StatusOr<std::string> text = host.ReadFile(path);
  if (!text.ok() || !text->starts_with("0x")) return std::nullopt;
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

std::vector<std::string> NamesIn(HostReader& host, const std::string& folder) {
  absl::StatusOr<std::vector<std::string>> names = host.ListDirectory(folder);
  return names.ok() ? *std::move(names) : std::vector<std::string>{};
}

std::string LastPart(const absl::StatusOr<std::string>& link) {
  return link.ok() ? link->substr(link->rfind('/') + 1) : "";
}

}  // namespace

Fact<std::vector<PciDevice>> ReadPciDevices(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> addresses = host.ListDirectory(kPciFolder);
  if (addresses.status().code() == absl::StatusCode::kNotFound)
    return Missing{Missing::Kind::kUnsupported, "this machine has no PCI bus"};
  if (!addresses.ok()) return MissingFrom(addresses.status());
  std::vector<PciDevice> devices;
  for (const std::string& address : *addresses) {
    const std::string folder = std::string(kPciFolder) + "/" + address + "/";
    const std::optional<std::uint32_t> class_code = ReadHexOf(host, folder + "class");
    if (!class_code || !MattersForRdma(*class_code)) continue;
    const std::optional<std::uint32_t> vendor = ReadHexOf(host, folder + "vendor");
    const std::optional<std::uint32_t> product = ReadHexOf(host, folder + "device");
    if (!vendor || !product) continue;
    PciDevice device{.address = address,
                     .vendor_id = static_cast<std::uint16_t>(*vendor),
                     .device_id = static_cast<std::uint16_t>(*product),
                     .class_code = *class_code};
    device.driver = LastPart(host.ReadLink(folder + "driver"));
    if (*class_code >> 16U == kBaseClassNetwork) {
      device.virtual_function = host.ReadLink(folder + "physfn").ok();
      device.netdevs = NamesIn(host, folder + "net");
      device.rdma_devices = NamesIn(host, folder + "infiniband");
    }
    devices.push_back(std::move(device));
  }
  return devices;
}

}  // namespace rdmaready
