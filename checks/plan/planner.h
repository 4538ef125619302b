// SPDX-License-Identifier: Apache-2.0
// Planner: goes through the settings in the order of writing, asks at each place what is wanted there, and
// makes the step on a copy of the host, so that the next one is asked of what will be.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "checks/host_parts.h"
#include "checks/plan/plan.h"
#include "checks/plan/wish.h"

namespace rdmaready {

// One profile's part of the host, as it will be.
struct PlannedPart {
  const HostPart* origin = nullptr;
  Facts now{};
};

std::vector<PlannedPart> PlannedPartsOf(const HostParts& host);

class Planner {
 public:
  // Objects that are not to be set, and why.
  struct NotSet {
    std::map<SettingObject, std::string> contested{};  // each is a refusal
    std::map<SettingObject, std::string> undecided{};  // each is a sentence of Plan::unknown
  };
  Planner(std::vector<PlannedPart> parts, const NotSet& not_set)
      : parts_(std::move(parts)), not_set_(not_set) {}

  void Run();

  // Steps, refusals, pending and unknown.
  const Plan& plan() const { return plan_; }
  // The host after the steps.
  const std::vector<PlannedPart>& parts() const { return parts_; }
  // Objects that were wanted in two ways, and by whom.
  const std::map<SettingObject, std::string>& conflicts() const { return conflicts_; }

 private:
  // Where a wish comes from.
  struct Source {
    PlannedPart* part = nullptr;
    std::string subject{};
    std::vector<std::string> mends{};
  };

  void RunStage(std::size_t stage, bool last);
  void AskPort(std::size_t stage, PlannedPart& part, std::size_t port, bool last);
  void Take(const Wish& wish, const Source& source, bool last);
  void TakeValue(const Wish& wish, const Source& source, bool last);
  void Refuse(const Wish& wish, const Source& source, const std::string& reason, const std::string& advice);
  void AddStep(const Wish& wish, const Source& source, const std::string& from, const Facts& before);
  void SayUnknown(const std::string& sentence);

  std::vector<PlannedPart> parts_;
  const NotSet& not_set_;
  std::map<SettingObject, std::string> conflicts_{};
  Plan plan_{};
};

}  // namespace rdmaready
