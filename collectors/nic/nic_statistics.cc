// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/nic_statistics.h"

#include <fmt/format.h>
#include <linux/ethtool.h>

#include <algorithm>
#include <cstring>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/attributes.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kMostStatistics = 65536;  // mlx5 with hundreds of queues has some ten thousand
constexpr int kAttempts = 3;
constexpr std::string_view kStatisticsWhat = "statistics";
// struct ethtool_sset_info of one set, and the number of its strings.
constexpr std::size_t kCountBytes = sizeof(ethtool_sset_info) + sizeof(std::uint32_t);

static_assert(sizeof(ethtool_sset_info) == 16 && sizeof(ethtool_gstrings) == 12 && sizeof(ethtool_stats) == 8 &&
              ETH_GSTRING_LEN == 32);

template <class T>
std::vector<std::byte> RequestOf(const T& header, std::size_t room) {
  std::vector<std::byte> bytes(sizeof header + room);
  std::memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

// Not a StatusOr of the header: one that ends in an array without a size cannot be a member everywhere.
template <class Header>
absl::Status ReadHeader(std::span<const std::byte> answer, std::uint32_t command, std::size_t bytes,
                        Header& header) {
  if (answer.size() != bytes) {
    return Malformed(kStatisticsWhat, fmt::format("{} bytes, not {}", answer.size(), bytes));
  }
  std::memcpy(&header, answer.data(), sizeof header);
  if (header.cmd != command)
    return Malformed(kStatisticsWhat, fmt::format("the answer is to command {}", header.cmd));
  return absl::OkStatus();
}

absl::Status Changed() {
  return absl::UnavailableError("ask for statistics: their number changed meanwhile, again and again");
}

absl::StatusOr<std::vector<std::byte>> AskForCount(HostReader& host, const std::string& netdev) {
  ethtool_sset_info request{};
  request.cmd = ETHTOOL_GSSET_INFO;
  request.sset_mask = std::uint64_t{1} << ETH_SS_STATS;
  return host.Ethtool(netdev, RequestOf(request, sizeof(std::uint32_t)));
}

absl::StatusOr<std::vector<std::byte>> AskForNames(HostReader& host, const std::string& netdev,
                                                   std::uint32_t count) {
  ethtool_gstrings request{};
  request.cmd = ETHTOOL_GSTRINGS;
  request.string_set = ETH_SS_STATS;
  request.len = count;
  return host.Ethtool(netdev, RequestOf(request, std::size_t{count} * ETH_GSTRING_LEN));
}

absl::StatusOr<std::vector<std::byte>> AskForValues(HostReader& host, const std::string& netdev,
                                                    std::uint32_t count) {
  ethtool_stats request{};
  request.cmd = ETHTOOL_GSTATS;
  request.n_stats = count;
  return host.Ethtool(netdev, RequestOf(request, std::size_t{count} * sizeof(std::uint64_t)));
}

absl::StatusOr<std::vector<NicStatistic>> ReadOnce(HostReader& host, const std::string& netdev,
                                                   const NicNames& known) {
  RR_ASSIGN_OR_RETURN(const auto counted, AskForCount(host, netdev));
  RR_ASSIGN_OR_RETURN(const std::uint32_t count, DecodeStatisticsCount(counted));
  if (count == 0) return std::vector<NicStatistic>{};
  RR_ASSIGN_OR_RETURN(const auto named, AskForNames(host, netdev, count));
  RR_ASSIGN_OR_RETURN(std::vector<std::string> names, DecodeStatisticNames(named, count));
  RR_ASSIGN_OR_RETURN(const auto valued, AskForValues(host, netdev, count));
  RR_ASSIGN_OR_RETURN(const std::vector<std::uint64_t> values, DecodeStatisticValues(valued, count));

  std::vector<NicStatistic> statistics;
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto found = known.find(names[i]);
    if (found == known.end()) continue;
    statistics.push_back({found->second.counter, found->second.priority, std::move(names[i]), values[i]});
  }
  return statistics;
}

