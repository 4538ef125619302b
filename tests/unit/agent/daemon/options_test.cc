// SPDX-License-Identifier: Apache-2.0
#include "agent/daemon/options.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "agent/port/peer_subnets.h"
#include "api/base/status.h"

namespace rdmaready {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AgentOptionsTest : public testing::Test {
 protected:
  ~AgentOptionsTest() override { std::filesystem::remove(file_); }

  absl::StatusOr<AgentCommandLine> Parse(std::vector<std::string> words) {
    words.insert(words.begin(), "rdmaready-agent");
    std::vector<const char*> argv;
    for (const std::string& word : words) argv.push_back(word.c_str());
    return ParseAgentCommandLine(static_cast<int>(argv.size()), argv.data());
  }

  // With `yaml` as the configuration file.
  absl::StatusOr<AgentCommandLine> Configured(const std::string& yaml, std::vector<std::string> words = {}) {
    std::ofstream(file_) << yaml;
    words.insert(words.end(), {"--config", file_});
    return Parse(std::move(words));
  }

  std::string Trouble(const absl::StatusOr<AgentCommandLine>& answer) {
    EXPECT_EQ(answer.status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_EQ(Message(answer.status()).find('\n'), std::string::npos) << Message(answer.status());
    return Message(answer.status());
  }

  const std::string file_ = testing::TempDir() + "agent options " + std::to_string(::getpid()) + ".yaml";
};

TEST_F(AgentOptionsTest, SayWhereMetricsAreServed) {
  EXPECT_EQ(Parse({"--state-dir", "/s"})->options.server.metrics_listen, "") << "nowhere";
  EXPECT_EQ(Parse({"--state-dir", "/s", "--metrics-listen", "none"})->options.server.metrics_listen, "none");
  const auto both =
      Configured("state_dir: /s\nmetrics_listen: 127.0.0.1:9000\n", {"--metrics-listen", "[::1]:9001"});
  EXPECT_EQ(both->options.server.metrics_listen, "[::1]:9001");
  EXPECT_THAT(Trouble(Configured("state_dir: /s\nmetrics_listen: ''\n")),
              HasSubstr(".yaml:2: key `metrics_listen`: an address"));
}

TEST_F(AgentOptionsTest, ListenOnNoAddressUnlessOneIsNamed) {
  EXPECT_THAT(Parse({"--state-dir", "/s"})->options.server.listen, ElementsAre());
  EXPECT_THAT(Configured("state_dir: /s\nlisten: 127.0.0.1:7471\n")->options.server.listen,
              ElementsAre("127.0.0.1:7471"));
  EXPECT_THAT(
      Configured("state_dir: /s\nlisten: 127.0.0.1:7471\n", {"--listen", "none"})->options.server.listen,
      ElementsAre());
  EXPECT_THAT(Trouble(Configured("state_dir: /s\nlisten: ''\n")),
              HasSubstr(".yaml:2: key `listen`: an address and a port, or none"));
}

TEST_F(AgentOptionsTest, GiveCallersByPlainTcpTheRoleObserveUnlessTheyNameAnother) {
  EXPECT_EQ(Parse({"--state-dir", "/s", "--listen", "127.0.0.1:1"})->options.server.plain_role,
            access::Role::kObserve);
  EXPECT_EQ(Configured("state_dir: /s\nplain_role: test\n")->options.server.plain_role, access::Role::kTest);
  for (const access::Role role :
       {access::Role::kObserve, access::Role::kTest, access::Role::kProve, access::Role::kApply}) {
    const auto answer = Parse({"--state-dir", "/s", "--plain-role", std::string(access::RoleName(role))});
    EXPECT_EQ(answer->options.server.plain_role, role) << access::RoleName(role);
  }
}

TEST_F(AgentOptionsTest, HaveDefaultsWithoutAListener) {
  const auto answer = Parse({"--state-dir", "/s"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const AgentOptions& options = answer->options;
  EXPECT_THAT(options.server.listen, ElementsAre());
  EXPECT_EQ(options.server.state_directory, "/s");
  EXPECT_EQ(options.server.check_interval, std::chrono::minutes(15));
  EXPECT_FALSE(options.server.insecure);
  EXPECT_FALSE(options.server.tls.Any());
  EXPECT_EQ(options.profile_name, "smb-direct-roce");
  EXPECT_FALSE(options.server.allow_proofs);
  EXPECT_FALSE(options.server.allow_in_production);
  EXPECT_EQ(options.server.helpers_directory, "/run/rdmaready/helpers");
  EXPECT_EQ(options.server.transfer.duration, std::chrono::seconds(60));
  EXPECT_EQ(options.server.transfer.moved_bytes, 64ull << 30);
  EXPECT_EQ(options.log_format, LogFormat::kText);
  EXPECT_EQ(options.log_level, EventLevel::kInfo);
}

TEST_F(AgentOptionsTest, AreTakenFromTheCommandLine) {
  const auto answer =
      Parse({"--listen",     "0.0.0.0:1", "--state-dir", "/s",     "--profile", "p", "--tls-cert",       "c",
             "--tls-key",    "k",         "--tls-ca",    "a",      "--tls-crl", "r", "--check-interval", "90s",
             "--log-format", "json",      "--log-level", "warning"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const AgentOptions& options = answer->options;
  EXPECT_THAT(options.server.listen, ElementsAre("0.0.0.0:1"));
  EXPECT_EQ(options.server.tls.certificate, "c");
  EXPECT_EQ(options.server.tls.key, "k");
  EXPECT_EQ(options.server.tls.ca, "a");
  EXPECT_EQ(options.server.tls.crl, "r");
  EXPECT_EQ(options.server.check_interval, std::chrono::seconds(90));
  EXPECT_EQ(options.profile_name, "p");
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.log_level, EventLevel::kWarning);
}

TEST_F(AgentOptionsTest, SayWhatCallersMayHaveDone) {
  const auto file = Configured(
      "state_dir: /s\nallow_proofs: true\nallow_in_production: true\ntest_max_bytes: 256G\ntest_max_time: "
      "20m\n");
  const auto flags = Parse({"--state-dir", "/s", "--allow-proofs", "--allow-in-production", "--test-max-bytes",
                            "256G", "--test-max-time", "20m"});
  for (const auto& answer : {file, flags}) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_TRUE(answer->options.server.allow_proofs);
    EXPECT_TRUE(answer->options.server.allow_in_production);
    EXPECT_EQ(answer->options.server.transfer.moved_bytes, 256ull << 30);
    EXPECT_EQ(answer->options.server.transfer.duration, std::chrono::minutes(20));
    EXPECT_GE(answer->options.server.limits.peer_test, std::chrono::minutes(24));
  }
  EXPECT_EQ(Parse({"--state-dir", "/s", "--test-max-time", "5s"})->options.server.limits.peer_test,
            CallLimits().peer_test);
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--test-max-time", "46m"})),
              HasSubstr("--test-max-time: more than 45m"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--test-max-bytes", "much"})),
              HasSubstr("--test-max-bytes: "));
}

TEST_F(AgentOptionsTest, LimitStressTestsWhichAreOffUnlessSet) {
  EXPECT_FALSE(Parse({"--state-dir", "/s"})->options.server.stress.allowed);
  const auto file = Configured(
      "state_dir: /s\nallow_stress: true\nstress_max_senders: 4\nstress_max_time: 20s\nstress_max_run: 90s\n"
      "stress_max_hour: 30m\nstress_max_mbps: 1000\n");
  const auto flags =
      Parse({"--state-dir", "/s", "--allow-stress", "--stress-max-senders", "4", "--stress-max-time", "20s",
             "--stress-max-run", "90s", "--stress-max-hour", "30m", "--stress-max-mbps", "1000"});
  for (const auto& answer : {file, flags}) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    const StressLimits& stress = answer->options.server.stress;
    EXPECT_TRUE(stress.allowed);
    EXPECT_EQ(stress.senders, 4U);
    EXPECT_EQ(stress.duration, std::chrono::seconds(20));
    EXPECT_EQ(stress.run, std::chrono::seconds(90));
    EXPECT_EQ(stress.hour, std::chrono::minutes(30));
    EXPECT_EQ(stress.bytes_per_s, 125'000'000U);
  }
  EXPECT_THAT(Trouble(Configured("state_dir: /s\nstress_max_senders: 0\n")), HasSubstr("from 2 to 64"));
  EXPECT_THAT(Trouble(Configured("state_dir: /s\nstress_max_time: 0\n")), HasSubstr("stress_max_time"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--stress-max-time", "61s"})), HasSubstr("up to 60 s"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--stress-max-run", "11m"})), HasSubstr("up to 600 s"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--stress-max-hour", "61m"})), HasSubstr("up to 3600 s"));
}

TEST_F(AgentOptionsTest, SayHowTheAgentTestsByItself) {
  EXPECT_EQ(Parse({"--state-dir", "/s"})->options.server.own_test.interval.count(), 0) << "off";
  const auto file = Configured(
      "state_dir: /s\ntest_interval: 24h\ntest_cases: [write-512k, send-1k]\ntest_duration: 200ms\n");
  const auto flags = Parse({"--state-dir", "/s", "--test-interval", "24h", "--test-cases", "write-512k,send-1k",
                            "--test-duration", "200ms"});
  for (const auto& answer : {file, flags}) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_EQ(answer->options.server.own_test.interval, std::chrono::hours(24));
    EXPECT_THAT(answer->options.server.own_test.cases, ElementsAre("write-512k", "send-1k"));
    EXPECT_EQ(answer->options.server.own_test.duration, std::chrono::milliseconds(200));
  }
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--test-interval", "5s"})), HasSubstr("less than a minute"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--test-cases", "smbd-8k"})),
              HasSubstr("no loopback case 'smbd-8k'"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--test-duration", "1m"})), HasSubstr("from 100ms to 10s"));
}

