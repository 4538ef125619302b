// SPDX-License-Identifier: Apache-2.0
// store_fleet: what a hub's store costs beside a bare loop of SQLite that writes the same rows.
//   store_fleet SAVED-HOST [HOSTS] [ROUNDS]
// HOSTS (5000) are judged hosts, made of one that was saved. In each of ROUNDS (9) they are committed to a new
// store, 256 at a time, and then the rows that are there are put into another file of the same schema, in
// batches of the same hosts, by prepared statements and nothing else. A second pass reports every host again
// with one finding more. Prints one JSON object: reports a second of both, medians, and the ratio of each
// round, by median and quartiles.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/sqlite/sqlite.h"
#include "cli/fleet/saved_hosts.h"
#include "hub/store/sqlite_fleet_store.h"
#include "tests/bench/made_hosts.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kAtOnce = 256;
constexpr char kSettings[] = "PRAGMA synchronous = FULL; PRAGMA cache_size = -16384;";
constexpr std::string_view kTables[] = {"host", "facts", "vote", "finding", "transition"};

using StoreClock = std::chrono::steady_clock;

double SecondsSince(StoreClock::time_point begun) {
  return std::chrono::duration<double>(StoreClock::now() - begun).count();
}

struct Sides {
  std::vector<double> store_s{};
  std::vector<double> bare_s{};
};

// A row as SQLite has it, for whoever writes it again.
struct Row {
  std::vector<std::unique_ptr<sqlite3_value, decltype(&sqlite3_value_free)>> values{};
};
// By table, then by host.
using Rows = std::map<std::string, std::map<std::string, std::vector<Row>>>;

Rows ReadRows(const std::string& path) {
  const Database database = *Database::Open(path, Database::Access::kReadOnly);
  Rows rows;
  for (const std::string_view table : kTables) {
    sqlite3_stmt* raw = nullptr;
    sqlite3_prepare_v2(database.get(), fmt::format("SELECT * FROM {}", table).c_str(), -1, &raw, nullptr);
    const Handle<sqlite3_stmt, sqlite3_finalize> statement(raw);
    while (sqlite3_step(raw) == SQLITE_ROW) {
      Row row;
      for (int i = 0; i < sqlite3_column_count(raw); ++i)
        row.values.emplace_back(sqlite3_value_dup(sqlite3_column_value(raw, i)), &sqlite3_value_free);
      const std::string host(reinterpret_cast<const char*>(sqlite3_column_text(raw, 0)));
      rows[std::string(table)][host].push_back(std::move(row));
    }
  }
  return rows;
}

// The loop: all of it is timed but for opening the file.
class BareLoop {
 public:
  explicit BareLoop(const std::string& path) : database_(*Database::Open(path)) {
    Check(database_.Execute(kSettings));
  }

  double Write(const Rows& rows, const std::vector<JudgedHost>& hosts) {
    const auto begun = StoreClock::now();
    std::map<std::string_view, Handle<sqlite3_stmt, sqlite3_finalize>> puts;
    for (const std::string_view table : kTables) {
      const auto some = rows.find(std::string(table));
      if (some != rows.end())
        puts.emplace(table, Put(table, some->second.begin()->second.front().values.size()));
    }
    for (std::size_t from = 0; from < hosts.size(); from += kAtOnce) {
      Check(database_.Execute("BEGIN IMMEDIATE"));
      for (std::size_t i = from; i < std::min(from + kAtOnce, hosts.size()); ++i) {
        for (const auto& [table, put] : puts)
          WriteHost(rows.at(std::string(table)), hosts[i].host.host_id, put.get());
      }
      Check(database_.Execute("COMMIT"));
    }
    return SecondsSince(begun);
  }

 private:
  static void Check(const absl::Status& status) {
    if (status.ok()) return;
    std::fprintf(stderr, "store_fleet: %s\n", Message(status).c_str());
    std::exit(1);
  }

  Handle<sqlite3_stmt, sqlite3_finalize> Put(std::string_view table, std::size_t columns) {
    std::string sql = fmt::format("INSERT OR REPLACE INTO {} VALUES (?", table);
    for (std::size_t i = 1; i < columns; ++i) sql += ", ?";
    sqlite3_stmt* raw = nullptr;
    if (sqlite3_prepare_v2(database_.get(), (sql + ")").c_str(), -1, &raw, nullptr) != SQLITE_OK)
      Check(database_.Error("prepare"));
    return Handle<sqlite3_stmt, sqlite3_finalize>(raw);
  }

