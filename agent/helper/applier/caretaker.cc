// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/caretaker.h"

#include <algorithm>
#include <utility>

namespace rdmaready::helper {
namespace {

using OptionalTime = std::optional<DeviceLooks::Time>;

OptionalTime Sooner(const OptionalTime& a, const OptionalTime& b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

}  // namespace

NoticeReader::Reasons NoticeReader::Read(const HeardNotices& heard) {
  // What was lost may have been anything.
  Reasons reasons{.appeared = !heard.lost.empty(), .changed = !heard.lost.empty()};
  for (const HeardSubject& subject : heard.subjects) {
    const HostNotice& last = subject.last;
    switch (last.kind) {
      case NoticeKind::kLink:
        if (last.gone) {
          netdevs_.erase(last.ifindex);
          continue;
        }
        // Under another name it is another one to who is kept by its name.
        if (const auto [known, is_new] = netdevs_.try_emplace(last.ifindex, last.name);
            is_new || known->second != last.name) {
          known->second = last.name;
          reasons.appeared = true;
        }
        break;
      case NoticeKind::kRdma:
        if (!last.gone) reasons.appeared = true;
        break;
      case NoticeKind::kDcb:
      case NoticeKind::kAddress:
      case NoticeKind::kNetconf:
      case NoticeKind::kEthtool:
        break;
    }
    reasons.changed = true;
  }
  return reasons;
}

void DeviceLooks::Appeared(Time now) {
  if (!first_) first_ = now + settle_;
  if (again_)
    later_ = now + look_again_;
  else
    again_ = now + look_again_;
}

bool DeviceLooks::TakeDue(Time now) {
  bool due = false;
  if (first_ && *first_ <= now) {
    due = true;
    first_.reset();
  }
  if (again_ && *again_ <= now) {
    due = true;
    again_ = std::exchange(later_, std::nullopt);
  }
  return due;
}

std::optional<DeviceLooks::Time> DeviceLooks::Next() const { return Sooner(first_, again_); }

Caretaker::Caretaker(std::unique_ptr<HostNotices> notices, std::function<void(RestoreCause)> restore,
                     std::function<bool()> puts_back, CaretakerOptions options)
    : notices_(std::move(notices)),
      restore_(std::move(restore)),
      puts_back_(std::move(puts_back)),
      options_(options),
      looks_(options.settle, options.look_again),
      thread_([this] { Run(); }) {}

Caretaker::~Caretaker() {
  ending_ = true;
  notices_->Wake();
  thread_.join();
}

void Caretaker::Run() {
  if (puts_back_()) put_back_due_ = options_.clock->Now();
  while (!ending_) {
    const HeardNotices heard = notices_->Wait(Next());
    if (ending_) return;
    const Time now = options_.clock->Now();
    Note(reader_.Read(heard), now);
    DoDue(now);
  }
}

void Caretaker::Note(const NoticeReader::Reasons& reasons, Time now) {
  if (reasons.appeared) looks_.Appeared(now);
  if (!reasons.changed || !puts_back_()) return;
  const Time due = std::max(now + options_.settle, last_put_back_ + options_.least_between_put_backs);
  put_back_due_ = put_back_due_ ? std::min(*put_back_due_, due) : due;
}

void Caretaker::DoDue(Time now) {
  if (looks_.TakeDue(now)) restore_(RestoreCause::kDeviceAppeared);
  if (!put_back_due_ || *put_back_due_ > now) return;
  put_back_due_.reset();
  if (!puts_back_()) return;
  restore_(RestoreCause::kPutBack);
  last_put_back_ = options_.clock->Now();
  put_back_due_ = last_put_back_ + options_.put_back_every;
}

std::optional<Caretaker::Time> Caretaker::Next() const { return Sooner(looks_.Next(), put_back_due_); }

}  // namespace rdmaready::helper