// "personality mlx5-dscp" -> "mlx5_core".
std::string_view ActedDriver(std::string_view version) {
  constexpr std::string_view kPrefix = "personality ";
  if (!version.starts_with(kPrefix)) return "";
  version.remove_prefix(kPrefix.size());
  if (version == "bnxt") return "bnxt_en";
  if (version == "ice") return "ice";
  return version == "plain" || version.starts_with("mlx5") ? "mlx5_core" : "";
}

}  // namespace

const NicNames* NamesFor(const std::string& driver, const Fact<DriverInfo>& info) {
  if (info && info->driver == "dcbnic") return NamesOfDriver(ActedDriver(info->version));
  if (info && !info->driver.empty()) return NamesOfDriver(info->driver);
  return NamesOfDriver(driver);
}

absl::StatusOr<std::uint32_t> DecodeStatisticsCount(std::span<const std::byte> answer) {
  ethtool_sset_info header{};
  RR_RETURN_IF_ERROR(ReadHeader(answer, ETHTOOL_GSSET_INFO, kCountBytes, header));
  // The kernel takes sets that the driver has not got out of the mask.
  if (header.sset_mask == 0) return absl::UnimplementedError("driver has no statistics (get_sset_count)");
  if (header.sset_mask != std::uint64_t{1} << ETH_SS_STATS) return Malformed(kStatisticsWhat, "of another set");
  std::uint32_t count = 0;
  std::memcpy(&count, answer.data() + sizeof(ethtool_sset_info), sizeof count);
  if (count > kMostStatistics) return Malformed(kStatisticsWhat, fmt::format("{} of them", count));
  return count;
}

absl::StatusOr<std::vector<std::string>> DecodeStatisticNames(std::span<const std::byte> answer,
                                                              std::uint32_t count) {
  const std::size_t bytes = sizeof(ethtool_gstrings) + std::size_t{count} * ETH_GSTRING_LEN;
  ethtool_gstrings header{};
  RR_RETURN_IF_ERROR(ReadHeader(answer, ETHTOOL_GSTRINGS, bytes, header));
  if (header.string_set != ETH_SS_STATS) return Malformed(kStatisticsWhat, "names of another set");
  if (header.len != count) return Changed();
  std::vector<std::string> names;
  names.reserve(count);
  for (std::uint32_t i = 0; i < count; ++i) {
    std::string field(ETH_GSTRING_LEN, '\0');
    std::memcpy(field.data(), answer.data() + sizeof(ethtool_gstrings) + std::size_t{i} * ETH_GSTRING_LEN,
                field.size());
    field.resize(std::min(field.find('\0'), field.size()));
    names.push_back(TrimRight(field));
  }
  return names;
}

absl::StatusOr<std::vector<std::uint64_t>> DecodeStatisticValues(std::span<const std::byte> answer,
                                                                 std::uint32_t count) {
  const std::size_t bytes = sizeof(ethtool_stats) + std::size_t{count} * sizeof(std::uint64_t);
  ethtool_stats header{};
  RR_RETURN_IF_ERROR(ReadHeader(answer, ETHTOOL_GSTATS, bytes, header));
  if (header.n_stats != count) return Changed();
  std::vector<std::uint64_t> values(count);
  if (count > 0)
    std::memcpy(values.data(), answer.data() + sizeof(ethtool_stats), bytes - sizeof(ethtool_stats));
  return values;
}

Fact<std::vector<NicStatistic>> ReadNicStatistics(HostReader& host, const std::string& netdev,
                                                  const std::string& driver, const Fact<DriverInfo>& info) {
  const NicNames* known = NamesFor(driver, info);
  if (known == nullptr) {
    const std::string& name = info && !info->driver.empty() ? info->driver : driver;
    return Missing{Missing::Kind::kUnsupported,
                   "statistics of " + (name.empty() ? "a driver without a name" : name) + " are not known"};
  }
  absl::StatusOr<std::vector<NicStatistic>> statistics = Changed();
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    statistics = ReadOnce(host, netdev, *known);
    if (statistics.status().code() != absl::StatusCode::kUnavailable) break;
  }
  if (statistics.ok()) return *std::move(statistics);
  Missing why = MissingFrom(statistics.status());
  if (why.kind == Missing::Kind::kUnsupported) why.detail = "driver has no statistics (get_ethtool_stats)";
  return why;
}

}  // namespace rdmaready
