// SPDX-License-Identifier: Apache-2.0
#include "hub/daemon/options.h"

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <utility>

#include "api/base/quantity.h"
#include "api/base/status.h"
#include "api/daemon/log_settings.h"
#include "api/daemon/settings_flags.h"
#include "api/profile/load.h"
#include "api/profile/yaml_file.h"
#include "hub/enrol/admission.h"
#include "hub/hub.h"
#include "rdmaready/v1/hub_settings.pb.h"

namespace rdmaready::hub {
namespace {

using v1::HubSettings;

constexpr char kDefaultListen[] = "127.0.0.1:7473";
constexpr char kDefaultPeriod[] = "5m";
constexpr char kDefaultKeepChanges[] = "90d";
constexpr char kDefaultKeepAudit[] = "400d";
constexpr char kDefaultFactsEvery[] = "1h";
constexpr char kDefaultCertificate[] = "90d";
constexpr auto kLongestCertificate = std::chrono::hours(24 * 825);
constexpr std::uint32_t kDefaultMostAgents = 20'000;
constexpr std::uint32_t kMostMostAgents = 200'000;
constexpr auto kShortestPeriod = std::chrono::seconds(1);
constexpr auto kLongestPeriod = std::chrono::hours(24);

class HubFlags final : public SettingsFlags<HubSettings> {
 public:
  HubFlags()
      : SettingsFlags(
            "rdmaready-hub",
            "The centre of a fleet: takes what agents report, judges it, and answers for all of them.",
            "Of a store: rdmaready-hub backup, restore, export --store FILE (each with --help)\n"
            "Of notices: rdmaready-hub notice-test --notices FILE\n",
            "store: /var/lib/rdmaready-hub/fleet.db") {
    Text("--listen", "ADDR:PORT", fmt::format("Address and port to answer on (default {})", kDefaultListen),
         &HubSettings::set_listen);
    Text("--store", "FILE", "Where the fleet is kept (required)", &HubSettings::set_store);
    Text("--name", "NAME", "How this hub calls itself (default: the host's name)", &HubSettings::set_name);
    Text("--profile", "NAME|FILE",
         fmt::format("Profile, or site file, by which hosts are judged (default {})",
                     std::string(kDefaultProfileName)),
         &HubSettings::set_profile);
    Text("--inventory", "FILE",
         "Which hosts the fleet has, in which groups and racks, and by what they are judged",
         &HubSettings::set_inventory);
    Text("--waivers", "FILE", "Findings that are accepted for now, besides those that a profile names",
         &HubSettings::set_waivers);
    Text("--period", "TIME", fmt::format("How often each agent reports, about (default {})", kDefaultPeriod),
         &HubSettings::set_period);
    Text("--facts-every", "TIME",
         fmt::format(
             "How often the readings of a host that is as it was are asked for, about; 0: never (default {})",
             kDefaultFactsEvery),
         &HubSettings::set_facts_every);
    Text("--keep-changes", "TIME",
         fmt::format("How long it is kept what changed; 0: for ever (default {})", kDefaultKeepChanges),
         &HubSettings::set_keep_changes);
    Text("--keep-audit", "TIME",
         fmt::format("How long it is kept what callers had done; 0: for ever (default {})", kDefaultKeepAudit),
         &HubSettings::set_keep_audit);
    Text("--tls-cert", "FILE", "Certificate of this hub, PEM, its intermediates after it",
         &HubSettings::set_tls_cert);
    Text("--tls-key", "FILE", "Its private key", &HubSettings::set_tls_key);
    Text("--tls-ca", "FILE", "Whose certificates agents and callers must have", &HubSettings::set_tls_ca);
    Text("--tls-crl", "FILE", "Whose certificates were revoked, PEM; read again when it changes",
         &HubSettings::set_tls_crl);
    Text("--roles", "FILE", "Who may observe, operate and admit, and with hosts of which groups (YAML)",
         &HubSettings::set_roles);
    Choice("--plain-role", {"observe", "operate"},
           "What callers by plain text on loopback may do: observe (default) or operate",
           [this](std::size_t i) { flags_.set_plain_role(static_cast<HubSettings::Plain>(i)); });
    Text("--notices", "FILE",
         "Whom to tell what changed: webhooks and syslog, with their secrets; see its README",
         &HubSettings::set_notices);
    Text("--authority", "DIR",
         "A CA of `rdmaready pki init` that this hub signs certificates of hosts with: it can be anybody then",
         &HubSettings::set_authority);
    Text("--enrol-listen", "ADDR:PORT",
         "Where hosts come that have a token (rdmaready fleet token) and no certificate (default: nowhere)",
         &HubSettings::set_enrol_listen);
    Text("--certificate-lifetime", "TIME",
         fmt::format("How long a host's certificate lasts; agents renew it before (default {})",
                     kDefaultCertificate),
         &HubSettings::set_certificate_lifetime);
    Text(
        "--metrics-listen", "ADDR:PORT",
        fmt::format("Where /metrics is served to Prometheus, or none; off loopback by TLS, to whoever may look "
                    "(default 127.0.0.1:{}, where that is free)",
                    kHubMetricsPort),
        &HubSettings::set_metrics_listen);
    app_.add_flag_callback(
        "--insecure", [this] { flags_.set_insecure(true); },
        "Allow plain text off loopback: any host is then what it says, and callers may only look");
    app_.add_option_function<std::uint32_t>(
            "--most-agents", [this](std::uint32_t most) { flags_.set_most_agents(most); },
            fmt::format("Streams of agents at a time (default {})", kDefaultMostAgents))
        ->type_name("N");
    LogAndVersion();
  }
};

absl::Status AtOption(const char* option, const absl::Status& status) {
  return absl::InvalidArgumentError(fmt::format("{}: {}", option, Message(status)));
}

std::string OwnName() {
  char name[256] = {};
  if (::gethostname(name, sizeof(name) - 1) != 0) return "hub";
  return name;
}

// "90d", and "30s" for who tries it out.
absl::StatusOr<std::chrono::seconds> LifetimeOf(const HubSettings& settings) {
  const std::string text =
      settings.has_certificate_lifetime() ? settings.certificate_lifetime() : kDefaultCertificate;
  absl::StatusOr<std::chrono::seconds> age = ParseAge(text);
  if (!age.ok()) return AtOption("--certificate-lifetime", age.status());
  if (*age < kShortestLifetime || *age > kLongestCertificate)
    return absl::InvalidArgumentError("--certificate-lifetime: from 10s to 825d");
  return age;
}

// "90d"; "0": for ever, which is no hours.
absl::StatusOr<std::chrono::hours> KeptFor(const char* option, const std::string& text) {
  if (text == "0") return std::chrono::hours(0);
  const absl::StatusOr<std::chrono::seconds> age = ParseAge(text);
  if (!age.ok()) return AtOption(option, age.status());
  return std::chrono::ceil<std::chrono::hours>(*age);
}

absl::StatusOr<DaemonOptions> DecodeHub(const HubSettings& settings) {
  DaemonOptions options;
  options.listen = settings.has_listen() ? settings.listen() : kDefaultListen;
  options.store = settings.store();
  if (options.store.empty())
    return absl::InvalidArgumentError("--store FILE is required (see rdmaready-hub --help)");
  options.name = settings.has_name() ? settings.name() : OwnName();
  options.rules.profiles = {settings.has_profile() ? settings.profile() : std::string(kDefaultProfileName)};
  options.rules.waivers = settings.waivers();
  options.rules.inventory = settings.inventory();
  const absl::StatusOr<std::chrono::milliseconds> period =
      ParseDuration(settings.has_period() ? settings.period() : kDefaultPeriod);
  if (!period.ok()) return AtOption("--period", period.status());
  if (*period < kShortestPeriod || *period > kLongestPeriod)
    return absl::InvalidArgumentError("--period: from 1s to 24h");
  options.period = std::chrono::duration_cast<std::chrono::seconds>(*period);
  const std::string facts = settings.has_facts_every() ? settings.facts_every() : kDefaultFactsEvery;
  if (facts != "0") {
    const absl::StatusOr<std::chrono::milliseconds> every = ParseDuration(facts);
    if (!every.ok()) return AtOption("--facts-every", every.status());
    if (*every < kShortestPeriod) return absl::InvalidArgumentError("--facts-every: from 1s, or 0");
    options.facts_every = std::chrono::duration_cast<std::chrono::seconds>(*every);
  }
  RR_ASSIGN_OR_RETURN(
      options.keep_changes,
      KeptFor("--keep-changes", settings.has_keep_changes() ? settings.keep_changes() : kDefaultKeepChanges));
  RR_ASSIGN_OR_RETURN(
      options.keep_audit,
      KeptFor("--keep-audit", settings.has_keep_audit() ? settings.keep_audit() : kDefaultKeepAudit));
  options.authority = settings.authority();
  options.enrol_listen = settings.enrol_listen();
  RR_ASSIGN_OR_RETURN(options.certificate_lifetime, LifetimeOf(settings));
  options.insecure = settings.insecure();
  if (settings.plain_role() == HubSettings::PLAIN_OPERATE) options.plain_role = FleetAsk::kOperate;
  if (options.insecure && options.plain_role != FleetAsk::kObserve)
    return absl::InvalidArgumentError("--plain-role: with --insecure callers by plain text may only observe");
  options.notices = settings.notices();
  options.metrics_listen = settings.metrics_listen();
  if (settings.has_metrics_listen() && settings.metrics_listen().empty())
    return absl::InvalidArgumentError("--metrics-listen: an address and a port, or none");
  options.tls = {settings.tls_cert(), settings.tls_key(), settings.tls_ca(), settings.tls_crl()};
  options.roles = settings.roles();
  if (!options.roles.empty() && !options.tls.Any()) {
    return absl::InvalidArgumentError(
        "--roles: certificates have roles, and without --tls-cert, --tls-key and --tls-ca there are none");
  }
  options.most_agents = settings.has_most_agents() ? settings.most_agents() : kDefaultMostAgents;
  if (options.most_agents == 0 || options.most_agents > kMostMostAgents)
    return absl::InvalidArgumentError(fmt::format("--most-agents: from 1 to {}", kMostMostAgents));
  options.log_format = LogFormatOf(settings);
  options.log_level = LogLevelOf(settings);
  return options;
}

}  // namespace

absl::StatusOr<HubCommandLine> ParseHubCommandLine(int argc, const char* const* argv) {
  HubFlags flags;
  RR_ASSIGN_OR_RETURN(std::string answer, flags.Parse(argc, argv));
  if (!answer.empty()) return HubCommandLine{.answer = std::move(answer)};
  HubSettings settings;
  if (!flags.config().empty()) RR_RETURN_IF_ERROR(ReadYamlFile(flags.config(), settings).status());
  settings.MergeFrom(flags.flags());
  RR_ASSIGN_OR_RETURN(DaemonOptions options, DecodeHub(settings));
  return HubCommandLine{.options = std::move(options)};
}

}  // namespace rdmaready::hub