TEST_F(AgentOptionsTest, SayWherePeersAre) {
  const auto file = Configured("state_dir: /s\npeers: [10.0.0.0/16, \"fd00::/8\"]\n");
  const auto flags = Parse({"--state-dir", "/s", "--peers", "10.0.0.0/16,fd00::/8"});
  for (const auto& answer : {file, flags}) {
    ASSERT_TRUE(answer.ok()) << answer.status();
    EXPECT_THAT(answer->options.server.peers,
                ElementsAre(*ParseSubnet("10.0.0.0/16"), *ParseSubnet("fd00::/8")));
  }
  EXPECT_THAT(Parse({"--state-dir", "/s"})->options.server.peers, ElementsAre());
  // The command line wins: it does not add.
  const auto both = Configured("state_dir: /s\npeers: [10.0.0.0/16]\n", {"--peers", "10.9.0.0/16"});
  ASSERT_TRUE(both.ok()) << both.status();
  EXPECT_THAT(both->options.server.peers, ElementsAre(*ParseSubnet("10.9.0.0/16")));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--peers", "10.0.0.1/16"})),
              HasSubstr("--peers: '10.0.0.1/16'"));
  EXPECT_THAT(Trouble(Configured("state_dir: /s\npeers: [storage1]\n")),
              HasSubstr("key `peers`: 'storage1' is no subnet"));
}

