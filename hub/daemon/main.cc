// SPDX-License-Identifier: Apache-2.0
// rdmaready-hub: keeps a fleet until it is told to stop.
#include <fmt/format.h>

#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/base/version.h"
#include "api/daemon/event_log.h"
#include "api/daemon/process.h"
#include "api/daemon/service_manager.h"
#include "api/daemon/watchdog.h"
#include "hub/daemon/notice_command.h"
#include "hub/daemon/options.h"
#include "hub/daemon/store_commands.h"
#include "hub/hub.h"
#include "hub/notice/notice_file.h"
#include "hub/store/sqlite_fleet_store.h"

namespace rdmaready::hub {
namespace {

constexpr char kProgram[] = "rdmaready-hub";
constexpr auto kGrace = std::chrono::milliseconds(500);

absl::StatusOr<std::optional<NoticeOptions>> NoticesOf(const std::string& path) {
  if (path.empty()) return std::optional<NoticeOptions>();
  RR_ASSIGN_OR_RETURN(NoticeOptions notices, LoadNotices(path));
  return std::optional<NoticeOptions>(std::move(notices));
}

absl::StatusOr<DaemonOptions> ReloadAll(std::span<const char* const> argv, Hub& hub) {
  RR_ASSIGN_OR_RETURN(HubCommandLine again, ParseHubCommandLine(static_cast<int>(argv.size()), argv.data()));
  RR_ASSIGN_OR_RETURN(const std::optional<NoticeOptions> notices, NoticesOf(again.options.notices));
  RR_RETURN_IF_ERROR(hub.Reload(again.options.rules, again.options.roles, notices));
  return std::move(again.options);
}

void ReloadHub(std::span<const char* const> argv, Hub& hub, const EventSink& events) {
  const absl::StatusOr<DaemonOptions> again = ReloadAll(argv, hub);
  if (!again.ok()) {
    return Tell(events, EventLevel::kError, "reload-refused",
                {{"reason", Message(again.status()) + "; all stays as it was"}});
  }
  SetLogLevel(again->log_level);
  Tell(events, EventLevel::kInfo, "reloaded", {{"profile", again->rules.profiles.front()}});
}

// Until a signal says that it is over, or the store is damaged: nothing that is acknowledged then would be
// kept.
int AttendHub(const ::sigset_t& signals, std::span<const char* const> argv, Hub& hub, const EventSink& events,
              const std::string& status) {
  std::optional<Watchdog> watchdog;
  if (const auto period = WatchdogPeriod())
    watchdog.emplace(*period, RealClock(), hub.ProofsOfLife(), TellManagerAlive, events);
  constexpr ::timespec kBetweenLooks{.tv_sec = 1, .tv_nsec = 0};
  for (;;) {
    const int signal = ::sigtimedwait(&signals, nullptr, &kBetweenLooks);
    if (signal == SIGHUP) {
      TellManagerReloading();
      ReloadHub(argv, hub, events);
      TellManagerReady(status);
    } else if (signal > 0) {
      Tell(events, EventLevel::kInfo, "stopping", {{"reason", std::string(::strsignal(signal))}});
      return 0;
    }
    if (const absl::Status store = hub.StoreHealth(); !store.ok()) {
      Tell(events, EventLevel::kError, "store", {{"reason", Message(store)}});
      return kExitOwnFailure;
    }
  }
}

int ServeHub(const DaemonOptions& options, const EventSink& events, const ::sigset_t& signals,
             std::span<const char* const> argv) {
  const auto fail = [&](const absl::Status& why) {
    return FailStart(kProgram, why, ExitStatusOf(why), options.log_format, events);
  };
  absl::StatusOr<std::optional<NoticeOptions>> notices = NoticesOf(options.notices);
  if (!notices.ok()) return fail(notices.status());
  absl::StatusOr<std::unique_ptr<SqliteFleetStore>> store = SqliteFleetStore::Open({.path = options.store});
  if (!store.ok()) return fail(store.status());
  TokenStore* const tokens = store->get();
  absl::StatusOr<std::unique_ptr<Hub>> hub = Hub::Start({.listen = {options.listen},
                                                         .tls = options.tls,
                                                         .roles = options.roles,
                                                         .insecure = options.insecure,
                                                         .plain_role = options.plain_role,
                                                         .name = options.name,
                                                         .period = options.period,
                                                         .most_agents = options.most_agents,
                                                         .facts_every = options.facts_every,
                                                         .keep_changes = options.keep_changes,
                                                         .keep_audit = options.keep_audit,
                                                         .rules = options.rules,
                                                         .notices = *std::move(notices),
                                                         .metrics_listen = options.metrics_listen,
                                                         .store_path = options.store,
                                                         .store = *std::move(store),
                                                         .tokens = tokens,
                                                         .authority = options.authority,
                                                         .enrol_listen = options.enrol_listen,
                                                         .certificate_lifetime = options.certificate_lifetime,
                                                         .events = events});
  if (!hub.ok()) return fail(hub.status());
  HearGrpc(events);
  if (options.insecure) {
    Tell(events, EventLevel::kWarning, "insecure",
         {{"reason",
           std::string("plain text, without authentication: a host is what it says, and everybody may look")}});
  }
  for (const std::string& address : (*hub)->addresses()) {
    Tell(events, EventLevel::kInfo, "listening",
         {{"address", address}, {"tls", options.tls.Any()}, {"version", std::string(kVersion)}});
  }
  for (const std::string& address : (*hub)->enrol_addresses())
    Tell(events, EventLevel::kInfo, "listening",
         {{"address", address}, {"tls", true}, {"for", std::string("enrolment")}});
  if (const metrics::Door* door = (*hub)->metrics(); door != nullptr) {
    Tell(events, EventLevel::kInfo, "metrics",
         {{"url", fmt::format("{}://{}/metrics", door->tls() ? "https" : "http", door->address())}});
  }
  const std::string status = fmt::format("answers on {}", (*hub)->addresses().front());
  TellManagerReady(status);
  const int result = AttendHub(signals, argv, **hub, events, status);
  TellManagerStopping();
  (*hub)->Shutdown(kGrace);
  return result;
}

int Main(int argc, char** argv) {
  if (const std::optional<int> done = RunStoreCommand(argc, argv)) return *done;
  if (const std::optional<int> done = RunNoticeCommand(argc, argv)) return *done;
  const absl::StatusOr<HubCommandLine> command = ParseHubCommandLine(argc, argv);
  if (!command.ok()) return FailStart(kProgram, command.status(), kExitUsage, LogFormat::kText, {});
  if (!command->answer.empty()) return std::fputs(command->answer.c_str(), stdout) < 0 ? kExitOwnFailure : 0;
  DaemonOptions options = command->options;
  const ::sigset_t signals = BecomeDaemon();
  options.log_format = LogFormatHere(options.log_format);
  const EventSink events = StartLog(options.log_format, options.log_level);
  return ServeHub(options, events, signals, std::span(argv, static_cast<std::size_t>(argc)));
}

}  // namespace
}  // namespace rdmaready::hub

int main(int argc, char** argv) { return rdmaready::hub::Main(argc, argv); }
