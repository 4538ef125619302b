// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/list_teller.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

namespace rdmaready::hub {

std::size_t StreamsAtOnce(const ListPace& pace, std::size_t streams, std::size_t list_bytes) {
  const auto turns = static_cast<std::size_t>(std::max<std::int64_t>(pace.all_within / pace.rest, 1));
  const std::size_t needed = (streams + turns - 1) / turns;
  const std::size_t by_bytes = pace.bytes_at_once / std::max<std::size_t>(list_bytes, 1);
  return std::max({needed, std::min(pace.at_once, by_bytes), std::size_t{1}});
}

ListTeller::ListTeller(const HostBook& book, std::function<std::size_t()> list_bytes, ListPace pace,
                       Clock& clock)
    : book_(book),
      list_bytes_(std::move(list_bytes)),
      pace_(pace),
      clock_(clock),
      thread_([this](const std::stop_token& stop) { Run(stop); }) {}

ListTeller::~ListTeller() = default;

void ListTeller::Tell() {
  {
    const std::lock_guard lock(mutex_);
    others_ = true;
  }
  woken_.notify_one();
}

void ListTeller::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    {
      std::unique_lock lock(mutex_);
      if (!woken_.wait(lock, stop, [this] { return others_; })) return;
      others_ = false;
    }
    TellAll(stop);
  }
}

// Lists that become others meanwhile are told to those that come later here, and to all once more after that.
void ListTeller::TellAll(const std::stop_token& stop) {
  std::vector<std::weak_ptr<AgentStream>> streams;
  for (const std::shared_ptr<AgentStream>& stream : book_.Streams()) streams.push_back(stream);
  const std::size_t at_once = StreamsAtOnce(pace_, streams.size(), list_bytes_());
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (i > 0 && i % at_once == 0) {
      std::unique_lock lock(mutex_);
      clock_.WaitUntil(woken_, lock, stop, clock_.Now() + pace_.rest, [] { return false; });
      if (stop.stop_requested()) return;
    }
    if (const std::shared_ptr<AgentStream> stream = streams[i].lock()) stream->TellLists();
  }
}

}  // namespace rdmaready::hub
