// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/congestion.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "api/base/number.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/gaps.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

constexpr std::uint16_t kMellanox = 0x15b3;
constexpr std::uint16_t kBroadcom = 0x14e4;
constexpr std::size_t kMostFiles = 128;
constexpr std::uint64_t kMostDscp = 63;
constexpr std::size_t kShownBytes = 40;

using FileText = absl::StatusOr<std::string>;

Missing NoCongestion(std::string detail) { return {Missing::Kind::kUnsupported, std::move(detail)}; }
Missing CongestionFailed(std::string detail) { return {Missing::Kind::kFailed, std::move(detail)}; }
bool Absent(const absl::Status& status) { return status.code() == absl::StatusCode::kNotFound; }

// "26", "0x1a"; nothing for other text.
std::optional<std::uint64_t> NumberIn(std::string_view text) {
  const std::string number = TrimRight(text);
  const bool hex = number.starts_with("0x");
  return ParseNumber<std::uint64_t>(std::string_view(number).substr(hex ? 2 : 0), hex ? 16 : 10);
}

std::optional<std::uint8_t> UpTo(std::uint64_t most, std::optional<std::uint64_t> value) {
  if (!value || *value > most) return std::nullopt;
  return static_cast<std::uint8_t>(*value);
}

// The parameters of one directory, each a file with a number; other files are none. What cannot be read though
// it is listed for another reason than a gap (collectors/gaps.h) does not spoil the rest.
class Directory {
 public:
  Directory(HostReader& host, std::string path) : host_(host), path_(std::move(path)) {}

  // An error when it cannot be listed. Names get `prefix`.
  absl::Status Read(std::string_view prefix, std::vector<CongestionParameter>& parameters) {
    RR_ASSIGN_OR_RETURN(const std::vector<std::string> names, host_.ListDirectory(path_));
    for (const std::string& name : names) {
      if (parameters.size() >= kMostFiles)
        return absl::ResourceExhaustedError(path_ + ": more parameters than are read");
      if (name.find('/') != std::string::npos) continue;
      const FileText text = host_.ReadFile(path_ + "/" + name);
      if (IsGap(text.status())) return text.status();
      const std::optional<std::uint64_t> value = text.ok() ? NumberIn(*text) : std::nullopt;
      if (value) parameters.push_back({std::string(prefix) + SafeLine(name, kShownBytes), *value});
    }
    return absl::OkStatus();
  }

 private:
  HostReader& host_;
  std::string path_;
};

std::optional<std::uint64_t> ValueOf(const CongestionControl& control, std::string_view name) {
  const auto found = std::ranges::find(control.parameters, name, &CongestionParameter::name);
  if (found == control.parameters.end()) return std::nullopt;
  return found->value;
}

// enable/0 .. enable/7, 0 or 1 each; nothing unless all are there.
absl::StatusOr<std::optional<std::uint8_t>> ReadEnabled(HostReader& host, const std::string& path) {
  std::uint8_t enabled = 0;
  for (unsigned priority = 0; priority < kPriorities; ++priority) {
    const FileText text = host.ReadFile(fmt::format("{}/enable/{}", path, priority));
    if (IsGap(text.status())) return text.status();
    const std::optional<std::uint64_t> on = text.ok() ? NumberIn(*text) : std::nullopt;
    if (!on || *on > 1) return std::optional<std::uint8_t>();
    enabled = static_cast<std::uint8_t>(enabled | (*on << priority));
  }
  return std::optional(enabled);
}

std::string OfedFolder(const std::string& netdev) { return "/sys/class/net/" + netdev + "/ecn"; }

// The tree of MLNX_OFED: ecn/roce_np (who marks are told to) and ecn/roce_rp (who slows down).
absl::StatusOr<CongestionControl> ReadOfed(HostReader& host, const std::string& netdev) {
  CongestionControl control{.source = OfedFolder(netdev)};
  const std::string np = control.source + "/roce_np";
  const std::string rp = control.source + "/roce_rp";
  RR_RETURN_IF_ERROR(Directory(host, np).Read("np_", control.parameters));
  RR_RETURN_IF_ERROR(Directory(host, rp).Read("rp_", control.parameters));
  RR_ASSIGN_OR_RETURN(control.notifies, ReadEnabled(host, np));
  RR_ASSIGN_OR_RETURN(control.slows_down, ReadEnabled(host, rp));
  control.cnp_dscp = UpTo(kMostDscp, ValueOf(control, "np_cnp_dscp"));
  control.cnp_priority = UpTo(kPriorities - 1, ValueOf(control, "np_cnp_802p_prio"));
  return control;
}

// Names by drivers/infiniband/hw/mlx5/cong.c (mlx5_ib_dbg_cc_name). With another mode than 0 a CNP has the
// priority of the flow that it is about.
absl::StatusOr<CongestionControl> ReadMlx5(HostReader& host, const std::string& address) {
  CongestionControl control{.source = Mlx5CongestionFolder(address)};
  RR_RETURN_IF_ERROR(Directory(host, control.source).Read("", control.parameters));
  control.cnp_dscp = UpTo(kMostDscp, ValueOf(control, "np_cnp_dscp"));
  if (ValueOf(control, "np_cnp_prio_mode").value_or(0) == 0)
    control.cnp_priority = UpTo(kPriorities - 1, ValueOf(control, "np_cnp_prio"));
  return control;
}