  void WriteHost(const std::map<std::string, std::vector<Row>>& rows, const std::string& host_id,
                 sqlite3_stmt* put) {
    const auto of_host = rows.find(host_id);
    if (of_host == rows.end()) return;
    for (const Row& row : of_host->second) {
      for (std::size_t i = 0; i < row.values.size(); ++i)
        sqlite3_bind_value(put, static_cast<int>(i) + 1, row.values[i].get());
      if (sqlite3_step(put) != SQLITE_DONE) Check(database_.Error("put"));
      sqlite3_reset(put);
    }
  }

  Database database_;
};

std::vector<JudgedHost> MadeHosts(const JudgedHost& like, std::size_t hosts) {
  std::vector<JudgedHost> made;
  for (std::size_t i = 0; i < hosts; ++i) made.push_back(Numbered(like, i));
  return made;
}

void OneMore(std::vector<JudgedHost>& hosts) {
  for (JudgedHost& host : hosts) {
    ++host.mark.sequence;
    host.findings.push_back({.check = "link.state",
                             .subject = "mlx5_0/1",
                             .outcome = Outcome::kFail,
                             .blocking = true,
                             .observed = "down",
                             .expected = "up"});
  }
}

double CommitAll(SqliteFleetStore& store, const std::vector<JudgedHost>& hosts) {
  const auto begun = StoreClock::now();
  for (std::size_t from = 0; from < hosts.size(); from += kAtOnce) {
    const std::span<const JudgedHost> batch(hosts.data() + from, std::min(kAtOnce, hosts.size() - from));
    const absl::Status done = store.Commit(batch, UnixNowNs()).status();
    if (!done.ok()) std::fprintf(stderr, "store_fleet: %s\n", Message(done).c_str());
  }
  return SecondsSince(begun);
}

nlohmann::ordered_json Told(const Sides& sides, std::size_t hosts) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < sides.store_s.size(); ++i) ratios.push_back(sides.bare_s[i] / sides.store_s[i]);
  const auto at = [](std::vector<double> values, double part) {
    std::ranges::sort(values);
    return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
  };
  const double reports = static_cast<double>(hosts);
  return {{"store_reports_per_s", reports / at(sides.store_s, 0.5)},
          {"bare_reports_per_s", reports / at(sides.bare_s, 0.5)},
          {"ratio", at(ratios, 0.5)},
          {"quartiles", {at(ratios, 0.25), at(ratios, 0.75)}}};
}

nlohmann::ordered_json Measure(const JudgedHost& like, std::size_t count, int rounds,
                               const std::string& folder) {
  Sides first;
  Sides again;
  std::size_t rows_of_host = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<JudgedHost> hosts = MadeHosts(like, count);
    const std::string ours = fmt::format("{}/store{}.db", folder, round);
    const std::string bare = fmt::format("{}/bare{}.db", folder, round);
    { const auto schema = *SqliteFleetStore::Open({.path = bare}); }
    const std::unique_ptr<SqliteFleetStore> store = *SqliteFleetStore::Open({.path = ours});
    BareLoop loop(bare);
    first.store_s.push_back(CommitAll(*store, hosts));
    first.bare_s.push_back(loop.Write(ReadRows(ours), hosts));
    OneMore(hosts);
    again.store_s.push_back(CommitAll(*store, hosts));
    Rows rows = ReadRows(ours);
    // Of findings and changes the new ones alone.
    for (const char* table : {"finding", "transition"}) {
      for (auto& [id, of_host] : rows[table]) of_host.erase(of_host.begin(), of_host.end() - 1);
    }
    again.bare_s.push_back(loop.Write(rows, hosts));
    rows_of_host = hosts.front().findings.size() + 4;
  }
  return {{"hosts", count},
          {"rows_of_a_host", rows_of_host},
          {"first_report", Told(first, count)},
          {"one_finding_more", Told(again, count)}};
}

int Main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "store_fleet: SAVED-HOST [HOSTS] [ROUNDS]\n");
    return 2;
  }
  const absl::StatusOr<std::vector<SavedHost>> saved = LoadSavedHosts({argv[1]});
  if (!saved.ok()) {
    std::fprintf(stderr, "store_fleet: %s\n", Message(saved.status()).c_str());
    return 2;
  }
  const absl::StatusOr<JudgedHost> like = JudgedLike(saved->front().facts, "smb-direct-roce", UnixNowNs());
  if (!like.ok()) {
    std::fprintf(stderr, "store_fleet: %s\n", Message(like.status()).c_str());
    return 1;
  }
  const std::size_t hosts = argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 5'000;
  const int rounds = argc > 3 ? std::max(std::atoi(argv[3]), 1) : 9;
  const std::string folder = std::filesystem::temp_directory_path() / fmt::format("store_fleet-{}", ::getpid());
  std::filesystem::create_directories(folder);
  std::printf("%s\n", Measure(*like, hosts, rounds, folder).dump(1).c_str());
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace rdmaready::hub

int main(int argc, char** argv) { return rdmaready::hub::Main(argc, argv); }
