// SPDX-License-Identifier: Apache-2.0
#include "agent/port/port_use.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <optional>
#include <string_view>

#include "api/base/text.h"

namespace rdmaready {
namespace {

constexpr double kQuietShare = 0.001;  // of the port's rate
constexpr double kBytesPerMegabit = 1'000'000.0 / 8;
constexpr double kQuietBytes = 4000;           // a second, at least
constexpr double kQuietPackets = 100;          // the same
constexpr double kMostQuietBytes = 1'000'000;  // a second, at most: storage over IPoIB moves more

// enum ib_qp_type of include/rdma/ib_verbs.h.
constexpr std::uint8_t kTypeSmi = 0;
constexpr std::uint8_t kTypeGsi = 1;
constexpr std::uint8_t kTypeUd = 4;

// enum rdma_cm_state of include/rdma/rdma_cm.h: from RDMA_CM_ADDR_QUERY to RDMA_CM_CONNECT.
constexpr std::uint8_t kFirstConnecting = 1;
constexpr std::uint8_t kConnected = 5;

constexpr std::string_view kIpoib = "ib_ipoib";

// Daemons of rdma-core that keep a queue pair of type UD as long as they run, and ask the subnet manager by it:
// for paths of InfiniBand, and for targets of SRP.
constexpr std::array<std::string_view, 2> kManagers{"ibacm", "srp_daemon"};

// Drivers that send management datagrams by queue pairs of type UD (drivers/infiniband/hw/mlx5/gsi.c and
// mlx4/mad.c, mlx4/qp.c).
constexpr std::array<std::string_view, 2> kDrivers{"mlx4_ib", "mlx5_ib"};

constexpr std::size_t kMostNamed = 3;

using Object = RdmaHolder::Object;

bool OnPort(const RdmaHolder& holder, std::uint32_t number) {
  return holder.port == 0 || number == 0 || holder.port == number;
}

// A queue pair whose identifier came or went between two lists has no remote address.
bool IsOfThisTest(const RdmaHolder& holder, const UseExceptions& exceptions) {
  if (exceptions.kernel.empty()) return false;
  if (holder.kernel_name == "rdma_cm" && holder.remote.empty()) return true;
  return exceptions.kernel.contains(holder.kernel_name) && holder.remote == exceptions.server;
}

bool IsManager(const RdmaHolder& holder) {
  return std::ranges::find(kManagers, holder.command) != kManagers.end() &&
         (holder.object == Object::kDomain || (holder.object == Object::kQueuePair && holder.type == kTypeUd));
}

bool IsOfThisProcess(const RdmaHolder& holder, const UseExceptions& exceptions) {
  return (exceptions.process != 0 && holder.process == exceptions.process) ||
         exceptions.threads.contains(holder.thread);
}

// A protection domain alone is a doubt: MayUse().
bool Uses(const RdmaHolder& holder, const UseExceptions& exceptions) {
  if (holder.object == Object::kDomain) return false;
  if (holder.object == Object::kContexts) return true;
  const bool queue_pair = holder.object == Object::kQueuePair;
  const std::string& kernel = holder.kernel_name;
  if (!queue_pair && (holder.state < kFirstConnecting || holder.state > kConnected)) return false;
  if (kernel.empty()) return !IsOfThisProcess(holder, exceptions) && !IsManager(holder);
  if (queue_pair && (holder.type == kTypeSmi || holder.type == kTypeGsi)) return false;
  if (kernel == kIpoib || std::ranges::find(kDrivers, kernel) != kDrivers.end()) return false;
  return !IsOfThisTest(holder, exceptions);
}

bool MayUse(const RdmaHolder& holder, const UseExceptions& exceptions) {
  return holder.object == Object::kDomain && !IsManager(holder) && !IsOfThisProcess(holder, exceptions);
}

std::string OwnerOf(const RdmaHolder& holder) {
  if (holder.object == Object::kContexts) return "a process with a context of PSM";
  if (!holder.kernel_name.empty()) return SafeLine(holder.kernel_name, 64) + " of the kernel";
  if (holder.process == 0)
    return "a process that the kernel does not name (of a container, or its thread has ended)";
  if (holder.command.empty()) return fmt::format("pid {}", holder.process);
  return fmt::format("{} (pid {})", SafeLine(holder.command, 64), holder.process);
}

void AddOnce(std::string owner, std::vector<std::string>& owners) {
  if (std::ranges::find(owners, owner) == owners.end()) owners.push_back(std::move(owner));
}

std::string Listed(const std::vector<std::string>& owners) {
  const std::size_t named = std::min(owners.size(), kMostNamed);
  std::string text =
      fmt::format("{}", fmt::join(owners.begin(), owners.begin() + static_cast<std::ptrdiff_t>(named), ", "));
  if (named < owners.size()) text += fmt::format(" and {} more", owners.size() - named);
  return text;
}

// The owner on the port whose traffic only its counters show; nothing without one.
std::optional<std::string_view> QuietOwner(const std::vector<RdmaHolder>& holders, std::uint32_t number) {
  std::optional<std::string_view> owner;
  for (const RdmaHolder& holder : holders) {
    if (!OnPort(holder, number)) continue;
    if (holder.kernel_name == kIpoib) return "IPoIB";
    if (IsManager(holder)) owner = holder.command;
  }
  return owner;
}

double QuietPerSecond(const Fact<std::uint32_t>& rate_mbps, std::uint32_t unit_bytes) {
  const double share = rate_mbps ? std::min(*rate_mbps * kBytesPerMegabit * kQuietShare, kMostQuietBytes) : 0;
  const double least = unit_bytes == kMostPacketBytes ? kQuietPackets : kQuietBytes / unit_bytes;
  return std::max(share / unit_bytes, least);
}

bool NotRead(const Fact<std::vector<Counter>>& counters) {
  return !counters && counters.missing().kind != Missing::Kind::kUnsupported;
}

PortUse Unknown(std::string why) { return {.kind = PortUse::Kind::kUnknown, .text = std::move(why)}; }

PortUse UseByCounters(const CounterReading& before, const CounterReading& after,
                      const std::optional<std::string_view>& quiet_owner,
                      const Fact<std::uint32_t>& rate_mbps) {
  for (const CounterReading* reading : {&before, &after}) {
    for (const Fact<std::vector<Counter>>* counters : {&reading->hw.counters, &reading->pma}) {
      if (NotRead(*counters))
        return Unknown("its counters could not be read: " + SafeLine(counters->missing().detail, 256));
    }
  }
  const std::optional<Moved> first = MovedUntil(before);
  const std::optional<Moved> second = MovedUntil(after);
  if (!first && !second) {
    if (quiet_owner)
      return Unknown(fmt::format("its driver does not count what it moves, and {} is on it", *quiet_owner));
    return {.kind = PortUse::Kind::kFree};
  }
  const double seconds = std::chrono::duration<double>(after.when - before.when).count();
  if (!first || !second || second->unit_bytes != first->unit_bytes || second->count < first->count ||
      seconds <= 0)
    return Unknown("its counters were set back, or came and went");
  const std::uint64_t moved = second->count - first->count;
  if (static_cast<double>(moved) / seconds <= QuietPerSecond(rate_mbps, first->unit_bytes))
    return {.kind = PortUse::Kind::kFree};
  const std::string who = quiet_owner ? fmt::format("{}, or a user that the kernel does not list", *quiet_owner)
                                      : std::string("a user that the kernel does not list");
  return {.kind = PortUse::Kind::kUsed,
          .text = fmt::format("{} (its counters grew by {} in {:.1f} s)", who, moved, seconds)};
}

}  // namespace

PortUse UseByHolders(const Fact<std::vector<RdmaHolder>>& holders, std::uint32_t number,
                     const UseExceptions& exceptions) {
  if (!holders)
    return Unknown("the owners of its queue pairs could not be read: " +
                   SafeLine(holders.missing().detail, 256));
  std::vector<std::string> users;
  std::vector<std::string> doubtful;
  for (const RdmaHolder& holder : *holders) {
    if (!OnPort(holder, number)) continue;
    if (Uses(holder, exceptions)) AddOnce(OwnerOf(holder), users);
    if (MayUse(holder, exceptions)) AddOnce(OwnerOf(holder), doubtful);
  }
  if (!users.empty()) return {.kind = PortUse::Kind::kUsed, .text = Listed(users)};
  if (!doubtful.empty())
    return Unknown(Listed(doubtful) + " may use it by objects that the kernel does not list");
  return {.kind = PortUse::Kind::kFree};
}

PortUse WithSharing(const PortUse& use, const std::string& device, const PortUse& sharing) {
  using Kind = PortUse::Kind;
  if (sharing.kind == Kind::kFree) return use;
  if (sharing.kind == Kind::kUnknown) {
    if (use.kind != Kind::kFree) return use;
    return {
        .kind = Kind::kUnknown,
        .text = fmt::format("of RDMA device {}, which shares its NIC: {}", SafeLine(device, 64), sharing.text),
        .port = use.port};
  }
  const std::string users =
      fmt::format("{} through {}, which shares its NIC", sharing.text, SafeLine(device, 64));
  return {.kind = Kind::kUsed,
          .text = use.kind == Kind::kUsed ? use.text + " and " + users : users,
          .port = use.port};
}

PortUse UseOf(const Fact<std::vector<RdmaHolder>>& holders, std::uint32_t number,
              const UseExceptions& exceptions, const CounterReading& before, const CounterReading& after,
              const Fact<std::uint32_t>& rate_mbps) {
  PortUse use = UseByHolders(holders, number, exceptions);
  if (use.kind != PortUse::Kind::kFree) return use;
  return UseByCounters(before, after, QuietOwner(*holders, number), rate_mbps);
}

}  // namespace rdmaready
