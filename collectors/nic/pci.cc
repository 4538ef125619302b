// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/pci.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/nic/interrupts.h"
#include "collectors/nic/pci_config.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kMostLanes = 32;

Missing PciFailed(std::string detail) { return {Missing::Kind::kFailed, std::move(detail)}; }

bool AllHex(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

template <class T>
Fact<T> NumberOf(std::string_view text, int base) {
  const std::string number = TrimRight(text);
  std::string_view digits = number;
  if (base == 16 && digits.starts_with("0x")) digits.remove_prefix(2);
  if (const std::optional<T> value = ParseNumber<T>(digits, base)) return *value;
  return PciFailed("\"" + number + "\" is not a number");
}

class Function {
 public:
  Function(HostReader& host, std::string address)
      : host_(host), address_(std::move(address)), path_("/sys/bus/pci/devices/" + address_ + "/") {}

  // The decoded text of a file; `absent` is what it means that the file is not there.
  template <class Decode>
  auto Read(const char* file, const char* absent, Decode decode) -> decltype(decode(std::string_view())) {
    const absl::StatusOr<std::string> text = host_.ReadFile(path_ + file);
    if (text.ok()) return Named(decode(*text), file);
    if (text.status().code() != absl::StatusCode::kNotFound) return MissingFrom(text.status());
    return Missing{Missing::Kind::kUnsupported, address_ + absent};
  }

  Fact<PciHop> Hop() {
    constexpr const char* kNoLink = " has no PCI Express link";
    const auto current_speed = Read("current_link_speed", kNoLink, DecodePciSpeed);
    if (!current_speed) return current_speed.missing();
    const auto current_width = Read("current_link_width", kNoLink, DecodePciWidth);
    if (!current_width) return current_width.missing();
    const auto max_speed = Read("max_link_speed", kNoLink, DecodePciSpeed);
    if (!max_speed) return max_speed.missing();
    const auto max_width = Read("max_link_width", kNoLink, DecodePciWidth);
    if (!max_width) return max_width.missing();
    PciSettings settings = Settings();
    return PciHop{address_,
                  {*current_speed, *current_width},
                  {*max_speed, *max_width},
                  std::move(settings.max_payload_bytes),
                  std::move(settings.max_read_request_bytes),
                  std::move(settings.acs_redirect)};
  }

  // Of the default domain, in which the kernel's own drivers work.
  Fact<std::string> IommuDomain() {
    const absl::StatusOr<std::string> link = host_.ReadLink(path_ + "iommu_group");
    if (link.status().code() == absl::StatusCode::kNotFound)
      return Missing{Missing::Kind::kUnsupported, "no IOMMU stands before it"};
    if (!link.ok()) return MissingFrom(link.status());
    const std::string group = link->substr(link->rfind('/') + 1);
    if (!NumberOf<std::uint32_t>(group, 10))
      return PciFailed("\"" + SafeLine(group, 40) + "\" is no IOMMU group");
    const absl::StatusOr<std::string> type = host_.ReadFile("/sys/kernel/iommu_groups/" + group + "/type");
    if (type.status().code() == absl::StatusCode::kNotFound)
      return Missing{Missing::Kind::kUnsupported, "the kernel does not tell the type of an IOMMU group"};
    if (!type.ok()) return MissingFrom(type.status());
    return SafeLine(TrimRight(*type), 40);
  }

  bool IsIntegrated() {
    const absl::StatusOr<std::string> config = Config(kPciBasicBytes);
    return config.ok() && IsRootComplexIntegrated(*config);
  }

  bool Suspended() {
    const absl::StatusOr<std::string> status = host_.ReadFile(path_ + "power/runtime_status");
    return status.ok() && status->starts_with("suspend");  // suspended, suspending
  }

  // The address of the physical function when this is a virtual one, else empty.
  absl::StatusOr<std::string> Physical() {
    const absl::StatusOr<std::string> link = host_.ReadLink(path_ + "physfn");
    if (link.status().code() == absl::StatusCode::kNotFound) return std::string();
    if (!link.ok()) return link.status();
    const std::string address = link->substr(link->rfind('/') + 1);
    return IsPciAddress(address) ? address : std::string();
  }

  // What the virtual function `number` is to its physical one, `physical`.
  PhysicalFunction Of(const std::string& physical) {
    const std::string folder = "/sys/bus/pci/devices/" + physical;
    PhysicalFunction of{.address = physical,
                        .number = PciFailed("list " + folder + ": no virtfnN leads to " + address_)};
    const absl::StatusOr<std::vector<std::string>> names = host_.ListDirectory(folder);
    if (!names.ok()) {
      of.number = MissingFrom(names.status());
      return of;
    }
    constexpr std::string_view kVirtual = "virtfn";
    for (const std::string& name : *names) {
      if (!name.starts_with(kVirtual)) continue;
      const absl::StatusOr<std::string> link = host_.ReadLink(folder + "/" + name);
      if (!link.ok() || link->substr(link->rfind('/') + 1) != address_) continue;
      of.number = NumberOf<std::uint32_t>(std::string_view(name).substr(kVirtual.size()), 10);
    }
    const absl::StatusOr<std::vector<std::string>> netdevs = host_.ListDirectory(folder + "/net");
    if (netdevs.ok() && !netdevs->empty()) of.netdev = *std::ranges::min_element(*netdevs);
    return of;
  }

  const std::string& address() const { return address_; }
  const std::string& path() const { return path_; }

 private:
  // Text that makes no sense needs the name of the file it came from.
  template <class T>
  Fact<T> Named(Fact<T> fact, const char* file) const {
    if (fact) return fact;
    return Missing{fact.missing().kind, path_ + file + ": " + fact.missing().detail};
  }

  // No more of it than is needed: reading a register may do something in a function that is not well made.
  absl::StatusOr<std::string> Config(std::size_t first_bytes) {
    return host_.Ask(FileQuestion{PciConfigPath(address_), first_bytes});
  }

  // Access control services stand in the extended space, which a function has that is PCI Express.
  PciSettings Settings() {
    const absl::StatusOr<std::string> config = Config(kPciBasicBytes);
    if (config.ok() && (config->size() != kPciBasicBytes || !IsPciExpress(*config)))
      return DecodePciConfig(*config);
    if (config.ok()) {
      const absl::StatusOr<std::string> all = Config(kPciAllBytes);
      if (all.ok()) return DecodePciConfig(*all);
      PciSettings basic = DecodePciConfig(*config);
      basic.acs_redirect = MissingFrom(all.status());
      return basic;
    }
    const Missing why = MissingFrom(config.status());
    return {why, why, why};
  }

  HostReader& host_;
  std::string address_;
  std::string path_;
};

// `addresses` run from the root port down to the function.
Fact<std::vector<PciHop>> ReadPath(HostReader& host, const std::vector<std::string>& addresses) {
  if (Function function(host, addresses.back()); function.Suspended()) {
    return PciFailed(function.address() + " is suspended: its link is slow on purpose");
  }
  if (Function function(host, addresses.back()); function.IsIntegrated()) {
    return Missing{Missing::Kind::kUnsupported,
                   function.address() + " is built into the processor: it has no link"};
  }
  std::vector<PciHop> path;
  for (auto address = addresses.rbegin(); address != addresses.rend(); ++address) {
    Fact<PciHop> hop = Function(host, *address).Hop();
    if (!hop) return hop.missing();
    path.push_back(*hop);
  }
  return path;
}

}  // namespace

