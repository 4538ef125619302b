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
  // Until it is destroyed.
  explicit Ticking(std::shared_ptr<report::ReportClient> client)
      : thread_([client = std::move(client)](const std::stop_token& stop) {
          do {
            client->Tick(RealClock().Now());
          } while (RealClock().SleepUntil(RealClock().Now() + std::chrono::milliseconds(2), stop));
        }) {}

 private:
  std::jthread thread_;
};

}  // namespace rdmaready::hub
