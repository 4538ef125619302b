// SPDX-License-Identifier: Apache-2.0
#include "agent/worker/host_worker.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "agent/worker/host_attempt.h"
#include "agent/worker/host_lanes.h"
#include "collectors/collect.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;
using ThenTell = std::function<void(const HostWorker::FactsOrWhy&)>;

constexpr milliseconds kReaderFarewell{1'000};  // for readings that still run when the worker ends, and answer

}  // namespace

struct HostWorker::Parts {
  struct Waiting {
    Task task{};
    std::shared_ptr<std::vector<ThenTell>> callers{};  // of a reading of the whole host
  };

  Parts(std::shared_ptr<HostReader> of, const WorkerLimits& most, Clock& by)
      : host(std::move(of)), limits(most), clock(by) {}

  std::shared_ptr<HostReader> host;
  std::shared_ptr<StuckLanes> lanes = std::make_shared<StuckLanes>();
  WorkerLimits limits;
  Clock& clock;
  std::mutex mutex;  // guards what follows
  std::condition_variable_any changed;
  std::deque<Waiting> queue{};
  std::shared_ptr<std::vector<ThenTell>> joinable{};  // callers of a reading that has not begun
  std::size_t callers = 0;                            // of all of them
  std::shared_ptr<HostAttempt> running{};
  std::size_t threads = 0;  // of readings, those left behind too
  std::uint64_t finished = 0;
  bool stopped = false;
  std::thread keeper{};

  void Keep(const std::shared_ptr<Parts>& self);
  void Work(const std::shared_ptr<Parts>& self, const Task& task);
  std::shared_ptr<HostAttempt> Try(const std::shared_ptr<Parts>& self, const Task& task,
                                   std::vector<SaidOfHost> said);
};

// Null when the worker was stopped.
std::shared_ptr<HostAttempt> HostWorker::Parts::Try(const std::shared_ptr<Parts>& self, const Task& task,
                                                    std::vector<SaidOfHost> said) {
  auto attempt = std::make_shared<HostAttempt>(host, lanes, std::move(said), clock);
  const std::lock_guard lock(mutex);
  if (stopped) return nullptr;
  running = attempt;
  ++threads;
  std::thread([self, attempt, read = task.read] {
    attempt->Do(read);
    const std::lock_guard left(self->mutex);
    --self->threads;
    self->changed.notify_all();
  }).detach();
  return attempt;
}

void HostWorker::Parts::Work(const std::shared_ptr<Parts>& self, const Task& task) {
  milliseconds patience = limits.question;
  std::vector<SaidOfHost> said;
  for (;;) {
    const std::shared_ptr<HostAttempt> attempt = Try(self, task, std::move(said));
    if (attempt == nullptr) return task.refuse(AgentEnds());
    switch (attempt->Watch(patience)) {
      case HostAttempt::End::kDone:
        return attempt->Give();
      case HostAttempt::End::kStopped:
        return task.refuse(AgentEnds());
      case HostAttempt::End::kStuck:
        patience = limits.again;
        said = attempt->TakeSaid();
    }
  }
}

void HostWorker::Parts::Keep(const std::shared_ptr<Parts>& self) {
  for (;;) {
    Waiting next;
    {
      std::unique_lock lock(mutex);
      changed.wait(lock, [this] { return stopped || !queue.empty(); });
      if (queue.empty()) return;
      next = std::move(queue.front());
      queue.pop_front();
      if (next.callers == joinable) joinable = nullptr;
    }
    Work(self, next.task);
    const std::lock_guard lock(mutex);
    running = nullptr;
    ++finished;
    if (next.callers) callers -= next.callers->size();
  }
}

HostWorker::HostWorker(std::shared_ptr<HostReader> host, const WorkerLimits& limits, Clock& clock)
    : parts_(std::make_shared<Parts>(std::move(host), limits, clock)) {
  parts_->keeper = std::thread([parts = parts_] { parts->Keep(parts); });
}

HostWorker::~HostWorker() {
  Stop();
  parts_->keeper.join();
  std::unique_lock lock(parts_->mutex);
  Clock& clock = parts_->clock;
  clock.WaitUntil(parts_->changed, lock, {}, clock.Now() + kReaderFarewell,
                  [this] { return parts_->threads <= parts_->lanes->count(); });
}

void HostWorker::Add(Task task) {
  absl::Status refused = AgentEnds();
  {
    const std::lock_guard lock(parts_->mutex);
    const std::size_t waiting = parts_->queue.size();
    if (!parts_->stopped && waiting < parts_->limits.most_waiting) {
      parts_->queue.push_back({.task = std::move(task)});
      parts_->changed.notify_all();
      return;
    }
    if (!parts_->stopped)
      refused = absl::ResourceExhaustedError(fmt::format("{} readings of this host wait already", waiting));
  }
  task.refuse(refused);
}

void HostWorker::CollectThen(std::function<void(const FactsOrWhy&)> then) {
  absl::Status refused;
  {
    const std::lock_guard lock(parts_->mutex);
    if (parts_->stopped) {
      refused = AgentEnds();
    } else if (parts_->callers >= parts_->limits.most_waiting) {
      refused = absl::ResourceExhaustedError(
          fmt::format("{} callers wait for this host's facts already", parts_->callers));
    } else {
      ++parts_->callers;
      if (parts_->joinable) return parts_->joinable->push_back(std::move(then));
      auto callers = std::make_shared<std::vector<ThenTell>>(1, std::move(then));
      const auto tell = [callers](const FactsOrWhy& facts) {
        for (const ThenTell& one : *callers) one(facts);
      };
      parts_->queue.push_back(
          {.task = {.read = [tell, &clock = parts_->clock](HostReader& host) -> std::function<void()> {
                      auto facts = std::make_shared<const Facts>(CollectFacts(host, clock));
                      return [facts, tell] { tell(FactsOrWhy(facts)); };
                    },
                    .refuse = [tell](const absl::Status& why) { tell(why); }},
           .callers = callers});
      parts_->joinable = std::move(callers);
      parts_->changed.notify_all();
      return;
    }
  }
  then(refused);
}

HostWorker::FactsOrWhy HostWorker::Collect() {
  auto result = std::make_shared<std::promise<FactsOrWhy>>();
  CollectThen([result](const FactsOrWhy& facts) { result->set_value(facts); });
  return result->get_future().get();
}

void HostWorker::Stop() {
  const std::lock_guard lock(parts_->mutex);
  parts_->stopped = true;  // the keeper refuses who waits
  if (parts_->running) parts_->running->Stop();
  parts_->changed.notify_all();
}

std::uint64_t HostWorker::finished() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->finished;
}

std::size_t HostWorker::waiting() const {
  const std::lock_guard lock(parts_->mutex);
  return parts_->queue.size();
}

bool HostWorker::Stuck() const { return parts_->lanes->count() > 0; }

}  // namespace rdmaready
