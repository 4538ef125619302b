// SPDX-License-Identifier: Apache-2.0
#include "api/daemon/event_log.h"

#include <grpc/support/log.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

#include "api/base/text.h"
#include "api/daemon/journal.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMaxValueBytes = 1024;
constexpr int kMostInASecond = 10;
constexpr char kLogger[] = "agent";

std::string ValueText(const std::variant<std::string, std::int64_t, bool>& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value)) return std::to_string(*number);
  if (const auto* truth = std::get_if<bool>(&value)) return *truth ? "yes" : "no";
  const std::string text = SafeLine(std::get<std::string>(value), kMaxValueBytes);
  if (!text.empty() && text.find_first_of(" =\"\\") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char letter : text) {
    if (letter == '"' || letter == '\\') quoted += '\\';
    quoted += letter;
  }
  return quoted + "\"";
}

spdlog::level::level_enum LevelOf(EventLevel level) {
  switch (level) {
    case EventLevel::kDebug:
      return spdlog::level::debug;
    case EventLevel::kInfo:
      return spdlog::level::info;
    case EventLevel::kWarning:
      return spdlog::level::warn;
    case EventLevel::kError:
      return spdlog::level::err;
  }
  return spdlog::level::err;
}

EventSink& GrpcSink() {
  static EventSink sink;
  return sink;
}

bool FromStrangers(const Event& event) {
  return event.name == "grpc" || event.name == kTlsRefused || event.name == kRefusedEvent;
}

// Its errors are mostly a caller's (a handshake that failed), never ours to stop for.
void OnGrpcLog(::gpr_log_func_args* said) {
  // OpenSSL's words for what is refused before api/daemon/server_tls.cc gets to see the caller.
  if (std::string_view(said->message).find("peer did not return a certificate") != std::string_view::npos) {
    return Tell(
        GrpcSink(), EventLevel::kWarning, kTlsRefused,
        {{"certificate", std::string("none")}, {"reason", std::string("the caller showed no certificate")}});
  }
  const EventLevel level = said->severity == GPR_LOG_SEVERITY_ERROR ? EventLevel::kWarning : EventLevel::kDebug;
  Tell(GrpcSink(), level, "grpc", {{"message", std::string(said->message)}});
}

}  // namespace

std::string EventText(const Event& event) {
  std::string line(event.name);
  for (const Event::Field& field : event.fields) {
    line += " " + std::string(field.key) + "=" + ValueText(field.value);
  }
  return line;
}

std::string EventJson(const Event& event) {
  nlohmann::ordered_json object;
  object["event"] = event.name;
  for (const Event::Field& field : event.fields) {
    const std::string key(field.key);
    if (const auto* text = std::get_if<std::string>(&field.value)) {
      object[key] = text->substr(0, kMaxValueBytes);
    } else if (const auto* number = std::get_if<std::int64_t>(&field.value)) {
      object[key] = *number;
    } else {
      object[key] = std::get<bool>(field.value);
    }
  }
  const std::string text = object.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

std::optional<std::int64_t> Throttle::Admit(TimePoint now) {
  if (now - window_ >= std::chrono::seconds(1)) {
    window_ = now;
    in_window_ = 0;
  }
  if (in_window_ >= kMostInASecond) {
    ++kept_back_;
    return std::nullopt;
  }
  ++in_window_;
  return std::exchange(kept_back_, 0);
}

EventSink StartLog(LogFormat format, EventLevel least, Clock& clock) {
  const auto logger = spdlog::stderr_logger_mt(kLogger);
  logger->set_pattern(format == LogFormat::kJson ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                                 : "%Y-%m-%dT%H:%M:%S.%eZ %-7l %v",
                      spdlog::pattern_time_type::utc);
  logger->set_level(LevelOf(least));
  logger->flush_on(spdlog::level::debug);
  struct Gate {
    std::mutex mutex;
    Throttle throttle;
  };
  const EventSink sink = [logger, format, &clock, gate = std::make_shared<Gate>()](Event event) {
    const auto level = LevelOf(event.level);
    if (!logger->should_log(level)) return;
    if (FromStrangers(event)) {
      const std::lock_guard lock(gate->mutex);
      const std::optional<std::int64_t> kept_back = gate->throttle.Admit(clock.Now());
      if (!kept_back) return;
      if (*kept_back > 0) event.fields.push_back({"not_shown_before", *kept_back});
    }
    if (format == LogFormat::kJournal) return WriteToJournal(event);
    logger->log(level, "{}", format == LogFormat::kJson ? EventJson(event) : EventText(event));
  };
  ::gpr_set_log_function([](::gpr_log_func_args*) {});
  return sink;
}

void SetLogLevel(EventLevel least) { spdlog::get(kLogger)->set_level(LevelOf(least)); }

void HearGrpc(const EventSink& sink) {
  GrpcSink() = sink;
  ::gpr_set_log_function(OnGrpcLog);
}

}  // namespace rdmaready
