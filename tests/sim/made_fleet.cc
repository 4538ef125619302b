// SPDX-License-Identifier: Apache-2.0
#include "tests/sim/made_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "agent/report/pack_past.h"
#include "api/base/run_id.h"
#include "api/base/version.h"
#include "api/model/cases.h"
#include "tests/sim/release.h"

namespace rdmaready::sim {
namespace {

using report::HostPast;
using report::HostState;
using report::ReportClient;
using report::ReportCounts;
using report::TimePoint;

void AddCounts(const ReportCounts& more, ReportCounts& counts) {
  counts.streams += more.streams;
  counts.sent += more.sent;
  counts.with_facts += more.with_facts;
  counts.with_past += more.with_past;
  counts.kept += more.kept;
  counts.put_off += more.put_off;
  counts.refused += more.refused;
  counts.slowest_ack = std::max(counts.slowest_ack, more.slowest_ack);
}

// What somebody does with `dcb pfc set`: every other time it is as it was.
Facts WithAnotherPfcBit(Facts facts) {
  if (!facts.ports) return facts;
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) {
    if (!port.netdev || !port.netdev->dcb.pfc) continue;
    Netdev netdev = *port.netdev;
    Pfc pfc = *netdev.dcb.pfc;
    pfc.enabled ^= 1U << 4;
    netdev.dcb.pfc = pfc;
    port.netdev = netdev;
  }
  facts.ports = std::move(ports);
  return facts;
}

// What a link came up with that is slower than those of other hosts: by itself it is well.
Facts WithAnotherSpeed(Facts facts) {
  constexpr std::uint32_t kTenGb = 10'000;
  if (!facts.ports) return facts;
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) {
    if (!port.netdev) continue;
    Netdev netdev = *port.netdev;
    netdev.speed_mbps = kTenGb;
    port.netdev = netdev;
  }
  facts.ports = std::move(ports);
  return facts;
}

constexpr std::chrono::milliseconds kLongestStop{1'000};
constexpr std::int64_t kDayNs = 86'400'000'000'000;

// What 90 days of tests at that speed leave behind; a slow one is the last, and the first of its kind.
CaseBaseline PastTest(const std::string& port, std::string_view test, std::uint64_t rate, std::int64_t last,
                      bool slow) {
  CaseBaseline past{.port = port,
                    .case_name = std::string(test),
                    .role = "loopback",
                    .last_bytes_per_s = slow ? rate / 7 : rate,
                    .last_unix_ns = last,
                    .days = 30,
                    .p10_bytes_per_s = rate - rate / 50,
                    .p50_bytes_per_s = rate,
                    .latency_p99_ns = 7'000,
                    .days_kept = 91,
                    .first_unix_ns = last - 90 * kDayNs};
  if (!slow) return past;
  past.changed_unix_ns = last - last % kDayNs;
  past.before_bytes_per_s = rate;
  past.before_days = 90;
  return past;
}

}  // namespace

struct MadeFleet::Host {
  std::size_t index = 0;
  std::string name{};
  std::string id{};
  TlsMaterial tls{};  // of its own, if any
  bool changed = false;
  bool odd = false;
  bool slow = false;
  std::int64_t tested_unix_ns = 0;
  bool stopped = false;
  std::chrono::nanoseconds skew{};
  std::string version = kVersion;
  std::uint32_t revision = kIngestRevision;
  // Partitions may overlap: a direction is held until each of them is over.
  int held_to_hub = 0;
  int held_to_agent = 0;
  // How many reports were acknowledged when the last partition was over; none: there was none in this run.
  std::optional<std::uint64_t> kept_when_whole{};
  std::mutex mutex;  // guards what follows
  std::shared_ptr<ReportClient> client{};
  std::shared_ptr<const HostState> state{};
  std::shared_ptr<const HostPast> past{};  // null: it remembers none

  bool IsPartitioned() const { return held_to_hub > 0 || held_to_agent > 0; }
  bool IsBack() const { return !kept_when_whole || client->Counts().kept > *kept_when_whole; }
  bool IsKept() const {
    return client->kept_digest() == state->digest && (past == nullptr || client->kept_past() == past->digest);
  }
};

MadeFleet::MadeFleet(FleetPlan plan) : plan_(std::move(plan)) {
  for (std::size_t i = 0; i < plan_.agents; ++i) {
    auto host = std::make_unique<Host>();
    host->index = i;
    host->tested_unix_ns = UnixNs(*plan_.clock);
    host->name = fmt::format("node{:05}", plan_.first + i);
    host->id = fmt::format("00000000-0000-4000-8000-{:012}", plan_.first + i);
    if (plan_.certificates != nullptr) host->tls = plan_.certificates->For(host->id, host->name).value();
    hosts_.push_back(std::move(host));
  }
}

