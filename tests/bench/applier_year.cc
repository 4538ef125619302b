// SPDX-License-Identifier: Apache-2.0
// applier_year [CHANGES [DIR]]: how long an applier takes to begin with the journal and the audit of so many
// changes (262,800: a year of 30 an hour), of which the last one is open. They are written by the applier's own
// journal and audit, without waiting for the medium. Exit 1: it took more than 5 s, or it did not find what was
// written.
#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "agent/apply/board.h"
#include "agent/apply/disk.h"
#include "agent/apply/ledger.h"
#include "api/base/clock.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

constexpr int kChanges = 262'800;
constexpr std::uint64_t kSegmentBytes = std::uint64_t{1} << 20U;
constexpr double kMostSeconds = 5;

// The machine's, but nothing waits for the medium.
class FastDisk final : public apply::Disk {
 public:
  absl::Status Append(int fd, const std::string& path, std::string_view bytes) override {
    return real_.Append(fd, path, bytes);
  }
  absl::Status Sync(int, const std::string&) override { return absl::OkStatus(); }
  absl::Status Truncate(int fd, const std::string& path, std::uint64_t size) override {
    return real_.Truncate(fd, path, size);
  }
  absl::Status Reserve(int, const std::string&, std::uint64_t, std::uint64_t) override {
    return absl::OkStatus();
  }
  absl::Status Link(const std::string& path, const std::string& to) override { return real_.Link(path, to); }
  absl::Status Replace(const std::string& path, std::string_view text) override {
    return real_.Replace(path, text);
  }

 private:
  apply::Disk& real_ = apply::RealDisk();
};

apply::Undertaking MakeUndertaking(int number) {
  const SettingObject mtu{SettingKind::kMtu, "ens1f0np0", ""};
  const SettingObject pfc{SettingKind::kPfc, "ens1f0np0", ""};
  apply::Undertaking made{.boot_id = "boot", .snapshot = {{mtu, "1500"}, {pfc, "off delay 0"}}};
  made.change = {.id = fmt::format("{:032x}", number),
                 .requester = "alice (tls CN=alice)",
                 .begun_unix_ns = std::int64_t{number} * 120'000'000'000,
                 .state = ChangeState::kWriting,
                 .confirm_within_ms = 60'000};
  made.change.steps = {
      {.step = {.object = mtu, .from = "1500", .to = "9000"}, .state = StepState::kNotBegun},
      {.step = {.object = pfc, .from = "off delay 0", .to = "on 3 delay 0"}, .state = StepState::kNotBegun}};
  return made;
}

absl::Status WriteChange(apply::Ledger& ledger, apply::Undertaking made, std::uint32_t& sequence, bool ends) {
  Change& change = made.change;
  RR_RETURN_IF_ERROR(
      ledger.Audit({.who = change.requester, .what = "apply", .change = change.id, .result = "begins"}));
  RR_RETURN_IF_ERROR(ledger.Begin(made));
  for (std::size_t i = 0; i < change.steps.size(); ++i) {
    ChangeStep& step = change.steps[i];
    const Setting to{step.step.object, step.step.to};
    RR_RETURN_IF_ERROR(ledger.journal().WillWrite(change.id, apply::kWhyApply, to, step.step.from, 1));
    RR_RETURN_IF_ERROR(ledger.journal().WillSend({.port_id = 77, .sequence = ++sequence}));
    step.state = StepState::kWritten;
    RR_RETURN_IF_ERROR(ledger.journal().Step(change.id, i, step));
    RR_RETURN_IF_ERROR(
        ledger.Audit({.who = change.requester, .what = "write", .change = change.id, .result = "ok"}));
  }
  change.state = ChangeState::kAwaitingConfirm;
  RR_RETURN_IF_ERROR(ledger.Record(change, true));
  if (!ends) return absl::OkStatus();
  change.state = ChangeState::kRolledBack;
  change.ended_unix_ns = change.begun_unix_ns + 1;
  RR_RETURN_IF_ERROR(ledger.Record(change, true));
  ledger.SealFull();
  return absl::OkStatus();
}

double SecondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

absl::StatusOr<double> Measure(int changes, const std::string& dir) {
  FastDisk disk;
  apply::Board board(RealClock());
  const auto now = [] { return std::int64_t{1}; };
  {
    apply::Ledger ledger(disk, dir, "boot", kSegmentBytes, now, board);
    apply::JournalPast past;
    RR_RETURN_IF_ERROR(ledger.Open(past));
    RR_RETURN_IF_ERROR(ledger.CheckSound());
    const auto begin = std::chrono::steady_clock::now();
    std::uint32_t sequence = 0;
    for (int number = 1; number <= changes; ++number)
      RR_RETURN_IF_ERROR(WriteChange(ledger, MakeUndertaking(number), sequence, number < changes));
    fmt::print("written: {} changes in {:.1f} s\n", changes, SecondsSince(begin));
  }
  const auto begin = std::chrono::steady_clock::now();
  apply::Ledger ledger(disk, dir, "boot", kSegmentBytes, now, board);
  apply::JournalPast past;
  RR_RETURN_IF_ERROR(ledger.Open(past));
  RR_RETURN_IF_ERROR(ledger.CheckSound());
  const double seconds = SecondsSince(begin);
  if (!past.open || past.open->change.id != MakeUndertaking(changes).change.id)
    return absl::DataLossError("the open change was not found");
  return seconds;
}

int Main(int argc, char** argv) {
  const int changes = argc > 1 ? std::atoi(argv[1]) : kChanges;
  std::string pattern = (std::filesystem::temp_directory_path() / "applier-year-XXXXXX").string();
  const std::string dir = argc > 2 ? argv[2] : ::mkdtemp(pattern.data());
  const absl::StatusOr<double> seconds = Measure(changes, dir);
  std::uintmax_t bytes = 0;
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(dir)) {
    bytes += entry.file_size();
    ++files;
  }
  if (argc <= 2) std::filesystem::remove_all(dir);
  if (!seconds.ok()) {
    fmt::print(stderr, "applier_year: {}\n", Message(seconds.status()));
    return 1;
  }
  fmt::print("begun: {:.3f} s, with {} files of {} MiB; wanted at most {} s\n", *seconds, files, bytes >> 20U,
             kMostSeconds);
  return *seconds <= kMostSeconds ? 0 : 1;
}

}  // namespace
}  // namespace rdmaready

int main(int argc, char** argv) { return rdmaready::Main(argc, argv); }
