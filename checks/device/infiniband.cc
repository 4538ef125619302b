// SPDX-License-Identifier: Apache-2.0
// ib.*: what a subnet manager has made of the port, and what the link to its switch has become.
#include <algorithm>
#include <optional>

#include "checks/device/fabric_manager.h"
#include "checks/families.h"
#include "checks/words/names.h"
#include "checks/words/verdicts.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

constexpr std::string_view kIbSysfsSource = "sysfs port files";
constexpr std::string_view kIbStateSource = "RDMA netlink port state";
constexpr std::string_view kPortInfo = "PortInfo (management datagram)";

// For what only PortInfo tells.
Fix WithoutDatagrams() {
  return Fix("modprobe ib_umad")
      .Because("management datagrams go by /dev/infiniband/umad*, which root alone may open")
      .Do("run rdmaready check again, as root");
}

constexpr std::uint8_t kIbLinkUp = 5;  // enum ib_port_phys_state
constexpr std::uint16_t kFirstMulticastLid = 0xc000;
constexpr std::uint16_t kMembership = 0x8000;        // full; without it limited
constexpr std::uint16_t kDefaultPartition = 0x7fff;  // without the membership bit

std::string LidText(std::uint16_t lid) { return lid == 0 ? "no LID (0)" : Cat("LID ", lid); }

// No subnet manager reaches a port whose link is down: that is link.state's to say.
std::string NotOnALinkThatIsUp(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return reason;
  const bool down = view.port.phys_state && *view.port.phys_state != kIbLinkUp;
  return down ? "the link is down: see link.state" : "";
}

Verdict JudgeIbSm(const PortView& view) {
  if (std::string reason = NotOnALinkThatIsUp(view); !reason.empty()) return NotApplicable(reason);
  constexpr const char* kExpected = "the LID of a subnet manager";
  if (!view.port.phys_state) return NoAnswer(view.port.phys_state.missing(), kExpected, kIbSysfsSource);
  const Fact<std::uint16_t>& sm_lid = view.port.ib.sm_lid;
  if (!sm_lid) return NoAnswer(sm_lid.missing(), kExpected, kIbSysfsSource);
  const bool none = *sm_lid == 0 || *sm_lid >= kFirstMulticastLid;
  return Judged(!none,
                none ? Cat("no subnet manager has configured the port (sm_lid ", *sm_lid, ")")
                     : Cat("subnet manager at LID ", *sm_lid),
                kExpected, kIbSysfsSource, none ? FabricManagerFix(view) : Fix());
}

Verdict JudgeIbLid(const PortView& view) {
  if (std::string reason = NotOnALinkThatIsUp(view); !reason.empty()) return NotApplicable(reason);
  constexpr const char* kExpected = "a LID from 1 to 49151";
  if (!view.port.phys_state) return NoAnswer(view.port.phys_state.missing(), kExpected, kIbSysfsSource);
  const Fact<std::uint16_t>& lid = view.port.ib.lid;
  if (!lid) return NoAnswer(lid.missing(), kExpected, kIbSysfsSource);
  return Judged(*lid != 0 && *lid < kFirstMulticastLid, LidText(*lid), kExpected, kIbSysfsSource);
}

Verdict JudgeIbStateInit(const PortView& view) {
  if (std::string reason = NotOnALinkThatIsUp(view); !reason.empty()) return NotApplicable(reason);
  const bool down = view.port.state && *view.port.state == PortState::kDown;
  if (down) return NotApplicable("the link is down: see link.state");
  constexpr const char* kExpected = "active";
  if (!view.port.transport) return NoAnswer(view.port.transport.missing(), kExpected, kIbStateSource);
  const Fact<PortState>& state = view.port.state;
  if (!state) return NoAnswer(state.missing(), kExpected, kIbStateSource);
  switch (*state) {
    case PortState::kUnknown:
    case PortState::kDown:
      return Unclear("the port reports a state we do not know", kExpected, kIbStateSource);
    case PortState::kInit:
      return Judged(false, "init: the link is up, and no subnet manager has begun with it", kExpected,
                    kIbStateSource);
    case PortState::kArmed:
      return Judged(false, "armed: the subnet manager has not finished", kExpected, kIbStateSource);
    case PortState::kActive:
    case PortState::kActiveDefer:
      return Judged(true, std::string(Name(*state)), kExpected, kIbStateSource);
  }
  return {};
}