void MadeFleet::Begin() {
  thread_ = std::jthread([this](const std::stop_token& stop) { Run(stop); });
  for (const auto& host : hosts_) Begin(*host);
}

MadeFleet::~MadeFleet() {
  thread_ = {};
  for (const auto& host : hosts_) {
    const std::lock_guard lock(host->mutex);
    if (host->client != nullptr) host->client->StopAndWait(kLongestStop);
  }
}

std::shared_ptr<const HostState> MadeFleet::StateOf(const Host& host) const {
  Facts facts = plan_.kinds[host.index % plan_.kinds.size()];
  facts.hostname = host.name;
  if (host.changed) facts = WithAnotherPfcBit(std::move(facts));
  if (host.odd) facts = WithAnotherSpeed(std::move(facts));
  return *StateBy(*ParseRelease(host.version), facts, *plan_.clock);
}

std::shared_ptr<const report::HostPast> MadeFleet::PastOf(const Host& host) const {
  constexpr std::uint64_t kFirstRate = 1'000'000'000;
  const Facts& facts = plan_.kinds[host.index % plan_.kinds.size()];
  if (plan_.past == 0 || !facts.ports || !TellsPast(*ParseRelease(host.version))) return nullptr;
  const std::vector<TransferCase> cases = CasesOn(Rung::kLoopback);
  std::vector<CaseBaseline> tests;
  for (const Port& port : *facts.ports) {
    for (std::size_t i = 0; i < std::min(plan_.past, cases.size()); ++i) {
      const std::uint64_t rate = kFirstRate * (i + 1) + host.index * 1'000 + tests.size();
      tests.push_back(PastTest(PortName(port), cases[i].name, rate, host.tested_unix_ns, host.slow));
    }
  }
  return *report::PackPast(std::move(tests));
}

std::shared_ptr<grpc::Channel> MadeFleet::ChannelOf(const Host& host) const {
  const int number = static_cast<int>(host.index);
  const bool relayed = plan_.relay != nullptr && host.index < plan_.relay->lines();
  const std::string& hub = relayed ? plan_.relay->address(host.index) : plan_.hub;
  if (plan_.certificates == nullptr) return ReportChannel(hub, plan_.tls, number, plan_.keepalive);
  return ReportChannelByTexts(hub, host.tls, number, plan_.keepalive);
}

void MadeFleet::Begin(Host& host) {
  auto client = std::make_shared<ReportClient>(report::ReportOptions{
      .host = {.host_id = host.id,
               .hostname = host.name,
               .machine_id = host.id,
               .boot_id = MakeRunId(),
               .run_id = MakeRunId(),
               .agent_version = host.version,
               .api_revision = host.revision},
      .channel = [this, &host] { return ChannelOf(host); },  // a host is there as long as the fleet
      .wake = [calls = calls_, index = host.index] { calls->Wake(index); },
      .acked = [calls = calls_](std::chrono::nanoseconds waited) { calls->Acked(waited); },
      .clock_error = host.skew,
      .answer_within = plan_.answer_within,
      .seed = plan_.first + host.index,
      .clock = plan_.clock});
  auto state = StateOf(host);
  auto past = PastOf(host);
  client->Offer(state);
  client->OfferPast(past);
  {
    const std::lock_guard lock(host.mutex);
    host.client = std::move(client);
    host.state = std::move(state);
    host.past = std::move(past);
  }
  calls_->Wake(host.index);
}

void MadeFleet::Calls::Wake(std::size_t index) {
  {
    const std::lock_guard lock(mutex);
    ready.push_back(index);
  }
  woken.notify_one();
}

void MadeFleet::Calls::Acked(std::chrono::nanoseconds waited) {
  const std::lock_guard lock(mutex);
  acks_us.push_back(std::chrono::duration_cast<std::chrono::microseconds>(waited).count());
}

void MadeFleet::Run(const std::stop_token& stop) {
  using Due = std::pair<TimePoint, std::size_t>;
  std::priority_queue<Due, std::vector<Due>, std::greater<>> due;
  std::vector<TimePoint> next(hosts_.size(), TimePoint::max());
  while (!stop.stop_requested()) {
    std::vector<std::size_t> ready;
    {
      std::unique_lock lock(calls_->mutex);
      const TimePoint until = due.empty() ? plan_.clock->Now() + std::chrono::seconds(1) : due.top().first;
      plan_.clock->WaitUntil(calls_->woken, lock, stop, until, [&] { return !calls_->ready.empty(); });
      ready.swap(calls_->ready);
    }
    const TimePoint now = plan_.clock->Now();
    for (; !due.empty() && due.top().first <= now; due.pop()) {
      if (next[due.top().second] == due.top().first) ready.push_back(due.top().second);
    }
    for (const std::size_t index : ready) {
      next[index] = Tick(index);
      if (next[index] != TimePoint::max()) due.emplace(next[index], index);
    }
  }
}

