// SPDX-License-Identifier: Apache-2.0
// RecordedHost: a host as it was when it was recorded. Each question gets the answer it got then, errors too;
// asked again, the next one, and the last one stays. Nothing is waited for. A question that nobody asked then
// is NotCollected: never "absent", although a newer version may ask it.
#pragma once

#include <utility>

#include "collectors/host_reader.h"
#include "collectors/recording/recording.h"

namespace rdmaready {

class RecordedHost final : public HostReader {
 public:
  explicit RecordedHost(Recording recording) : recording_(std::move(recording)) {}

  using HostReader::Ask;
  Answer Ask(const Question& question) override;

 private:
  Recording recording_;
};

}  // namespace rdmaready
