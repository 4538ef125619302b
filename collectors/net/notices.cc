// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/notices.h"

#include <fmt/format.h>
#include <linux/dcbnl.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>

#include "absl/status/statusor.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

using Bytes = std::span<const std::byte>;

// Of include/uapi/rdma/rdma_netlink.h of Linux 6.12; older headers have not got them.
constexpr unsigned kRdmaMonitorCommand = 28;   // RDMA_NLDEV_CMD_MONITOR
constexpr int kRdmaEventAttribute = 102;       // RDMA_NLDEV_ATTR_EVENT_TYPE
constexpr std::uint8_t kRdmaUnregistered = 1;  // RDMA_UNREGISTER_EVENT

// Nothing: no notice of ours. An error: it is one, and cannot be read.
using Noticed = absl::StatusOr<std::optional<HostNotice>>;

std::uint32_t NumberOr0(const Attributes& attributes, int type) { return attributes.U32(type).value_or(0); }

Noticed DecodeDcbNotice(Bytes payload) {
  dcbmsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(payload, header, "DCB");
  if (!attributes.ok()) return attributes.status();
  absl::StatusOr<std::string> name = attributes->Text(DCB_ATTR_IFNAME);
  if (!name.ok()) return name.status();
  return HostNotice{.kind = NoticeKind::kDcb, .name = *std::move(name)};
}

Noticed DecodeLinkNotice(Bytes payload, bool gone) {
  ifinfomsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(payload, header, "link");
  if (!attributes.ok()) return attributes.status();
  if (header.ifi_index <= 0) return Malformed("link", "no interface");
  return HostNotice{.kind = NoticeKind::kLink,
                    .ifindex = static_cast<std::uint32_t>(header.ifi_index),
                    .name = attributes->Text(IFLA_IFNAME).value_or(""),
                    // A bridge says by the same type that a port has left it.
                    .gone = gone && header.ifi_family == AF_UNSPEC,
                    .master = NumberOr0(*attributes, IFLA_MASTER),
                    .lower = NumberOr0(*attributes, IFLA_LINK)};
}

Noticed DecodeAddressNotice(Bytes payload) {
  ifaddrmsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(payload, header, "address");
  if (!attributes.ok()) return attributes.status();
  return HostNotice{.kind = NoticeKind::kAddress, .ifindex = header.ifa_index};
}

// "all" and "default" are no netdev: 0, which is every one of them.
Noticed DecodeNetconfNotice(Bytes payload) {
  netconfmsg header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(payload, header, "netconf");
  if (!attributes.ok()) return attributes.status();
  const absl::StatusOr<std::uint32_t> ifindex = attributes->U32(NETCONFA_IFINDEX);
  if (!ifindex.ok()) return ifindex.status();
  const bool netdev = static_cast<std::int32_t>(*ifindex) > 0;
  return HostNotice{.kind = NoticeKind::kNetconf, .ifindex = netdev ? *ifindex : 0};
}

Noticed DecodeRouteMessage(const nlmsghdr& header, Bytes payload) {
  switch (header.nlmsg_type) {
    case RTM_SETDCB:
    case RTM_GETDCB:
      return DecodeDcbNotice(payload);
    case RTM_NEWLINK:
    case RTM_DELLINK:
      return DecodeLinkNotice(payload, header.nlmsg_type == RTM_DELLINK);
    case RTM_NEWADDR:
    case RTM_DELADDR:
      return DecodeAddressNotice(payload);
    case RTM_NEWNETCONF:
    case RTM_DELNETCONF:
      return DecodeNetconfNotice(payload);
    default:
      return std::nullopt;
  }
}

Noticed DecodeRdmaMessage(const nlmsghdr& header, Bytes payload) {
  if (header.nlmsg_type != RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, kRdmaMonitorCommand)) return std::nullopt;
  const absl::StatusOr<Attributes> attributes = Attributes::Parse(payload, "RDMA event");
  if (!attributes.ok()) return attributes.status();
  HostNotice notice{.kind = NoticeKind::kRdma,
                    .ifindex = NumberOr0(*attributes, RDMA_NLDEV_ATTR_NDEV_INDEX),
                    .name = attributes->Text(RDMA_NLDEV_ATTR_DEV_NAME).value_or("")};
  notice.gone = attributes->U8(kRdmaEventAttribute).value_or(0) == kRdmaUnregistered;
  return notice;
}

// Every message of the family has its netdev in the first attribute (ETHTOOL_A_*_HEADER).
Noticed DecodeEthtoolMessage(Bytes payload) {
  constexpr int kHeader = 1;
  genlmsghdr header{};
  const absl::StatusOr<Attributes> attributes = ParseMessage(payload, header, "ethtool");
  if (!attributes.ok()) return attributes.status();
  const std::optional<Bytes> nest = attributes->Find(kHeader);
  if (!nest) return Malformed("ethtool", "no netdev");
  const absl::StatusOr<Attributes> netdev = Attributes::Parse(*nest, "ethtool header");
  if (!netdev.ok()) return netdev.status();
  const absl::StatusOr<std::uint32_t> ifindex = netdev->U32(ETHTOOL_A_HEADER_DEV_INDEX);
  if (!ifindex.ok()) return ifindex.status();
  return HostNotice{.kind = NoticeKind::kEthtool,
                    .ifindex = *ifindex,
                    .name = netdev->Text(ETHTOOL_A_HEADER_DEV_NAME).value_or("")};
}