TimePoint MadeFleet::Tick(std::size_t index) {
  std::shared_ptr<ReportClient> client;
  {
    const std::lock_guard lock(hosts_[index]->mutex);
    client = hosts_[index]->client;
  }
  const TimePoint now = plan_.clock->Now();
  const std::size_t most = plan_.hello_at_once == 0 ? hosts_.size() : plan_.hello_at_once;
  TimePoint next = TimePoint::max();
  if (client != nullptr && !client->connected() && !greeting_.contains(index) && greeting_.size() >= most) {
    waiting_.push_back(index);
    return next;
  }
  if (client != nullptr) next = client->Tick(now);
  if (client != nullptr && client->greeting()) {
    greeting_.insert(index);
  } else {
    greeting_.erase(index);
  }
  if (!waiting_.empty() && greeting_.size() < most) {
    calls_->Wake(waiting_.front());
    waiting_.pop_front();
  }
  return next;
}

void MadeFleet::Do(const Happening& happening) {
  using What = Happening::What;
  for (std::size_t i = 0; i < happening.hosts; ++i) {
    Host& host = *hosts_[i];
    if (happening.what <= What::kSlow) {
      Turn(host, happening.what);
      continue;
    }
    if (happening.what >= What::kPartition) {
      Partition(host, happening);
      continue;
    }
    if (happening.what == What::kSkew) host.skew = happening.skew;
    if (happening.what == What::kVersion) {
      host.version = happening.version;
      host.revision = happening.revision;
    }
    host.kept_when_whole.reset();
    std::shared_ptr<ReportClient> gone;
    {
      const std::lock_guard lock(host.mutex);
      gone = std::move(host.client);
    }
    if (gone != nullptr) {
      AddCounts(gone->Counts(), past_);
      gone->Stop();
    }
    if (happening.what == What::kStop) continue;
    Begin(host);
  }
}

// Another state, or another test.
void MadeFleet::Turn(Host& host, Happening::What what) const {
  using What = Happening::What;
  if (what == What::kTest || what == What::kSlow) {
    host.tested_unix_ns = UnixNs(*plan_.clock);
    if (what == What::kSlow) host.slow = !host.slow;
    auto past = PastOf(host);
    const std::lock_guard lock(host.mutex);
    host.past = past;
    if (host.client != nullptr) host.client->OfferPast(std::move(past));
    return;
  }
  bool& turned = what == What::kOdd ? host.odd : host.changed;
  turned = !turned;
  auto state = StateOf(host);
  const std::lock_guard lock(host.mutex);
  host.state = state;
  if (host.client != nullptr) host.client->Offer(std::move(state));
}

// It begins or is over; of several at once each holds what it says.
void MadeFleet::Partition(Host& host, const Happening& happening) const {
  const bool over = happening.what == Happening::What::kHeal;
  if (happening.to_hub) host.held_to_hub += over ? -1 : 1;
  if (happening.to_agent) host.held_to_agent += over ? -1 : 1;
  if (!host.IsPartitioned()) {
    const std::lock_guard lock(host.mutex);
    if (host.client != nullptr) host.kept_when_whole = host.client->Counts().kept;
  }
  plan_.relay->Hold(host.index, {.to_hub = host.held_to_hub > 0, .to_agent = host.held_to_agent > 0});
}

bool MadeFleet::Settled() {
  return std::ranges::all_of(hosts_, [](const std::unique_ptr<Host>& host) {
    const std::lock_guard lock(host->mutex);
    return host->client == nullptr || host->IsPartitioned() || (host->IsKept() && host->IsBack());
  });
}

FleetTally MadeFleet::Tally() {
  FleetTally tally{.counts = past_};
  for (const auto& host : hosts_) {
    const std::lock_guard lock(host->mutex);
    if (host->client == nullptr) continue;
    AddCounts(host->client->Counts(), tally.counts);
    if (host->client->connected()) ++tally.connected;
    if (host->IsKept()) ++tally.settled;
  }
  const std::lock_guard lock(calls_->mutex);
  tally.acks_us = calls_->acks_us;
  return tally;
}

}  // namespace rdmaready::sim
