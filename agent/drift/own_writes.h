// SPDX-License-Identifier: Apache-2.0
// OwnWrites: which changes of settings were rdmaready-applier's. It is asked only when something differs.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "agent/apply/configurer.h"
#include "agent/drift/settings.h"
#include "api/base/clock.h"
#include "collectors/net/notices.h"

namespace rdmaready::drift {

struct OwnChange {
  bool own = false;
  std::string change_id{};
};

// One thread.
class OwnWrites {
 public:
  // A busy applier answers at once: what it says is not what it writes.
  static constexpr std::chrono::milliseconds kPatience{5000};

  OwnWrites(std::shared_ptr<Configurer> configurer, Clock& clock)
      : configurer_(std::move(configurer)), clock_(clock) {}

  // Asks the applier, and waits for its answer, for `stop`, or until its patience ends. Without an applier, or
  // when it does not answer, nothing is own; one that still owes its answer is not asked again.
  void Look(const std::stop_token& stop = {});

  // Whether the applier made it, by what was looked at last. A DCB setting is, when every notice followed a
  // request of the applier's (`dcb`: what was heard of that netdev; null: nothing, or not all), and is not,
  // when the last one did not. Of everything else the kernel tells no number: it is, when the applier wrote or
  // a change of its ended since the look before the last one, or one is being written or proven, and the value
  // is one of a change of its own or one that it keeps.
  OwnChange Judge(const Change& change, const HeardSubject* dcb) const;

  // Whether a change is open: its first steps back are known as ours only when it says so, a moment later.
  bool MayBeTakingBack() const;

 private:
  // What the applier answers, once it does.
  struct Said;

  std::shared_ptr<Said> Ask();
  void Learn(Said& said);
  bool AllOwn(const HeardSubject& dcb) const;
  std::string ChangeWith(const Change& change) const;
  bool Keeps(const Change& change) const;

  std::shared_ptr<Configurer> configurer_;
  Clock& clock_;
  std::shared_ptr<Said> asked_{};  // last
  std::set<std::uint32_t> sequences_{};
  ApplierStatus status_{};
  std::optional<OwnWrite> newest_{};             // of the last look
  std::map<std::string, ChangeState> states_{};  // of the last look, by the change's id
  bool looked_ = false;                          // what it wrote before is nothing new
  bool wrote_now_ = false;                       // between the last two looks, or it is writing
  bool wrote_ = false;                           // the same, or it was so at the look before
};

}  // namespace rdmaready::drift
