// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/gpu.h"

#include <algorithm>
#include <array>
#include <string>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/lines.h"
#include "collectors/system/kernel_modules.h"

namespace rdmaready {
namespace {

constexpr std::array<std::string_view, 5> kGpuModules{"amdgpu", "nvidia", "nvidia_peermem", "nv_peer_mem",
                                                      "gdrdrv"};
constexpr std::array<std::string_view, 3> kGpuOptions{"CONFIG_PCI_P2PDMA", "CONFIG_DMABUF_MOVE_NOTIFY",
                                                      "CONFIG_HSA_AMD_P2P"};
constexpr const char* kNvidiaVersion = "/proc/driver/nvidia/version";

bool IsGpu(const PciDevice& device) { return device.class_code >> 16U != 0x02; }

Fact<std::vector<std::string>> ReadLoaded(HostReader& host) {
  const absl::StatusOr<std::vector<std::string>> all = host.ListDirectory("/sys/module");
  if (!all.ok()) return MissingFrom(all.status());
  std::vector<std::string> loaded;
  for (const std::string_view name : kGpuModules) {
    if (std::ranges::find(*all, name) != all->end()) loaded.emplace_back(name);
  }
  return loaded;
}

Fact<NvidiaDriver> ReadNvidia(HostReader& host) {
  const absl::StatusOr<std::string> text = host.ReadFile(kNvidiaVersion);
  if (text.status().code() == absl::StatusCode::kNotFound)
    return Missing{Missing::Kind::kUnsupported, "NVIDIA's driver is not loaded"};
  if (!text.ok()) return MissingFrom(text.status());
  if (const std::optional<NvidiaDriver> driver = DecodeNvidiaVersion(*text)) return *driver;
  return Missing{Missing::Kind::kFailed, std::string(kNvidiaVersion) + ": no version"};
}

}  // namespace

std::optional<NvidiaDriver> DecodeNvidiaVersion(std::string_view text) {
  const std::string_view line = TakeLine(text);
  NvidiaDriver driver{.open = line.find("Open Kernel Module") != std::string_view::npos};
  for (const std::string_view word : WordsOf(line)) {
    const bool version = word.find('.') != std::string_view::npos &&
                         word.find_first_not_of("0123456789.") == std::string_view::npos;
    if (!version) continue;
    driver.version = SafeLine(word, 40);
    return driver;
  }
  return std::nullopt;
}

Fact<GpuSupport> ReadGpuSupport(HostReader& host, const Fact<Kernel>& kernel,
                                const Fact<std::vector<PciDevice>>& devices) {
  if (!devices) return devices.missing();
  if (std::ranges::none_of(*devices, IsGpu))
    return Missing{Missing::Kind::kUnsupported, "there is no GPU on the PCI bus"};
  return GpuSupport{.modules = ReadLoaded(host),
                    .options = ReadOptionsNamed(host, kernel, kGpuOptions),
                    .nvidia = ReadNvidia(host)};
}

}  // namespace rdmaready
