// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"
#include "tests/unit/checks/watched_host.h"

namespace rdmaready {
namespace {

Facts SubnetHost(const std::vector<Counter>& now, const std::optional<std::vector<Counter>>& before = {}) {
  return WithPort([&](Port& port) {
    port.transport = Transport::kInfiniBand;
    port.port_counters = now;
    if (before) port.earlier = EarlierReading{.before_ms = kWindowMs, .port_counters = *before};
  });
}

// As an HCA without counters in sysfs answers by MAD.
Facts ByMad(const std::vector<Counter>& now) {
  return WithPort([&](Port& port) {
    port.transport = Transport::kInfiniBand;
    port.port_counters = kUnsupported;
    port.ib.pma_counters = now;
  });
}

Facts Since(Fact<std::uint64_t> uptime_s, Facts host) {
  host.uptime_s = std::move(uptime_s);
  return host;
}

Facts For(std::uint64_t days, Facts host) { return Since(days * 86'400, std::move(host)); }

std::vector<CheckCase> PortCountedSubnetRows() {
  const std::vector<Counter> few{{"port_rcv_errors", 10}, {"port_xmit_discards", 100}, {"port_xmit_wait", 5}};
  const auto symbols = [](std::uint64_t count) {
    return std::vector<Counter>{{"symbol_error", count}, {"link_error_recovery", 0}, {"link_downed", count}};
  };
  const std::vector<Counter> many{
      {"port_rcv_errors", 11}, {"port_xmit_discards", 101}, {"port_xmit_wait", 468'750'005}};
  const std::vector<Counter> some{{"port_xmit_wait", 234'375'005}};
  const Facts denied = WithPort([](Port& port) {
    port.transport = Transport::kInfiniBand;
    port.port_counters = Denied();
  });
  const Facts wait_denied = EarlierDenied(SubnetHost(many));
  return {Passes("ib.rcv-errors", "few", SubnetHost(few), "port_rcv_errors 10"),
          Fails("ib.rcv-errors", "many", SubnetHost(many), "port_rcv_errors 11",
                {.fix = "perfquery -C rxe0 -P 1 -R"}),
          Fails("ib.rcv-errors", "many by MAD", ByMad(many), "port_rcv_errors 11"),
          Passes("ib.rcv-errors", "many, but long ago", SubnetHost(many, many), "no growth in 10 s"),
          Fails("ib.rcv-errors", "growing", SubnetHost(many, few), "port_rcv_errors +1 in 10 s"),
          Passes("ib.rcv-errors", "many, in a month", For(30, SubnetHost(many)), "in 30 days at most"),
          IsUnknown("ib.rcv-errors", "denied", denied, "not permitted"),
          IsUnknown("ib.rcv-errors", "not counted", SubnetHost({}), "counts none"),
          DoesNotApply("ib.rcv-errors", "RoCE", GoodHost(), "not InfiniBand"),
          Passes("ib.symbol-errors", "many, but long ago", SubnetHost(symbols(40), symbols(40)),
                 "no growth in 10 s"),
          Fails("ib.symbol-errors", "growing", SubnetHost(symbols(4), symbols(3)), "symbol_error +1 in 10 s",
                {.fix = "perfquery -C rxe0 -P 1 -R"}),
          Fails("ib.link-recovery", "it went down in the watch", SubnetHost(symbols(4), symbols(3)),
                "link_downed +1 in 10 s"),
          Passes("ib.xmit", "few", SubnetHost(few), "port_xmit_discards 100"),
          Fails("ib.xmit", "many", SubnetHost(many), "port_xmit_discards 101"),
          Fails("ib.xmit", "growing", SubnetHost(many, few), "port_xmit_discards +1"),
          IsUnknown("ib.xmit", "denied", denied, "not permitted"),
          Passes("ib.xmit-wait", "little", SubnetHost(few, few), "waited for credits 0 %"),
          Passes("ib.xmit-wait", "some at a high rate", SubnetHost(some, few), "waited for credits 3 %"),
          Fails("ib.xmit-wait", "long", SubnetHost(many, few),
                "waited for credits 6 % of the time (468750000 ticks) in 10 s"),
          IsUnknown("ib.xmit-wait", "denied", wait_denied, "not permitted"),
          IsUnknown("ib.xmit-wait", "not counted", SubnetHost({}, std::vector<Counter>{}), "does not count"),
          DoesNotApply("ib.xmit-wait", "not watched", SubnetHost(few), "not watched")};
}

std::vector<CheckCase> PortCountedCountedRows() {
  const auto counted = [](std::vector<Counter> counters) {
    return WithHardware([&counters](Port& port, PciFunction&) {
      port.transport = Transport::kInfiniBand;
      port.port_counters = counters;
    });
  };
  const Facts good = counted({{"symbol_error", 3}, {"link_error_recovery", 0}, {"link_downed", 1}});
  const Facts denied = WithHardware([](Port& port, PciFunction&) {
    port.transport = Transport::kInfiniBand;
    port.port_counters = Denied();
  });
  return {
      Passes("cnt.saturated", "good", good, "3 counters, all below"),
      Fails("cnt.saturated", "link_downed at 255", counted({{"symbol_error", 3}, {"link_downed", 255}}),
            "at its maximum: link_downed 255", {.fix = "perfquery -C rxe0 -P 1 -R"}),
      Passes("cnt.saturated", "what counts no errors",
             counted({{"symbol_error", 3}, {"port_rcv_data", 0xffff'ffff}, {"port_xmit_wait", 0xffff'ffff}}),
             "3 counters, all below"),
      IsUnknown("cnt.saturated", "denied", denied, "not permitted"),
      DoesNotApply("cnt.saturated", "none", GoodHost(), "no IBTA port counters"),
      Passes("ib.symbol-errors", "few", good, "symbol_error 3"),
      Fails("ib.symbol-errors", "many", counted({{"symbol_error", 11}}), "symbol_error 11",
            {.fix = "perfquery -C rxe0 -P 1 -R"}),
      Passes("ib.symbol-errors", "as many in a year", For(412, counted({{"symbol_error", 14}})),
             "symbol_error 14 in 412 days at most"),
      Fails("ib.symbol-errors", "full after a year", For(412, counted({{"symbol_error", 65535}})), "is full"),
      IsUnknown("ib.symbol-errors", "many, and since when is not known",
                Since(Denied(), counted({{"symbol_error", 14}})), "not permitted"),
      IsUnknown("ib.symbol-errors", "not counted", counted({}), "no counter symbol_error"),
      IsUnknown("ib.symbol-errors", "denied", denied, "not permitted"),
      DoesNotApply("ib.symbol-errors", "RoCE", GoodHost(), "not InfiniBand"),
      Passes("ib.link-recovery", "seldom", good, "link_error_recovery 0, link_downed 1"),
      Fails("ib.link-recovery", "often", counted({{"link_error_recovery", 0}, {"link_downed", 11}}),
            "link_downed 11"),
      IsUnknown("ib.link-recovery", "denied", denied, "not permitted"),
      DoesNotApply("ib.link-recovery", "RoCE", GoodHost(), "not InfiniBand")};
}

// Where sysfs has no counters, or not all of them, the agent's own count.
std::vector<CheckCase> PortCountedAgentCountersRows() {
  const auto told = [](Fact<std::vector<Counter>> sysfs, Fact<std::vector<Counter>> agent) {
    return OnInfiniband([&](Port& port) {
      port.port_counters = sysfs;
      port.ib.pma_counters = agent;
    });
  };
  using Counters = std::vector<Counter>;
  const Missing none{.kind = Missing::Kind::kUnsupported, .detail = "no counters in sysfs"};
  return {
      Fails("ib.symbol-errors", "by the agent", told(none, Counters{{"symbol_error", 12}}), "symbol_error 12"),
      Passes("ib.symbol-errors", "by the agent, as sysfs has not all",
             told(Counters{{"link_downed", 0}}, Counters{{"symbol_error", 2}}), "symbol_error 2"),
      IsUnknown("ib.symbol-errors", "neither may be asked", told(none, Denied()), "not permitted"),
      Fails("cnt.saturated", "by the agent", told(none, Counters{{"symbol_error", 65535}}),
            "symbol_error 65535")};
}

}  // namespace

std::vector<CheckCase> PortCountedCases() {
  return Joined({PortCountedSubnetRows(), PortCountedCountedRows(), PortCountedAgentCountersRows()});
}

}  // namespace rdmaready
