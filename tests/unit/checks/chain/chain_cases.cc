// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr std::string_view kWholeChain =
    "DSCP 26 -> priority 3 -> TC 3 (50 %) -> PFC on -> the wire; switch not heard";

Facts MarkedHost(Fact<std::vector<ConsumerMarking>> markings) {
  Facts host = GoodHost();
  host.markings = markings;
  return host;
}

Facts MarkedBy(MarkingConsumer consumer, std::optional<std::uint8_t> tos) {
  return MarkedHost(
      std::vector<ConsumerMarking>{{.consumer = consumer, .source = "/etc/marks.conf", .tos = tos}});
}

Facts Forcing(Fact<std::uint8_t> tos) {
  return WithPort([&tos](Port& port) { port.verbs_traffic_class = tos; });
}

// The driver forces RDMA's mark, and NCCL has one of its own.
Facts ForcedOverNccl(std::uint8_t own) {
  Facts host = Forcing(std::uint8_t{106});
  host.markings = std::vector<ConsumerMarking>{
      {.consumer = MarkingConsumer::kNccl, .source = "/etc/nccl.conf", .tos = own}};
  return host;
}

}  // namespace

std::vector<CheckCase> ChainCases() {
  Profile nfs = VirtualFabricProfile();
  nfs.roles = {Profile::Role::kNfsServer};
  const std::uint8_t right = 106;
  const std::uint8_t zero = 0;
  const Facts no_row = WithApp({{.selector = AppSelector::kDscp, .priority = 0, .protocol = 26}});
  const Facts denied = WithDcb([](Dcb& dcb) { dcb.app = Denied(); });
  Facts unmarked = Forcing(right);
  unmarked.markings = Denied();
  Profile tagged = PcpProfile();
  tagged.vlan = Profile::Vlan::kTagged;
  const Facts addresses_denied = WithNetdev([](Netdev& netdev) {
    netdev.dcb.app = std::vector<AppEntry>{};
    netdev.addresses = Denied();
  });
  const Facts iwarp = WithPort([](Port& port) { port.transport = Transport::kIwarp; });
  return {
      Passes("chain.rdma-cm", "whole", GoodHost(), std::string(kWholeChain)),
      Fails("chain.rdma-cm", "broken", no_row, "ToS 106 -> DSCP 26 -> priority 0",
            {.fix = "dcb app show dev dcb0"}),
      IsUnknown("chain.rdma-cm", "denied", denied, "unknown from here, not allowed: Operation not permitted"),
      DoesNotApply("chain.rdma-cm", "iWARP", iwarp, "iWARP"),
      DoesNotApply("chain.rdma-cm", "nothing asked", GoodHost(), "does not ask",
                   {.profile = Profile{.name = "any"}}),
      Passes("chain.smb", "whole", GoodHost(), std::string(kWholeChain)),
      Fails("chain.smb", "broken", no_row, "priority 0"),
      IsUnknown("chain.smb", "denied", denied, "unknown from here"),
      DoesNotApply("chain.smb", "another role", GoodHost(), "", {.profile = nfs}),
      Warns("chain.nccl", "another mark than the forced one", ForcedOverNccl(0),
            "that ToS is forced by the driver; NCCL names 0, which queue pairs made by DevX keep"),
      Passes("chain.nccl", "the forced mark is its own", ForcedOverNccl(106), std::string(kWholeChain)),
      Passes("chain.rdma-cm", "the NIC marks by itself, whatever RDMA-CM's default is",
             WithPort([](Port& port) {
               port.cm_default_tos = std::uint8_t{0};
               port.congestion = CongestionControl{.source = "/sys/kernel/config/bnxt_re/rxe0/ports/1/cc",
                                                   .parameters = {{"roce_dscp", 26}}};
             }),
             "ToS 104 -> DSCP 26"),
      DoesNotApply(
          "chain.rdma-cm", "consumers mark, and RDMA-CM's default is nobody's",
          WithPort([](Port& port) { port.cm_default_tos = std::uint8_t{0}; }), "consumers mark by themselves",
          {.profile = Asking([](Profile& profile) { profile.marking = Profile::Marking::kConsumers; })}),
      Passes("chain.verbs", "RDMA's", Forcing(right), std::string(kWholeChain)),
      Fails("chain.verbs", "another", Forcing(std::uint8_t{96}), "ToS 96 (DSCP 24)"),
      IsUnknown("chain.verbs", "denied", Forcing(Denied()), "ToS: unknown from here"),
      DoesNotApply("chain.verbs", "none forced", Forcing(zero), "mark by themselves"),
      DoesNotApply("chain.verbs", "not offered", GoodHost(), "mark by themselves"),
      Passes("chain.nvme", "--tos=106", MarkedBy(MarkingConsumer::kNvme, right), std::string(kWholeChain)),
      Fails("chain.nvme", "--tos=0", MarkedBy(MarkingConsumer::kNvme, zero), "ToS 0 (DSCP 0)",
            {.fix = "write --tos=106 there"}),
      IsUnknown("chain.nvme", "denied", MarkedHost(Denied()), "ToS: unknown from here"),
      DoesNotApply("chain.nvme", "none of its own", MarkedBy(MarkingConsumer::kNvme, std::nullopt),
                   "as RDMA-CM does"),
      DoesNotApply("chain.nvme", "none here", GoodHost(), "no configuration of NVMe"),
      Passes("chain.nccl", "NCCL_IB_TC=106", MarkedBy(MarkingConsumer::kNccl, right), std::string(kWholeChain)),
      Fails("chain.nccl", "not named", MarkedBy(MarkingConsumer::kNccl, std::nullopt), "ToS 0 (DSCP 0)",
            {.fix = "NCCL_IB_TC=106"}),
      IsUnknown("chain.nccl", "denied", MarkedHost(Denied()), "unknown from here"),
      IsUnknown("chain.nccl", "a mark is forced, and whether NCCL is here is not known", unmarked,
                "ToS: unknown from here"),
      IsUnknown("chain.smb", "whether there is SMB is not known", ModulesDenied(), "ToS: unknown from here"),
      IsUnknown("chain.smb", "perhaps another mark is forced", Forcing(Denied()), "ToS: unknown from here"),
      IsUnknown("chain.rdma-cm", "whether an address is on a VLAN is not known", addresses_denied,
                "tag: unknown from here", {.profile = tagged}),
      IsUnknown("chain.rdma-cm", "RDMA-CM's default, which may be nobody's, is not known",
                WithPort([](Port& port) { port.cm_default_tos = Denied(); }), "ToS: unknown from here",
                {.profile = Asking([](Profile& profile) { profile.marking = Profile::Marking::kConsumers; })}),
      DoesNotApply("chain.nccl", "none here", GoodHost(), "no configuration of NCCL")};
}

}  // namespace rdmaready
