// SPDX-License-Identifier: Apache-2.0
#include "agent/worker/host_lanes.h"

#include <fmt/format.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <variant>

namespace rdmaready {
namespace {

// Every thread that sleeps in the kernel is one of ours: beyond this nothing is asked that could sleep.
constexpr std::size_t kMostStuck = 16;

constexpr std::string_view kRtnlLane = "rtnl/";
constexpr std::array<std::string_view, 3> kDeviceFolders{"/sys/class/infiniband/", "/sys/class/net/",
                                                         "/sys/bus/pci/devices/"};
// The files of net/core/net-sysfs.c that take RTNL to be read.
constexpr std::array<std::string_view, 10> kRtnlFiles{
    "speed",          "duplex",     "carrier", "phys_port_id", "phys_port_name",
    "phys_switch_id", "proto_down", "ifalias", "threaded",     "testing"};

std::string_view FolderOf(std::string_view path) { return path.substr(0, path.rfind('/') + 1); }

Lane LaneOfPath(const std::string& path) {
  for (const std::string_view folder : kDeviceFolders) {
    if (!path.starts_with(folder)) continue;
    const std::size_t end = path.find('/', folder.size());
    const std::string root = end == std::string::npos ? path + "/" : path.substr(0, end + 1);
    if (folder == "/sys/class/net/" && end != std::string::npos &&
        std::ranges::find(kRtnlFiles, std::string_view(path).substr(end + 1)) != kRtnlFiles.end()) {
      return {std::string(kRtnlLane), std::string(kRtnlLane)};
    }
    return {end == std::string::npos ? root : std::string(FolderOf(path)), root};
  }
  return {path + "/", path + "/"};
}

// Dumps of addresses and routes take no RTNL (inet_rtm_getaddr and its like are registered unlocked).
bool TakesRtnl(const NetlinkRequest& request) {
  return request.type != RTM_GETADDR && request.type != RTM_GETROUTE && request.type != RTM_GETNEIGH;
}

Lane LaneOfNetlink(const NetlinkRequest& request) {
  if (request.protocol == NETLINK_ROUTE && TakesRtnl(request))
    return {std::string(kRtnlLane), std::string(kRtnlLane)};
  const bool below = request.protocol == NETLINK_GENERIC && request.type != GENL_ID_CTRL;
  const std::string root = below ? std::string(kRtnlLane) : fmt::format("netlink/{}/", request.protocol);
  return {fmt::format("{}{}/", root, request.type), root};
}

Lane LaneOfDevice(std::string_view kind, const std::string& device) {
  const std::string root = "device/" + device + "/";
  return {fmt::format("{}{}/", root, kind), root};
}

struct LaneFinder {
  Lane operator()(const FileQuestion& one) const { return LaneOfPath(one.path); }
  Lane operator()(const DirectoryQuestion& one) const { return LaneOfPath(one.path); }
  Lane operator()(const LinkQuestion& one) const { return LaneOfPath(one.path); }
  Lane operator()(const ModeQuestion& one) const { return LaneOfPath(one.path); }
  Lane operator()(const LinesQuestion& one) const { return LaneOfPath(one.path); }
  Lane operator()(const NetlinkRequest& one) const { return LaneOfNetlink(one); }
  Lane operator()(const EthtoolQuestion&) const { return {std::string(kRtnlLane), std::string(kRtnlLane)}; }
  Lane operator()(const VerbsPortQuestion& one) const { return LaneOfDevice("port", one.device); }
  Lane operator()(const VerbsGidTableQuestion& one) const { return LaneOfDevice("gids", one.device); }
  Lane operator()(const VerbsDeviceQuestion& one) const { return LaneOfDevice("device", one.device); }
  Lane operator()(const RdmaCmQuestion& one) const { return LaneOfDevice("cm", one.device); }
  Lane operator()(const MadRequest& one) const { return LaneOfDevice("mad", one.device); }
  template <class Other>
  Lane operator()(const Other& other) const {
    return {other.What() + "/", other.What() + "/"};
  }
};

}  // namespace

Lane LaneOf(const Question& question) { return std::visit(LaneFinder{}, question); }

std::string WhatIsAsked(const Question& question) {
  return std::visit([](const auto& kind) { return kind.What(); }, question);
}

std::optional<absl::Status> StuckLanes::WhyNot(const Question& question) const {
  const std::lock_guard lock(mutex_);
  if (closed_.empty()) return std::nullopt;
  const Lane lane = LaneOf(question);
  for (const auto& [id, closed] : closed_) {
    if (closed.whole ? !lane.lane.starts_with(closed.root) : lane.lane != closed.lane) continue;
    return absl::DeadlineExceededError(
        fmt::format("{}: not asked, because this does not answer: {}", WhatIsAsked(question), closed.what));
  }
  if (closed_.size() < kMostStuck) return std::nullopt;
  return absl::DeadlineExceededError(
      fmt::format("{}: not asked, because {} readings of this host do not return, the first of them: {}",
                  WhatIsAsked(question), closed_.size(), closed_.begin()->second.what));
}

std::uint64_t StuckLanes::Close(const Question& question) {
  const std::lock_guard lock(mutex_);
  const Lane lane = LaneOf(question);
  const bool again =
      std::ranges::any_of(closed_, [&](const auto& entry) { return entry.second.root == lane.root; });
  const std::uint64_t id = next_++;
  closed_.emplace(id, Closed{.lane = lane.lane,
                             .root = lane.root,
                             .what = WhatIsAsked(question),
                             .whole = again || lane.lane == lane.root});
  return id;
}

void StuckLanes::Open(std::uint64_t closed) {
  const std::lock_guard lock(mutex_);
  closed_.erase(closed);
}

std::size_t StuckLanes::count() const {
  const std::lock_guard lock(mutex_);
  return closed_.size();
}

}  // namespace rdmaready
