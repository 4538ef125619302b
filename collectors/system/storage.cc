// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/storage.h"

#include <netinet/in.h>
#include <rdma/rdma_netlink.h>
#include <rdma/rdma_user_cm.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>

#include "api/base/number.h"
#include "api/base/status.h"
#include "collectors/attributes.h"
#include "collectors/lines.h"

namespace rdmaready {
namespace {

// enum rdma_cm_state of drivers/infiniband/core/cma_priv.h.
constexpr std::uint8_t kCmListen = 8;
// TCP_LISTEN of include/net/tcp_states.h, as /proc/net/tcp writes it.
constexpr std::string_view kTcpListen = "0A";

constexpr const char* kMultichannel = "server multi channel support";
constexpr const char* kInterfaces = "interfaces";
constexpr const char* kBindOnly = "bind interfaces only";
constexpr const char* kSigning = "server signing";
constexpr const char* kEncryption = "smb3 encryption";

std::string_view Trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  text.remove_prefix(std::min(text.size(), text.find_first_not_of(kBlanks)));
  return text.substr(0, text.find_last_not_of(kBlanks) + 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return lower;
}

// As ksmbd-tools read it.
bool IsYes(std::string_view value) {
  const std::string word = Lower(value);
  return word == "yes" || word == "1" || word == "true" || word == "enable";
}

std::vector<std::string> InterfacesOf(std::string value) {
  std::ranges::replace(value, ',', ' ');
  std::vector<std::string> names;
  for (const std::string_view name : WordsOf(value)) names.emplace_back(name);
  return names;
}

template <class T>
std::vector<T> SortedUnique(std::vector<T> list) {
  std::ranges::sort(list);
  list.erase(std::ranges::unique(list).begin(), list.end());
  return list;
}

// The port of a struct sockaddr_in or sockaddr_in6; nothing for another family.
std::optional<std::uint16_t> PortOf(std::span<const std::byte> address) {
  sockaddr_in head{};  // both have family and port at its place
  if (address.size() < sizeof head) return std::nullopt;
  std::memcpy(&head, address.data(), sizeof head);
  if (head.sin_family != AF_INET && head.sin_family != AF_INET6) return std::nullopt;
  return ntohs(head.sin_port);
}

// Nothing when it does not listen, or on no port.
absl::StatusOr<std::optional<RdmaListener>> DecodeEntry(std::span<const std::byte> bytes) {
  RR_ASSIGN_OR_RETURN(const Attributes entry, Attributes::Parse(bytes, "RDMA-CM identifier"));
  RR_ASSIGN_OR_RETURN(const std::uint8_t state, entry.U8(RDMA_NLDEV_ATTR_RES_STATE));
  RR_ASSIGN_OR_RETURN(const std::uint32_t space, entry.U32(RDMA_NLDEV_ATTR_RES_PS));
  const auto address = entry.Find(RDMA_NLDEV_ATTR_RES_SRC_ADDR);
  if (state != kCmListen || space != RDMA_PS_TCP || !address) return std::nullopt;
  const std::optional<std::uint16_t> port = PortOf(*address);
  if (!port) return std::nullopt;
  RdmaListener listener{.port = *port};
  if (entry.Find(RDMA_NLDEV_ATTR_RES_KERN_NAME)) {
    RR_ASSIGN_OR_RETURN(listener.kernel_name, entry.Text(RDMA_NLDEV_ATTR_RES_KERN_NAME));
  } else if (entry.Find(RDMA_NLDEV_ATTR_RES_PID)) {
    RR_ASSIGN_OR_RETURN(listener.pid, entry.U32(RDMA_NLDEV_ATTR_RES_PID));
  }
  return listener;
}

}  // namespace

KsmbdConfig DecodeKsmbd(std::span<const std::string> lines) {
  std::map<std::string, std::string> first;  // of a key that is there twice ksmbd-tools take the first
  for (const std::string& whole : lines) {
    const std::string_view line = Trim(std::string_view(whole).substr(0, whole.find_first_of("#;")));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) continue;
    first.emplace(Lower(Trim(line.substr(0, equals))), Trim(line.substr(equals + 1)));
  }
  const auto value = [&first](const char* key) {
    const auto found = first.find(key);
    return found == first.end() ? std::string() : found->second;
  };
  KsmbdConfig config;
  if (first.contains(kMultichannel)) config.multichannel = IsYes(value(kMultichannel));
  if (IsYes(value(kBindOnly))) config.interfaces = InterfacesOf(value(kInterfaces));
  config.signing = Lower(value(kSigning));
  config.encryption = Lower(value(kEncryption));
  return config;
}

std::vector<std::string> KsmbdFiles() { return {"/etc/ksmbd/ksmbd.conf", "/usr/local/etc/ksmbd/ksmbd.conf"}; }
std::vector<std::string> KsmbdWords() { return {kMultichannel, kInterfaces, kBindOnly, kSigning, kEncryption}; }

Fact<KsmbdConfig> ReadKsmbd(HostReader& host) {
  for (const std::string& path : KsmbdFiles()) {
    const absl::StatusOr<std::vector<std::string>> lines = host.FindLines(path, KsmbdWords());
    if (lines.ok()) {
      KsmbdConfig config = DecodeKsmbd(*lines);
      config.path = path;
      return config;
    }
    if (lines.status().code() != absl::StatusCode::kNotFound) return MissingFrom(lines.status());
  }
  return Missing{Missing::Kind::kUnsupported, "there is no ksmbd.conf"};
}

