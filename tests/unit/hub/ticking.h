// SPDX-License-Identifier: Apache-2.0
// Ticking: a thread that drives a ReportClient, as the reporter of an agent does.
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <thread>
#include <utility>

#include "agent/report/report_client.h"
#include "api/base/clock.h"

namespace rdmaready::hub {

class Ticking {
 public:
  // Until it is destroyed. `clock` is the client's own; the pause between two ticks is of real time.
  explicit Ticking(std::shared_ptr<report::ReportClient> client, Clock& clock = RealClock())
      : thread_([client = std::move(client), &clock](const std::stop_token& stop) {
          do {
            client->Tick(clock.Now());
          } while (RealClock().SleepUntil(RealClock().Now() + std::chrono::milliseconds(2), stop));
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace rdmaready::hub
