// SPDX-License-Identifier: Apache-2.0
#include "collectors/net/qdiscs.h"

#include <fmt/format.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostKindBytes = 15;  // IFNAMSIZ with its NUL

static_assert(sizeof(tc_mqprio_qopt) == 82);

Missing None(std::string detail) { return {Missing::Kind::kUnsupported, std::move(detail)}; }

// The struct, and attributes of newer kernels behind it.
absl::StatusOr<Mqprio> DecodeMqprio(std::span<const std::byte> options) {
  tc_mqprio_qopt raw{};
  if (options.size() < sizeof raw) return Malformed("mqprio", "shorter than its options");
  std::memcpy(&raw, options.data(), sizeof raw);
  Mqprio mqprio{.traffic_classes = raw.num_tc};
  if (raw.num_tc > TC_QOPT_MAX_QUEUE) return Malformed("mqprio", fmt::format("{} classes", raw.num_tc));
  std::copy_n(&raw.prio_tc_map[0], mqprio.priority_class.size(), mqprio.priority_class.begin());
  for (const std::uint8_t traffic_class : mqprio.priority_class) {
    if (traffic_class >= TC_QOPT_MAX_QUEUE)
      return Malformed("mqprio", fmt::format("a priority in class {}", traffic_class));
  }
  mqprio.offloaded = raw.hw != 0;
  return mqprio;
}

}  // namespace

absl::StatusOr<Qdisc> DecodeQdisc(std::span<const std::byte> payload) {
  tcmsg header{};
  RR_ASSIGN_OR_RETURN(const Attributes attributes, ParseMessage(payload, header, "queueing discipline"));
  RR_ASSIGN_OR_RETURN(const std::string kind, attributes.Text(TCA_KIND));
  Qdisc qdisc{.ifindex = static_cast<std::uint32_t>(header.tcm_ifindex),
              .root = header.tcm_parent == TC_H_ROOT,
              .kind = SafeLine(kind, kMostKindBytes)};
  if (qdisc.kind != "mqprio") {
    qdisc.mqprio = None("the queueing discipline is " + qdisc.kind);
    return qdisc;
  }
  RR_ASSIGN_OR_RETURN(qdisc.mqprio,
                      DecodeMqprio(attributes.Find(TCA_OPTIONS).value_or(std::span<const std::byte>())));
  return qdisc;
}

Fact<RootQdiscs> ReadRootQdiscs(HostReader& host) {
  const absl::StatusOr<std::vector<NetlinkMessage>> answer =
      host.Netlink({NETLINK_ROUTE, RTM_GETQDISC, true, Payload::Of(tcmsg{}).bytes()});
  if (!answer.ok()) return MissingFrom(answer.status());
  RootQdiscs qdiscs;
  for (const NetlinkMessage& message : *answer) {
    const absl::StatusOr<Qdisc> qdisc = DecodeQdisc(message.payload);
    if (!qdisc.ok()) return MissingFrom(qdisc.status());
    if (qdisc->root) qdiscs.insert_or_assign(qdisc->ifindex, *qdisc);
  }
  return qdiscs;
}

Fact<Mqprio> MqprioOf(const Fact<RootQdiscs>& qdiscs, std::uint32_t ifindex) {
  if (!qdiscs) return qdiscs.missing();
  const auto found = qdiscs->find(ifindex);
  return found == qdiscs->end() ? None("no queueing discipline") : found->second.mqprio;
}

}  // namespace rdmaready