bool IsPciAddress(std::string_view text) {
  constexpr std::size_t kAfterDomain = 8;  // ":3b:00.0"
  if (text.size() < 4 + kAfterDomain || text.size() > 8 + kAfterDomain) return false;
  const std::string_view domain = text.substr(0, text.size() - kAfterDomain);
  const std::string_view rest = text.substr(domain.size());
  return AllHex(domain) && rest[0] == ':' && AllHex(rest.substr(1, 2)) && rest[3] == ':' &&
         AllHex(rest.substr(4, 2)) && rest[6] == '.' && rest[7] >= '0' && rest[7] <= '7';
}

std::string PciConfigPath(const std::string& address) { return "/sys/bus/pci/devices/" + address + "/config"; }

std::vector<std::string> PciAddresses(std::string_view link) {
  std::vector<std::string> addresses;
  while (!link.empty()) {
    const std::string_view part = link.substr(0, link.find('/'));
    link.remove_prefix(std::min(part.size() + 1, link.size()));
    // A host bridge below another function (VMD) begins a path of its own.
    if (part.starts_with("pci") && part.find(':') != std::string_view::npos) addresses.clear();
    if (IsPciAddress(part)) addresses.emplace_back(part);
  }
  return addresses;
}

Fact<std::uint32_t> DecodePciSpeed(std::string_view text) {
  const std::string speed = TrimRight(text);
  if (speed.starts_with("Unknown")) return Missing{Missing::Kind::kUnsupported, "the kernel does not know it"};
  constexpr std::uint32_t kLargestGiga = 1000;
  const Missing nonsense = PciFailed("\"" + speed + "\" is not a link speed");
  std::string_view rest = speed;
  const std::optional<std::uint32_t> giga = TakeNumber<std::uint32_t>(rest);
  if (!giga || *giga == 0 || *giga > kLargestGiga) return nonsense;
  std::uint32_t tenth = 0;
  if (rest.size() >= 2 && rest[0] == '.' && rest[1] >= '0' && rest[1] <= '9') {
    tenth = static_cast<std::uint32_t>(rest[1] - '0');
    rest.remove_prefix(2);
  }
  if (rest != " GT/s" && rest != " GT/s PCIe") return nonsense;
  return *giga * 1000 + tenth * 100;
}

