// SPDX-License-Identifier: Apache-2.0
// ib.*: what a subnet manager makes of a port, and its link.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

const Missing kNoUmad{.kind = Missing::Kind::kUnsupported, .detail = "ib_umad is not loaded"};

Facts WithLid(Fact<std::uint16_t> lid) {
  return OnInfiniband([&lid](Port& port) { port.ib.lid = lid; });
}

Facts WithSmLid(Fact<std::uint16_t> sm_lid) {
  return OnInfiniband([&sm_lid](Port& port) { port.ib.sm_lid = sm_lid; });
}

Facts InState(Fact<PortState> state) {
  return OnInfiniband([&state](Port& port) { port.state = state; });
}

Facts WithoutCable() {
  return OnInfiniband([](Port& port) {
    port.state = PortState::kDown;
    port.phys_state = std::uint8_t{2};
    port.ib.lid = std::uint16_t{0};
    port.ib.sm_lid = std::uint16_t{0};
  });
}

Facts WithKeys(Fact<std::vector<std::uint16_t>> keys) {
  return OnInfiniband([&keys](Port& port) { port.ib.pkeys = keys; });
}

template <class Change>
Facts WithLink(Change change) {
  return OnInfiniband([&change](Port& port) {
    IbLink link = *port.ib.link;
    change(link);
    port.ib.link = link;
  });
}

Facts WithoutLink(const Missing& why) {
  return OnInfiniband([&why](Port& port) { port.ib.link = why; });
}

void AddSubnet(std::vector<CheckCase>& cases) {
  cases.insert(cases.end(),
               {{"ib.sm", "good", OnInfiniband(), kPass, "subnet manager at LID 1"},
                {"ib.sm", "none", WithSmLid(std::uint16_t{0}), kFail,
                 "no subnet manager has configured the port", "systemctl enable --now opensm"},
                {"ib.sm", "permissive LID", WithSmLid(std::uint16_t{0xffff}), kFail, "sm_lid 65535"},
                {"ib.sm", "denied", WithSmLid(Denied()), kUnknown, "not permitted"},
                {"ib.sm", "no cable", WithoutCable(), kNotApplicable, "see link.state"},
                {"ib.sm", "RoCE", GoodHost(), kNotApplicable, "not InfiniBand"},
                {"ib.lid", "good", OnInfiniband(), kPass, "LID 4"},
                {"ib.lid", "the largest", WithLid(std::uint16_t{0xbfff}), kPass, "LID 49151"},
                {"ib.lid", "none", WithLid(std::uint16_t{0}), kFail, "no LID", "journalctl -u opensm"},
                {"ib.lid", "of multicast", WithLid(std::uint16_t{0xc000}), kFail, "49152"},
                {"ib.lid", "denied", WithLid(Denied()), kUnknown, "not permitted"},
                {"ib.lid", "no cable", WithoutCable(), kNotApplicable, "see link.state"},
                {"ib.state-init", "active", OnInfiniband(), kPass, "active"},
                {"ib.state-init", "init", InState(PortState::kInit), kFail, "init", "systemctl restart opensm"},
                {"ib.state-init", "armed", InState(PortState::kArmed), kFail, "has not finished"},
                {"ib.state-init", "denied", InState(Denied()), kUnknown, "not permitted"},
                {"ib.state-init", "a new state", InState(PortState::kUnknown), kUnknown, "do not know"},
                {"ib.state-init", "down", InState(PortState::kDown), kNotApplicable, "see link.state"},
                {"ib.state-init", "RoCE", GoodHost(), kNotApplicable, "not InfiniBand"}});
}

void AddPkeys(std::vector<CheckCase>& cases) {
  const auto row = [&cases](std::string_view name, const Facts& host, Outcome expected, const char* observed,
                            const char* fix = "") {
    cases.push_back({"ib.pkey", name, host, expected, observed, fix, InfinibandProfile()});
  };
  using Keys = std::vector<std::uint16_t>;
  row("default", OnInfiniband(), kPass, "default partition");
  row("another partition", WithKeys(Keys{0x7fff, 0x8001}), kPass, "a full member: 0x7fff, 0x8001");
  row("limited", WithKeys(Keys{0x7fff}), kWarn, "a limited member only: 0x7fff", "partitions.conf");
  row("none", WithKeys(Keys{}), kFail, "no P_Key", "partitions.conf");
  row("denied", WithKeys(Denied()), kUnknown, "not permitted");
  Profile storage = InfinibandProfile();
  storage.pkeys = std::vector<std::uint16_t>{1};
  const auto asked = [&](std::string_view name, Keys keys, Outcome expected, const char* observed) {
    cases.push_back({"ib.pkey", name, WithKeys(keys), expected, observed, "", storage});
  };
  asked("in the partition that is asked for", Keys{0x7fff, 0x8001}, kPass, "a full member: 0x7fff, 0x8001");
  asked("not in the partition that is asked for", Keys{0xffff}, kFail, "a member of 0xffff");
  asked("a limited member of it", Keys{0xffff, 0x0001}, kWarn, "a limited member: 0xffff, 0x0001");
  cases.push_back({"ib.pkey", "another profile", OnInfiniband(), kNotApplicable, "does not ask for InfiniBand",
                   "", VirtualFabricProfile()});
}

