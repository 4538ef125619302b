// SPDX-License-Identifier: Apache-2.0
// RecordingHost: passes every question on to another host, and keeps question and answer, errors too.
#pragma once

#include <cstddef>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "collectors/host_reader.h"
#include "collectors/recording/recording.h"

namespace rdmaready {

class RecordingHost final : public HostReader {
 public:
  // `host` outlives it.
  explicit RecordingHost(HostReader& host) : host_(&host) {}

  // Keeps what it has, and asks `host`, which outlives it too. Nobody asks meanwhile.
  void AskFromNowOn(HostReader& host) { host_ = &host; }

  // What was kept. The fields about the recording as a whole are empty.
  Recording Take() { return std::move(recording_); }

  using HostReader::Ask;
  Answer Ask(const Question& question) override;
  std::vector<Answer> AskTogether(std::span<const Question> questions) override;

 private:
  void Keep(const Question& question, const Answer& answer);

  HostReader* host_;
  std::mutex mutex_;  // two may listen at once; guards what follows
  Recording recording_;
  std::size_t answers_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace rdmaready
