// SPDX-License-Identifier: Apache-2.0
// What counted during a watch: pfc.storm-live, pfc.seen-under-load, pfc.wrong-prio, pause.global-count, cnt.*,
// link.*, pcie.stall, ecn.loop-closed, iw.retrans, ib.*.
#include "tests/unit/checks/cases.h"
#include "tests/unit/checks/good_host.h"

namespace rdmaready {
namespace {

constexpr Outcome kPass = Outcome::kPass;
constexpr Outcome kFail = Outcome::kFail;
constexpr Outcome kWarn = Outcome::kWarn;
constexpr Outcome kUnknown = Outcome::kUnknown;
constexpr Outcome kNotApplicable = Outcome::kNotApplicable;

constexpr std::uint32_t kWindowMs = 10'000;
const Missing kUnsupported{.kind = Missing::Kind::kUnsupported, .detail = "not offered"};

// Reads as much when the watch begins as the good host does, and more at its end.
template <class Change>
Facts Watched(Change change) {
  return WithPort([&change](Port& port) {
    Netdev netdev = *port.netdev;
    EarlierReading earlier{.before_ms = kWindowMs, .hw_counters = port.hw_counters};
    NetdevReading reading{.netdev = netdev.name};
    reading.statistics = std::vector<NicStatistic>{};
    reading.pfc = netdev.dcb.pfc;
    reading.pause_frames = netdev.link.pause_frames;
    change(port, netdev, earlier, reading);
    earlier.netdevs = {reading};
    port.netdev = netdev;
    port.earlier = earlier;
  });
}

Facts EarlierDenied(Facts host) {
  std::vector<Port> ports = *host.ports;
  ports.front().earlier = Denied();
  host.ports = ports;
  return host;
}

struct Growth {
  std::string name;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
};

// Of RDMA's own counters.
Facts Counting(const std::vector<Growth>& counters, Transport transport = Transport::kRoce) {
  return Watched([&](Port& port, Netdev&, EarlierReading& earlier, NetdevReading&) {
    std::vector<Counter> before;
    std::vector<Counter> after;
    for (const Growth& growth : counters) {
      before.push_back({growth.name, growth.before});
      after.push_back({growth.name, growth.after});
    }
    port.transport = transport;
    port.hw_counters = after;
    earlier.hw_counters = before;
  });
}

Facts WithoutHwCounters() {
  return Watched([](Port& port, Netdev&, EarlierReading&, NetdevReading&) { port.hw_counters = kUnsupported; });
}

struct NicGrowth {
  NicCounter counter = NicCounter::kUnknown;
  std::string name;
  std::uint64_t by = 0;
  std::optional<std::uint8_t> priority{};
};

// Of the NIC's statistics, each at 1000 when the watch began.
Facts Nic(const std::vector<NicGrowth>& growths) {
  return Watched([&](Port&, Netdev& netdev, EarlierReading&, NetdevReading& reading) {
    std::vector<NicStatistic> before;
    std::vector<NicStatistic> after;
    for (const NicGrowth& growth : growths) {
      before.push_back(
          {.counter = growth.counter, .priority = growth.priority, .name = growth.name, .value = 1000});
      after.push_back(before.back());
      after.back().value += growth.by;
    }
    reading.statistics = before;
    netdev.statistics = after;
  });
}

Profile Lossy() {
  Profile profile = VirtualFabricProfile();
  profile.pfc.emplace();
  return profile;
}

void AddLosses(std::vector<CheckCase>& cases) {
  const auto timeouts = [](std::uint64_t by) { return Counting({{"local_ack_timeout_err", 5, 5 + by}}); };
  const auto gaps = [](std::uint64_t by) { return Counting({{"packet_seq_err", 5, 5 + by}, {"other", 1, 9}}); };
  const Facts wrapped = Counting({{"out_of_sequence", 4'294'967'290, 4}});
  const Facts reset = Counting({{"out_of_sequence", 900, 4}});
  const Facts brief = Watched([](Port& port, Netdev&, EarlierReading& earlier, NetdevReading&) {
    port.hw_counters = earlier.hw_counters = std::vector<Counter>{{"packet_seq_err", 5}};
    port.hw_counters_lifespan_ms = kWindowMs + 1;
  });
  cases.insert(
      cases.end(),
      {{"cnt.rdma-retrans", "none", timeouts(0), kPass, "no growth in 10 s"},
       {"cnt.rdma-retrans", "some", timeouts(3), kFail, "local_ack_timeout_err +3 in 10 s",
        "rdma statistic show link rxe0/1"},
       {"cnt.rdma-retrans", "denied", EarlierDenied(timeouts(3)), kUnknown, "not permitted"},
       {"cnt.rdma-retrans", "not counted", gaps(3), kNotApplicable, "does not count"},
       {"cnt.rdma-retrans", "no counters", WithoutHwCounters(), kNotApplicable, "not offered"},
       {"cnt.rdma-retrans", "not watched", GoodHost(), kNotApplicable, "not watched (--watch SECONDS)"},
       {"cnt.sequence", "none", gaps(0), kPass, "no growth"},
       {"cnt.sequence", "some", gaps(7), kFail, "packet_seq_err +7 in 10 s"},
       {"cnt.sequence", "wrapped", wrapped, kFail, "out_of_sequence +10"},
       {"cnt.sequence", "reset meanwhile", reset, kFail, "out_of_sequence +4 since it was reset"},
       {"cnt.sequence", "denied", EarlierDenied(gaps(7)), kUnknown, "not permitted"},
       {"cnt.sequence", "within a lifespan", brief, kUnknown, "shorter than the driver keeps"}});
}

void AddSoftware(std::vector<CheckCase>& cases) {
  const auto rnr = [](std::uint64_t naks, std::uint64_t exceeded) {
    return Counting({{"rnr_nak_retry_err", 1, 1 + naks}, {"req_rnr_retries_exceeded", 0, exceeded}});
  };
  const auto one = [](const char* name, std::uint64_t by) { return Counting({{name, 2, 2 + by}}); };
  const auto cqe = [](std::uint64_t errors, std::uint64_t flushed) {
    return Counting({{"req_cqe_error", 3, 3 + errors}, {"req_cqe_flush_error", 2, 2 + flushed}});
  };
  cases.insert(
      cases.end(),
      {{"cnt.cm-retries", "none", one("cm_tx_retries/req", 0), kPass, "no growth"},
       {"cnt.cm-retries", "two", one("cm_tx_retries/req", 2), kFail, "cm_tx_retries/req +2 in 10 s",
        "grep -r . /sys/class/infiniband/rxe0/ports/1/cm_tx_retries"},
       {"cnt.cm-retries", "denied", EarlierDenied(one("cm_tx_retries/req", 2)), kUnknown, "not permitted"},
       {"cnt.cm-retries", "not counted", one("packet_seq_err", 2), kNotApplicable, "does not count"},
       {"cnt.cqe", "none", cqe(0, 0), kPass, "no growth in 10 s"},
       {"cnt.cqe", "of a teardown", cqe(5, 5), kPass, "req_cqe_error +5 in 10 s, 5 of them as a queue pair"},
       {"cnt.cqe", "more than that", cqe(6, 5), kFail, "req_cqe_error +6", "rdma statistic show link rxe0/1"},
       {"cnt.cqe", "denied", EarlierDenied(cqe(6, 5)), kUnknown, "not permitted"},
       {"cnt.cqe", "not counted", rnr(1, 0), kNotApplicable, "does not count"},
       {"cnt.cqe", "no counters", WithoutHwCounters(), kNotApplicable, "not offered"},
       {"cnt.rnr", "none", rnr(0, 0), kPass, "no growth"},
       {"cnt.rnr", "some", rnr(4, 0), kWarn, "rnr_nak_retry_err +4"},
       {"cnt.rnr", "for good", rnr(4, 1), kFail, "req_rnr_retries_exceeded +1"},
       {"cnt.rnr", "denied", EarlierDenied(rnr(4, 1)), kUnknown, "not permitted"},
       {"cnt.retry-exceeded", "none", one("retry_exceeded_err", 0), kPass, "no growth"},
       {"cnt.retry-exceeded", "one", one("retry_exceeded_err", 1), kFail, "retry_exceeded_err +1"},
       {"cnt.retry-exceeded", "denied", EarlierDenied(one("retry_exceeded_err", 1)), kUnknown, "not permitted"},
       {"cnt.remote-access", "none", one("remote_access_err", 0), kPass, "no growth"},
       {"cnt.remote-access", "one", one("resp_remote_access_errors", 1), kFail, "resp_remote_access_errors +1"},
       {"cnt.remote-access", "denied", EarlierDenied(one("remote_access_err", 1)), kUnknown, "not permitted"},
       {"cnt.icrc", "none", one("rx_icrc_encapsulated", 0), kPass, "no growth"},
       {"cnt.icrc", "one", one("rx_icrc_encapsulated", 1), kFail, "rx_icrc_encapsulated +1"},
       {"cnt.icrc", "denied", EarlierDenied(one("rx_icrc_encapsulated", 1)), kUnknown, "not permitted"},
       {"cnt.icrc", "not counted", one("packet_seq_err", 1), kNotApplicable, "does not count"}});
}

void AddLoop(std::vector<CheckCase>& cases) {
  const auto loop = [](std::uint64_t marked, std::uint64_t sent, std::uint64_t ignored) {
    return Counting({{"np_ecn_marked_roce_packets", 0, marked},
                     {"np_cnp_sent", 0, sent},
                     {"rp_cnp_handled", 0, 3},
                     {"rp_cnp_ignored", 0, ignored}});
  };
  cases.insert(
      cases.end(),
      {{"ecn.loop-closed", "quiet", loop(0, 0, 0), kPass, "0 packets marked"},
       {"ecn.loop-closed", "at work", loop(50, 9, 0), kPass, "50 packets marked, 9 notifications sent"},
       {"ecn.loop-closed", "open here", loop(50, 0, 0), kFail, "0 notifications sent"},
       {"ecn.loop-closed", "ignored", loop(0, 0, 6), kWarn, "6 ignored in 10 s"},
       {"ecn.loop-closed", "denied", EarlierDenied(loop(50, 0, 0)), kUnknown, "not permitted"}});
  const auto tcp = [](std::uint64_t again) {
    return Counting({{"ip4OutSegs", 0, 100'000}, {"ip4RetransSegs", 0, again}}, Transport::kIwarp);
  };
  cases.insert(cases.end(),
               {{"iw.retrans", "few", tcp(100), kPass, "100 of 100000 segments sent again"},
                {"iw.retrans", "some", tcp(101), kWarn, "0.10%"},
                {"iw.retrans", "many", tcp(2500), kFail, "in 10 s, 2.50%"},
                {"iw.retrans", "denied", EarlierDenied(tcp(2500)), kUnknown, "not permitted"},
                {"iw.retrans", "RoCE", Counting({{"tcpRetransSegs", 0, 9}}), kNotApplicable, "not iWARP"}});
}

// And dcbnl has counted eight pauses of priority 5.
Facts WithWrongPause(Facts host) {
  std::vector<Port> ports = *host.ports;
  Netdev netdev = *ports.front().netdev;
  Pfc pfc = *netdev.dcb.pfc;
  pfc.pauses_received[5] = 8;
  netdev.dcb.pfc = pfc;
  ports.front().netdev = netdev;
  host.ports = ports;
  return host;
}

void AddPauses(std::vector<CheckCase>& cases) {
  // Of 10 s, in microseconds.
  const auto paused = [](std::uint64_t us) {
    return Nic({{NicCounter::kPauseReceivedUs, "rx_prio3_pause_duration", us, 3}});
  };
  const auto frames = [](std::uint8_t priority) {
    return Nic({{NicCounter::kPauseReceived, "rx_prio_pause", 12, priority}});
  };
  const Facts neutral = WithWrongPause(Nic({}));
  // As of a driver that names its statistics of a priority only while PFC is on for it.
  const Facts both = WithWrongPause(Nic({{NicCounter::kPauseReceived, "rx_prio3_pause", 12, 3}}));
  const Facts no_pfc =
      Watched([](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.dcb.pfc = Denied(); });
  cases.insert(cases.end(),
               {{"pfc.storm-live", "quiet", paused(0), kPass, "no priority was paused for 0.0% in 10 s"},
                {"pfc.storm-live", "seldom", paused(90'000), kPass, "priority 3 was paused for 0.9%"},
                {"pfc.storm-live", "often", paused(420'000), kWarn, "priority 3 was paused for 4.2% in 10 s"},
                {"pfc.storm-live", "a storm", paused(4'000'000), kFail, "priority 3 was paused for 40.0%"},
                {"pfc.storm-live", "denied", EarlierDenied(paused(0)), kUnknown, "not permitted"},
                {"pfc.storm-live", "not counted", frames(3), kNotApplicable, "does not count"},
                {"pfc.storm-live", "not watched", GoodHost(), kNotApplicable, "not watched"},
                {"pfc.wrong-prio", "none", Nic({}), kPass, "none on other priorities in 10 s"},
                {"pfc.wrong-prio", "the right one", frames(3), kPass, "none on other priorities"},
                {"pfc.wrong-prio", "another", frames(4), kFail, "pauses: 12 on priority 4 in 10 s",
                 "dcb -s pfc show dev dcb0"},
                {"pfc.wrong-prio", "another, by dcbnl", neutral, kFail, "8 on priority 5"},
                {"pfc.wrong-prio", "another, by dcbnl alone", both, kFail, "pauses: 8 on priority 5"},
                {"pfc.wrong-prio", "denied", no_pfc, kUnknown, "not permitted"},
                {"pfc.wrong-prio", "not watched", GoodHost(), kNotApplicable, "not watched"}});
  const auto lost = [](std::uint64_t drops, std::uint64_t pauses, std::optional<std::uint8_t> of = 3) {
    return Nic({{NicCounter::kDropReceived, "rx_prio3_discards", drops, 3},
                {NicCounter::kPauseSent, "tx_prio3_pause", pauses, of}});
  };
  const auto drops_of_4 = Nic({{NicCounter::kDropReceived, "rx_prio4_discards", 9, 4},
                               {NicCounter::kPauseSent, "tx_prio4_pause", 0, 4}});
  const auto none_counted = Nic({{NicCounter::kDropReceived, "rx_prio3_discards", 9, 3}});
  cases.insert(
      cases.end(),
      {{"pfc.seen-under-load", "nothing lost", lost(0, 0), kPass,
        "priority 3: 0 frames lost, 0 pauses sent in 10 s"},
       {"pfc.seen-under-load", "too late", lost(4, 9), kPass, "4 frames lost, 9 pauses sent"},
       {"pfc.seen-under-load", "silent", lost(1, 0), kFail, "1 frame lost, 0 pauses sent in 10 s",
        "dcb buffer show dev dcb0"},
       {"pfc.seen-under-load", "silent, all together", lost(4, 0, {}), kFail, "4 frames lost, 0 pauses"},
       {"pfc.seen-under-load", "another priority", drops_of_4, kNotApplicable, "does not count"},
       {"pfc.seen-under-load", "pauses not counted", none_counted, kNotApplicable, "does not count"},
       {"pfc.seen-under-load", "denied", EarlierDenied(lost(4, 0)), kUnknown, "not permitted"},
       {"pfc.seen-under-load", "not watched", GoodHost(), kNotApplicable, "not watched"},
       {"pfc.seen-under-load", "lossy", lost(4, 0), kNotApplicable, "does not ask", "", Lossy()}});
  const auto global = [](Fact<PauseFrames> now) {
    return Watched(
        [&now](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.link.pause_frames = now; });
  };
  cases.insert(cases.end(),
               {{"pause.global-count", "none", global(PauseFrames{}), kPass, "0 received, 0 sent in 10 s"},
                {"pause.global-count", "some", global(PauseFrames{.received = 7}), kFail, "7 received, 0 sent",
                 "ethtool -A dcb0 autoneg off rx off tx off"},
                {"pause.global-count", "denied", global(Denied()), kUnknown, "not permitted"},
                {"pause.global-count", "not offered", global(kUnsupported), kNotApplicable, "not offered"},
                {"pause.global-count", "not asked", global(PauseFrames{.sent = 7}), kNotApplicable,
                 "does not ask", "", Lossy()}});
}

void AddNic(std::vector<CheckCase>& cases) {
  const auto one = [](NicCounter counter, std::uint64_t by, std::optional<std::uint8_t> priority = {}) {
    return Nic({{counter, "it", by, priority}});
  };
  const auto bits = [](std::uint64_t corrected, std::uint64_t symbols) {
    return Nic({{NicCounter::kBitsReceived, "rx_bits_phy", 1'000'000'000},
                {NicCounter::kFecCorrectedBits, "rx_corrected_bits_phy", corrected},
                {NicCounter::kSymbolErrors, "rx_symbol_err_phy", symbols}});
  };
  const auto uncounted = [](std::uint64_t corrected, Fact<std::uint32_t> speed_mbps) {
    Facts host = Nic({{NicCounter::kFecCorrectedBits, "rx_corrected_bits_phy", corrected}});
    std::vector<Port> ports = *host.ports;
    Netdev netdev = *ports.front().netdev;
    netdev.speed_mbps = speed_mbps;
    ports.front().netdev = netdev;
    host.ports = ports;
    return host;
  };
  const Facts denied =
      Watched([](Port&, Netdev& netdev, EarlierReading&, NetdevReading&) { netdev.statistics = Denied(); });
  cases.insert(cases.end(),
               {{"cnt.discards-phy", "none", one(NicCounter::kDropReceived, 0, 3), kPass, "no growth"},
                {"cnt.discards-phy", "lossless", one(NicCounter::kDropReceived, 5, 3), kFail, "it +5 in 10 s",
                 "dcb buffer show dev dcb0"},
                {"cnt.discards-phy", "another", one(NicCounter::kDropReceived, 5, 0), kWarn, "it +5"},
                {"cnt.discards-phy", "of all together", one(NicCounter::kDropReceived, 5), kWarn, "it +5"},
                {"cnt.discards-phy", "denied", denied, kUnknown, "not permitted"},
                {"cnt.discards-phy", "not counted", Nic({}), kNotApplicable, "does not count"},
                {"cnt.pause-storm", "none", one(NicCounter::kPauseStormError, 0), kPass, "no growth"},
                {"cnt.pause-storm", "near", one(NicCounter::kPauseStormWarning, 1), kWarn, "it +1"},
                {"cnt.pause-storm", "given up", one(NicCounter::kPauseStormError, 1), kFail, "it +1"},
                {"cnt.pause-storm", "denied", denied, kUnknown, "not permitted"},
                {"pcie.stall", "none", one(NicCounter::kPciStalledRead, 0), kPass, "no growth"},
                {"pcie.stall", "waiting", one(NicCounter::kPciStalledWrite, 4), kWarn, "it +4"},
                {"pcie.stall", "overflow", one(NicCounter::kPciBufferOverflow, 4), kFail, "it +4"},
                {"pcie.stall", "denied", denied, kUnknown, "not permitted"},
                {"link.ber", "few", bits(1000, 0), kPass, "1000 bits corrected of 1000000000 in 10 s"},
                {"link.ber", "many", bits(1001, 0), kWarn, "1001 bits corrected"},
                {"link.ber", "symbol errors", bits(0, 2), kFail, "rx_symbol_err_phy +2", "ethtool -m dcb0"},
                {"link.ber", "few of what the speed says", uncounted(250'000, 25'000), kPass,
                 "250000 bits corrected of 250000000000 in 10 s"},
                {"link.ber", "many of what the speed says", uncounted(250'001, 25'000), kWarn, "250001 bits"},
                {"link.ber", "of nobody knows how many", uncounted(1, kUnsupported), kUnknown, "not offered"},
                {"link.ber", "denied", denied, kUnknown, "not permitted"},
                {"link.ber", "not watched", GoodHost(), kNotApplicable, "not watched"}});
}

// A link of hardware that counted this much before the watch, and grew by `by` in it.
Facts Link(std::uint64_t before, std::uint64_t by) {
  return Watched([=](Port& port, Netdev& netdev, EarlierReading&, NetdevReading& reading) {
    port.software = false;
    const auto fec = [](std::uint64_t blocks) { return Fec{.active = "RS", .uncorrectable_blocks = blocks}; };
    reading.carrier_changes = reading.fcs_errors = before;
    reading.fec = fec(before);
    netdev.carrier_changes = netdev.link.fcs_errors = before + by;
    netdev.link.fec = fec(before + by);
  });
}

void AddLink(std::vector<CheckCase>& cases) {
  cases.insert(
      cases.end(),
      {{"link.flaps", "none in the watch", Link(2, 0), kPass,
        "down 1 time in 24 hours since boot, none in 10 s"},
       {"link.flaps", "one in the watch", Link(2, 2), kFail, "down 1 time in 10 s"},
       {"link.flaps", "still down", Link(2, 3), kFail, "down 2 times in 10 s"},
       {"link.flaps", "often, not in the watch", Link(40, 0), kFail,
        "down 20 times in 24 hours since boot, none"},
       {"link.crc", "none in the watch", Link(2, 0), kPass,
        "2 damaged frames in 24 hours since boot, none in 10 s"},
       {"link.crc", "one in the watch", Link(0, 1), kFail, "1 damaged frame in 10 s", "ethtool -S dcb0"},
       {"link.crc", "many, not in the watch", Link(700, 0), kWarn, "since boot, none in 10 s"},
       {"link.crc", "watch denied", EarlierDenied(Link(2, 1)), kPass,
        "3 damaged frames in 24 hours since boot"},
       {"link.fec", "none in the watch", Link(2, 0), kPass, "RS; 2 blocks it could not correct, none in 10 s"},
       {"link.fec", "some in the watch", Link(0, 3), kFail, "RS; 3 blocks it could not correct in 10 s",
        "--show-fec dcb0"}});
}

Facts Subnet(const std::vector<Counter>& now, const std::optional<std::vector<Counter>>& before = {}) {
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

void AddSubnet(std::vector<CheckCase>& cases) {
  const std::vector<Counter> few{{"port_rcv_errors", 10}, {"port_xmit_discards", 100}, {"port_xmit_wait", 5}};
  const auto symbols = [](std::uint64_t count) {
    return std::vector<Counter>{{"symbol_error", count}, {"link_error_recovery", 0}, {"link_downed", count}};
  };
  const std::vector<Counter> many{
      {"port_rcv_errors", 11}, {"port_xmit_discards", 101}, {"port_xmit_wait", 10'006}};
  const Facts denied = WithPort([](Port& port) {
    port.transport = Transport::kInfiniBand;
    port.port_counters = Denied();
  });
  const Facts wait_denied = EarlierDenied(Subnet(many));
  cases.insert(
      cases.end(),
      {{"ib.rcv-errors", "few", Subnet(few), kPass, "port_rcv_errors 10"},
       {"ib.rcv-errors", "many", Subnet(many), kFail, "port_rcv_errors 11", "perfquery -C rxe0 -P 1 -R"},
       {"ib.rcv-errors", "many by MAD", ByMad(many), kFail, "port_rcv_errors 11"},
       {"ib.rcv-errors", "many, but long ago", Subnet(many, many), kPass, "no growth in 10 s"},
       {"ib.rcv-errors", "growing", Subnet(many, few), kFail, "port_rcv_errors +1 in 10 s"},
       {"ib.rcv-errors", "denied", denied, kUnknown, "not permitted"},
       {"ib.rcv-errors", "not counted", Subnet({}), kUnknown, "counts none"},
       {"ib.rcv-errors", "RoCE", GoodHost(), kNotApplicable, "not InfiniBand"},
       {"ib.symbol-errors", "many, but long ago", Subnet(symbols(40), symbols(40)), kPass, "no growth in 10 s"},
       {"ib.symbol-errors", "growing", Subnet(symbols(4), symbols(3)), kFail, "symbol_error +1 in 10 s",
        "perfquery -C rxe0 -P 1 -R"},
       {"ib.link-recovery", "it went down in the watch", Subnet(symbols(4), symbols(3)), kFail,
        "link_downed +1 in 10 s"},
       {"ib.xmit", "few", Subnet(few), kPass, "port_xmit_discards 100"},
       {"ib.xmit", "many", Subnet(many), kFail, "port_xmit_discards 101"},
       {"ib.xmit", "growing", Subnet(many, few), kFail, "port_xmit_discards +1"},
       {"ib.xmit", "denied", denied, kUnknown, "not permitted"},
       {"ib.xmit-wait", "little", Subnet(few, few), kPass, "waited 0 ticks"},
       {"ib.xmit-wait", "long", Subnet(many, few), kFail, "waited 10001 ticks for credits in 10 s"},
       {"ib.xmit-wait", "denied", wait_denied, kUnknown, "not permitted"},
       {"ib.xmit-wait", "not counted", Subnet({}, std::vector<Counter>{}), kUnknown, "does not count"},
       {"ib.xmit-wait", "not watched", Subnet(few), kNotApplicable, "not watched"}});
}

}  // namespace

void AddWindowCases(std::vector<CheckCase>& cases) {
  AddLosses(cases);
  AddSoftware(cases);
  AddLoop(cases);
  AddPauses(cases);
  AddNic(cases);
  AddLink(cases);
  AddSubnet(cases);
}

}  // namespace rdmaready
