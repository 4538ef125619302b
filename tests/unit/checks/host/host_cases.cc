// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/changed_host.h"
#include "tests/unit/checks/good_hardware.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

std::vector<CheckCase> HostLinkRows() {
  const auto irqs = [](std::uint32_t nodes, Fact<Interrupts> interrupts) {
    Facts host = WithHardware([&](Port&, PciFunction& pci) { pci.interrupts = interrupts; });
    host.numa_nodes = nodes;
    return host;
  };
  const Missing legacy{.kind = Missing::Kind::kUnsupported, .detail = "no message-signalled interrupts"};
  const auto balanced = [&irqs](Fact<Interrupts> interrupts) {
    Facts host = irqs(2, interrupts);
    host.irqbalance = true;
    return host;
  };
  Facts unlisted = irqs(2, Interrupts{64, 64, 32});
  unlisted.irqbalance = Denied();
  Facts placeless = balanced(Interrupts{64, 0, 32});
  std::vector<Port> ports = *placeless.ports;
  ports.front().pci = Denied();
  placeless.ports = ports;
  const auto clocked = [](Fact<std::vector<std::string>> governors) {
    Facts host = Hardware();
    host.cpu_governors = governors;
    return host;
  };
  const auto files = [](Fact<OpenFiles> limit) {
    Facts host = GoodHost();
    host.open_files = limit;
    return host;
  };
  return {Passes("host.irq-affinity", "all near", irqs(2, Interrupts{64, 64, 32}),
                 "64 interrupts at 32 CPUs, 64 of"),
          Passes("host.irq-affinity", "even over two nodes", irqs(2, Interrupts{64, 32, 64}), "32 of them"),
          Fails("host.irq-affinity", "all far", irqs(2, Interrupts{64, 0, 32}), "0 of them",
                {.fix = "ls /sys/bus/pci/devices/0000:3b:00.0/msi_irqs | xargs -I IRQ cp"}),
          Fails("host.irq-affinity", "all at one CPU", irqs(1, Interrupts{64, 64, 1}), "at 1 CPU,"),
          IsUnknown("host.irq-affinity", "denied", irqs(2, Denied()), "not permitted"),
          DoesNotApply("host.irq-affinity", "none to judge", irqs(2, legacy), "no message-signalled"),
          DoesNotApply("host.irq-affinity", "software device", GoodHost(), "software device"),
          Passes("host.irqbalance", "off", irqs(2, Interrupts{64, 64, 32}), "does not run"),
          Fails("host.irqbalance", "on, all far", balanced(Interrupts{64, 0, 32}),
                "the interrupts of rxe0/1 are far", {.fix = "systemctl disable --now irqbalance"}),
          Passes("host.irqbalance", "on, all near", balanced(Interrupts{64, 64, 32}), "near them"),
          Passes("host.irqbalance", "on, and spread", balanced(Interrupts{64, 32, 64}), "near them"),
          Passes("host.irqbalance", "none to move", balanced(legacy), "near them"),
          IsUnknown("host.irqbalance", "interrupts denied", balanced(Denied()), "not permitted"),
          IsUnknown("host.irqbalance", "the function is not known", placeless, "not permitted"),
          IsUnknown("host.irqbalance", "denied", unlisted, "not permitted"),
          DoesNotApply("host.irqbalance", "one node", irqs(1, Interrupts{64, 64, 32}), "one NUMA node"),
          DoesNotApply("host.irqbalance", "software device", GoodHost(), "software devices only"),
          Passes("host.governor", "good", Hardware(), "performance"),
          Fails("host.governor", "one of them another",
                clocked(std::vector<std::string>{"performance", "schedutil"}), "performance, schedutil",
                {.fix = "echo performance | tee /sys/devices/system/cpu/cpufreq"}),
          IsUnknown("host.governor", "denied", clocked(Denied()), "not permitted"),
          DoesNotApply("host.governor", "none", clocked(legacy), "no message-signalled"),
          DoesNotApply("host.governor", "software device", GoodHost(), "software devices only"),
          Passes("host.nofile", "good", GoodHost(), "at most 524288, now 1024"),
          Passes("host.nofile", "unlimited", files(OpenFiles{1024, OpenFiles::kUnlimited}), "unlimited"),
          Fails("host.nofile", "few", files(OpenFiles{1024, 1024}), "at most 1024",
                {.fix = "prlimit --pid 4711 --nofile=65536:65536"}),
          IsUnknown("host.nofile", "denied", files(Denied()), "not permitted")};
}

