// SPDX-License-Identifier: Apache-2.0
// page_fleet: what pages of a large fleet cost its hub.
//   page_fleet SAVED-HOST [HOSTS] [CHANGES]           asks a hub of such a store, in this process, over
//   loopback page_fleet --fill STORE SAVED-HOST [HOSTS] [CHANGES]   only makes the store
// HOSTS (20000) are made of one that was saved, every hundredth with a link that is down; CHANGES (1000000) of
// them are made rows of the last 90 days; a group is a twentieth of the hosts. Prints one JSON object:
// milliseconds of the wall and of the processor, of hub and caller together, of the first page of 200 rows and
// of the hundredth, the median of five.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/sqlite/sqlite.h"
#include "cli/fleet/saved_hosts.h"
#include "hub/hub.h"
#include "hub/store/sqlite_fleet_store.h"
#include "rdmaready/v1/fleet.grpc.pb.h"
#include "tests/bench/made_hosts.h"

namespace rdmaready::hub {
namespace {

constexpr char kProfile[] = "smb-direct-roce";
constexpr std::size_t kCommitted = 256;  // at once
constexpr std::size_t kGroups = 20;
constexpr int kHundredth = 100;
constexpr int kTimes = 5;
constexpr std::int64_t kDayNs = std::int64_t{86'400} * 1'000'000'000;
constexpr std::int64_t kDaysOfChanges = 90;

using PageClock = std::chrono::steady_clock;

double ProcessorMs() {
  ::rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto ms = [](const ::timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return ms(usage.ru_utime) + ms(usage.ru_stime);
}

double MedianOf(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// As one that reported a moment ago, judged by the rules that the hub will have.
JudgedHost HostNumber(std::size_t number, const JudgedHost& like) {
  JudgedHost host = Numbered(like, number);
  host.host.group = fmt::format("group{:02}", number % kGroups);
  if (number % 100 == 0) {
    host.host.last_verdict = Readiness::kNotReady;
    host.host.first_check = "link.state";
    host.host.first_observed = "down, wanted up";
    ++host.host.failed;
    host.findings.push_back({.check = "link.state",
                             .subject = "mlx5_0/1",
                             .outcome = Outcome::kFail,
                             .blocking = true,
                             .observed = "down",
                             .expected = "up"});
  }
  return host;
}

absl::Status AddChanges(const std::string& path, std::size_t hosts, std::size_t changes, std::int64_t now) {
  RR_ASSIGN_OR_RETURN(Database database, Database::Open(path));
  const std::int64_t first = now - kDaysOfChanges * kDayNs;
  const std::int64_t step =
      kDaysOfChanges * kDayNs / static_cast<std::int64_t>(std::max<std::size_t>(changes, 1));
  const std::string sql = fmt::format(
      "WITH RECURSIVE count(k) AS (VALUES (0) UNION ALL SELECT k + 1 FROM count WHERE k + 1 < {2}) "
      "INSERT INTO transition (host_id, number, unix_ns, check_id, subject, profile, outcome_before, "
      "outcome_after, "
      "observed, times, last_unix_ns) SELECT printf('00000000-0000-4000-8000-%012d', k % {0}), 2 + k / {0}, "
      "{1} + k * {3}, CASE WHEN k / {0} % 2 THEN 'pfc.enabled' ELSE 'link.state' END, 'mlx5_0/1 ens1f0np0', "
      "'', "
      "1 + 2 * (k / {0} / 2 % 2), 3 - 2 * (k / {0} / 2 % 2), 'PFC off, or the link is down', 1, {1} + k * {3} "
      "FROM "
      "count;"
      "UPDATE host SET last_number = 2 + {2} / {0};",
      hosts, first, changes, step);
  return changes == 0 ? absl::OkStatus() : database.Execute(sql.c_str());
}

absl::Status Fill(const std::string& path, const Facts& facts, std::size_t hosts, std::size_t changes) {
  const std::int64_t now = UnixNowNs();
  RR_ASSIGN_OR_RETURN(const JudgedHost like, JudgedLike(facts, kProfile, now));
  {
    RR_ASSIGN_OR_RETURN(const std::unique_ptr<SqliteFleetStore> store, SqliteFleetStore::Open({.path = path}));
    std::vector<JudgedHost> batch;
    for (std::size_t i = 0; i < hosts; ++i) {
      batch.push_back(HostNumber(i, like));
      if (batch.size() < kCommitted && i + 1 < hosts) continue;
      RR_RETURN_IF_ERROR(store->Commit(batch, now - kDaysOfChanges * kDayNs).status());
      batch.clear();
    }
  }
  return AddChanges(path, hosts, changes, now);
}

// Times one kind of pages.
template <class Request, class Response>
nlohmann::ordered_json Pages(v1::Fleet::Stub& stub,
                             grpc::Status (v1::Fleet::Stub::*method)(grpc::ClientContext*, const Request&,
                                                                     Response*),
                             Request request) {
  const auto ask = [&](Response& page) {
    grpc::ClientContext context;
    page.Clear();
    const grpc::Status status = (stub.*method)(&context, request, &page);
    if (!status.ok()) std::fprintf(stderr, "page_fleet: %s\n", status.error_message().c_str());
    return status.ok();
  };
  const auto timed = [&] {
    std::vector<double> wall, cpu;
    Response page;
    for (int i = 0; i < kTimes; ++i) {
      const auto begun = PageClock::now();
      const double cpu_begun = ProcessorMs();
      if (!ask(page)) break;
      wall.push_back(std::chrono::duration<double, std::milli>(PageClock::now() - begun).count());
      cpu.push_back(ProcessorMs() - cpu_begun);
    }
    nlohmann::ordered_json told;
    if (!wall.empty()) told = {{"wall_ms", MedianOf(wall)}, {"cpu_ms", MedianOf(cpu)}};
    return told;
  };
  nlohmann::ordered_json told{{"first", timed()}};
  Response page;
  int pages = 1;
  while (pages < kHundredth && ask(page) && !page.next_page_token().empty()) {
    request.set_page_token(page.next_page_token());
    ++pages;
  }
  told["page"] = pages;
  told["that"] = timed();
  return told;
}

absl::StatusOr<nlohmann::ordered_json> Ask(const std::string& path) {
  RR_ASSIGN_OR_RETURN(std::unique_ptr<SqliteFleetStore> store, SqliteFleetStore::Open({.path = path}));
  RR_ASSIGN_OR_RETURN(const std::unique_ptr<Hub> hub, Hub::Start({.listen = {"127.0.0.1:0"},
                                                                  .rules = {.profiles = {kProfile}},
                                                                  .metrics_listen = "none",
                                                                  .store = std::move(store)}));
  const auto stub =
      v1::Fleet::NewStub(grpc::CreateChannel(hub->addresses().front(), grpc::InsecureChannelCredentials()));
  v1::FleetDiffRequest month;
  month.set_at_unix_ns(UnixNowNs() - 30 * kDayNs);
  v1::ListTransitionsRequest of_host;
  of_host.mutable_filter()->add_hosts("node00042");
  v1::ListTransitionsRequest of_group, of_half;
  of_group.mutable_filter()->add_groups("group07");
  for (std::size_t i = 0; i < kGroups; i += 2)
    of_half.mutable_filter()->add_groups(fmt::format("group{:02}", i));
  return nlohmann::ordered_json{
      {"history", Pages(*stub, &v1::Fleet::Stub::ListTransitions, v1::ListTransitionsRequest())},
      {"history_of_host", Pages(*stub, &v1::Fleet::Stub::ListTransitions, of_host)},
      {"history_of_group", Pages(*stub, &v1::Fleet::Stub::ListTransitions, of_group)},
      {"history_of_half", Pages(*stub, &v1::Fleet::Stub::ListTransitions, of_half)},
      {"findings", Pages(*stub, &v1::Fleet::Stub::ListFindings, v1::ListFindingsRequest())},
      {"diff_of_a_month", Pages(*stub, &v1::Fleet::Stub::Diff, month)}};
}

int Main(std::vector<std::string> words) {
  std::string keep;
  if (words.size() > 1 && words.front() == "--fill") {
    keep = words[1];
    words.erase(words.begin(), words.begin() + 2);
  }
  const auto number = [&](std::size_t at, std::size_t otherwise) {
    return words.size() > at ? std::strtoul(words[at].c_str(), nullptr, 10) : otherwise;
  };
  const absl::StatusOr<std::vector<SavedHost>> saved =
      words.empty() ? absl::InvalidArgumentError("[--fill STORE] SAVED-HOST [HOSTS] [CHANGES]")
                    : LoadSavedHosts({words.front()});
  if (!saved.ok()) {
    std::fprintf(stderr, "page_fleet: %s\n", Message(saved.status()).c_str());
    return 2;
  }
  const std::size_t hosts = std::max<std::size_t>(number(1, 20'000), 1), changes = number(2, 1'000'000);
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("page_fleet-{}", ::getpid());
  const std::string path = keep.empty() ? (folder / "fleet.db").string() : keep;
  absl::Status done = Fill(path, saved->front().facts, hosts, changes);
  if (done.ok() && keep.empty()) {
    const absl::StatusOr<nlohmann::ordered_json> told = Ask(path);
    done = told.status();
    if (told.ok()) {
      nlohmann::ordered_json all{{"hosts", hosts}, {"changes", changes}};
      all.update(*told);
      std::printf("%s\n", all.dump(1).c_str());
    }
  }
  std::filesystem::remove_all(folder);
  if (!done.ok()) std::fprintf(stderr, "page_fleet: %s\n", Message(done).c_str());
  return done.ok() ? 0 : 1;
}

}  // namespace
}  // namespace rdmaready::hub

int main(int argc, char** argv) { return rdmaready::hub::Main({argv + 1, argv + argc}); }