Fact<std::uint32_t> DecodePciWidth(std::string_view text) {
  const Fact<std::uint32_t> width = NumberOf<std::uint32_t>(text, 10);
  if (!width || (*width > 0 && *width <= kMostLanes)) return width;
  return PciFailed(fmt::format("{} lanes", *width));
}

Fact<std::uint64_t> DecodeAerTotal(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.size() > name.size() && line.starts_with(name) && line[name.size()] == ' ') {
      return NumberOf<std::uint64_t>(line.substr(name.size() + 1), 10);
    }
  }
  return PciFailed("no line " + std::string(name));
}

Fact<PciFunction> ReadPci(HostReader& host, const std::string& device, const Fact<bool>& software) {
  if (software && *software) return Missing{Missing::Kind::kUnsupported, "a software device has no PCIe"};
  const absl::StatusOr<std::string> link = host.ReadLink("/sys/class/infiniband/" + device);
  if (!link.ok()) return MissingFrom(link.status());
  std::vector<std::string> addresses = PciAddresses(*link);
  if (addresses.empty()) return Missing{Missing::Kind::kUnsupported, "not a PCI device"};

  Function function(host, addresses.back());
  const auto hex16 = [](std::string_view text) { return NumberOf<std::uint16_t>(text, 16); };
  const auto vendor = function.Read("vendor", " has no vendor", hex16);
  if (!vendor) return vendor.missing();
  const auto product = function.Read("device", " has no device number", hex16);
  if (!product) return product.missing();
  PciFunction pci{.address = function.address(), .vendor_id = *vendor, .device_id = *product};
  pci.physical = Missing{Missing::Kind::kUnsupported, "no physical function of it is on this host"};
  pci.numa_node = function.Read("numa_node", ": kernel without NUMA",
                                [](std::string_view text) { return NumberOf<std::int32_t>(text, 10); });
  const auto aer = [&function](const char* file, const char* total) {
    return function.Read(file, " reports no errors (AER)",
                         [total](std::string_view text) { return DecodeAerTotal(text, total); });
  };
  pci.aer_fatal = aer("aer_dev_fatal", "TOTAL_ERR_FATAL");
  pci.aer_nonfatal = aer("aer_dev_nonfatal", "TOTAL_ERR_NONFATAL");
  pci.aer_correctable = aer("aer_dev_correctable", "TOTAL_ERR_COR");
  pci.interrupts = ReadInterrupts(host, function.path());
  pci.iommu_domain = function.IommuDomain();
  const absl::StatusOr<std::string> physical = function.Physical();
  if (!physical.ok()) {
    pci.physical = MissingFrom(physical.status());
    pci.path = pci.physical.missing();
    return pci;
  }
  if (!physical->empty()) {
    pci.virtual_function = true;
    pci.physical = function.Of(*physical);
    addresses.back() = *physical;
  }
  pci.path = ReadPath(host, addresses);
  return pci;
}

}  // namespace rdmaready
