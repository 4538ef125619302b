// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/verbs.h"

#include <fmt/format.h>
#include <linux/if_packet.h>
#include <linux/pkt_sched.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "agent/helper/pauser/last_bursts.h"
#include "agent/helper/pauser/order.h"
#include "agent/helper/pauser/pauses_file.h"
#include "api/base/handle.h"
#include "api/base/name_pattern.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;

bool Names(const std::vector<std::string>& patterns, const std::string& netdev) {
  return std::ranges::any_of(patterns, [&](const std::string& one) { return MatchesPattern(one, netdev); });
}

absl::Status MayPause(const PauserOptions& options, const PauseOrder& order) {
  const std::string& netdev = order.netdev;
  const absl::StatusOr<PauseRules> rules = LoadPausesFile(options.pauses_file, options.owner);
  if (!rules.ok()) {
    return absl::PermissionDeniedError(fmt::format("root names in {} which interfaces may send pauses: {}",
                                                   options.pauses_file, Message(rules.status())));
  }
  if (!Names(rules->ports, netdev)) {
    return absl::PermissionDeniedError(
        fmt::format("{} does not allow {} to send pauses", options.pauses_file, netdev));
  }
  if (order.station_heard || Names(rules->direct, netdev)) return absl::OkStatus();
  return absl::PermissionDeniedError(fmt::format(
      "send pauses on {}: whether a cable joins it to one other host is not known. The agent heard no "
      "station by LLDP there, and {} does not name it in `direct`",
      netdev, options.pauses_file));
}

std::string PlaceText(const PausePort& port) {
  const auto or_dash = [](const std::string& text) { return text.empty() ? std::string_view("-") : text; };
  return fmt::format("netdev={} pci={} permanent_mac={} phys_port_id={}", port.netdev, or_dash(port.key.pci),
                     or_dash(port.key.permanent_mac), or_dash(port.key.physical_port));
}

absl::StatusOr<Json> PauseBy(const PauserOptions& options, LastBursts& last, const PauseOrder& order,
                             const std::stop_token& stop) {
  RR_RETURN_IF_ERROR(MayPause(options, order));
  RR_ASSIGN_OR_RETURN(const PausePort port, options.read_port(order.netdev));
  RR_RETURN_IF_ERROR(CheckPausePort(port));
  RR_ASSIGN_OR_RETURN(const FrameSender send, options.open(port));
  PauseBudget budget(options.budget_file, options.boot);
  RR_RETURN_IF_ERROR(last.MayBegin(port, order, budget));
  RR_RETURN_IF_ERROR(budget.Take(port.key, order.burst * order.bursts));
  // Before the first frame, so that also an end by force leaves a line.
  options.log(fmt::format("begins {} priority={} bursts={} burst_ms={} requester=\"{}\"", PlaceText(port),
                          order.priority, order.bursts, order.burst.count(), order.requester));
  PausesSent answer{.driver = port.driver};
  const BurstsSent sent = SendBursts(
      {.priority = order.priority,
       .burst = order.burst,
       .bursts = order.bursts,
       .gap = order.gap,
       .speed_mbps = port.speed_mbps,
       .source = port.mac},
      send, *options.clock, stop, [&](const Burst& burst) {
        last.Ended(port.key, order.burst);
        answer.bursts.push_back({burst.frames, duration_cast<microseconds>(burst.paused), burst.ended});
        options.log(fmt::format(
            "pause {} priority={} burst={}/{} burst_ms={} frames={} paused_us={} ended={} "
            "requester=\"{}\"",
            PlaceText(port), order.priority, answer.bursts.size(), order.bursts, order.burst.count(),
            burst.frames, answer.bursts.back().paused.count(), burst.ended ? "yes" : "no", order.requester));
      });
  if (!sent.end.ok()) answer.failure = Message(sent.end);
  return ToJson(answer);
}

struct Shared {
  explicit Shared(PauserOptions given) : options(std::move(given)), last(*options.clock) {}

  const PauserOptions options;
  std::mutex at_work{};  // held for an order; guards `last`
  LastBursts last;
};

}  // namespace

std::vector<Verb> PauserVerbs(PauserOptions options) {
  const auto shared = std::make_shared<Shared>(std::move(options));
  const auto pause = [shared](Arguments& arguments) -> absl::StatusOr<Work> {
    RR_ASSIGN_OR_RETURN(const PauseOrder order, DecodePauseOrder(arguments));
    return Work([shared, order](const std::stop_token& stop, const Progress&) -> absl::StatusOr<Json> {
      const std::unique_lock held(shared->at_work, std::try_to_lock);
      if (!held.owns_lock()) return absl::UnavailableError("busy: another port is being paused");
      absl::StatusOr<Json> answer = PauseBy(shared->options, shared->last, order, stop);
      if (!answer.ok()) {
        shared->options.log(fmt::format("refused netdev={} priority={} requester=\"{}\": {}", order.netdev,
                                        order.priority, order.requester, Message(answer.status())));
      }
      return answer;
    });
  };
  return {{kPauseVerb, pause}};
}

absl::StatusOr<FrameSender> OpenSender(const PausePort& port) {
  // Protocol 0: the kernel shows it no frame, before and after it is bound.
  auto socket = std::make_shared<UniqueFd>(::socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!*socket) return ErrnoStatus(errno, "open a packet socket for " + port.netdev);
  ::sockaddr_ll address{};
  address.sll_family = AF_PACKET;
  address.sll_ifindex = port.ifindex;
  if (::bind(socket->get(), reinterpret_cast<const ::sockaddr*>(&address), sizeof(address)) != 0)
    return ErrnoStatus(errno, "send on " + port.netdev);
  // The queueing discipline sends it before what waits. The kernel wants CAP_NET_RAW or CAP_NET_ADMIN for this
  // (sk_setsockopt of net/core/sock.c), an old one CAP_NET_ADMIN: there the frame waits its turn.
  const int priority = TC_PRIO_CONTROL;
  ::setsockopt(socket->get(), SOL_SOCKET, SO_PRIORITY, &priority, sizeof(priority));
  return FrameSender([socket, netdev = port.netdev](const PauseFrame& frame) {
    const ::ssize_t sent = ::send(socket->get(), frame.data(), frame.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    return sent == static_cast<::ssize_t>(frame.size()) ? absl::OkStatus()
                                                        : ErrnoStatus(errno, "send a pause on " + netdev);
  });
}

}  // namespace rdmaready::helper