std::vector<CheckCase> HostClockRows() {
  const auto clock = [](Fact<KernelClock> fact) {
    Facts host = GoodHost();
    host.clock = std::move(fact);
    return host;
  };
  const auto errors = [&](std::uint64_t most_us, std::uint64_t estimate_us, bool unsynchronised = false) {
    return clock(KernelClock{unsynchronised, most_us, estimate_us});
  };
  constexpr std::uint64_t kNobody = KernelClock::kNobodyKnowsUs;
  return {Passes("host.clock", "kept", GoodHost(), "synchronised"),
          Passes("host.clock", "timesyncd before its next poll", errors(1'024'000, 0), "synchronised"),
          Passes("host.clock", "timesyncd after a poll was lost", errors(2'048'500, 0), "synchronised"),
          Passes("host.clock", "phc2sys", errors(500, kNobody), "synchronised"),
          Passes("host.clock", "chronyd without rtcsync", errors(17'288, 90, true), "leaves the RTC alone"),
          Fails("host.clock", "after boot", errors(kNobody, kNobody, true), "not synchronised",
                {.fix = "timedatectl set-ntp true"}),
          Fails("host.clock", "not called so", errors(kNobody, 0), "not synchronised"),
          Fails("host.clock", "no longer corrected", errors(3'600'000, 300), "maximum error 3.6 s"),
          Fails("host.clock", "far off", errors(2'600'000, 2'500'000), "estimated error 2.5 s"),
          IsUnknown("host.clock", "denied", clock(Denied()), "not permitted"),
          IsUnknown("host.clock", "an older agent", clock(Missing{}), "not collected")};
}

std::vector<CheckCase> HostWaiverRows() {
  constexpr std::int64_t kNoonOfTheTenth = 1'796'904'000'000'000'000;  // 2026-12-10
  const auto waived = [](std::vector<std::string> days, std::string host = {}) {
    Profile profile = VirtualFabricProfile();
    for (std::string& day : days)
      profile.waivers.push_back({.check = "pfc.lossless-priority",
                                 .host = host,
                                 .reason = "a new switch",
                                 .who = "Ann",
                                 .until = std::move(day)});
    return CaseExtra{.profile = profile, .judged_unix_ns = kNoonOfTheTenth};
  };
  const auto of_id = [&](std::string id) {
    CaseExtra extra = waived({"2027-01-31"});
    extra.profile.waivers.front().check = std::move(id);
    return extra;
  };
  CaseExtra timeless = waived({"2026-12-10"});
  timeless.judged_unix_ns = 0;
  return {
      DoesNotApply("host.waivers", "without any", GoodHost(), "no waiver is named", waived({})),
      DoesNotApply("host.waivers", "of another host", GoodHost(), "no waiver is named",
                   waived({"2020-01-01"}, "nobody")),
      Passes("host.waivers", "on the last day", GoodHost(), "2 in force, the first of them until 2026-12-10",
             waived({"2027-01-31", "2026-12-10"})),
      Fails("host.waivers", "a day later", GoodHost(),
            "has run out: pfc.lossless-priority (until 2026-12-09, Ann: a new switch)",
            waived({"2026-12-09", "2027-01-31"})),
      Fails("host.waivers", "several", GoodHost(), "and 1 more", waived({"2026-12-09", "2026-01-31"})),
      Fails("host.waivers", "of an id that no check has", GoodHost(),
            "waives nothing: pfc.losless-priority (until 2027-01-31, Ann: a new switch): no check has the id "
            "`pfc.losless-priority` (did you mean `pfc.lossless-priority`?)",
            of_id("pfc.losless-priority")),
      Fails("host.waivers", "of a pattern that fits no check", GoodHost(), "no check has an id like `zebra.*`",
            of_id("zebra.*")),
      Passes("host.waivers", "of a live test", GoodHost(), "1 in force", of_id("peer.write-512k")),
      Fails("host.waivers", "for no day at all", GoodHost(), "has run out", waived({"some day"})),
      IsUnknown("host.waivers", "without a clock", GoodHost(), "not known", timeless)};
}

std::vector<CheckCase> AppliedRows() {
  const auto standing = [](ChangeState state, std::string reason = {}) {
    Facts host = GoodHost();
    ApplyState applied;
    applied.changes.push_back({.id = "1a2b3c4d000000000000000000000000",
                               .state = state,
                               .requester = "anna",
                               .settings = 5,
                               .back_in_ms = 41'001,
                               .reason = std::move(reason)});
    host.apply_state = applied;
    return host;
  };
  const auto state = [](Fact<ApplyState> applied) {
    Facts host = GoodHost();
    host.apply_state = std::move(applied);
    return host;
  };
  ApplyState damaged;
  damaged.notices = {"the journal is damaged: line 3"};
  Facts both = standing(ChangeState::kAwaitingConfirm);
  ApplyState two = *both.apply_state;
  two.changes.push_back(
      {.id = "5e6f", .state = ChangeState::kRollbackFailed, .requester = "ben", .settings = 1});
  const std::string_view id = "cfg.rollback-failed";
  return {
      Passes(id, "nothing open", state(ApplyState{}), "no change is open"),
      Fails(
          id, "a rollback failed",
          standing(ChangeState::kRollbackFailed, "set PFC on dcb0: Device or resource busy"),
          "could not be taken back: change 1a2b3c4d of 5 settings, asked for by anna: set PFC on dcb0: Device",
          {.fix = "rdmaready rollback"}),
      Fails(id, "another one is open beside it", state(two),
            "could not be taken back: change 5e6f of 1 setting,"),
      Warns(id, "awaits its confirmation", standing(ChangeState::kAwaitingConfirm),
            "not confirmed yet: change 1a2b3c4d of 5 settings, asked for by anna, goes back by itself in 42 s"),
      Warns(id, "being written", standing(ChangeState::kWriting), "being made: change 1a2b3c4d"),
      IsUnknown(id, "a state of a newer version", standing(ChangeState::kUnknown), "is not known"),
      IsUnknown(id, "a damaged journal", state(damaged), "the journal is damaged: line 3"),
      IsUnknown(id, "the applier does not answer", state(Missing{Missing::Kind::kFailed, "connect: refused"}),
                "connect: refused"),
      IsUnknown(id, "nobody asked it", state(Missing{Missing::Kind::kNotCollected, "not in the recording"}),
                "not in the recording"),
      DoesNotApply(id, "no applier", state(Missing{Missing::Kind::kUnsupported, "no applier: not installed"}),
                   "no applier was heard")};
}

}  // namespace

std::vector<CheckCase> HostCases() {
  return Joined({HostLinkRows(), HostClockRows(), HostWaiverRows(), AppliedRows()});
}

}  // namespace rdmaready
