// SPDX-License-Identifier: Apache-2.0
// MeshRecord: the file of `check --mesh --resume FILE`, which keeps the tests of each two ports as they end, so
// that the next run does not repeat them.
//
// JSON lines: the first names the form, each other one is a way whose tests came to their end. A last line
// without its end was cut off by a crash, and is removed.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/handle.h"
#include "api/model/class_proof.h"
#include "api/model/remedy.h"
#include "api/model/report.h"
#include "api/model/transfer.h"

namespace rdmaready {

// The tests from one port to another. They are the same only where all of this is.
struct MeshWay {
  std::string from{};  // hosts, as the caller named them
  std::string to{};
  std::string subject{};  // "mlx5_0/1 -> mlx5_0/1"
  std::string level{};    // "peer"
  std::string connect{};  // "cm", "verbs", "both"
  std::string profile{};  // its digest
  bool in_production = false;

  auto operator<=>(const MeshWay&) const = default;
  void Fields(auto& list) const {
    list("from", from, "to", to, "subject", subject, "level", level, "connect", connect, "profile", profile,
         "in_production", in_production);
  }
};

// A finding of a test that came to its end. The rest of it (title, scope, rung) is that of the test itself.
struct DoneFinding {
  std::string id{};
  Outcome outcome = Outcome::kUnknown;
  std::string observed{};
  std::string expected{};
  std::string source{};
  std::string hidden_by{};
  std::int64_t duration_ns = 0;
  // Where it did not pass:
  std::string why{};
  std::optional<Remedy> remedy{};
  std::optional<ClassProof> class_proof{};

  bool operator==(const DoneFinding&) const = default;
  void Fields(auto& list) const {
    list("id", id, "outcome", outcome, "observed", observed, "expected", expected, "source", source,
         "hidden_by", hidden_by, "duration_ns", duration_ns, "why", why, "remedy", remedy, "class_proof",
         class_proof);
  }
};

DoneFinding Kept(const Finding& finding);
// Writes what was kept `age` ago over the finding of the test as it stands before it is made, and says how old
// it is.
void Restore(const DoneFinding& done, std::chrono::nanoseconds age, Finding& finding);

struct DoneWay {
  MeshWay way{};
  std::int64_t ended_unix_ns = 0;
  std::vector<DoneFinding> findings{};  // of each case, and of the class
  std::vector<Failure> failures{};      // of each case

  bool operator==(const DoneWay&) const = default;
  void Fields(auto& list) const {
    list("way", way, "ended_unix_ns", ended_unix_ns, "findings", findings, "failures", failures);
  }
};

// Whether the tests of a way came to a result: `findings` are of each case, and of the class. A case that waits
// behind another one of the way has that one's result. Whether the NICs show the class says nothing of the
// tests. An agent that went away, or a caller that gave up, leaves no result.
bool HasResult(std::span<const Finding> findings, std::span<const Failure> failures);

// Older results are no longer taken: cables and switches change.
inline constexpr std::chrono::hours kOldestKept{24};

// Threads: any.
class MeshRecord {
 public:
  // Makes a file that is not there. kInvalidArgument: it is not such a file, or a line of it is broken;
  // kFailedPrecondition: another run has it open; else why it could not be read.
  static absl::StatusOr<std::unique_ptr<MeshRecord>> Open(const std::string& path);

  // The tests of an earlier run that are not older than kOldestKept at `now_unix_ns`; null: it has no such way.
  const DoneWay* Find(const MeshWay& way, std::int64_t now_unix_ns) const;

  // Writes a line at once. The first error is kept, and every later call returns it.
  absl::Status Add(const DoneWay& done);

 private:
  MeshRecord(std::string path, UniqueFd file, std::uint64_t size, std::vector<DoneWay> earlier)
      : path_(std::move(path)), file_(std::move(file)), earlier_(std::move(earlier)), size_(size) {}

  const std::string path_;
  const UniqueFd file_;
  const std::vector<DoneWay> earlier_;  // sorted by way
  std::mutex mutex_;                    // guards what follows
  std::uint64_t size_;                  // of the file
  absl::Status failed_ = absl::OkStatus();
};

}  // namespace rdmaready
