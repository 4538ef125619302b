// SPDX-License-Identifier: Apache-2.0
// StoreTest: a state directory of its own for each test, and records to put into it.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "agent/store/sqlite_store.h"

namespace rdmaready {

class StoreTest : public testing::Test {
 protected:
  ~StoreTest() override { std::filesystem::remove_all(root_); }

  StoreOptions Options() {
    return {.directory = directory_,
            .lock_wait = std::chrono::milliseconds(50),
            .log = [this](const std::string& line) { log_.push_back(line); }};
  }

  // Opened, as a store that is usable must be.
  std::unique_ptr<SqliteStore> Open() { return Open(Options()); }
  std::unique_ptr<SqliteStore> Open(const StoreOptions& options) {
    auto store = std::make_unique<SqliteStore>(options);
    const absl::Status status = store->Open();
    EXPECT_TRUE(status.ok()) << status;
    return store;
  }

  static RunRecord MakeRun(const std::string& id, std::int64_t started) {
    RunRecord record{.run_id = id, .started_unix_ns = started, .duration_ns = 5, .level = Rung::kLoopback};
    record.report.profiles = {{"p", "d"}};
    record.report.verdict = Readiness::kNotReady;
    record.report.findings = {{.id = "link.state",
                               .scope = Scope::kPort,
                               .rung = Rung::kHost,
                               .subject = "rxe0/1",
                               .outcome = Outcome::kFail,
                               .observed = "down"},
                              {.id = "mtu.ethernet",
                               .scope = Scope::kPort,
                               .rung = Rung::kHost,
                               .subject = "rxe0/1",
                               .outcome = Outcome::kPass}};
    return record;
  }

  static TransferRecord MakeTransfer(const std::string& run_id, std::int64_t started) {
    TransferRecord record{
        .run_id = run_id, .started_unix_ns = started, .port = "rxe0/1", .role = "initiator", .peer = "b"};
    record.result.case_name = "send-1k";
    record.result.failure = {FailureKind::kStalled, "nothing for 5 s"};
    return record;
  }

  static std::vector<std::string> Ids(SqliteStore& store, const HistoryQuery& query = {.limit = kMaxHistory}) {
    const absl::StatusOr<std::vector<RunRecord>> runs = store.Runs(query);
    EXPECT_TRUE(runs.ok()) << runs.status();
    std::vector<std::string> ids;
    if (!runs.ok()) return ids;
    for (const RunRecord& run : *runs) ids.push_back(run.run_id);
    return ids;
  }

  // The files that were set aside, main files only, in order of their names.
  std::vector<std::string> SetAside() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_)) {
      const std::string name = entry.path().filename();
      if (name.starts_with("rdmaready.db.damaged-") && !name.ends_with("-wal") && !name.ends_with("-shm"))
        names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  std::string ReadFile(const std::string& name) const {
    std::ifstream file(directory_ + "/" + name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  void WriteFile(const std::string& name, const std::string& bytes) const {
    std::filesystem::create_directories(directory_);
    std::ofstream(directory_ + "/" + name, std::ios::binary | std::ios::trunc) << bytes;
  }

  // As a crash leaves it: the files as they are, under another state directory.
  std::string CopyAsAfterACrash() const {
    const std::string copy = root_ + "/copy";
    std::filesystem::create_directories(copy);
    for (const char* name : {"rdmaready.db", "rdmaready.db-wal"}) {
      if (std::filesystem::exists(directory_ + "/" + name)) {
        std::filesystem::copy_file(directory_ + "/" + name, copy + "/" + name,
                                   std::filesystem::copy_options::overwrite_existing);
      }
    }
    return copy;
  }

  const std::string root_ = testing::TempDir() + "a store " + std::to_string(::getpid());
  const std::string directory_ = root_ + "/deep";
  const std::string path_ = directory_ + "/rdmaready.db";
  std::vector<std::string> log_;
};

}  // namespace rdmaready