// Broadcom's own bnxt_re (bnxt_re/configfs.c) knows one switch for the traffic of RoCE's own priority.
absl::StatusOr<CongestionControl> ReadBnxt(HostReader& host, const Port& port) {
  CongestionControl control{
      .source = fmt::format("/sys/kernel/config/bnxt_re/{}/ports/{}/cc", port.device, port.number)};
  RR_RETURN_IF_ERROR(Directory(host, control.source).Read("", control.parameters));
  const std::optional<std::uint64_t> enabled = ValueOf(control, "ecn_enable");
  const std::optional<std::uint8_t> priority = UpTo(kPriorities - 1, ValueOf(control, "roce_prio"));
  if (enabled && *enabled == 0) {
    control.notifies = control.slows_down = std::uint8_t{0};
  } else if (enabled && priority) {
    control.notifies = control.slows_down = static_cast<std::uint8_t>(1U << *priority);
  }
  control.cnp_dscp = UpTo(kMostDscp, ValueOf(control, "cnp_dscp"));
  control.cnp_priority = UpTo(kPriorities - 1, ValueOf(control, "cnp_prio"));
  return control;
}

// That of the port's own netdev, else of the first Ethernet port below it that has a tree.
absl::StatusOr<CongestionControl> ReadOfedOf(HostReader& host, const Port& port) {
  absl::StatusOr<CongestionControl> control = ReadOfed(host, port.netdev->name);
  if (!Absent(control.status()) || !port.lowers) return control;
  for (const Netdev& lower : *port.lowers) {
    control = ReadOfed(host, lower.name);
    if (!Absent(control.status())) return control;
  }
  return control;
}

void AddMember(const std::string& netdev, const CongestionControl& member, CongestionControl& control) {
  const std::string prefix = netdev + "/";
  for (const CongestionParameter& one : member.parameters)
    control.parameters.push_back({prefix + one.name, one.value});
  if (member.notifies) control.parameters.push_back({prefix + "np_enable", *member.notifies});
  if (member.slows_down) control.parameters.push_back({prefix + "rp_enable", *member.slows_down});
}

Fact<CongestionControl> FactFrom(absl::StatusOr<CongestionControl> control, const char* absent) {
  if (control.ok()) return *std::move(control);
  return Absent(control.status()) ? NoCongestion(absent) : MissingFrom(control.status());
}

Missing NoHardware(const Port& port) {
  return port.software && *port.software ? NoCongestion("a software device has none") : port.pci.missing();
}

}  // namespace

std::string Mlx5CongestionFolder(const std::string& address) {
  return "/sys/kernel/debug/mlx5/" + address + "/cc_params";
}

Fact<CongestionControl> ReadCongestion(HostReader& host, const Port& port) {
  if (!port.pci) return NoHardware(port);
  if (port.pci->vendor_id == kBroadcom) {
    return FactFrom(ReadBnxt(host, port),
                    "no directory of it in configfs below bnxt_re, which only Broadcom's own driver has");
  }
  if (port.pci->vendor_id != kMellanox)
    return NoCongestion("the driver shows nothing of its congestion control");
  if (port.netdev) {
    absl::StatusOr<CongestionControl> control = ReadOfedOf(host, port);
    if (!Absent(control.status())) return WithMembers(host, port, FactFrom(std::move(control), ""));
  }
  return FactFrom(ReadMlx5(host, port.pci->address),
                  "neither a tree ecn in sysfs nor cc_params in debugfs (mlx5_ib, /sys/kernel/debug)");
}

Fact<CongestionControl> WithMembers(HostReader& host, const Port& port, Fact<CongestionControl> control) {
  if (!control || !port.lowers) return control;
  CongestionControl all = *control;
  for (const Netdev& lower : *port.lowers) {
    if (OfedFolder(lower.name) == all.source) continue;
    const absl::StatusOr<CongestionControl> member = ReadOfed(host, lower.name);
    if (Absent(member.status())) continue;
    if (!member.ok()) return MissingFrom(member.status());
    AddMember(lower.name, *member, all);
  }
  return all;
}

Fact<std::uint8_t> DecodeTrafficClass(std::string_view text) {
  constexpr std::string_view kGlobal = "Global tclass=";
  const std::string_view whole = text;
  while (!text.empty()) {
    std::string_view line = TakeLine(text);
    if (!line.starts_with(kGlobal)) continue;
    line.remove_prefix(kGlobal.size());
    const std::optional<std::uint8_t> value = UpTo(UINT8_MAX, NumberIn(line));
    if (value) return *value;
    return CongestionFailed("\"" + SafeLine(TrimRight(whole), kShownBytes) + "\" is no traffic class");
  }
  return std::uint8_t{0};
}

Fact<std::uint8_t> ReadVerbsTrafficClass(HostReader& host, const Port& port) {
  if (!port.pci) return NoHardware(port);
  const FileText text =
      host.ReadFile(fmt::format("/sys/class/infiniband/{}/tc/{}/traffic_class", port.device, port.number));
  if (text.ok()) return DecodeTrafficClass(*text);
  if (!Absent(text.status())) return MissingFrom(text.status());
  return NoCongestion("the driver can force none (only mlx5 of MLNX_OFED can)");
}

Fact<bool> ReadOutOfTree(HostReader& host, const Port& port) {
  if (!port.pci) return NoHardware(port);
  const FileText link = host.ReadLink("/sys/bus/pci/devices/" + port.pci->address + "/driver/module");
  // A driver without a module is a part of the kernel.
  if (Absent(link.status())) return false;
  if (!link.ok()) return MissingFrom(link.status());
  const FileText taint = host.ReadFile("/sys/module/" + link->substr(link->rfind('/') + 1) + "/taint");
  if (!taint.ok()) return MissingFrom(taint.status());
  return taint->find('O') != std::string::npos;
}

}  // namespace rdmaready
