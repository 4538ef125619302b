// SPDX-License-Identifier: Apache-2.0
// judge_fleet: what comparing and re-judging a fleet costs its hub.
//   judge_fleet SAVED-HOST [HOSTS] [ODD]
// HOSTS (20000) of one group are made of one that was saved, ODD (200) of them with a slower link. They are
// kept in a store, then compared as the hub does it, then all judged again from what is kept. Prints one JSON
// object: seconds of the wall and of the processor, memory in MiB.
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <latch>
#include <nlohmann/json.hpp>
#include <thread>

#include "agent/report/pack_state.h"
#include "api/base/digest.h"
#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/convert/digest.h"
#include "cli/fleet/saved_hosts.h"
#include "hub/fleet/fleet_view.h"
#include "hub/ingest/keeper.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

constexpr std::uint32_t kOddSpeedMbps = 10'000;

using BenchClock = std::chrono::steady_clock;

double ProcessorSeconds() {
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const ::timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double ResidentMib() {
  std::ifstream file("/proc/self/statm");
  std::size_t all = 0, resident = 0;
  file >> all >> resident;
  return static_cast<double>(resident) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / (1024.0 * 1024.0);
}

// Wall and processor of one step.
class Step {
 public:
  nlohmann::ordered_json Done() const {
    return {{"wall_s", std::chrono::duration<double>(BenchClock::now() - begun_).count()},
            {"cpu_s", ProcessorSeconds() - cpu_}};
  }

 private:
  BenchClock::time_point begun_ = BenchClock::now();
  double cpu_ = ProcessorSeconds();
};

Facts OddFacts(Facts facts) {
  std::vector<Port> ports = *facts.ports;
  for (Port& port : ports) {
    if (!port.netdev) continue;
    Netdev netdev = *port.netdev;
    netdev.speed_mbps = kOddSpeedMbps;
    port.netdev = netdev;
  }
  facts.ports = std::move(ports);
  return facts;
}

class Bench {
 public:
  Bench(Facts facts, std::size_t hosts, std::size_t odd, const std::string& folder)
      : hosts_(hosts), odd_(odd), usual_(Packed(facts)), odd_state_(Packed(OddFacts(facts))) {
    store_ = *SqliteFleetStore::Open({.path = folder + "/fleet.db"});
    rules_ = *RuleBook::Load({.profiles = {"smb-direct-roce"}});
    keeper_ = std::make_unique<Keeper>(
        KeeperSeams{
            .store = *store_, .book = book_, .rules = [this] { return rules_; }, .agreement = &agreement_},
        KeeperLimits{});
    view_ = std::make_unique<FleetView>(*store_, book_, agreement_, std::chrono::seconds(300),
                                        [this] { return rules_; });
  }

  nlohmann::ordered_json Run() {
    nlohmann::ordered_json told{{"hosts", hosts_}, {"odd", odd_}};
    const double memory_before = ResidentMib();
    const Step fill;
    Fill();
    told["fill"] = fill.Done();
    told["resident_mib"] = {{"before", memory_before}, {"with_papers", ResidentMib()}};
    const Step hosts;
    const std::vector<FleetHost> all = *view_->Hosts({}, UnixNowNs());
    told["read_hosts"] = hosts.Done();
    const Step first;
    agreement_.Count(all, UnixNowNs());
    told["count"] = first.Done();
    const Step second;
    const std::vector<std::string> others = agreement_.Count(all, UnixNowNs());
    told["count_that_tells"] = second.Done();
    told["told"] = others.size();
    told["resident_mib"]["after_count"] = ResidentMib();
    const Step odd;
    JudgeAgain(others);
    told["judge_odd"] = odd.Done();
    const Step status;
    told["odd_kinds"] = view_->Status({}, 20, UnixNowNs())->odd_ones.size();
    told["status"] = status.Done();
    std::vector<std::string> ids;
    for (const FleetHost& host : all) ids.push_back(host.host_id);
    const Step again;
    JudgeAgain(std::move(ids));
    told["judge_all_again"] = again.Done();
    return told;
  }

 private:
  static std::shared_ptr<const report::HostState> Packed(const Facts& facts) {
    return *report::PackState(facts, *Sha256(DigestedText(facts)), UnixNowNs());
  }

  void Fill() {
    std::latch kept(static_cast<std::ptrdiff_t>(hosts_));
    for (std::size_t i = 0; i < hosts_; ++i) {
      const report::HostState& state = i < odd_ ? *odd_state_ : *usual_;
      const auto arrival = [&] {
        return Arrival{.host_id = fmt::format("00000000-0000-4000-8000-{:012}", i),
                       .name = fmt::format("node{:05}", i),
                       .mark = {.run_id = "r", .sequence = 1},
                       .digest = std::string(64, 'a'),
                       .facts_zlib = state.facts_zlib,
                       .facts_bytes = state.facts_bytes,
                       .received_unix_ns = UnixNowNs(),
                       .answer = [&](const absl::Status& status, const std::string&) {
                         if (!status.ok()) std::fprintf(stderr, "judge_fleet: %s\n", Message(status).c_str());
                         kept.count_down();
                       }};
      };
      while (!keeper_->Add(arrival())) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    kept.wait();
  }

  void JudgeAgain(std::vector<std::string> ids) {
    const std::uint64_t wanted = keeper_->Counts().judged + ids.size();
    keeper_->JudgeAgain(std::move(ids));
    while (keeper_->Counts().judged < wanted) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }

  const std::size_t hosts_;
  const std::size_t odd_;
  const std::shared_ptr<const report::HostState> usual_;
  const std::shared_ptr<const report::HostState> odd_state_;
  std::unique_ptr<SqliteFleetStore> store_{};
  std::shared_ptr<const RuleBook> rules_{};
  HostBook book_{};
  FleetAgreement agreement_{};
  std::unique_ptr<FleetView> view_{};
  std::unique_ptr<Keeper> keeper_{};
};

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "judge_fleet: SAVED-HOST [HOSTS] [ODD]\n");
    return 2;
  }
  const absl::StatusOr<std::vector<SavedHost>> saved = LoadSavedHosts({argv[1]});
  if (!saved.ok() || !saved->front().facts.ports) {
    std::fprintf(stderr, "judge_fleet: %s\n", saved.ok() ? "no ports" : Message(saved.status()).c_str());
    return 2;
  }
  const std::size_t hosts = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 20'000;
  const std::size_t odd = argc > 3 ? std::strtoul(argv[3], nullptr, 10) : hosts / 100;
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("judge_fleet-{}", ::getpid());
  std::filesystem::create_directories(folder);
  {
    Bench bench(saved->front().facts, hosts, odd, folder);
    std::printf("%s\n", bench.Run().dump(1).c_str());
  }
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace rdmaready::hub

int main(int argc, char** argv) { return rdmaready::hub::Main(argc, argv); }
