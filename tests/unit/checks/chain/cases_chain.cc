// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

constexpr std::string_view kWhole =
    "DSCP 26 -> priority 3 -> TC 3 (50 %) -> PFC on -> the wire; switch not heard";

Facts Marking(Fact<std::vector<ConsumerMarking>> markings) {
  Facts host = GoodHost();
  host.markings = markings;
  return host;
}

Facts MarkedBy(MarkingConsumer consumer, std::optional<std::uint8_t> tos) {
  return Marking(std::vector<ConsumerMarking>{{.consumer = consumer, .source = "/etc/marks.conf", .tos = tos}});
}

Facts Forcing(Fact<std::uint8_t> tos) {
  return WithPort([&tos](Port& port) { port.verbs_traffic_class = tos; });
}

void AddConsumers(std::vector<CheckCase>& cases) {
  Profile nfs = VirtualFabricProfile();
  nfs.roles = {Profile::Role::kNfsServer};
  const std::uint8_t right = 106;
  const std::uint8_t zero = 0;
  const Facts no_row = WithApp({{.selector = AppSelector::kDscp, .priority = 0, .protocol = 26}});
  const Facts denied = WithDcb([](Dcb& dcb) { dcb.app = Denied(); });
  const Facts iwarp = WithPort([](Port& port) { port.transport = Transport::kIwarp; });
  cases.insert(
      cases.end(),
      {{"chain.rdma-cm", "whole", GoodHost(), kPass, std::string(kWhole)},
       {"chain.rdma-cm", "broken", no_row, kFail, "ToS 106 -> DSCP 26 -> priority 0", "dcb app show dev dcb0"},
       {"chain.rdma-cm", "denied", denied, kUnknown, "unknown from here, Operation not permitted"},
       {"chain.rdma-cm", "iWARP", iwarp, kNotApplicable, "iWARP"},
       {"chain.rdma-cm", "nothing asked", GoodHost(), kNotApplicable, "does not ask", "",
        Profile{.name = "any"}},
       {"chain.smb", "whole", GoodHost(), kPass, std::string(kWhole)},
       {"chain.smb", "broken", no_row, kFail, "priority 0"},
       {"chain.smb", "denied", denied, kUnknown, "unknown from here"},
       {"chain.smb", "another role", GoodHost(), kNotApplicable, "", "", nfs},
       {"chain.verbs", "RDMA's", Forcing(right), kPass, std::string(kWhole)},
       {"chain.verbs", "another", Forcing(std::uint8_t{96}), kFail, "ToS 96 (DSCP 24)"},
       {"chain.verbs", "denied", Forcing(Denied()), kUnknown, "ToS: unknown from here"},
       {"chain.verbs", "none forced", Forcing(zero), kNotApplicable, "mark by themselves"},
       {"chain.verbs", "not offered", GoodHost(), kNotApplicable, "mark by themselves"},
       {"chain.nvme", "--tos=106", MarkedBy(MarkingConsumer::kNvme, right), kPass, std::string(kWhole)},
       {"chain.nvme", "--tos=0", MarkedBy(MarkingConsumer::kNvme, zero), kFail, "ToS 0 (DSCP 0)",
        "grep -n tos /etc/marks.conf  # name --tos=106 there"},
       {"chain.nvme", "denied", Marking(Denied()), kUnknown, "ToS: unknown from here"},
       {"chain.nvme", "none of its own", MarkedBy(MarkingConsumer::kNvme, std::nullopt), kNotApplicable,
        "as RDMA-CM does"},
       {"chain.nvme", "none here", GoodHost(), kNotApplicable, "no configuration of NVMe"},
       {"chain.nccl", "NCCL_IB_TC=106", MarkedBy(MarkingConsumer::kNccl, right), kPass, std::string(kWhole)},
       {"chain.nccl", "not named", MarkedBy(MarkingConsumer::kNccl, std::nullopt), kFail, "ToS 0 (DSCP 0)",
        "NCCL_IB_TC=106"},
       {"chain.nccl", "denied", Marking(Denied()), kUnknown, "unknown from here"},
       {"chain.nccl", "none here", GoodHost(), kNotApplicable, "no configuration of NCCL"}});
}

}  // namespace

void AddChainCases(std::vector<CheckCase>& cases) { AddConsumers(cases); }

}  // namespace rdmaready
