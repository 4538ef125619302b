// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/reader/questions.h"

#include <linux/devlink.h>
#include <linux/genetlink.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netlink.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <variant>

#include "agent/helper/reader/names.h"
#include "agent/helper/reader/settings.h"
#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/firewall/firewall.h"
#include "collectors/lldp/lldp_agents.h"
#include "collectors/lldp/lldpad_messages.h"
#include "collectors/nic/congestion.h"
#include "collectors/nic/devlink.h"
#include "collectors/nic/pci.h"
#include "collectors/nic/pci_config.h"
#include "collectors/rdma/mad.h"

namespace rdmaready::helper {
namespace {

constexpr std::uint32_t kMostPorts = 255;

// ---- packet filters ----

constexpr auto kNftLists = std::to_array<std::string_view>({"tables", "chains", "rules"});

Built BuildNftList(Arguments& arguments) {
  const auto list = IndexOf(kNftLists, arguments.Text("list"));
  if (!list) return NoName("list");
  return NftListRequest(static_cast<NftList>(*list));
}

Recognised RecogniseNftList(const Question& question) {
  const auto* request = As<NetlinkRequest>(question);
  if (request == nullptr || request->protocol != NETLINK_NETFILTER) return std::nullopt;
  for (std::size_t list = 0; list < kNftLists.size(); ++list) {
    if (NftListRequest(static_cast<NftList>(list)) == *request)
      return Json{{"list", std::string(kNftLists[list])}};
  }
  return std::nullopt;
}

bool IsNftName(std::string_view name) {
  return !name.empty() && name.size() <= kLongestName && name.find('\0') == std::string_view::npos;
}

Built BuildNftElements(Arguments& arguments) {
  const auto family = arguments.Unsigned<std::uint8_t>("family");
  const std::string table = arguments.Text("table");
  const std::string set = arguments.Text("set");
  if (!IsNftName(table) || !IsNftName(set)) return NoName("table or set");
  return NftElementsRequest(family, table, set);
}

Recognised RecogniseNftElements(const Question& question) {
  const auto* request = As<NetlinkRequest>(question);
  if (request == nullptr || request->protocol != NETLINK_NETFILTER) return std::nullopt;
  nfgenmsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(request->payload, header, "question");
  if (!attributes.ok()) return std::nullopt;
  const absl::StatusOr<std::string> table = attributes->Text(NFTA_SET_ELEM_LIST_TABLE);
  const absl::StatusOr<std::string> set = attributes->Text(NFTA_SET_ELEM_LIST_SET);
  if (!table.ok() || !set.ok()) return std::nullopt;
  return Json{{"family", header.nfgen_family},
              {"table", recording::FromText(*table)},
              {"set", recording::FromText(*set)}};
}

constexpr auto kLegacyFiles = std::to_array<std::string_view>({kIptablesNames, kIp6tablesNames});
constexpr auto kLegacyNames = std::to_array<std::string_view>({"ip", "ip6"});

Built BuildLegacyTables(Arguments& arguments) {
  const auto family = IndexOf(kLegacyNames, arguments.Text("family"));
  if (!family) return NoName("family");
  return FileQuestion{std::string(kLegacyFiles[*family])};
}

Recognised RecogniseLegacyTables(const Question& question) {
  const auto* file = As<FileQuestion>(question);
  const auto family = file == nullptr ? std::nullopt : IndexOf(kLegacyFiles, file->path);
  if (!family) return std::nullopt;
  return Json{{"family", std::string(kLegacyNames[*family])}};
}

// ---- NICs ----

// The number of the family is what the kernel gave it: ReaderVerbs looks whether it is devlink's.
Built BuildDevlinkSwitch(Arguments& arguments) {
  const auto family = arguments.Unsigned<std::uint16_t>("family");
  const std::string address = arguments.Text("address");
  if (!IsPciAddress(address)) return NoName("address");
  return DevlinkSwitchRequest(family, address);
}

Recognised RecogniseDevlinkSwitch(const Question& question) {
  const auto* request = As<NetlinkRequest>(question);
  if (request == nullptr || request->protocol != NETLINK_GENERIC) return std::nullopt;
  genlmsghdr header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(request->payload, header, "question");
  if (!attributes.ok() || header.cmd != DEVLINK_CMD_ESWITCH_GET) return std::nullopt;
  const absl::StatusOr<std::string> address = attributes->Text(DEVLINK_ATTR_DEV_NAME);
  if (!address.ok()) return std::nullopt;
  return Json{{"family", request->type}, {"address", recording::FromText(*address)}};
}

Built BuildPciConfiguration(Arguments& arguments) {
  const std::string address = arguments.Text("address");
  const auto octets = arguments.Unsigned<std::uint32_t>("octets");
  if (!IsPciAddress(address)) return NoName("address");
  if (octets != kPciBasicBytes && octets != kPciAllBytes)
    return absl::InvalidArgumentError("octets: 256 or 4096");
  return FileQuestion{PciConfigPath(address), octets};
}

// "/sys/bus/pci/devices/ADDRESS/config": the address; empty for another path.
std::string AddressIn(std::string_view path, std::string_view before, std::string_view after) {
  if (!path.starts_with(before) || !path.ends_with(after) || path.size() < before.size() + after.size())
    return {};
  return std::string(path.substr(before.size(), path.size() - before.size() - after.size()));
}

Recognised RecognisePciConfiguration(const Question& question) {
  const auto* file = As<FileQuestion>(question);
  if (file == nullptr || file->first_bytes <= kPciShownBytes) return std::nullopt;
  const std::string address = AddressIn(file->path, "/sys/bus/pci/devices/", "/config");
  if (!IsPciAddress(address)) return std::nullopt;
  return Json{{"address", address}, {"octets", file->first_bytes}};
}

constexpr std::string_view kMlx5Folder = "/sys/kernel/debug/mlx5/";
constexpr std::string_view kMlx5Parameters = "/cc_params";

Built BuildCongestionNames(Arguments& arguments) {
  const std::string address = arguments.Text("address");
  if (!IsPciAddress(address)) return NoName("address");
  return DirectoryQuestion{Mlx5CongestionFolder(address)};
}

Recognised RecogniseCongestionNames(const Question& question) {
  const auto* folder = As<DirectoryQuestion>(question);
  if (folder == nullptr) return std::nullopt;
  const std::string address = AddressIn(folder->path, kMlx5Folder, kMlx5Parameters);
  if (!IsPciAddress(address)) return std::nullopt;
  return Json{{"address", address}};
}

Built BuildCongestion(Arguments& arguments) {
  const std::string address = arguments.Text("address");
  const std::string name = arguments.Text("name");
  if (!IsPciAddress(address)) return NoName("address");
  if (!IsDeviceName(name)) return NoName("name");
  return FileQuestion{Mlx5CongestionFolder(address) + "/" + name};
}

Recognised RecogniseCongestion(const Question& question) {
  const auto* file = As<FileQuestion>(question);
  if (file == nullptr || !file->path.starts_with(kMlx5Folder)) return std::nullopt;
  const std::size_t slash = file->path.rfind('/');
  const std::string address = AddressIn(file->path.substr(0, slash), kMlx5Folder, kMlx5Parameters);
  if (!IsPciAddress(address)) return std::nullopt;
  return Json{{"address", address}, {"name", recording::FromText(file->path.substr(slash + 1))}};
}

// ---- RDMA ----

struct DevicePort {
  std::string device;
  std::uint32_t port = 0;
};

absl::StatusOr<DevicePort> ReadDevicePort(Arguments& arguments) {
  DevicePort named{arguments.Text("device"), arguments.Unsigned<std::uint32_t>("port")};
  if (!IsDeviceName(named.device)) return NoName("device");
  if (named.port == 0 || named.port > kMostPorts) return absl::InvalidArgumentError("port: 1 to 255");
  return named;
}

Built BuildRdmaCm(Arguments& arguments) {
  RR_ASSIGN_OR_RETURN(const DevicePort named, ReadDevicePort(arguments));
  return RdmaCmQuestion{named.device, named.port};
}

Recognised RecogniseRdmaCm(const Question& question) {
  const auto* defaults = As<RdmaCmQuestion>(question);
  if (defaults == nullptr) return std::nullopt;
  return Json{{"device", recording::FromText(defaults->device)}, {"port", defaults->port}};
}

constexpr auto kMads = std::to_array<std::string_view>({"port-info", "counters", "counters-extended"});

std::vector<std::byte> MadOf(std::size_t attribute, std::uint8_t port) {
  if (attribute == 0) return PortInfoRequest(port);
  return attribute == 1 ? PortCountersRequest(port) : PortCountersExtendedRequest(port);
}

Built BuildMad(Arguments& arguments) {
  RR_ASSIGN_OR_RETURN(const DevicePort named, ReadDevicePort(arguments));
  const auto lid = arguments.Unsigned<std::uint16_t>("lid");
  const auto attribute = IndexOf(kMads, arguments.Text("attribute"));
  if (!attribute) return NoName("attribute");
  return MadRequest{named.device, named.port, lid, MadOf(*attribute, static_cast<std::uint8_t>(named.port))};
}

Recognised RecogniseMad(const Question& question) {
  const auto* request = As<MadRequest>(question);
  if (request == nullptr || request->port > kMostPorts) return std::nullopt;
  for (std::size_t attribute = 0; attribute < kMads.size(); ++attribute) {
    if (MadOf(attribute, static_cast<std::uint8_t>(request->port)) != request->mad) continue;
    return Json{{"device", recording::FromText(request->device)},
                {"port", request->port},
                {"lid", request->lid},
                {"attribute", std::string(kMads[attribute])}};
  }
  return std::nullopt;
}

// ---- lldpad ----

constexpr auto kLldpadAbout = std::to_array<std::string_view>({"mode", "own", "neighbour"});

std::string LldpadMessage(std::size_t about, std::string_view netdev) {
  if (about == 0) return LldpadModeQuestion(netdev);
  return LldpadTlvsQuestion(netdev, about == 1 ? LldpadTlvs::kOwn : LldpadTlvs::kNeighbour);
}

Built BuildLldpad(Arguments& arguments) {
  const std::string netdev = arguments.Text("netdev");
  const auto about = IndexOf(kLldpadAbout, arguments.Text("about"));
  if (!IsDeviceName(netdev)) return NoName("netdev");
  if (!about) return NoName("about");
  return LldpadQuestion{LldpadMessage(*about, netdev)};
}

// The netdev stands in the message after its length, of two hexadecimal digits, wherever that is: it is tried.
Recognised RecogniseLldpad(const Question& question) {
  const auto* asked = As<LldpadQuestion>(question);
  if (asked == nullptr) return std::nullopt;
  const std::string& message = asked->message;
  constexpr std::size_t kMostTried = 128;
  for (std::size_t about = 0; about < kLldpadAbout.size(); ++about) {
    const std::string empty = LldpadMessage(about, "");
    const std::size_t size = message.size() - std::min(message.size(), empty.size());
    for (std::size_t at = 0; size > 0 && at + size <= std::min(message.size(), kMostTried); ++at) {
      const std::string netdev = message.substr(at, size);
      if (LldpadMessage(about, netdev) != message) continue;
      return Json{{"netdev", recording::FromText(netdev)}, {"about", std::string(kLldpadAbout[about])}};
    }
  }
  return std::nullopt;
}

Built BuildLldpadProcess(Arguments&) { return FileQuestion{kLldpadPidFile}; }

Recognised RecogniseLldpadProcess(const Question& question) {
  const auto* file = As<FileQuestion>(question);
  if (file == nullptr || file->path != kLldpadPidFile) return std::nullopt;
  return Json::object();
}

// ---- the clock ----

Built BuildClock(Arguments&) { return ClockQuestion(); }

Recognised RecogniseClock(const Question& question) {
  if (As<ClockQuestion>(question) == nullptr) return std::nullopt;
  return Json::object();
}

std::vector<ReaderQuestion> AllQuestions() {
  std::vector<ReaderQuestion> questions{
      {"nft-list", "packet-filter", BuildNftList, RecogniseNftList},
      {"nft-elements", "packet-filter", BuildNftElements, RecogniseNftElements},
      {"legacy-tables", "legacy-packet-filter", BuildLegacyTables, RecogniseLegacyTables},
      {"devlink-switch", "devlink-switch", BuildDevlinkSwitch, RecogniseDevlinkSwitch},
      {"pci-configuration", "pci-configuration", BuildPciConfiguration, RecognisePciConfiguration},
      {"rdma-cm-defaults", "rdma-cm-defaults", BuildRdmaCm, RecogniseRdmaCm},
      {"management-datagram", "infiniband-management", BuildMad, RecogniseMad},
      {"congestion-names", "congestion-control", BuildCongestionNames, RecogniseCongestionNames},
      {"congestion", "congestion-control", BuildCongestion, RecogniseCongestion},
      {"lldpad", "lldpad", BuildLldpad, RecogniseLldpad},
      {"lldpad-process", "lldpad", BuildLldpadProcess, RecogniseLldpadProcess},
      {"clock", kNoRight, BuildClock, RecogniseClock},
  };
  const std::vector<ReaderQuestion> more = SettingsQuestions();
  questions.insert(questions.end(), more.begin(), more.end());
  return questions;
}

}  // namespace

const std::vector<ReaderQuestion>& ReaderQuestions() {
  static const std::vector<ReaderQuestion> kQuestions = AllQuestions();
  return kQuestions;
}

std::optional<VerbCall> VerbFor(const Question& question) {
  for (const ReaderQuestion& row : ReaderQuestions()) {
    std::optional<Json> arguments = row.recognise(question);
    if (!arguments) continue;
    Arguments reader(*arguments);
    const absl::StatusOr<Question> built = row.build(reader);
    if (!reader.status().ok() || !built.ok() || *built != question) continue;
    return VerbCall{row.verb, row.feature, *std::move(arguments)};
  }
  return std::nullopt;
}

bool Withheld(const Question& question, const Answer& answer) {
  if (!answer.ok()) return absl::IsPermissionDenied(answer.status());
  if (const auto* file = As<FileQuestion>(question)) {
    return file->first_bytes > kPciShownBytes && AnswerTo<FileQuestion>(answer)->size() == kPciShownBytes;
  }
  if (As<LldpadQuestion>(question) != nullptr) return LldpadRefused(*AnswerTo<LldpadQuestion>(answer));
  return false;
}

}  // namespace rdmaready::helper