TEST_F(AgentOptionsTest, SayWhoMayAskWhatAndHowMuch) {
  const auto usual = Parse({"--state-dir", "/s"});
  ASSERT_TRUE(usual.ok()) << usual.status();
  EXPECT_EQ(usual->options.server.plain_role, access::Role::kObserve);
  EXPECT_EQ(usual->options.server.quota.calls, 16);
  EXPECT_EQ(usual->options.server.quota.test_time, std::chrono::minutes(30));
  EXPECT_EQ(usual->options.server.quota.test_bytes, 16ULL << 40);
  EXPECT_EQ(usual->options.server.role_file + usual->options.server.audit_file, "");
  EXPECT_FALSE(usual->options.server.reflection);
  EXPECT_TRUE(usual->options.server.drift);

  const auto answer = Configured(
      "state_dir: /s\nroles: /r\nplain_role: observe\naudit: /a\ncaller_max_calls: 3\n"
      "caller_max_test_time: 90s\ncaller_max_test_bytes: 1G\nreflection: true\ndrift: false\n",
      {"--plain-role", "prove", "--tls-cert", "c", "--tls-key", "k", "--tls-ca", "a"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  const ServerOptions& server = answer->options.server;
  EXPECT_EQ(server.role_file, "/r");
  EXPECT_EQ(server.plain_role, access::Role::kProve);
  EXPECT_EQ(server.audit_file, "/a");
  EXPECT_EQ(server.quota.calls, 3);
  EXPECT_EQ(server.quota.test_time, std::chrono::seconds(90));
  EXPECT_EQ(server.quota.test_bytes, 1ULL << 30);
  EXPECT_TRUE(server.reflection);
  EXPECT_FALSE(server.drift);
  EXPECT_FALSE(Parse({"--state-dir", "/s", "--drift", "false"})->options.server.drift);

  const auto none = Parse({"--state-dir", "/s", "--caller-max-calls", "0", "--caller-max-test-time", "0",
                           "--caller-max-test-bytes", "0"});
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_EQ(none->options.server.quota.calls, 0);
  EXPECT_EQ(none->options.server.quota.test_time.count(), 0);
  EXPECT_EQ(none->options.server.quota.test_bytes, 0U);

  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--roles", "/r"})),
              HasSubstr("--roles: certificates have roles"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--caller-max-calls", "65"})),
              HasSubstr("--caller-max-calls: more than 64"));
  EXPECT_THAT(Trouble(Configured("state_dir: /s\nplain_role: aply\n")), HasSubstr(".yaml:2: "));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--plain-role", "agent"})), HasSubstr("--plain-role"));
}

TEST_F(AgentOptionsTest, AreTakenFromTheFileByTheSameNames) {
  const auto answer = Configured(
      "listen: 0.0.0.0:1\nstate_dir: /s   # a comment\nprofile: p\ntls_cert: c\ntls_key: k\ntls_ca: "
      "a\ntls_crl: r\n"
      "check_interval: 0\nlog_format: json\nlog_level: debug\ninsecure: false\n");
  ASSERT_TRUE(answer.ok()) << answer.status();
  const AgentOptions& options = answer->options;
  EXPECT_THAT(options.server.listen, ElementsAre("0.0.0.0:1"));
  EXPECT_EQ(options.server.state_directory, "/s");
  EXPECT_EQ(options.server.tls.ca, "a");
  EXPECT_EQ(options.server.tls.crl, "r");
  EXPECT_EQ(options.server.check_interval.count(), 0);
  EXPECT_EQ(options.log_format, LogFormat::kJson);
  EXPECT_EQ(options.log_level, EventLevel::kDebug);
}

TEST_F(AgentOptionsTest, OfTheCommandLineWinOverTheFile) {
  const auto answer = Configured("state_dir: /file\nlog_level: debug\ncheck_interval: soon\nprofile: f\n",
                                 {"--state-dir", "/flag", "--log-level", "info", "--check-interval", "1m"});
  ASSERT_TRUE(answer.ok()) << answer.status();
  EXPECT_EQ(answer->options.server.state_directory, "/flag");
  EXPECT_EQ(answer->options.log_level, EventLevel::kInfo) << "the enum's zero wins as well";
  EXPECT_EQ(answer->options.server.check_interval, std::chrono::minutes(1));
  EXPECT_EQ(answer->options.profile_name, "f");
}

TEST_F(AgentOptionsTest, ThatAreWrongInTheFileAreNamedWithTheirLine) {
  EXPECT_EQ(Trouble(Configured("state_dir: /s\nchek_interval: 15m\n")),
            file_ + ":2: unknown key `chek_interval` (did you mean `check_interval`?)");
  EXPECT_THAT(Trouble(Configured("state_dir: /s\n\ncheck_interval: soon\n")),
              HasSubstr(file_ + ":3: key `check_interval`: 'soon' is no time"));
  EXPECT_THAT(Trouble(Configured("state_dir: /s\ncheck_interval: 10ms\n")), HasSubstr(file_ + ":2: "));
  EXPECT_THAT(Trouble(Configured("state_dir: /s\ninsecure: yes\n")),
              HasSubstr(file_ + ":2: key `insecure` wants true or false"));
  EXPECT_THAT(Trouble(Configured("log_format: xml\n")),
              HasSubstr(file_ + ":1: key `log_format` wants one of text"));
  EXPECT_THAT(Trouble(Configured("insecure: true\nstate_dir: /s\ntls_ca: a\n")), HasSubstr(file_ + ":1: "));
  EXPECT_THAT(Trouble(Configured("")), HasSubstr("empty"));
}

TEST_F(AgentOptionsTest, ThatAreWrongOnTheCommandLineAreNamed) {
  EXPECT_THAT(Trouble(Parse({})), HasSubstr("--state-dir"));
  EXPECT_THAT(Trouble(Parse({"--bogus"})), HasSubstr("unknown option --bogus"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--log-level", "loud"})), HasSubstr("loud"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--check-interval", "soon"})),
              HasSubstr("--check-interval: 'soon'"));
  EXPECT_THAT(Trouble(Parse({"--state-dir", "/s", "--insecure", "--tls-ca", "a"})), HasSubstr("--insecure"));
  EXPECT_THAT(Trouble(Parse({"--config", "/nowhere/agent.yaml"})),
              HasSubstr("read /nowhere/agent.yaml: No such file"));
  EXPECT_THAT(Trouble(Parse({"--config", "/tmp"})), HasSubstr("not a regular file"));
}

TEST_F(AgentOptionsTest, MayAskForHelpOnly) {
  EXPECT_THAT(Parse({"--help"})->answer, HasSubstr("--check-interval"));
  EXPECT_THAT(Parse({"--version"})->answer, HasSubstr("rdmaready-agent "));
}

}  // namespace
}  // namespace rdmaready