absl::StatusOr<std::vector<RdmaListener>> DecodeListeners(std::span<const std::byte> payload,
                                                          const RdmaDevice& device) {
  constexpr const char* kWhat = "RDMA-CM identifiers";
  RR_ASSIGN_OR_RETURN(const Attributes top, Attributes::Parse(payload, kWhat));
  RR_ASSIGN_OR_RETURN(const std::uint32_t index, top.U32(RDMA_NLDEV_ATTR_DEV_INDEX));
  if (index != device.index) return Malformed(kWhat, "the answer is about another device");
  std::vector<RdmaListener> listeners;
  const auto nest = top.Find(RDMA_NLDEV_ATTR_RES_CM_ID);
  if (!nest) return listeners;
  RR_ASSIGN_OR_RETURN(const Attributes rows, Attributes::Parse(*nest, kWhat));
  for (const Attributes::Attribute& row : rows.all()) {
    RR_ASSIGN_OR_RETURN(std::optional<RdmaListener> listener, DecodeEntry(row.value));
    if (listener) listeners.push_back(*std::move(listener));
  }
  return listeners;
}

Fact<std::vector<RdmaListener>> ReadListeners(HostReader& host, const RdmaDevice& device) {
  const absl::StatusOr<std::vector<NetlinkMessage>> answer = host.Netlink(
      RdmaRequest(RDMA_NLDEV_CMD_RES_CM_ID_GET, true, Payload().U32(RDMA_NLDEV_ATTR_DEV_INDEX, device.index)));
  if (!answer.ok()) return MissingFrom(answer.status());
  std::vector<RdmaListener> all;
  for (const NetlinkMessage& message : *answer) {
    const absl::StatusOr<std::vector<RdmaListener>> some = DecodeListeners(message.payload, device);
    if (!some.ok()) return MissingFrom(some.status());
    all.insert(all.end(), some->begin(), some->end());
  }
  return SortedUnique(std::move(all));
}

std::vector<std::uint16_t> DecodeTcpListeners(std::span<const std::string> lines) {
  constexpr std::size_t kLocal = 1;  // "0100007F:1D2F"
  constexpr std::size_t kState = 3;
  std::vector<std::uint16_t> ports;
  for (const std::string& line : lines) {
    const std::vector<std::string_view> columns = WordsOf(line);
    if (columns.size() <= kState || columns[kState] != kTcpListen) continue;
    const std::size_t colon = columns[kLocal].find(':');
    if (colon == std::string_view::npos) continue;
    if (const auto port = ParseNumber<std::uint16_t>(columns[kLocal].substr(colon + 1), 16))
      ports.push_back(*port);
  }
  return SortedUnique(std::move(ports));
}

Fact<std::vector<std::uint16_t>> ReadTcpListeners(HostReader& host) {
  const std::vector<std::string> words{" " + std::string(kTcpListen) + " "};
  absl::StatusOr<std::vector<std::string>> lines = host.FindLines("/proc/net/tcp", words);
  if (!lines.ok()) return MissingFrom(lines.status());
  const absl::StatusOr<std::vector<std::string>> of_ipv6 = host.FindLines("/proc/net/tcp6", words);
  if (of_ipv6.ok()) {
    lines->insert(lines->end(), of_ipv6->begin(), of_ipv6->end());
  } else if (of_ipv6.status().code() != absl::StatusCode::kNotFound) {  // a kernel without IPv6
    return MissingFrom(of_ipv6.status());
  }
  return DecodeTcpListeners(*lines);
}

Fact<DeviceLimits> ReadLimits(HostReader& host, const RdmaDevice& device, const absl::Status& there) {
  // enum ibv_device_cap_flags; the numbers are the kernel's.
  constexpr std::uint32_t kMemMgtExtensions = 1U << 21U;
  constexpr std::uint32_t kWindow2a = 1U << 23U;
  constexpr std::uint32_t kWindow2b = 1U << 24U;
  if (!there.ok()) return MissingFrom(there);
  const absl::StatusOr<VerbsDeviceAnswer> answer = host.Ask(VerbsDeviceQuestion{device.name});
  if (!answer.ok()) return MissingFrom(answer.status());
  return DeviceLimits{.max_qp_wr = answer->max_qp_wr,
                      .max_cqe = answer->max_cqe,
                      .max_sge = answer->max_sge,
                      .max_sge_rd = answer->max_sge_rd,
                      .max_qp_rd_atom = answer->max_qp_rd_atom,
                      .max_qp_init_rd_atom = answer->max_qp_init_rd_atom,
                      .max_qp = answer->max_qp,
                      .max_mr = answer->max_mr,
                      .max_mw = answer->max_mw,
                      .fast_registration = (answer->device_cap_flags & kMemMgtExtensions) != 0,
                      .mw_type_2a = (answer->device_cap_flags & kWindow2a) != 0,
                      .mw_type_2b = (answer->device_cap_flags & kWindow2b) != 0};
}

}  // namespace rdmaready
