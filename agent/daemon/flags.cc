// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/flags.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "agent/helper/directory.h"
#include "agent/metrics/exposition.h"
#include "api/profile/load.h"

namespace rdmaready {

using v1::AgentSettings;

void FlagParser::AddLimitsOfStress() {
  app_.add_flag_callback(
      "--allow-stress", [this] { flags_.set_allow_stress(true); },
      "Let callers with the role stress load this host's ports, and the switches that others share, beyond "
      "what "
      "they take. Off unless set");
  app_.add_option_function<std::uint32_t>(
          "--stress-max-senders", [this](std::uint32_t senders) { flags_.set_stress_max_senders(senders); },
          "Transfers of a stress test through one port at a time (default 8)")
      ->check(CLI::Range(2U, 64U))
      ->type_name("N");
  Text("--stress-max-time", "TIME", "How long each of them may take, up to 60s (default 30s)",
       &AgentSettings::set_stress_max_time);
  Text("--stress-max-run", "TIME",
       "How long one stress test may use a port, from its first transfer to its last, up to 10m (default 3m)",
       &AgentSettings::set_stress_max_run);
  Text("--stress-max-hour", "TIME",
       "How long all stress tests of one caller may use a port within an hour, up to 60m (default 10m)",
       &AgentSettings::set_stress_max_hour);
  app_.add_option_function<std::uint32_t>(
          "--stress-max-mbps", [this](std::uint32_t mbps) { flags_.set_stress_max_mbps(mbps); },
          "What the transfers of a stress test may put on the wire of a port together; 0: as much as goes "
          "(default)")
      ->check(CLI::Range(0U, 1'000'000U))
      ->type_name("MBPS");
}

FlagParser::FlagParser()
    : SettingsFlags("rdmaready-agent", "Answers for this host: facts, checks and live RDMA tests over gRPC.",
                    "To make this host one of a fleet: rdmaready-agent enrol (see its --help)\n",
                    "state_dir: /var/lib/rdmaready") {
  Text("--listen", "ADDR:PORT",
       "Address and port to answer callers by TCP on, or none (default): callers of this host use its local "
       "sockets",
       &AgentSettings::set_listen);
  Text("--state-dir", "DIR", "Where results are kept (required)", &AgentSettings::set_state_dir);
  Text("--profile", "NAME|FILE",
       "Profile, or site file, for callers who name none, and for the agent's own checks (default " +
           std::string(kDefaultProfileName) + ")",
       &AgentSettings::set_profile);
  Text("--waivers", "FILE",
       "Findings of this host that are accepted for now, besides those that a profile names",
       &AgentSettings::set_waivers);
  Text("--tls-cert", "FILE", "Certificate of this agent, PEM, its intermediates after it",
       &AgentSettings::set_tls_cert);
  Text("--tls-key", "FILE", "Its private key", &AgentSettings::set_tls_key);
  Text("--tls-ca", "FILE", "Whose certificates callers must have", &AgentSettings::set_tls_ca);
  Text("--tls-crl", "FILE",
       "Whose certificates are revoked: lists (CRLs) of that CA, read again as they change",
       &AgentSettings::set_tls_crl);
  Text("--roles", "FILE",
       "Which certificates may observe, test, prove or apply, and which are other agents' (default: each may "
       "observe)",
       &AgentSettings::set_roles);
  Choice("--plain-role", {"test", "observe", "prove", "apply"},
         "What callers by plain TCP, on loopback too, may do: observe (default), test, prove or apply",
         [this](std::size_t i) { flags_.set_plain_role(static_cast<AgentSettings::Plain>(i)); });
  app_.add_flag_callback(
      "--insecure", [this] { flags_.set_insecure(true); }, "Allow plain text off loopback");
  Text("--check-interval", "TIME",
       "How often the agent checks this host by itself, about; 0: never (default " +
           std::string(kDefaultCheckInterval) + ")",
       &AgentSettings::set_check_interval);
  app_.add_option_function<bool>(
          "--drift", [this](bool on) { flags_.set_drift(on); },
          "Hear what the kernel announces, and tell which settings became others: true (default) or false")
      ->type_name("BOOL");
  Text("--hub", "HOST[:PORT]", "Report to the hub of the fleet (rdmaready-hub); its port is 7473 unless said",
       &AgentSettings::set_hub);
  Text("--history-max-bytes", "SIZE",
       "How large the store may grow; the oldest results go first (default 256M)",
       &AgentSettings::set_history_max_bytes);
  Text("--history-max-age", "TIME", "How long results are kept: 90d; 0: as long as there is room (default)",
       &AgentSettings::set_history_max_age);
  app_.add_flag_callback(
      "--allow-proofs", [this] { flags_.set_allow_proofs(true); },
      "Let callers make this host attach disks and mount shares of their choice (probe --prove): root's agent "
      "only. Else rdmaready-prover makes those that its file names");
  app_.add_flag_callback(
      "--allow-in-production", [this] { flags_.set_allow_in_production(true); },
      "Let callers test ports that others use (--in-production of test, check and probe), at most at 5 % of "
      "the "
      "port's rate");
  AddLimitsOfStress();
  Text("--helpers", "DIR",
       "Where the sockets of rdmaready's helpers are (default " + std::string(helper::kHelpersDirectory) + ")",
       &AgentSettings::set_helpers);
  Text("--test-max-bytes", "SIZE", "What one direction of a live test may move (default 64G)",
       &AgentSettings::set_test_max_bytes);
  Text("--test-max-time", "TIME", "How long a live test may take, up to 45m (default 60s)",
       &AgentSettings::set_test_max_time);
  Text("--test-interval", "TIME",
       "How often the agent makes loopback tests of its own, about, through ports that nobody uses: 24h; 0: "
       "never "
       "(default)",
       &AgentSettings::set_test_interval);
  app_.add_option_function<std::vector<std::string>>(
          "--test-cases",
          [this](const auto& names) { flags_.mutable_test_cases()->Assign(names.begin(), names.end()); },
          "Their cases: write-512k,... (default: those of `check --level loopback`)")
      ->type_name("CASES")
      ->delimiter(',');
  Text("--test-duration", "TIME", "How long each takes, 100ms to 10s (default 500ms)",
       &AgentSettings::set_test_duration);
  app_.add_option_function<std::vector<std::string>>(
          "--peers",
          [this](const auto& subnets) { flags_.mutable_peers()->Assign(subnets.begin(), subnets.end()); },
          "Where else than in the subnets of its RDMA ports an agent may connect for a peer test: "
          "10.0.0.0/16,...")
      ->type_name("SUBNETS")
      ->delimiter(',');
  app_.add_option_function<std::uint32_t>(
          "--caller-max-calls", [this](std::uint32_t calls) { flags_.set_caller_max_calls(calls); },
          "Calls of one caller at a time; 0: no limit (default 16)")
      ->type_name("N");
  Text("--caller-max-test-time", "TIME", "Live tests of one caller in an hour; 0: no limit (default 30m)",
       &AgentSettings::set_caller_max_test_time);
  Text("--caller-max-test-bytes", "SIZE", "What they may move in an hour; 0: no limit (default 16T)",
       &AgentSettings::set_caller_max_test_bytes);
  Text("--audit", "FILE", "Append to it who had what done, and who was refused", &AgentSettings::set_audit);
  Text("--metrics-listen", "ADDR:PORT",
       "Where /metrics is served to Prometheus, or none (default): 127.0.0.1:" +
           std::to_string(metrics::kMetricsPort) + "; off loopback by TLS, to the role observe",
       &AgentSettings::set_metrics_listen);
  app_.add_flag_callback(
      "--reflection", [this] { flags_.set_reflection(true); },
      "Tell callers by TCP, too, which methods there are (gRPC reflection)");
  LogAndVersion();
}

}  // namespace rdmaready
