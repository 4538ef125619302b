// SPDX-License-Identifier: Apache-2.0
#include "agent/drift/own_writes.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

#include "absl/status/statusor.h"
#include "api/model/open_change.h"
#include "checks/setting/table.h"

namespace rdmaready::drift {
namespace {

// Of a netdev of which the kernel announced a write of DCB, without the table's word for it.
bool MayBeDcb(const Change& change) {
  if (!change.object) return change.what.starts_with("dcb.");
  const SettingKind kind = change.object->kind;
  return IsDcbSetting(kind) && kind != SettingKind::kDcbx;  // nobody announces that one
}

// The number of the last request that was announced; 0, which a driver's own notices have: there is none.
std::uint32_t LastRequest(const HeardSubject& dcb) {
  const auto last =
      std::find_if(dcb.sequences.rbegin(), dcb.sequences.rend(), [](std::uint32_t one) { return one != 0; });
  return last == dcb.sequences.rend() ? 0 : *last;
}

// It writes now, or will: of one that awaits its confirmation that is told by a write that is new.
bool IsWriting(const rdmaready::Change& change) {
  return StillOpen(change.state) && change.state != ChangeState::kAwaitingConfirm;
}

}  // namespace

struct OwnWrites::Said {
  std::mutex mutex;  // guards what follows
  std::condition_variable_any more;
  std::vector<OwnWrite> writes{};
  ApplierStatus status{};
  bool all = false;
};

// On a thread of its own, which is left behind when the agent ends meanwhile: an applier that does not answer
// keeps no agent from ending. Null: no thread is to be had.
std::shared_ptr<OwnWrites::Said> OwnWrites::Ask() {
  auto said = std::make_shared<Said>();
  try {
    std::thread([said, configurer = configurer_] {
      absl::StatusOr<std::vector<OwnWrite>> writes = configurer->OwnWrites();
      absl::StatusOr<ApplierStatus> status = configurer->Status();
      const std::lock_guard lock(said->mutex);
      if (writes.ok()) said->writes = *std::move(writes);
      if (status.ok()) said->status = *std::move(status);
      said->all = true;
      said->more.notify_one();
    }).detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return said;
}

void OwnWrites::Look(const std::stop_token& stop) {
  sequences_.clear();
  status_ = {};
  // What was written between the reading before and the look after it is seen by the next reading only.
  wrote_ = std::exchange(wrote_now_, false);
  if (configurer_ == nullptr) return;
  if (asked_ != nullptr) {
    const std::lock_guard lock(asked_->mutex);
    if (!asked_->all) return;
  }
  asked_ = Ask();
  if (asked_ == nullptr) return;
  std::unique_lock lock(asked_->mutex);
  if (clock_.WaitUntil(asked_->more, lock, stop, clock_.Now() + kPatience, [this] { return asked_->all; }))
    Learn(*asked_);
}

void OwnWrites::Learn(Said& said) {
  if (!said.writes.empty()) {
    for (const OwnWrite& write : said.writes) sequences_.insert(write.sequence);
    wrote_now_ = newest_ != said.writes.back();
    newest_ = said.writes.back();
  }
  status_ = std::move(said.status);
  std::map<std::string, ChangeState> states;
  for (const rdmaready::Change& one : status_.changes) {
    const auto before = looked_ ? states_.find(one.id) : states_.end();
    const bool as_before = !looked_ || (before != states_.end() && before->second == one.state);
    wrote_now_ = wrote_now_ || IsWriting(one) || !as_before;
    states[one.id] = one.state;
  }
  states_ = std::move(states);
  looked_ = true;
  wrote_ = wrote_ || wrote_now_;
}

bool OwnWrites::AllOwn(const HeardSubject& dcb) const {
  return dcb.all_sequences && LastRequest(dcb) != 0 &&
         std::ranges::all_of(dcb.sequences,
                             [this](std::uint32_t one) { return one == 0 || sequences_.contains(one); });
}

// The newest change of which a step has the value, going there or back.
std::string OwnWrites::ChangeWith(const Change& change) const {
  for (auto one = status_.changes.rbegin(); one != status_.changes.rend(); ++one) {
    const bool has = std::ranges::any_of(one->steps, [&](const ChangeStep& step) {
      const bool back = one->state != ChangeState::kConfirmed && step.step.from == change.to;
      return step.step.object == change.object && (step.step.to == change.to || back);
    });
    if (has) return one->id;
  }
  return "";
}

bool OwnWrites::MayBeTakingBack() const {
  return std::ranges::any_of(status_.changes, StillOpen, &rdmaready::Change::state);
}

bool OwnWrites::Keeps(const Change& change) const {
  return std::ranges::any_of(status_.kept, [&](const Setting& kept) {
    return kept.object == change.object && kept.value == change.to;
  });
}

OwnChange OwnWrites::Judge(const Change& change, const HeardSubject* dcb) const {
  if (configurer_ == nullptr) return {};
  if (dcb != nullptr && MayBeDcb(change)) {
    if (AllOwn(*dcb)) return {.own = true, .change_id = change.object ? ChangeWith(change) : ""};
    // Somebody else wrote, too: ours is what we wrote last.
    const std::uint32_t last = LastRequest(*dcb);
    if (dcb->all_sequences && last != 0 && !sequences_.contains(last)) return {};
  }
  if (!change.object || !wrote_) return {};
  const std::string id = ChangeWith(change);
  return {.own = !id.empty() || Keeps(change), .change_id = id};
}

}  // namespace rdmaready::drift