void AddLink(std::vector<CheckCase>& cases) {
  cases.insert(
      cases.end(),
      {{"ib.width", "good", OnInfiniband(), kPass, "4X"},
       {"ib.width", "a lane", WithLink([](IbLink& link) { link.lanes = 1; }), kFail, "1X", "ibstatus mlx5_0:1"},
       {"ib.width", "set so", WithLink([](IbLink& link) { link.lanes = link.lanes_enabled = 1; }), kPass,
        "1X; 4X is supported, but not enabled"},
       {"ib.width", "not told", WithLink([](IbLink& link) { link.lanes = 0; }), kUnknown, "does not say"},
       {"ib.width", "no ib_umad", WithoutLink(kNoUmad), kUnknown, "not loaded", "modprobe ib_umad"},
       {"ib.width", "denied", WithoutLink(Denied()), kUnknown, "not permitted", "root"},
       {"ib.width", "RoCE", GoodHost(), kNotApplicable, "not InfiniBand"},
       {"ib.speed", "good", OnInfiniband(), kPass, "HDR (53.1 Gb/s a lane)"},
       {"ib.speed", "EDR", WithLink([](IbLink& link) { link.lane_mbps = 25'781; }), kFail,
        "EDR (25.7 Gb/s a lane)", "iblinkinfo -l"},
       {"ib.speed", "denied", WithoutLink(Denied()), kUnknown, "not permitted"},
       {"ib.mtu", "good", OnInfiniband(), kPass, "MTU 4096"},
       {"ib.mtu", "older switch", WithLink([](IbLink& link) { link.mtu_bytes = 2048; }), kFail, "MTU 2048",
        "iblinkinfo -l"},
       {"ib.mtu", "by verbs", WithoutLink(Denied()), kPass, "MTU 4096"},
       {"ib.mtu", "by verbs, and small", OnInfiniband([](Port& port) {
          port.ib.link = kNoUmad;
          port.active_mtu_bytes = 2048;
        }),
        kFail, "MTU 2048"},
       {"ib.mtu", "denied", OnInfiniband([](Port& port) {
          port.ib.link = Denied();
          port.active_mtu_bytes = Denied();
        }),
        kUnknown, "not permitted"}});
}

// Where sysfs has no counters, or not all of them, the agent's own count.
void AddAgentCounters(std::vector<CheckCase>& cases) {
  const auto told = [](Fact<std::vector<Counter>> sysfs, Fact<std::vector<Counter>> agent) {
    return OnInfiniband([&](Port& port) {
      port.port_counters = sysfs;
      port.ib.pma_counters = agent;
    });
  };
  using Counters = std::vector<Counter>;
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "no counters in sysfs"};
  cases.insert(cases.end(),
               {{"ib.symbol-errors", "by the agent", told(none, Counters{{"symbol_error", 12}}), kFail,
                 "symbol_error 12"},
                {"ib.symbol-errors", "by the agent, as sysfs has not all",
                 told(Counters{{"link_downed", 0}}, Counters{{"symbol_error", 2}}), kPass, "symbol_error 2"},
                {"ib.symbol-errors", "neither may be asked", told(none, Denied()), kUnknown, "not permitted"},
                {"cnt.saturated", "by the agent", told(none, Counters{{"symbol_error", 65535}}), kFail,
                 "symbol_error 65535"}});
}

void AddRate(std::vector<CheckCase>& cases) {
  Profile asks = InfinibandProfile();
  asks.min_speed_mbps = 200'000;
  const auto at = [](Fact<std::uint32_t> rate_mbps) {
    return OnInfiniband([&rate_mbps](Port& port) { port.rate_mbps = rate_mbps; });
  };
  cases.push_back({"link.speed", "InfiniBand", at(200'000), kPass, "200 Gb/s", "", asks});
  cases.push_back({"link.speed", "slow InfiniBand", at(50'000), kFail, "50 Gb/s", "iblinkinfo -l", asks});
  cases.push_back({"link.speed", "InfiniBand, denied", at(Denied()), kUnknown, "not permitted", "", asks});
}

}  // namespace

void AddInfinibandCases(std::vector<CheckCase>& cases) {
  AddSubnet(cases);
  AddPkeys(cases);
  AddLink(cases);
  AddAgentCounters(cases);
  AddRate(cases);
}

}  // namespace rdmaready
