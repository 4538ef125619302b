// SPDX-License-Identifier: Apache-2.0
#include "tests/fuzz/target.h"

#include <linux/dcbnl.h>
#include <linux/genetlink.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netconf.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>

#include <cstdlib>
#include <cstring>
#include <iterator>
#include <string>

#include "collectors/net/notices.h"
#include "collectors/real/dcb_suspects.h"

namespace rdmaready {
namespace {

using Octets = std::span<const std::byte>;
using Bytes = std::vector<std::byte>;

constexpr std::uint16_t kFamily = 21;
constexpr std::uint16_t kRdmaMonitor = (RDMA_NL_NLDEV << 10) + 28;

// What must hold of every answer, whatever the bytes were.
void Demand(bool holds) {
  if (!holds) std::abort();
}

// Every notice came out of bytes: there are no more of them than headers fit, and all are kept or told as lost.
void DemandSane(Octets bytes, const DecodedNotices& decoded) {
  Demand(decoded.notices.size() <= bytes.size() / sizeof(nlmsghdr));
  NoticeTable table;
  for (const HostNotice& notice : decoded.notices) {
    Demand(notice.name.size() <= bytes.size());
    table.Add(notice);
  }
  const HeardNotices heard = table.Take();
  Demand(heard.subjects.size() <= decoded.notices.size());
  std::uint64_t times = 0;
  for (const HeardSubject& subject : heard.subjects) {
    times += subject.times;
    Demand(subject.sequences.size() <= subject.times && !subject.sequences.empty());
  }
  Demand(times == decoded.notices.size() || !heard.lost.empty());
  Demand(heard.subjects.empty() || heard.subjects.back().last == decoded.notices.back());
}

void Route(Octets bytes) { DemandSane(bytes, DecodeRouteNotices(bytes)); }
void Rdma(Octets bytes) { DemandSane(bytes, DecodeRdmaNotices(bytes)); }
void Ethtool(Octets bytes) { DemandSane(bytes, DecodeEthtoolNotices(bytes, kFamily)); }

void Stat(Octets bytes) {
  const std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  Demand(StartTicksOf(text) == StartTicksOf(text));
}

constexpr void (*kDecoders[])(Octets) = {Route, Rdma, Ethtool, Stat};

template <class T>
void Append(const T& value, Bytes& to) {
  const Octets bytes = std::as_bytes(std::span(&value, 1));
  to.insert(to.end(), bytes.begin(), bytes.end());
}

template <class Header>
Bytes Message(std::uint16_t type, const Header& header, int attribute, const Bytes& value) {
  Bytes payload;
  Append(header, payload);
  while (payload.size() % 4 != 0) payload.push_back(std::byte{0});
  Append(static_cast<std::uint16_t>(4 + value.size()), payload);
  Append(static_cast<std::uint16_t>(attribute), payload);
  payload.insert(payload.end(), value.begin(), value.end());
  while (payload.size() % 4 != 0) payload.push_back(std::byte{0});
  nlmsghdr message{};
  message.nlmsg_len = static_cast<std::uint32_t>(sizeof message + payload.size());
  message.nlmsg_type = type;
  Bytes bytes;
  Append(message, bytes);
  bytes.insert(bytes.end(), payload.begin(), payload.end());
  return bytes;
}

Bytes Of(std::string_view text) {
  const Octets bytes = std::as_bytes(std::span(text.data(), text.size()));
  return {bytes.begin(), bytes.end()};
}

Bytes Number(std::uint32_t value) {
  Bytes bytes;
  Append(value, bytes);
  return bytes;
}

std::vector<std::uint8_t> Seed(std::uint8_t decoder, const Bytes& bytes) {
  std::vector<std::uint8_t> input{decoder};
  for (const std::byte byte : bytes) input.push_back(std::to_integer<std::uint8_t>(byte));
  return input;
}

}  // namespace

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  ifinfomsg link{};
  link.ifi_index = 7;
  ifaddrmsg address{};
  address.ifa_index = 7;
  using namespace std::string_view_literals;
  const Bytes header = [] {
    Bytes nest;
    Append(std::uint16_t{8}, nest);
    Append(std::uint16_t{1}, nest);
    Append(std::uint32_t{7}, nest);
    return nest;
  }();
  Bytes rdma = Message(kRdmaMonitor, std::uint32_t{0x00010008}, RDMA_NLDEV_ATTR_DEV_NAME, Of("rxe0\0"sv));
  return {Seed(0, Message(RTM_SETDCB, dcbmsg{}, DCB_ATTR_IFNAME, Of("dcb0\0"sv))),
          Seed(0, Message(RTM_NEWLINK, link, IFLA_MASTER, Number(3))),
          Seed(0, Message(RTM_DELLINK, link, IFLA_IFNAME, Of("dcb0\0"sv))),
          Seed(0, Message(RTM_NEWADDR, address, IFA_LOCAL, Number(1))),
          Seed(0, Message(RTM_NEWNETCONF, netconfmsg{}, NETCONFA_IFINDEX, Number(7))),
          Seed(1, rdma),
          Seed(2, Message(kFamily, genlmsghdr{}, 1, header)),
          Seed(3, Of("712 (dcb) S 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 4711 20"))};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // A copy that ends where its memory ends.
  const std::vector<std::byte> bytes(reinterpret_cast<const std::byte*>(data) + 1,
                                     reinterpret_cast<const std::byte*>(data) + size);
  rdmaready::kDecoders[data[0] % std::size(rdmaready::kDecoders)](bytes);
  return 0;
}
