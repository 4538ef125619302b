// SPDX-License-Identifier: Apache-2.0
// MadeFleet: hosts that are made up, each with the agent's own client. One thread ticks them all.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <queue>
#include <string>
#include <thread>
#include <unordered_set>
#include <vector>

#include "agent/report/report_client.h"
#include "api/base/clock.h"
#include "api/client/report_channel.h"
#include "api/client/tls.h"
#include "api/model/facts.h"
#include "tests/sim/made_certificates.h"
#include "tests/sim/relay.h"
#include "tests/sim/script.h"

namespace rdmaready::sim {

struct FleetPlan {
  std::string hub{};
  TlsFiles tls{};  // of all of them: for a hub that takes the host's word it is not needed
  const MadeCertificates* certificates = nullptr;  // instead: each host has one of its own; outlives the fleet
  Relay* relay = nullptr;  // between the hub and the first hosts, one a line; outlives the fleet
  std::size_t agents = 0;
  std::size_t first = 1;       // the number of the first host
  std::vector<Facts> kinds{};  // hosts are of these, in turn
  std::size_t past = 0;        // of so many cases each host remembers tests through each of its ports
  // So many say hello at a time; 0: all. A process has not the processors of as many hosts: thousands of TLS
  // handshakes at once would keep each other from their end at this side.
  std::size_t hello_at_once = 0;
  Keepalive keepalive{};
  std::chrono::milliseconds answer_within = report::ReportOptions{}.answer_within;
  Clock* clock = &RealClock();  // of the hosts; outlives the fleet
};

struct FleetTally {
  report::ReportCounts counts{};
  std::size_t connected = 0;
  std::size_t settled = 0;  // their newest state is acknowledged
  std::vector<std::int64_t> acks_us{};
};

class MadeFleet {
 public:
  explicit MadeFleet(FleetPlan plan);
  // All of them call the hub.
  void Begin();
  ~MadeFleet();

  // One thread calls this and what follows. A partition needs lines of the relay for its hosts.
  void Do(const Happening& happening);
  // Whether every host that is neither stopped nor partitioned has its state acknowledged, and, since a
  // partition of it was over, another report.
  bool Settled();
  FleetTally Tally();

 private:
  struct Host;
  // The hosts' clients call it on any thread. The callback of a client that was replaced may end after the
  // fleet.
  struct Calls {
    std::mutex mutex;  // guards what follows
    std::condition_variable_any woken;
    std::vector<std::size_t> ready{};
    std::vector<std::int64_t> acks_us{};

    void Wake(std::size_t index);
    void Acked(std::chrono::nanoseconds waited);
  };
  void Begin(Host& host);
  void Run(const std::stop_token& stop);
  report::TimePoint Tick(std::size_t index);  // when it is due again
  std::shared_ptr<const report::HostState> StateOf(const Host& host) const;
  std::shared_ptr<const report::HostPast> PastOf(const Host& host) const;
  std::shared_ptr<grpc::Channel> ChannelOf(const Host& host) const;
  void Turn(Host& host, Happening::What what) const;
  void Partition(Host& host, const Happening& happening) const;

  const FleetPlan plan_;
  // Of the thread of Run:
  std::unordered_set<std::size_t> greeting_{};  // said hello, and have no answer
  std::deque<std::size_t> waiting_{};           // for their turn to
  std::vector<std::unique_ptr<Host>> hosts_;
  const std::shared_ptr<Calls> calls_ = std::make_shared<Calls>();
  report::ReportCounts past_{};  // of clients that are gone
  std::jthread thread_;
};

}  // namespace rdmaready::sim
