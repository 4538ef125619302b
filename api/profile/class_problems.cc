// SPDX-License-Identifier: Apache-2.0
#include "api/profile/class_problems.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "api/profile/problem_words.h"

namespace rdmaready {
namespace {

using Problems = std::vector<ProfileProblem>;

// The form of one class; false when its priorities cannot be spoken of.
bool CheckClass(const v1::Profile::TrafficClass& one, const std::string& path, Problems& problems) {
  if (one.priorities().empty()) problems.push_back({path, "a class without priorities"});
  if (one.strict() && one.has_percent()) {
    problems.push_back({path + ".percent", "a strict class has no share"});
  } else if (!one.strict() && !one.has_percent()) {
    problems.push_back({path, "neither a percent nor strict"});
  } else if (one.has_percent() && (one.percent() < 1 || one.percent() > 100)) {
    problems.push_back(OutOfRange(path + ".percent", one.percent(), 1, 100));
  }
  for (const std::uint32_t priority : one.priorities()) {
    if (priority <= kHighestPriority) continue;
    problems.push_back(OutOfRange(path + ".priorities", priority, 0, kHighestPriority));
    return false;
  }
  return true;
}

bool Holds(const v1::Profile::TrafficClass& one, std::uint32_t priority) {
  return std::ranges::find(one.priorities(), priority) != one.priorities().end();
}

// "0, 1 and 2": the priorities of the class that are not lossless, without that one.
std::string LossyBeside(const v1::Profile& message, const v1::Profile::TrafficClass& one,
                        std::uint32_t without) {
  std::vector<std::uint32_t> lossy;
  for (const std::uint32_t priority : one.priorities()) {
    if (priority != without && !IsPaused(message, priority)) lossy.push_back(priority);
  }
  std::string text;
  for (std::size_t i = 0; i < lossy.size(); ++i)
    text += (i == 0 ? "" : i + 1 == lossy.size() ? " and " : ", ") + NumberText(lossy[i]);
  return text;
}

// RDMA has a class of its own, and so has what is lossless: a pause stops the whole class.
void CheckSharing(const v1::Profile& message, const v1::Profile::TrafficClass& one, const std::string& path,
                  Problems& problems) {
  const bool of_rdma = message.has_rdma_priority() && Holds(one, message.rdma_priority());
  const auto lossless = std::ranges::find_if(
      one.priorities(), [&](std::uint32_t priority) { return IsPaused(message, priority); });
  if (!of_rdma && lossless == one.priorities().end()) return;
  const std::uint32_t priority = of_rdma ? message.rdma_priority() : *lossless;
  const std::string beside = LossyBeside(message, one, priority);
  if (beside.empty()) return;
  const std::string_view what = of_rdma ? "rdma_priority " : "lossless priority ";
  problems.push_back(
      {path + ".priorities",
       fmt::format("{}{} shares its class with {}: it needs one without them", what, priority, beside),
       of_rdma ? "rdma_priority" : "pfc"});
}

// The heartbeat's class is not everybody's, and has the share that the heartbeat is promised.
void CheckHeartbeatClass(const v1::Profile& message, const v1::Profile::TrafficClass& one,
                         const std::string& path, Problems& problems) {
  const v1::Profile::Heartbeat& heartbeat = message.heartbeat();
  if (!message.has_heartbeat() || !Holds(one, heartbeat.priority())) return;
  const std::string priority = "heartbeat.priority " + NumberText(heartbeat.priority());
  if (heartbeat.priority() != 0 && Holds(one, 0))
    problems.push_back({path + ".priorities",
                        priority + " shares the class of priority 0, which is everybody's",
                        "heartbeat.priority"});
  if (!heartbeat.has_percent() || (one.has_percent() && one.percent() == heartbeat.percent())) return;
  problems.push_back({"heartbeat.percent",
                      NumberText(heartbeat.percent()) + ", and the class of " + priority +
                          (one.strict() ? " is strict" : " has " + NumberText(one.percent())),
                      path});
}

// The class of the RDMA priority must have the share of rdma_percent.
void CheckRdmaClass(const v1::Profile& message, const v1::Profile::TrafficClass& one, const std::string& path,
                    Problems& problems) {
  if (!message.has_rdma_priority() || !Holds(one, message.rdma_priority())) return;
  if (one.strict()) {
    problems.push_back({path + ".strict", "RDMA's class needs a share, else it starves all others"});
  } else if (one.has_percent() && one.percent() != message.ets().rdma_percent()) {
    problems.push_back({"ets.rdma_percent",
                        NumberText(message.ets().rdma_percent()) + ", and the class of rdma_priority " +
                            NumberText(message.rdma_priority()) + " has " + NumberText(one.percent()),
                        path + ".percent"});
  }
}

}  // namespace

void FindClassProblems(const v1::Profile& message, std::vector<ProfileProblem>& problems) {
  if (message.ets().classes().empty()) return;
  constexpr std::string_view kField = "ets.classes";
  constexpr int kMostClasses = 8;
  if (message.ets().classes_size() > kMostClasses) problems.push_back({std::string(kField), "more than 8"});
  unsigned seen = 0;
  std::uint64_t sum = 0;
  for (int i = 0; i < message.ets().classes_size(); ++i) {
    const v1::Profile::TrafficClass& one = message.ets().classes(i);
    const std::string path = fmt::format("{}[{}]", kField, i);
    if (!CheckClass(one, path, problems)) return;
    CheckRdmaClass(message, one, path, problems);
    CheckSharing(message, one, path, problems);
    CheckHeartbeatClass(message, one, path, problems);
    sum += one.percent();
    for (const std::uint32_t priority : one.priorities()) {
      if ((seen >> priority & 1U) != 0)
        problems.push_back(
            {path + ".priorities", "priority " + NumberText(priority) + " is in a class already"});
      seen |= 1U << priority;
    }
  }
  if (sum != 100)
    problems.push_back({std::string(kField), "the shares add up to " + NumberText(sum) + ", not to 100"});
  for (std::uint32_t priority = 0; priority <= kHighestPriority; ++priority) {
    if ((seen >> priority & 1U) != 0) continue;
    const bool paused = IsPaused(message, priority);
    problems.push_back(
        {paused ? "pfc" : std::string(kField),
         "priority " + NumberText(priority) + " is in no traffic class" + (paused ? " of ets" : ""),
         paused ? std::string(kField) : std::string()});
  }
}

}  // namespace rdmaready
