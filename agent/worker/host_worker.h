// SPDX-License-Identifier: Apache-2.0
// HostWorker: reads the host for everybody, one reading at a time, and never waits for a NIC for ever. A
// question that is not answered within its time is given up: the reading is done again with the answers it has,
// that question's being "no answer", and what waits for the same thing is not asked until it has returned.
//
// Threads: any may ask. What is asked for runs on a thread of the worker's; one that sleeps in the kernel is
// left behind and keeps the host alive. Nothing here, the destructor included, waits for it.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/model/facts.h"
#include "collectors/host_reader.h"

namespace rdmaready {

struct WorkerLimits {
  std::chrono::milliseconds question{3'000};  // until a question counts as not answered
  std::chrono::milliseconds again{
      1'000};                       // and each one after it, of one reading: what is well answers at once
  std::size_t most_waiting = 1024;  // callers who wait for facts, and readings that wait
};

class HostWorker {
 public:
  using FactsOrWhy = absl::StatusOr<std::shared_ptr<const Facts>>;

  // Threads that were left behind hold `host` too, and `clock`.
  explicit HostWorker(std::shared_ptr<HostReader> host, const WorkerLimits& limits = {},
                      Clock& clock = RealClock());
  HostWorker(const HostWorker&) = delete;
  HostWorker& operator=(const HostWorker&) = delete;
  ~HostWorker();

  // Reads the whole host and gives it to `then`, on a thread of the worker's. Callers who wait for a reading
  // that has not begun share it. kResourceExhausted: too many wait; kUnavailable: the worker was stopped. Both
  // are told by `then` before this returns, or by Stop.
  void CollectThen(std::function<void(const FactsOrWhy&)> then);

  // The same, waited for.
  FactsOrWhy Collect();

  // What `read` returns, which is called with the host on another thread and perhaps more than once, also
  // after this has returned: it owns what it uses. kResourceExhausted: too many wait; kUnavailable: the worker
  // was stopped.
  template <class Result>
  absl::StatusOr<Result> Read(std::function<Result(HostReader&)> read) {
    return Begin(std::move(read)).get();
  }

  // The same, to be waited for by the caller.
  template <class Result>
  std::future<absl::StatusOr<Result>> Begin(std::function<Result(HostReader&)> read) {
    auto result = std::make_shared<std::promise<absl::StatusOr<Result>>>();
    std::future<absl::StatusOr<Result>> answer = result->get_future();
    Add({.read = [read = std::move(read), result](HostReader& host) -> std::function<void()> {
           auto found = std::make_shared<Result>(read(host));
           return [found, result] { result->set_value(std::move(*found)); };
         },
         .refuse = [result](const absl::Status& why) { result->set_value(why); }});
    return answer;
  }

  // How many readings were answered, or refused, since the worker began.
  std::uint64_t finished() const;

  // How many wait for the one that runs.
  std::size_t waiting() const;

  // Refuses who waits and who comes, from now on. Readings that run are left behind.
  void Stop();

  // Whether a reading has not returned: then whatever else asks the host directly may not return either.
  bool Stuck() const;

 private:
  struct Task {
    // Reads, and returns what gives the result to who asked for it.
    std::function<std::function<void()>(HostReader&)> read{};
    std::function<void(const absl::Status&)> refuse{};
  };
  struct Parts;

  void Add(Task task);

  std::shared_ptr<Parts> parts_;
};

}  // namespace rdmaready