template <class Decode>
DecodedNotices DecodeEach(Bytes datagram, const Decode& decode) {
  DecodedNotices decoded;
  while (!datagram.empty()) {
    nlmsghdr header{};
    if (datagram.size() < sizeof header) return decoded.broken = true, decoded;
    std::memcpy(&header, datagram.data(), sizeof header);
    if (header.nlmsg_len < sizeof header || header.nlmsg_len > datagram.size())
      return decoded.broken = true, decoded;
    Noticed noticed = decode(header, datagram.first(header.nlmsg_len).subspan(sizeof header));
    if (!noticed.ok()) {
      decoded.broken = true;
    } else if (*noticed) {
      (*noticed)->sequence = header.nlmsg_seq;
      (*noticed)->port_id = header.nlmsg_pid;
      decoded.notices.push_back(**std::move(noticed));
    }
    datagram = datagram.subspan(std::min<std::size_t>(NLMSG_ALIGN(header.nlmsg_len), datagram.size()));
  }
  return decoded;
}

std::string KeyOf(const HostNotice& notice) {
  const bool by_name = notice.kind == NoticeKind::kDcb || notice.kind == NoticeKind::kRdma;
  return by_name ? notice.name : fmt::format("{}", notice.ifindex);
}

std::size_t IndexOf(NoticeKind kind) {
  return static_cast<std::size_t>(std::ranges::find(kNoticeKinds, kind) - kNoticeKinds.begin());
}

}  // namespace

DecodedNotices DecodeRouteNotices(Bytes datagram) { return DecodeEach(datagram, DecodeRouteMessage); }

DecodedNotices DecodeRdmaNotices(Bytes datagram) { return DecodeEach(datagram, DecodeRdmaMessage); }

DecodedNotices DecodeEthtoolNotices(Bytes datagram, std::uint16_t family) {
  return DecodeEach(datagram, [family](const nlmsghdr& header, Bytes payload) {
    return header.nlmsg_type == family ? DecodeEthtoolMessage(payload) : Noticed(std::nullopt);
  });
}

// Where there is no room the kind begins anew: what comes last is kept, of the rest it is said that it was
// lost.
HeardSubject& NoticeTable::SubjectOf(const HostNotice& notice) {
  const Key key(notice.kind, KeyOf(notice));
  std::size_t& count = counts_[IndexOf(notice.kind)];
  auto found = subjects_.find(key);
  if (found == subjects_.end()) {
    if (count >= kMostSubjects) {
      std::erase_if(subjects_, [&](const auto& entry) {
        if (entry.first.first != notice.kind) return false;
        sequences_ -= entry.second.subject.sequences.size();
        return true;
      });
      count = 0;
      Lose(notice.kind);
    }
    found = subjects_.try_emplace(key).first;
    ++count;
  }
  found->second.order = ++order_;
  found->second.subject.last = notice;
  return found->second.subject;
}

void NoticeTable::AddSequence(std::uint32_t sequence, HeardSubject& subject) {
  if (!subject.sequences.empty() && subject.sequences.back() == sequence) return;
  if (sequences_ >= kMostSequences) {
    subject.all_sequences = false;
    return;
  }
  subject.sequences.push_back(sequence);
  ++sequences_;
}

void NoticeTable::AddSuspects(std::span<const ProcessName> suspects, HeardSubject& subject) {
  for (const ProcessName& suspect : suspects) {
    const bool known = std::ranges::find(subject.suspects, suspect) != subject.suspects.end();
    if (!known && subject.suspects.size() < kMostSuspects) subject.suspects.push_back(suspect);
  }
}

void NoticeTable::Add(const HostNotice& notice, std::span<const ProcessName> suspects) {
  HeardSubject& subject = SubjectOf(notice);
  ++subject.times;
  AddSequence(notice.sequence, subject);
  AddSuspects(suspects, subject);
}

void NoticeTable::Lose(NoticeKind kind) {
  if (std::ranges::find(lost_, kind) == lost_.end()) lost_.push_back(kind);
}

void NoticeTable::Add(const HeardNotices& heard) {
  for (const HeardSubject& more : heard.subjects) {
    HeardSubject& subject = SubjectOf(more.last);
    subject.times += more.times;
    subject.all_sequences = subject.all_sequences && more.all_sequences;
    for (const std::uint32_t sequence : more.sequences) AddSequence(sequence, subject);
    AddSuspects(more.suspects, subject);
  }
  for (const NoticeKind kind : heard.lost) Lose(kind);
}

HeardNotices NoticeTable::Take() {
  std::vector<Entry> entries;
  entries.reserve(subjects_.size());
  for (auto& [key, entry] : subjects_) entries.push_back(std::move(entry));
  std::ranges::sort(entries, {}, &Entry::order);
  HeardNotices heard{.lost = std::move(lost_)};
  heard.subjects.reserve(entries.size());
  for (Entry& entry : entries) heard.subjects.push_back(std::move(entry.subject));
  subjects_.clear();
  counts_ = {};
  lost_ = {};
  sequences_ = 0;
  return heard;
}

}  // namespace rdmaready
