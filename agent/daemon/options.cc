// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/options.h"

#include <fmt/format.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "agent/daemon/flags.h"
#include "agent/enrol/identity_files.h"
#include "agent/helper/directory.h"
#include "agent/own_test.h"
#include "agent/port/peer_subnets.h"
#include "agent/store/limits_text.h"
#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/daemon/log_settings.h"
#include "api/model/cases.h"
#include "api/profile/load.h"
#include "api/profile/yaml_file.h"
#include "api/profile/yaml_message.h"
#include "rdmaready/v1/settings.pb.h"

namespace rdmaready {
namespace {

using v1::AgentSettings;

constexpr int kMostCallerCalls = 64;  // as many as all callers have together
constexpr auto kShortestInterval = std::chrono::seconds(1);
constexpr auto kShortestTestInterval = std::chrono::minutes(1);
constexpr std::chrono::milliseconds kLongestTest =
    std::chrono::minutes(45);  // no call lasts longer than an hour

// Where a value came from, for an error about it.
struct Source {
  std::string file{};
  FieldPlaces places{};
  AgentSettings flags{};  // what the command line said, and the file therefore not

  absl::Status Error(const std::string& key, const std::string& text) const {
    const auto* field = AgentSettings::descriptor()->FindFieldByName(key);
    const auto place = places.find(key);
    const auto& reflection = *flags.GetReflection();
    const bool flagged =
        field->is_repeated() ? reflection.FieldSize(flags, field) > 0 : reflection.HasField(flags, field);
    if (place != places.end() && !flagged) {
      const YamlFault fault{.file = file, .line = place->second.line, .text = "key `" + key + "`: " + text};
      return absl::InvalidArgumentError(fault.Line());
    }
    std::string option = key;
    std::ranges::replace(option, '_', '-');
    return absl::InvalidArgumentError("--" + option + ": " + text);
  }
};

AgentSettings Defaults() {
  AgentSettings settings;
  settings.set_profile(std::string(kDefaultProfileName));
  settings.set_check_interval(std::string(kDefaultCheckInterval));
  settings.set_helpers(std::string(helper::kHelpersDirectory));
  settings.set_drift(true);
  return settings;
}

absl::StatusOr<std::chrono::milliseconds> Interval(const AgentSettings& settings, const Source& source) {
  if (settings.check_interval() == "0") return std::chrono::milliseconds(0);
  const absl::StatusOr<std::chrono::milliseconds> interval = ParseDuration(settings.check_interval());
  if (!interval.ok()) return source.Error("check_interval", Message(interval.status()) + ", or 0 for never");
  if (*interval < kShortestInterval)
    return source.Error("check_interval", "less than a second, or 0 for never");
  return *interval;
}

// How much is remembered.
absl::StatusOr<StoreLimits> DecodeHistory(const AgentSettings& settings, const Source& source) {
  StoreLimits limits;
  if (!settings.history_max_bytes().empty()) {
    const absl::StatusOr<std::uint64_t> bytes = ParseMaxBytes(settings.history_max_bytes());
    if (!bytes.ok()) return source.Error("history_max_bytes", Message(bytes.status()));
    limits.max_bytes = *bytes;
  }
  if (!settings.history_max_age().empty()) {
    const absl::StatusOr<std::chrono::seconds> age = ParseMaxAge(settings.history_max_age());
    if (!age.ok()) return source.Error("history_max_age", Message(age.status()));
    limits.max_age = *age;
  }
  return limits;
}

// Where a peer may be. The command line has them between commas.
absl::Status DecodePeers(const AgentSettings& settings, const Source& source, ServerOptions& server) {
  for (const std::string& text : settings.peers()) {
    absl::StatusOr<Prefix> subnet = ParseSubnet(text);
    if (!subnet.ok()) return source.Error("peers", Message(subnet.status()));
    server.peers.push_back(*std::move(subnet));
  }
  return absl::OkStatus();
}

absl::Status DecodeStress(const AgentSettings& settings, const Source& source, StressLimits& stress) {
  constexpr std::chrono::minutes kLongestStress{1};
  constexpr std::chrono::minutes kLongestRun{10};
  constexpr std::uint64_t kBytesPerMegabit = 125'000;
  stress.allowed = settings.allow_stress();
  if (settings.has_stress_max_senders()) {
    if (settings.stress_max_senders() < 2 || settings.stress_max_senders() > 64)
      return source.Error("stress_max_senders", "from 2 to 64");
    stress.senders = settings.stress_max_senders();
  }
  if (settings.has_stress_max_mbps()) stress.bytes_per_s = settings.stress_max_mbps() * kBytesPerMegabit;
  const auto read = [&source](const std::string& text, const char* key, std::chrono::milliseconds most,
                              std::chrono::milliseconds& to) -> absl::Status {
    if (text.empty()) return absl::OkStatus();
    const absl::StatusOr<std::chrono::milliseconds> time = ParseDuration(text);
    if (!time.ok()) return source.Error(key, Message(time.status()));
    if (*time <= time->zero() || *time > most)
      return source.Error(key, fmt::format("more than 0 and up to {} s", most.count() / 1000));
    to = *time;
    return absl::OkStatus();
  };
  RR_RETURN_IF_ERROR(read(settings.stress_max_time(), "stress_max_time", kLongestStress, stress.duration));
  RR_RETURN_IF_ERROR(read(settings.stress_max_run(), "stress_max_run", kLongestRun, stress.run));
  return read(settings.stress_max_hour(), "stress_max_hour", std::chrono::hours(1), stress.hour);
}

// How much a live test may take, and how long a call for it lasts then.
absl::Status DecodeTests(const AgentSettings& settings, const Source& source, ServerOptions& server) {
  if (!settings.test_max_bytes().empty()) {
    const absl::StatusOr<std::uint64_t> bytes = ParseSize(settings.test_max_bytes());
    if (!bytes.ok()) return source.Error("test_max_bytes", Message(bytes.status()));
    server.transfer.moved_bytes = *bytes;
  }
  RR_RETURN_IF_ERROR(DecodeStress(settings, source, server.stress));
  if (settings.test_max_time().empty()) return absl::OkStatus();
  const absl::StatusOr<std::chrono::milliseconds> time = ParseDuration(settings.test_max_time());
  if (!time.ok()) return source.Error("test_max_time", Message(time.status()));
  if (*time > kLongestTest) return source.Error("test_max_time", "more than 45m");
  // With the idle time before a test that measures CPUs (TransferOptions::measure_cpu).
  server.limits.peer_test += 2 * std::max(*time - server.transfer.duration, std::chrono::milliseconds(0));
  server.transfer.duration = *time;
  return absl::OkStatus();
}

// The agent's own tests; off without an interval.
absl::Status DecodeOwnTests(const AgentSettings& settings, const Source& source, OwnTestOptions& own) {
  if (const std::string& text = settings.test_interval(); !text.empty() && text != "0") {
    const absl::StatusOr<std::chrono::milliseconds> interval = ParseDuration(text);
    if (!interval.ok()) return source.Error("test_interval", Message(interval.status()) + ", or 0 for never");
    if (*interval < kShortestTestInterval)
      return source.Error("test_interval", "less than a minute, or 0 for never");
    own.interval = *interval;
  }
  for (const std::string& name : settings.test_cases()) {
    if (FindCase(name) == nullptr || PairRungOf(name) != Rung::kPeer)
      return source.Error("test_cases", "no loopback case '" + name + "'");
    own.cases.push_back(name);
  }
  if (settings.test_duration().empty()) return absl::OkStatus();
  const absl::StatusOr<std::chrono::milliseconds> duration = ParseDuration(settings.test_duration());
  if (!duration.ok()) return source.Error("test_duration", Message(duration.status()));
  if (*duration < kShortestOwnTest || *duration > kLongestOwnTest)
    return source.Error("test_duration", "from 100ms to 10s");
  own.duration = *duration;
  return absl::OkStatus();
}

// The zero enumerator is `test`, so the presence of the key decides first.
access::Role PlainRoleOf(const AgentSettings& settings) {
  if (!settings.has_plain_role()) return access::Role::kObserve;
  switch (settings.plain_role()) {
    case AgentSettings::PLAIN_TEST:
      return access::Role::kTest;
    case AgentSettings::PLAIN_PROVE:
      return access::Role::kProve;
    case AgentSettings::PLAIN_APPLY:
      return access::Role::kApply;
    default:
      return access::Role::kObserve;
  }
}

// Where callers come by TCP: nowhere unless it is configured, not even on loopback.
absl::Status DecodeListen(const AgentSettings& settings, const Source& source, ServerOptions& server) {
  if (!settings.has_listen() || settings.listen() == metrics::kNowhere) return absl::OkStatus();
  if (settings.listen().empty()) return source.Error("listen", "an address and a port, or none");
  server.listen = {settings.listen()};
  return absl::OkStatus();
}

// Who may ask what, and how much of it.
absl::Status DecodeAccess(const AgentSettings& settings, const Source& source, ServerOptions& server) {
  server.role_file = settings.roles();
  server.plain_role = PlainRoleOf(settings);
  server.audit_file = settings.audit();
  server.reflection = settings.reflection();
  if (settings.has_caller_max_calls()) server.quota.calls = static_cast<int>(settings.caller_max_calls());
  if (server.quota.calls < 0 || server.quota.calls > kMostCallerCalls)
    return source.Error("caller_max_calls", fmt::format("more than {}", kMostCallerCalls));
  if (const std::string& text = settings.caller_max_test_time(); text == "0") {
    server.quota.test_time = {};
  } else if (!text.empty()) {
    const absl::StatusOr<std::chrono::milliseconds> time = ParseDuration(text);
    if (!time.ok()) return source.Error("caller_max_test_time", Message(time.status()) + ", or 0 for no limit");
    server.quota.test_time = std::chrono::ceil<std::chrono::seconds>(*time);
  }
  if (const std::string& text = settings.caller_max_test_bytes(); text == "0") {
    server.quota.test_bytes = 0;
  } else if (!text.empty()) {
    const absl::StatusOr<std::uint64_t> bytes = ParseSize(text);
    if (!bytes.ok())
      return source.Error("caller_max_test_bytes", Message(bytes.status()) + ", or 0 for no limit");
    server.quota.test_bytes = *bytes;
  }
  if (!server.role_file.empty() && !server.tls.Any())
    return source.Error(
        "roles", "certificates have roles, and without --tls-cert, --tls-key and --tls-ca there are none");
  return absl::OkStatus();
}

// Of an enrolled host, unless other certificates are named or none is wanted.
void UseIdentity(ServerOptions& server) {
  const enrol::IdentityFiles files(server.state_directory);
  if (server.hub.empty() || server.tls.Any() || server.insecure || !files.Enrolled()) return;
  server.tls = files.Files();
  server.enrolled = true;
}

// Settings that need no decoding.
void TakeAsItIs(const AgentSettings& settings, ServerOptions& server) {
  server.insecure = settings.insecure();
  server.state_directory = settings.state_dir();
  server.hub = settings.hub();
  server.allow_proofs = settings.allow_proofs();
  server.allow_in_production = settings.allow_in_production();
  server.drift = settings.drift();
  server.helpers_directory = settings.helpers();
  server.metrics_listen = settings.metrics_listen();
  server.open_metrics = metrics::OpenAgentDoor;
}

absl::StatusOr<AgentOptions> Decode(const AgentSettings& settings, const Source& source) {
  AgentOptions options;
  options.server.tls = {settings.tls_cert(), settings.tls_key(), settings.tls_ca(), settings.tls_crl()};
  TakeAsItIs(settings, options.server);
  UseIdentity(options.server);
  options.profile_name = settings.profile();
  options.waivers_file = settings.waivers();
  options.log_format = LogFormatOf(settings);
  options.log_level = LogLevelOf(settings);
  RR_ASSIGN_OR_RETURN(options.server.check_interval, Interval(settings, source));
  RR_ASSIGN_OR_RETURN(options.server.store.limits, DecodeHistory(settings, source));
  RR_RETURN_IF_ERROR(DecodeListen(settings, source, options.server));
  RR_RETURN_IF_ERROR(DecodeTests(settings, source, options.server));
  RR_RETURN_IF_ERROR(DecodeOwnTests(settings, source, options.server.own_test));
  RR_RETURN_IF_ERROR(DecodePeers(settings, source, options.server));
  RR_RETURN_IF_ERROR(DecodeAccess(settings, source, options.server));
  if (settings.has_metrics_listen() && settings.metrics_listen().empty())
    return source.Error("metrics_listen", "an address and a port, or none");
  if (settings.state_dir().empty()) return absl::InvalidArgumentError("--state-dir is required");
  if (settings.insecure() && options.server.tls.Any()) {
    return source.Error("insecure", "plain text and TLS exclude each other");
  }
  return options;
}

// Each key that is set, with its value as text.
std::map<std::string, std::string> Texts(const AgentSettings& settings) {
  std::map<std::string, std::string> texts;
  std::vector<const google::protobuf::FieldDescriptor*> set;
  settings.GetReflection()->ListFields(settings, &set);
  for (const auto* field : set) {
    google::protobuf::TextFormat::PrintFieldValueToString(settings, field, field->is_repeated() ? 0 : -1,
                                                          &texts[field->name()]);
  }
  return texts;
}

}  // namespace

absl::StatusOr<AgentCommandLine> ParseAgentCommandLine(int argc, const char* const* argv) {
  FlagParser parser;
  RR_ASSIGN_OR_RETURN(std::string answer, parser.Parse(argc, argv));
  if (!answer.empty()) return AgentCommandLine{.answer = std::move(answer)};
  Source source{.flags = parser.flags()};
  AgentSettings settings = Defaults();
  if (!parser.config().empty()) {
    AgentSettings configured;
    RR_ASSIGN_OR_RETURN(source.places, ReadYamlFile(parser.config(), configured));
    source.file = parser.config();
    settings.MergeFrom(configured);
  }
  if (parser.flags().peers_size() > 0) settings.clear_peers();  // they would be added
  if (parser.flags().test_cases_size() > 0) settings.clear_test_cases();
  settings.MergeFrom(parser.flags());
  RR_ASSIGN_OR_RETURN(AgentOptions options, Decode(settings, source));
  return AgentCommandLine{.options = std::move(options), .settings = Texts(settings)};
}

}  // namespace rdmaready
