// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/host_notes.h"

#include <utility>

namespace rdmaready::hub {

void HostNotes::Add(std::vector<std::string> host_ids, std::string text) {
  if (host_ids.empty()) return;
  std::size_t lost = 0;
  {
    const std::lock_guard lock(mutex_);
    hosts_waiting_ += host_ids.size();
    waiting_.push_back({std::move(host_ids), std::move(text)});
    while (hosts_waiting_ > kMostNotesWaiting && waiting_.size() > 1) {
      const std::size_t hosts = waiting_.front().host_ids.size();
      waiting_.pop_front();
      hosts_waiting_ -= hosts;
      lost += hosts;
    }
  }
  if (lost > 0 && seams_.lost) seams_.lost(lost);
}

void HostNotes::Write() {
  const std::lock_guard writing(writing_);
  while (true) {
    Waiting next;
    {
      const std::lock_guard lock(mutex_);
      if (waiting_.empty()) return;
      next = std::move(waiting_.front());
      waiting_.pop_front();
      hosts_waiting_ -= next.host_ids.size();
    }
    const absl::StatusOr<std::vector<CommittedChange>> changes =
        seams_.write(next.host_ids, next.text, UnixNs(clock_));
    seams_.stored(changes.status());
    if (!changes.ok()) {
      const std::lock_guard lock(mutex_);
      hosts_waiting_ += next.host_ids.size();
      waiting_.push_front(std::move(next));
      return;
    }
    seams_.written(*changes);
  }
}

}  // namespace rdmaready::hub
