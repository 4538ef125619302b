// SPDX-License-Identifier: Apache-2.0
// The window: what counted on a port while it was watched (check --watch SECONDS), between Port::earlier and
// the same fields of the port. Resets, wraps and saturation are those of checks/counted/counters.h.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/model/counter_change.h"
#include "checks/check.h"
#include "checks/counted/error_counters.h"

namespace rdmaready {

// What most of these checks expect, and where the NIC's own counters are read.
inline constexpr std::string_view kNoGrowth = "no growth";
inline constexpr std::string_view kNicStatisticsSource = "ethtool statistics, two readings";

// "not watched (--watch SECONDS)"; empty when it was, or when it is not known what counted.
std::string NotWatched(const Port& port);

// Why there is nothing to judge: the port was not watched, or its driver counts none of these.
std::string NotCounted(const Port& port, std::initializer_list<ErrorTopic> topics);
std::string NotCounted(const EthernetView& view, std::initializer_list<NicCounter> counters);

// 0 when it was not watched.
std::uint32_t WindowMs(const Port& port);

// " in 35 s", " in 15 min".
std::string InWindow(const Port& port);

// Of RDMA's own counters. Missing when either reading is, and when both may be one and the same.
Fact<std::vector<CounterChange>> HardwareChanges(const Port& port);

// Of InfiniBand's PMA, however it was read.
Fact<std::vector<CounterChange>> PmaChanges(const Port& port);

// Those about the topic, of whatever family is meant.
std::vector<CounterChange> ChangesAbout(const std::vector<CounterChange>& changes, ErrorTopic topic);

std::uint64_t TotalGrowth(const std::vector<CounterChange>& changes);

// "out_of_sequence +12, packet_seq_err +3"; empty when none grew.
std::string GrownText(const std::vector<CounterChange>& changes);

// The same with the time: "out_of_sequence +12 in 35 s", "no growth in 35 s".
std::string GrownInWindow(const Port& port, const std::vector<CounterChange>& changes);

struct StatisticChange {
  NicStatistic now{};
  CounterChange change{};

  bool operator==(const StatisticChange&) const = default;
};

// Of the Ethernet port's statistics: those that both readings have, by name.
Fact<std::vector<StatisticChange>> StatisticChanges(const EthernetView& view);

std::vector<StatisticChange> ChangesOf(const std::vector<StatisticChange>& changes, NicCounter counter);

std::uint64_t TotalGrowth(const std::vector<StatisticChange>& changes);
std::string GrownText(const std::vector<StatisticChange>& changes);
std::string GrownInWindow(const Port& port, const std::vector<StatisticChange>& changes);

// What counted on the Ethernet port, as it was when the watch began. Missing: not watched, or not there then.
Fact<NetdevReading> EarlierOf(const EthernetView& view);

}  // namespace rdmaready
