// SPDX-License-Identifier: Apache-2.0
// An applier with everything around it simulated but its own files, which lie in a folder of the test's.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "agent/apply/applier.h"
#include "agent/apply/disk.h"
#include "tests/unit/agent/apply/sim_host.h"

namespace rdmaready {

// Who made it moves the time by sleeping; every other thread waits until it has come.
class HandClock final : public Clock {
 public:
  TimePoint Now() override {
    const std::lock_guard lock(mutex_);
    return now_;
  }

  WallTime Wall() override {
    return WallTime(std::chrono::duration_cast<WallTime::duration>(Now().time_since_epoch()));
  }

  bool WaitUntil(std::condition_variable_any& wake, std::unique_lock<std::mutex>& lock,
                 const std::stop_token& stop, TimePoint when, const std::function<bool()>& ready) override {
    bool is_ready = ready();
    while (!is_ready && Now() < when && !stop.stop_requested())
      is_ready = wake.wait_for(lock, stop, std::chrono::milliseconds(2), ready);
    return is_ready;
  }

  bool SleepUntil(TimePoint when, const std::stop_token& stop) override {
    std::unique_lock lock(mutex_);
    if (std::this_thread::get_id() == maker_) {
      if (when > now_) now_ = when;
      changed_.notify_all();
      return !stop.stop_requested();
    }
    changed_.wait(lock, stop, [&] { return now_ >= when; });
    return !stop.stop_requested();
  }

  void Advance(std::chrono::milliseconds by) {
    const std::lock_guard lock(mutex_);
    now_ += by;
    changed_.notify_all();
  }

 private:
  const std::thread::id maker_ = std::this_thread::get_id();
  std::mutex mutex_;
  std::condition_variable_any changed_;
  TimePoint now_{std::chrono::hours(1)};
};

// The real one, without waiting for a medium; it may be full, or kill.
class HandDisk final : public apply::Disk {
 public:
  absl::Status Append(int fd, const std::string& path, std::string_view bytes) override {
    Point();
    if (full) return absl::ResourceExhaustedError("write " + path + ": No space left on device");
    if (tear) {
      // Half of it reaches the file before the process is killed.
      const absl::Status part = real_.Append(fd, path, bytes.substr(0, bytes.size() / 2));
      Point();
      const absl::Status rest = real_.Append(fd, path, bytes.substr(bytes.size() / 2));
      Point();
      return part.ok() ? rest : part;
    }
    return real_.Append(fd, path, bytes);
  }
  absl::Status Sync(int, const std::string& path) override {
    Point();
    return bad_sync ? absl::UnknownError("fsync " + path + ": Input/output error") : absl::OkStatus();
  }
  absl::Status Truncate(int fd, const std::string& path, std::uint64_t size) override {
    return real_.Truncate(fd, path, size);
  }
  absl::Status Reserve(int, const std::string&, std::uint64_t, std::uint64_t) override {
    return full ? absl::ResourceExhaustedError("reserve room: No space left on device") : absl::OkStatus();
  }
  absl::Status Link(const std::string& path, const std::string& to) override {
    Point();
    if (full) return absl::ResourceExhaustedError("link " + path + ": No space left on device");
    const absl::Status linked = real_.Link(path, to);
    Point();
    return linked;
  }
  absl::Status Replace(const std::string& path, std::string_view text) override {
    Point();
    if (full || refuses_replace)
      return absl::ResourceExhaustedError("write " + path + ": No space left on device");
    std::ofstream(path + ".new") << text;
    std::filesystem::permissions(path + ".new", std::filesystem::perms(0600));
    Point();
    std::filesystem::rename(path + ".new", path);
    Point();
    return absl::OkStatus();
  }

  void Point() const {
    if (point) point();
  }

  std::function<void()> point{};
  bool full = false;
  bool refuses_replace = false;  // of what is kept
  bool bad_sync = false;
  bool tear = false;

