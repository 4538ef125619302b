// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet/mesh_record.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/convert/model_json.h"
#include "api/model/describe.h"
#include "checks/words/fix.h"

namespace rdmaready {

template <>
const TypeInfo& TypeOf<DoneWay>() {
  return describe::Described<DoneWay>::kType;
}

namespace {

constexpr std::string_view kFirstLine = R"({"rdmaready_mesh":1})";
// 256 hosts have 65,280 ways: some 60 MB where they pass, and more where each says why it failed.
constexpr ::off_t kMostBytes = 512 << 20;
constexpr ::mode_t kOwnersFile = 0600;

// All lines that have an end.
absl::StatusOr<std::string> ReadLines(int fd, const std::string& path) {
  struct ::stat found {};
  if (::fstat(fd, &found) != 0) return ErrnoStatus(errno, "read " + path);
  if (!S_ISREG(found.st_mode)) return absl::InvalidArgumentError("read " + path + ": not a regular file");
  if (found.st_size > kMostBytes)
    return absl::InvalidArgumentError(fmt::format("read {}: larger than {} bytes", path, kMostBytes));
  std::string text(static_cast<std::size_t>(found.st_size), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ::ssize_t got = ::pread(fd, text.data() + size, text.size() - size, static_cast<::off_t>(size));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoStatus(errno, "read " + path);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

absl::Status Append(int fd, const std::string& path, std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t put = ::write(fd, text.data(), text.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return ErrnoStatus(errno, "write " + path);
    text.remove_prefix(static_cast<std::size_t>(put));
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<DoneWay>> Parse(std::string_view text, const std::string& path) {
  std::vector<DoneWay> ways;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    if (number == 1) {
      if (line == kFirstLine) continue;
      return absl::InvalidArgumentError(fmt::format("read {}: not a file of check --resume", path));
    }
    const nlohmann::json json = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
    DoneWay done;
    if (!json.is_object() || !convert::ReadKeptJson(json, done) || done.way.subject.empty())
      return absl::InvalidArgumentError(
          fmt::format("read {}: line {} is broken: remove that line", path, number));
    ways.push_back(std::move(done));
  }
  return ways;
}

}  // namespace

DoneFinding Kept(const Finding& finding) {
  DoneFinding done{.id = finding.id,
                   .outcome = finding.outcome,
                   .observed = finding.observed,
                   .expected = finding.expected,
                   .source = finding.source,
                   .hidden_by = finding.hidden_by,
                   .duration_ns = finding.duration_ns,
                   .class_proof = finding.class_proof};
  if (finding.outcome == Outcome::kPass) return done;
  done.why = finding.why;
  done.remedy = finding.remedy;
  return done;
}

void Restore(const DoneFinding& done, std::chrono::nanoseconds age, Finding& finding) {
  finding.outcome = done.outcome;
  finding.observed = done.observed + "; tested " + DurationText(age.count()) + " ago (--resume)";
  finding.expected = done.expected;
  finding.source = done.source;
  finding.hidden_by = done.hidden_by;
  finding.duration_ns = done.duration_ns;
  if (!done.why.empty()) finding.why = done.why;
  SetRemedy(finding, done.remedy.value_or(Remedy()));
  finding.class_proof = done.class_proof;
}

bool HasResult(std::span<const Finding> findings, std::span<const Failure> failures) {
  if (findings.size() != failures.size() + 1) return false;
  for (std::size_t i = 0; i < failures.size(); ++i) {
    const FailureKind kind = failures[i].kind;
    if (kind == FailureKind::kPeerGone || kind == FailureKind::kCancelled || kind == FailureKind::kUnknown)
      return false;
    const auto is_of_way = [&](const Finding& other) { return other.id == findings[i].hidden_by; };
    const bool waits = std::ranges::any_of(findings.first(i), is_of_way);
    if (!findings[i].hidden_by.empty() && !waits) return false;
    if (findings[i].outcome == Outcome::kUnknown && !waits) return false;
  }
  return true;
}

absl::StatusOr<std::unique_ptr<MeshRecord>> MeshRecord::Open(const std::string& path) {
  UniqueFd file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, kOwnersFile));
  if (!file) return ErrnoStatus(errno, "open " + path);
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK) return ErrnoStatus(errno, "lock " + path);
    return absl::FailedPreconditionError("open " + path + ": another run has it open");
  }
  RR_ASSIGN_OR_RETURN(std::string text, ReadLines(file.get(), path));
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  const bool is_ours = whole > 0 || kFirstLine.starts_with(text);
  if (!is_ours) return absl::InvalidArgumentError("read " + path + ": not a file of check --resume");
  RR_ASSIGN_OR_RETURN(std::vector<DoneWay> earlier, Parse(std::string_view(text).substr(0, whole), path));
  if (whole < text.size() && ::ftruncate(file.get(), static_cast<::off_t>(whole)) != 0)
    return ErrnoStatus(errno, "remove the line that was cut off from " + path);
  if (whole == 0) RR_RETURN_IF_ERROR(Append(file.get(), path, fmt::format("{}\n", kFirstLine)));
  std::ranges::stable_sort(earlier, {}, &DoneWay::way);
  return std::unique_ptr<MeshRecord>(
      new MeshRecord(path, std::move(file), whole == 0 ? kFirstLine.size() + 1 : whole, std::move(earlier)));
}

const DoneWay* MeshRecord::Find(const MeshWay& way, std::int64_t now_unix_ns) const {
  const auto [first, last] = std::ranges::equal_range(earlier_, way, {}, &DoneWay::way);
  if (first == last) return nullptr;
  const DoneWay& latest = *(last - 1);
  const std::chrono::nanoseconds age(now_unix_ns - latest.ended_unix_ns);
  return age.count() >= 0 && age <= kOldestKept ? &latest : nullptr;
}

absl::Status MeshRecord::Add(const DoneWay& done) {
  const std::string line =
      convert::KeptJson(done).dump(-1, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
  const std::lock_guard lock(mutex_);
  if (failed_.ok() && size_ + line.size() > static_cast<std::uint64_t>(kMostBytes))
    failed_ = absl::ResourceExhaustedError(fmt::format("write {}: larger than {} bytes", path_, kMostBytes));
  if (failed_.ok()) failed_ = Append(file_.get(), path_, line);
  size_ += line.size();
  return failed_;
}

}  // namespace rdmaready
