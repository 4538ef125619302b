// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/pauser/order.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "agent/helper/pauser/bursts.h"
#include "agent/helper/pauser/pause_budget.h"
#include "agent/helper/pauser/pause_port.h"
#include "api/base/status.h"

namespace rdmaready::helper {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kMostRequesterBytes = 256;
constexpr std::size_t kMostDriverBytes = 64;
constexpr std::size_t kMostFailureBytes = 512;
constexpr std::size_t kMostSentBursts = kMostPausePerHour / kLeastBurst;
static_assert(kLongestOrder >= kMostPausePerHour + kMostGap * kMostSentBursts);

bool IsPrintable(std::string_view text, std::size_t most_bytes) {
  return text.size() <= most_bytes &&
         std::ranges::all_of(text, [](char letter) { return letter >= ' ' && letter <= '~'; });
}

absl::Status CheckTime(std::string_view name, milliseconds time, milliseconds least, milliseconds most) {
  if (time >= least && time <= most) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format("\"{}\" is {} to {} ms", name, least.count(), most.count()));
}

}  // namespace

absl::Status CheckPauseOrder(const PauseOrder& order) {
  if (!IsNetdevName(order.netdev)) return absl::InvalidArgumentError("\"netdev\" names no interface");
  if (order.priority >= kPausePriorities) return absl::InvalidArgumentError("\"priority\" is 0 to 7");
  RR_RETURN_IF_ERROR(CheckTime("burst_ms", order.burst, kLeastBurst, kMostBurst));
  RR_RETURN_IF_ERROR(CheckTime("gap_ms", order.gap, order.burst, kMostGap));
  if (order.bursts == 0 || order.bursts > kMostSentBursts || order.burst * order.bursts > kMostPausePerHour) {
    return absl::InvalidArgumentError(
        fmt::format("\"bursts\" is 1 or more, and all of them take at most {} ms", kMostPausePerHour.count()));
  }
  // In the audit it is between quotes.
  if (!IsPrintable(order.requester, kMostRequesterBytes) ||
      order.requester.find_first_of("\"\\") != std::string::npos)
    return absl::InvalidArgumentError("\"requester\" is too long, has a quote, or cannot be printed");
  return absl::OkStatus();
}

Json ToJson(const PauseOrder& order) {
  return {{"netdev", recording::FromText(order.netdev)},
          {"priority", order.priority},
          {"burst_ms", order.burst.count()},
          {"bursts", order.bursts},
          {"gap_ms", order.gap.count()},
          {"station_heard", order.station_heard},
          {"requester", recording::FromText(order.requester)}};
}

absl::StatusOr<PauseOrder> DecodePauseOrder(Arguments& arguments) {
  PauseOrder order{.netdev = arguments.Text("netdev"),
                   .priority = arguments.Unsigned<std::uint32_t>("priority"),
                   .burst = milliseconds(arguments.Unsigned<std::uint32_t>("burst_ms")),
                   .bursts = arguments.Unsigned<std::uint32_t>("bursts"),
                   .gap = milliseconds(arguments.Unsigned<std::uint32_t>("gap_ms")),
                   .station_heard = arguments.Flag("station_heard"),
                   .requester = arguments.Text("requester")};
  RR_RETURN_IF_ERROR(arguments.status());
  RR_RETURN_IF_ERROR(CheckPauseOrder(order));
  return order;
}

Json ToJson(const PausesSent& sent) {
  Json bursts = Json::array();
  for (const SentBurst& burst : sent.bursts)
    bursts.push_back({{"frames", burst.frames},
                      {"paused_us", static_cast<std::uint64_t>(burst.paused.count())},
                      {"ended", burst.ended}});
  return {{"driver", recording::FromText(sent.driver)},
          {"bursts", std::move(bursts)},
          {"failure", recording::FromText(sent.failure)}};
}

absl::StatusOr<PausesSent> ReadPausesSent(const Json& answer) {
  Arguments members(answer);
  PausesSent sent{.driver = members.Text("driver"),
                  .bursts = members.List<SentBurst>(
                      "bursts",
                      [](Arguments& burst) {
                        return SentBurst{
                            .frames = burst.Unsigned<std::uint32_t>("frames"),
                            .paused = std::chrono::microseconds(burst.Unsigned<std::uint32_t>("paused_us")),
                            .ended = burst.Flag("ended")};
                      }),
                  .failure = members.Text("failure")};
  if (const absl::Status read = members.status(); !read.ok()) return absl::InternalError(Message(read));
  if (sent.bursts.size() > kMostSentBursts || !IsPrintable(sent.driver, kMostDriverBytes) ||
      !IsPrintable(sent.failure, kMostFailureBytes))
    return absl::InternalError("an answer that no pauser gives");
  return sent;
}

}  // namespace rdmaready::helper
