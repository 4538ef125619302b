// SPDX-License-Identifier: Apache-2.0
#include "agent/helper/applier/notice_watch.h"

#include <fmt/format.h>

#include <algorithm>

namespace rdmaready::helper {
namespace {

constexpr int kMostLooks = 256;  // each takes some hundreds of notices, and a socket's buffer holds some thousands

std::string SuspectsOf(const HeardSubject& subject) {
  std::string text;
  for (const ProcessName& process : subject.suspects)
    text +=
        fmt::format("{}{} (process {})", text.empty() ? ", perhaps by " : " or ", process.name, process.pid);
  return text;
}

}  // namespace

void NoticeWatch::Begin() {
  // One look takes a part of what waits, and all of it is of before: who begins after a flood is not to take its
  // rest for a foreign write. A flood that goes on is one.
  for (int looks = 0; looks < kMostLooks && !take_().empty(); ++looks) {
  }
  own_.clear();
  only_.reset();
  foreign_.reset();
}

std::optional<std::string> NoticeWatch::Foreign() {
  const HeardNotices heard = take_();
  // The first one stays: who asks again asks of the same change.
  if (foreign_) return foreign_;
  for (const HeardSubject& subject : heard.subjects) {
    foreign_ = ForeignIn(subject);
    if (foreign_) return foreign_;
  }
  if (std::ranges::find(heard.lost, NoticeKind::kDcb) != heard.lost.end())
    foreign_ = "so many notices of DCB writes came that some were lost: somebody else writes them";
  return foreign_;
}

std::optional<std::string> NoticeWatch::ForeignIn(const HeardSubject& subject) const {
  if (subject.last.kind != NoticeKind::kDcb || subject.last.gone) return std::nullopt;
  if (only_ && !subject.last.name.empty() && !only_->contains(subject.last.name)) return std::nullopt;
  // A driver's own notice has no number: it follows our request as well as its firmware's wish.
  const bool ours =
      subject.all_sequences && std::ranges::all_of(subject.sequences, [this](std::uint32_t sequence) {
        return sequence == 0 || own_.contains(sequence);
      });
  if (ours) return std::nullopt;
  return fmt::format("DCB settings of {} were written by somebody else{}", subject.last.name,
                     SuspectsOf(subject));
}

}  // namespace rdmaready::helper