 private:
  apply::Disk& real_ = apply::RealDisk();
};

class Workshop {
 public:
  Workshop() {
    std::string pattern = (std::filesystem::temp_directory_path() / "applier-XXXXXX").string();
    dir = ::mkdtemp(pattern.data());
    permission->ports = {"dcb0", "rxe0/1", "host"};
    permission->settings = {kSettingKinds.begin(), kSettingKinds.end()};
    permission->profiles = {{std::string(64, 'a'), "smb-direct-roce"}};
  }
  ~Workshop() {
    applier.reset();
    std::filesystem::remove_all(dir);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;

  // A new life of the applier. What the last one was killed in does not go on.
  absl::Status Start() {
    applier.reset();
    ApplierSeams seams;
    seams.read = [this] {
      ++readings;
      return facts;
    };
    if (profiles) seams.profiles = [this](const ApplyOrder&) { return *profiles; };
    if (below) seams.below = below;
    seams.settings = [this](const Facts&) { return host.Settings(); };
    if (reads_some) {
      seams.read_some = [this](const std::vector<SettingObject>& objects) { return host.Some(objects); };
    }
    seams.device = [this](const SettingObject& object) { return host.Device(object); };
    seams.identity = [this](const SettingObject& object) {
      const auto found = host.identities.find(object.where);
      return found == host.identities.end() ? std::string() : found->second;
    };
    seams.plan = [this](const Facts&, const ApplyOrder&) { return MakePlan(); };
    seams.permission = [this] { return permission; };
    seams.writer = &host;
    seams.foreign = &foreign;
    seams.clock = &clock;
    seams.unix_now_ns = [this] { return unix_ns; };
    seams.make_id = [this] { return std::string(29, '0') + std::to_string(++ids + 100); };
    seams.log = [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      log.emplace_back(line);
    };
    applier = std::make_unique<Applier>(std::move(seams), ApplierOptions{.state_dir = dir,
                                                                         .boot_id = boot_id,
                                                                         .disk = &disk,
                                                                         .segment_bytes = segment_bytes,
                                                                         .root = dir + "/root"});
    return applier->Recover();
  }

  absl::StatusOr<Change> Apply(std::stop_token stop = {}) { return applier->Apply(order, progress, stop); }

  absl::StatusOr<Plan> MakePlan() {
    if (!plan_error.ok()) return plan_error;
    Plan plan;
    plan.profiles = {{"smb-direct-roce", std::string(64, 'a')}};
    plan.unknown = unknown;
    const std::vector<Setting> now = host.Settings();
    for (const Setting& to : wanted) {
      for (const Setting& setting : now) {
        if (setting.object != to.object || setting.value == to.value) continue;
        PlanStep step{.object = to.object, .from = setting.value, .to = to.value};
        step.subject = to.object.kind == SettingKind::kSysctl ? "host" : "rxe0/1 dcb0";
        step.profile = "smb-direct-roce";
        step.disturbance.estimate_ms = 100;
        if (one_way.contains(to.object)) step.one_way = "the firmware keeps it";
        plan.steps.push_back(std::move(step));
      }
    }
    if (amend) amend(plan);
    return plan;
  }

  std::string FileText(const std::string& name) const {
    std::ifstream file(dir + "/" + name, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    return std::move(text).str();
  }

  void Rewrite(const std::string& name, const std::string& text) const {
    std::ofstream(dir + "/" + name, std::ios::binary | std::ios::trunc) << text;
  }

  std::string Notices() {
    std::string all;
    const absl::StatusOr<ApplierStatus> status = applier->Status();
    for (const std::string& notice : status->notices) all += notice + "\n";
    return all;
  }

  std::string dir;
  std::string boot_id = "boot-1";
  bool reads_some = true;  // else only the whole host can be read
  Facts facts{};           // of a whole reading; its settings are the host's
  int readings = 0;
  std::optional<std::vector<ProfileRef>> profiles{};  // of an order, before the host is read
  BelowNetdev below{};
  std::uint64_t segment_bytes = std::uint64_t{1} << 20U;
  SimHost host{PlainHost()};
  SimForeign foreign;
  HandClock clock;
  HandDisk disk;
  std::int64_t unix_ns = 1'790'000'000'000'000'000;
  int ids = 0;
  absl::StatusOr<Permission> permission{Permission{}};
  std::vector<Setting> wanted = WantedOfDcb0();
  std::set<SettingObject> one_way{};
  std::vector<std::string> unknown{};
  std::function<void(Plan&)> amend{};  // the plan, once it is made of `wanted`
  absl::Status plan_error = absl::OkStatus();
  ApplyOrder order{.requester = "alice (tls CN=alice)"};
  std::function<void(const Change&)> progress{};
  std::vector<std::string> log{};
  std::unique_ptr<Applier> applier;

 private:
  std::mutex mutex_;  // guards the log
};

inline ChangeProof Passed() { return {.loopback = true, .loopback_text = "25 Gb/s"}; }

// Runs `what` and kills it at point `at` of what the applier reads and writes of the host and of its files.
// Whether it was killed.
inline bool KilledAt(Workshop& shop, int at, const std::function<void()>& what) {
  int count = 0;
  const auto point = [&count, at] {
    if (count++ == at) throw Killed{};
  };
  shop.host.point = shop.disk.point = point;
  bool killed = false;
  try {
    what();
  } catch (const Killed&) {
    killed = true;
  }
  shop.host.point = shop.disk.point = nullptr;
  return killed;
}

}  // namespace rdmaready
