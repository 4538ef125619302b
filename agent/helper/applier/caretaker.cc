// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/caretaker.h"

#include <algorithm>
#include <utility>

namespace rdmaready::helper {

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

Caretaker::Caretaker(std::unique_ptr<HostNotices> notices, std::function<void(RestoreCause)> restore,
                     std::function<bool()> puts_back, CaretakerOptions options)
    : notices_(std::move(notices)),
      restore_(std::move(restore)),
      puts_back_(std::move(puts_back)),
      options_(options),
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
  if (reasons.appeared) {
    appeared_due_ = now + options_.settle;
    again_due_ = now + options_.look_again;
  }
  if (!reasons.changed || !puts_back_()) return;
  const Time due = std::max(now + options_.settle, last_put_back_ + options_.least_between_put_backs);
  put_back_due_ = put_back_due_ ? std::min(*put_back_due_, due) : due;
}

void Caretaker::DoDue(Time now) {
  for (std::optional<Time>* due : {&appeared_due_, &again_due_}) {
    if (!*due || **due > now) continue;
    due->reset();
    restore_(RestoreCause::kDeviceAppeared);
  }
  if (!put_back_due_ || *put_back_due_ > now) return;
  put_back_due_.reset();
  if (!puts_back_()) return;
  restore_(RestoreCause::kPutBack);
  last_put_back_ = options_.clock->Now();
  put_back_due_ = last_put_back_ + options_.put_back_every;
}

std::optional<Caretaker::Time> Caretaker::Next() const {
  std::optional<Time> next;
  for (const std::optional<Time>& due : {appeared_due_, again_due_, put_back_due_}) {
    if (due && (!next || *due < *next)) next = due;
  }
  return next;
}

}  // namespace rdmaready::helper