std::string IbLanesText(std::uint8_t lanes) { return Cat(lanes, "X"); }

// By the name of the rate: "HDR (53.1 Gb/s a lane)".
std::string LaneText(std::uint32_t mbps) {
  struct Rate {
    std::uint32_t mbps;
    std::string_view name;
  };
  constexpr Rate kRates[] = {{2'500, "SDR"},    {5'000, "DDR"},   {10'000, "QDR"},
                             {10'312, "FDR10"}, {14'062, "FDR"},  {25'781, "EDR"},
                             {53'125, "HDR"},   {106'250, "NDR"}, {212'500, "XDR"}};
  const auto* const rate = std::ranges::find(kRates, mbps, &Rate::mbps);
  const std::string speed = Cat(mbps / 1000, ".", mbps % 1000 / 100, " Gb/s a lane");
  return rate == std::end(kRates) ? speed : Cat(rate->name, " (", speed, ")");
}

// In use against what the port is set to: both ends settle on the best that both can. That less was enabled
// than the port supports was somebody's decision, and is told.
Verdict JudgeAgainstEnabled(const Fact<IbLink>& link, std::uint32_t used, std::uint32_t enabled,
                            std::uint32_t supported, std::string (*words)(std::uint32_t)) {
  if (!link) return NoAnswer(link.missing(), "the best that is enabled", kPortInfo, WithoutDatagrams());
  if (used == 0 || enabled == 0) {
    return NoAnswer({.kind = Missing::Kind::kUnsupported, .detail = "PortInfo does not say which is in use"},
                    "the best that is enabled", kPortInfo);
  }
  std::string observed = words(used);
  if (supported > enabled) observed += Cat("; ", words(supported), " is supported, but not enabled");
  return Judged(used >= enabled, observed, words(enabled), kPortInfo);
}

Verdict JudgeIbWidth(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  const Fact<IbLink>& link = view.port.ib.link;
  const IbLink of = link ? *link : IbLink{};
  return JudgeAgainstEnabled(link, of.lanes, of.lanes_enabled, of.lanes_supported,
                             [](std::uint32_t lanes) { return IbLanesText(static_cast<std::uint8_t>(lanes)); });
}

Verdict JudgeIbSpeed(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  const Fact<IbLink>& link = view.port.ib.link;
  const IbLink of = link ? *link : IbLink{};
  return JudgeAgainstEnabled(link, of.lane_mbps, of.lane_mbps_enabled, of.lane_mbps_supported, LaneText);
}

// As PortInfo says it, else as verbs do, which need no right to send datagrams.
Verdict JudgeIbMtu(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  const Port& port = view.port;
  if (!port.transport)
    return NoAnswer(port.transport.missing(), "the largest that the port supports", "RDMA netlink");
  const bool told = port.ib.link && port.ib.link->mtu_bytes != 0 && port.ib.link->mtu_bytes_supported != 0;
  const std::string_view source = told ? kPortInfo : "verbs port MTU";
  if (!told && !port.active_mtu_bytes)
    return NoAnswer(port.active_mtu_bytes.missing(), "the largest that the port supports", source);
  if (!told && !port.max_mtu_bytes)
    return NoAnswer(port.max_mtu_bytes.missing(), "the largest that the port supports", source);
  const std::uint32_t active = told ? port.ib.link->mtu_bytes : *port.active_mtu_bytes;
  const std::uint32_t most = told ? port.ib.link->mtu_bytes_supported : *port.max_mtu_bytes;
  return Judged(active >= most, Cat("MTU ", active), Cat(most), source);
}

std::string PkeyText(std::uint16_t key) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "0x0000";
  for (std::size_t at = 5; at >= 2; --at, key = static_cast<std::uint16_t>(key >> 4U))
    text[at] = kDigits[key & 0xfU];
  return text;
}

std::string PkeysText(const std::vector<std::uint16_t>& keys) {
  constexpr std::size_t kShown = 4;
  std::string text;
  for (std::size_t i = 0; i < keys.size() && i < kShown; ++i)
    text += Cat(i == 0 ? "" : ", ", PkeyText(keys[i]));
  if (keys.size() > kShown) text += Cat(" and ", keys.size() - kShown, " more");
  return text;
}

bool IsFull(std::uint16_t key) { return (key & kMembership) != 0; }

bool SamePartition(std::uint16_t a, std::uint16_t b) { return ((a ^ b) & ~kMembership) == 0; }

bool IsIn(const std::vector<std::uint16_t>& keys, std::uint16_t partition) {
  return std::ranges::any_of(keys, [partition](std::uint16_t key) { return SamePartition(key, partition); });
}

Fix MemberFix(std::uint16_t partition) {
  return Fix()
      .Because(Cat("the subnet manager did not make the port a member of partition ", PkeyText(partition)),
               Certainty::kCertain)
      .Do(Cat("make {device} port {port} a member of partition ", PkeyText(partition),
              " at the subnet manager: in partitions.conf of opensm, or in UFM"))
      .CheckBy("grep -r . /sys/class/infiniband/{device}/ports/{port}/pkeys");
}

// An interface of a partition runs only while the port's table has its key. The kernel sets the bit of full
// membership in what the interface shows (ipoib_set_pkey), and takes the entry of the same 15 bits.
std::optional<Verdict> JudgeChildren(const Port& port) {
  constexpr std::string_view kExpected = "the partition of each IPoIB interface in the port's P_Key table";
  if (NotOffered(port.uppers)) return std::nullopt;
  if (!port.uppers) return NoAnswer(port.uppers.missing(), kExpected, kIbSysfsSource);
  const Missing* gap = nullptr;
  for (const UpperNetdev& upper : *port.uppers) {
    if (!upper.admin_up || NotOffered(upper.pkey)) continue;
    if (!upper.pkey) gap = &upper.pkey.missing();
    if (!upper.pkey || IsIn(*port.ib.pkeys, *upper.pkey)) continue;
    const auto partition = static_cast<std::uint16_t>(*upper.pkey & ~kMembership);
    return Judged(false,
                  Cat(Printable(upper.name), " is for P_Key ", PkeyText(*upper.pkey),
                      ", which the table of the port lacks: ", PkeysText(*port.ib.pkeys)),
                  kExpected, kIbSysfsSource, MemberFix(partition));
  }
  if (gap != nullptr) return NoAnswer(*gap, kExpected, kIbSysfsSource);
  return std::nullopt;
}

// A limited member reaches full ones: for the clients of a storage partition that is the usual way.
std::string MemberText(const std::vector<std::uint16_t>& keys, const std::vector<std::uint16_t>& wanted) {
  const bool in_default = std::ranges::find(keys, kMembership | kDefaultPartition) != keys.end();
  std::string text =
      in_default ? "a full member of the default partition" : Cat("a full member: ", PkeysText(keys));
  for (const std::uint16_t partition : wanted) {
    const bool full = std::ranges::any_of(
        keys, [partition](std::uint16_t key) { return SamePartition(key, partition) && IsFull(key); });
    if (!full) text += Cat("; a limited member of ", PkeyText(partition), ": it reaches full members only");
  }
  return text;
}

Verdict JudgeIbPkey(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  if (view.profile.transport != Profile::Transport::kInfiniBand)
    return NotApplicable(NotAsked(view.profile, "InfiniBand"));
  constexpr const char* kExpected = "full membership in a partition";
  const Fact<std::vector<std::uint16_t>>& keys = view.port.ib.pkeys;
  if (!keys) return NoAnswer(keys.missing(), kExpected, kIbSysfsSource);
  if (keys->empty()) return Judged(false, "no P_Key: a member of no partition", kExpected, kIbSysfsSource);
  const std::vector<std::uint16_t> partitions = view.profile.pkeys.value_or(std::vector<std::uint16_t>{});
  for (const std::uint16_t wanted : partitions) {
    if (IsIn(*keys, wanted)) continue;
    return Judged(false, Cat("a member of ", PkeysText(*keys)),
                  Cat("membership in partition ", PkeyText(wanted)), kIbSysfsSource, MemberFix(wanted));
  }
  if (const std::optional<Verdict> child = JudgeChildren(view.port)) return *child;
  if (std::ranges::none_of(*keys, IsFull))
    return Warned(Cat("a limited member only: ", PkeysText(*keys)), kExpected, kIbSysfsSource);
  return Judged(true, MemberText(*keys, partitions), kExpected, kIbSysfsSource);
}

// Programs take the key at index 0 unless they are told another: NCCL, UCX, the tools of perftest.
Verdict JudgeIbPkeyIndex(const PortView& view) {
  if (std::string reason = NotInfiniBand(view.port); !reason.empty()) return NotApplicable(reason);
  if (view.profile.transport != Profile::Transport::kInfiniBand)
    return NotApplicable(NotAsked(view.profile, "InfiniBand"));
  constexpr const char* kExpected = "full membership by the P_Key at index 0";
  const Infiniband& ib = view.port.ib;
  if (!ib.pkeys) return NoAnswer(ib.pkeys.missing(), kExpected, kIbSysfsSource);
  if (!ib.pkey_slots) return NoAnswer(ib.pkey_slots.missing(), kExpected, kIbSysfsSource);
  std::optional<std::size_t> full;
  std::string first = "none";
  for (std::size_t i = 0; i < std::min(ib.pkeys->size(), ib.pkey_slots->size()); ++i) {
    const std::uint16_t key = ib.pkeys->at(i);
    if (ib.pkey_slots->at(i) == 0) first = PkeyText(key);
    if (!full && (key & kMembership) != 0) full = i;
  }
  if (!full) return NotApplicable("a full member of no partition: see ib.pkey");
  const std::uint16_t index = ib.pkey_slots->at(*full);
  const std::string key = PkeyText(ib.pkeys->at(*full));
  if (index == 0) return Judged(true, Cat(key, " at index 0"), kExpected, kIbSysfsSource);
  return Judged(
      false, Cat(key, " is at index ", index, "; at index 0: ", first), kExpected, kIbSysfsSource,
      Fix(Cat("export NCCL_IB_PKEY=", index, " UCX_IB_PKEY=", key))
          .Because("the subnet manager put the key there, and programs take the first one", Certainty::kCertain)
          .Caution("jobs need it in their own environment")
          .Do(Cat("give perftest --pkey_index=", index))
          .Or("let the subnet manager put this partition first")
          .CheckBy("grep -r . /sys/class/infiniband/{device}/ports/{port}/pkeys"));
}

}  // namespace

std::vector<Check> InfinibandChecks() {
  return {
      {.id = "ib.sm",
       .title = "A subnet manager has configured the InfiniBand port",
       .why = "Without one the port has no LID and stays in the state init: nothing can be sent over it",
       .fix =
           Fix("sminfo -C {device} -P {port}")
               .Because("no subnet manager runs in this fabric, or it does not reach this port")
               .Do("start the subnet manager of the fabric, or ask those who run it")
               .Or("where the fabric has none: {install -y opensm} && systemctl enable --now opensm, on one or "
                   "two hosts")
               .CheckBy("cat /sys/class/infiniband/{device}/ports/{port}/sm_lid"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"inv.netdev-mapping", "inv.transport"},
       .in_summary = 3,
       .judge = JudgeIbSm},
      {.id = "ib.lid",
       .title = "The InfiniBand port has a LID",
       .why = "The LID is the address by which switches forward: without one no packet finds the port",
       .fix =
           Fix("journalctl -u opensm | tail -n 20")
               .Because("the subnet manager sees this port and gives it no LID: another M_Key, or an old port")
               .Caution("typed on the host of the subnet manager")
               .Do("let it use the port: its log says what it refused")
               .CheckBy("cat /sys/class/infiniband/{device}/ports/{port}/lid"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"ib.sm"},
       .judge = JudgeIbLid},
      {.id = "ib.state-init",
       .title = "The subnet manager has made the InfiniBand port active",
       .why = "A port that stays in init or armed carries management datagrams only, and no data",
       .fix = Fix("systemctl restart opensm")
                  .Because("the subnet manager did not finish with this port")
                  .Caution("typed on the host of the subnet manager: it sweeps the whole fabric anew")
                  .Run("journalctl -u opensm | tail -n 20")
                  .CheckBy("rdma link show {device}/{port}"),
       .blocks_for = &kDemandsRdma,
       .depends_on = {"ib.lid"},
       .judge = JudgeIbStateInit},
      {.id = "ib.width",
       .title = "The InfiniBand link uses all its lanes",
       .why = "A lane that did not come up takes its share of the rate: a 1X link has a quarter of a 4X link's",
       .fix = Fix("ibstatus {device}:{port}")
                  .Because("lanes are lost in the cable or its connectors")
                  .Do("reseat the cable of {device} port {port} at both ends, then replace it", StepSite::kPort)
                  .Or("leave it so with a splitter cable: it halves the lanes on purpose")
                  .CheckBy("ibstatus {device}:{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeIbWidth},
      {.id = "ib.speed",
       .title = "The InfiniBand link is as fast as the port can",
       .why = "Both ends train down to what the cable carries: half the speed is half of all storage traffic",
       .fix = Fix("iblinkinfo -l")
                  .Because("the cable carries no more, or the switch is slower", Certainty::kPossible)
                  .Do("reseat the cable of {device} port {port} at both ends, then replace it", StepSite::kPort)
                  .Or("leave it so where the switch is slower")
                  .CheckBy("ibstatus {device}:{port}"),
       .depends_on = {"link.state"},
       .judge = JudgeIbSpeed},
      {.id = "ib.mtu",
       .title = "The InfiniBand link has the largest MTU that the port supports",
       .why = "Smaller packets cost more of them for the same data, at both ends",
       .fix = Fix("iblinkinfo -l")
                  .Because("the subnet manager takes the smaller MTU of both ends: an older switch has 2048")
                  .Do("look for a limit in /etc/opensm/opensm.conf of the subnet manager")
                  .CheckBy("ibv_devinfo -d {device} -i {port}"),
       .depends_on = {"link.state"},
       .judge = JudgeIbMtu},
      {.id = "ib.pkey",
       .title = "The InfiniBand port is a full member of a partition",
       .why =
           "Two limited members do not hear each other, and a port outside of a partition reaches nobody in it",
       .fix = Fix("grep -r . /etc/opensm/partitions.conf")
                  .Because("the subnet manager made the port a limited member, or no member")
                  .Caution("typed on the host of the subnet manager")
                  .Do("give this port =full in its partition of partitions.conf")
                  .Run("systemctl reload opensm")
                  .CheckBy("grep -r . /sys/class/infiniband/{device}/ports/{port}/pkeys"),
       .blocks_for = &kDemandsInfiniBand,
       .depends_on = {"ib.state-init"},
       .judge = JudgeIbPkey},
      {.id = "ib.pkey-index",
       .title = "The partition that the port may use is the first of its table",
       .why = "Software that is told no index uses the first one: connections then hang without an error",
       .fix = Fix("grep -r . /sys/class/infiniband/{device}/ports/{port}/pkeys")
                  .Because("the subnet manager put the key at another index")
                  .Do("give jobs the index of the key that is a full member"),
       .depends_on = {"ib.pkey"},
       .judge = JudgeIbPkeyIndex},
  };
}

}  // namespace rdmaready
