// SPDX-License-Identifier: Apache-2.0
// The whole command line in this process, as far as it needs no agent.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "api/base/version.h"
#include "cli/commands.h"

namespace rdmaready {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

struct CommandAnswer {
  int status = 0;
  std::string out;
  std::string err;
};

std::string ReadBack(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

CommandAnswer Say(std::vector<const char*> words) {
  words.insert(words.begin(), "rdmaready");
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  CommandAnswer answer;
  {
    Interrupt interrupt;
    Console console(out, err);
    answer.status = RunCommandLine(static_cast<int>(words.size()), words.data(), console, interrupt);
  }
  answer.out = ReadBack(out);
  answer.err = ReadBack(err);
  return answer;
}

void ExpectOneLine(const CommandAnswer& answer, int status, const std::string& part) {
  EXPECT_EQ(answer.status, status);
  EXPECT_EQ(answer.out, "");
  EXPECT_EQ(answer.err.find('\n'), answer.err.size() - 1) << answer.err;
  EXPECT_THAT(answer.err, HasSubstr(part));
}

TEST(CommandLine, SaysItsVersion) {
  EXPECT_EQ(Say({"version"}).out, std::string("rdmaready ") + kVersion + "\n");
  const auto json = nlohmann::json::parse(Say({"version", "--output", "json"}).out);
  EXPECT_EQ(json["version"], kVersion);
}

TEST(CommandLine, SaysItsVersionAlsoWhenAskedByAnOption) {
  EXPECT_EQ(Say({"--version"}).status, 0);
  EXPECT_EQ(Say({"--version"}).out, Say({"version"}).out);
  EXPECT_EQ(Say({"--version", "--output", "json"}).out, Say({"version", "--output", "json"}).out);
  EXPECT_THAT(Say({"--help"}).out, HasSubstr("--version"));
}

TEST(CommandLine, TakesGlobalOptionsOnBothSidesOfTheCommand) {
  EXPECT_EQ(Say({"--output", "json", "version"}).out, Say({"version", "--output=json"}).out);
}

TEST(CommandLine, RefusesWhatItDoesNotKnowInOneLine) {
  ExpectOneLine(Say({"configure"}), 2, "unknown command 'configure'");
  ExpectOneLine(Say({"chek"}), 2, "did you mean check?");
  ExpectOneLine(Say({}), 2, "a command is needed");
  ExpectOneLine(Say({"check", "--no-such-flag"}), 2, "unknown option --no-such-flag");
  ExpectOneLine(Say({"check", "--level", "share"}), 2, "share");
  ExpectOneLine(Say({"check", "--output", "xml"}), 2, "xml");
  ExpectOneLine(Say({"check", "--timeout", "soon"}), 2, "'soon' is no time");
  ExpectOneLine(Say({"check", "--watch", "0"}), 2, "--watch");
  ExpectOneLine(Say({"check", "--watch", "301"}), 2, "301");
  ExpectOneLine(Say({"check", "--watch", "9", "--facts", "/nowhere"}), 2, "--watch needs live hosts");
  ExpectOneLine(Say({"facts", "--facts", "/nowhere"}), 2, "read recording /nowhere: No such file or directory");
  ExpectOneLine(Say({"facts", "host1", "--facts", "/nowhere"}), 2, "no HOST and no --inventory");
  ExpectOneLine(Say({"facts", "--save", "/tmp/new", "--facts", "/nowhere"}), 2, "--save needs live hosts");
  ExpectOneLine(Say({"facts", "--lldp", "9", "--facts", "/nowhere"}), 2, "--lldp needs live hosts");
  ExpectOneLine(Say({"version", "extra"}), 2, "unexpected argument extra");
  ExpectOneLine(Say({"history", "--limit", "0"}), 2, "--limit");
  ExpectOneLine(Say({"history", "--limit", "1001"}), 2, "1001");
  ExpectOneLine(Say({"history", "--since", "soon"}), 2, "'soon' is no time");
  ExpectOneLine(Say({"history", "--kind", "pairs"}), 2, "pairs");
  ExpectOneLine(Say({"history", "--inventory", "/nowhere/hosts"}), 2, "/nowhere/hosts");
}

TEST(CommandLine, RefusesToApplyWhatMakesNoSenseInOneLine) {
  ExpectOneLine(Say({"apply", "--confirm-within", "soon"}), 2, "--confirm-within: 'soon' is no time");
  ExpectOneLine(Say({"apply", "--confirm-within", "25h"}), 2, "at most 24h");
  ExpectOneLine(Say({"apply", "--peer", "b", "--no-proof"}), 2, "--peer is a proof");
  ExpectOneLine(Say({"apply", "--max-unavailable", "2"}), 2, "--max-unavailable is for --rolling");
  ExpectOneLine(Say({"apply", "--rolling", "--max-unavailable", "0"}), 2, "--max-unavailable");
  ExpectOneLine(Say({"plan", "--profile", "/nowhere.yaml"}), 2, "/nowhere.yaml");
  ExpectOneLine(Say({"plan", "--output", "junit"}), 2, "--output junit is not for plan");
  ExpectOneLine(Say({"confirm", "a", "a"}), 2, "named twice");
  ExpectOneLine(Say({"forget", "--setting", "pcf"}), 2, "pfc");
}

TEST(CommandLine, RefusesWhatMakesNoSenseInOneLine) {
  ExpectOneLine(Say({"check", "a", "--level", "peer"}), 2, "at least two hosts");
  ExpectOneLine(Say({"check", "--level", "peer"}), 2, "at least two hosts");
  ExpectOneLine(Say({"check", "a", "b", "a"}), 2, "named twice");
  ExpectOneLine(Say({"test", "peer", "a"}), 2, "HOST");
  ExpectOneLine(Say({"test", "peer", "a", "a"}), 2, "named twice");
  ExpectOneLine(Say({"test"}), 2, "loopback, peer or --list");
  ExpectOneLine(Say({"test", "loopback", "--case", "write-512"}), 2, "did you mean write-512k?");
  ExpectOneLine(Say({"test", "loopback", "--port", "mlx5_0"}), 2, "DEVICE/NUMBER");
  ExpectOneLine(Say({"explain"}), 2, "ID, --list or --markdown");
  ExpectOneLine(Say({"explain", "pfc.losless-priority"}), 2, "did you mean pfc.lossless-priority?");
  ExpectOneLine(Say({"check", "--profile", "no-such-profile"}), 2, "no-such-profile");
  ExpectOneLine(Say({"facts", "--inventory", "/nowhere/hosts"}), 2, "/nowhere/hosts");
}

TEST(CommandLine, RefusesOneHostUnderTwoNames) {
  // Spellings that need no resolver: a bare machine has no "localhost".
  const CommandAnswer check = Say({"check", "127.0.0.1:9", "127.1:9"});
  ExpectOneLine(check, 2, "hosts 127.0.0.1:9 and 127.1:9 are the same");
  ExpectOneLine(Say({"test", "peer", "[::1]:9", "[0:0::1]:9"}), 2, "are the same");
  const CommandAnswer json = Say({"check", "127.0.0.1:9", "127.1:9", "--level", "peer", "--output", "json"});
  EXPECT_EQ(json.status, 2);
  EXPECT_EQ(nlohmann::json::parse(json.out)["schema"], "rdmaready.v1.Error");
}

// Nobody is at 192.0.2.1 (RFC 5737): a refusal that comes after a call would be status 4.
TEST(CommandLine, RefusesToSendCredentialsInPlainTextBeforeAnyHostIsAsked) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / "command line credentials";
  std::ofstream(file) << "username=u\npassword=p\n";
  ASSERT_EQ(::chmod(file.c_str(), 0600), 0);
  const std::vector<const char*> share{"--level", "share",         "--share",    "//fs1/data", "--timeout",
                                       "100ms",   "--credentials", file.c_str(), "--insecure"};
  const auto check = [&](std::vector<const char*> words) {
    words.insert(words.begin(), "check");
    words.insert(words.end(), share.begin(), share.end());
    return Say(words);
  };
  ExpectOneLine(check({"192.0.2.1"}), 2, "host 192.0.2.1: credentials are not sent in plain text");
  ExpectOneLine(check({"unix:/nowhere/a.sock", "192.0.2.1"}), 2, "host 192.0.2.1: credentials");
  // Whoever was first listens on a port of loopback.
  ExpectOneLine(check({"127.0.0.1:9"}), 2, "host 127.0.0.1:9: credentials are not sent in plain text");
  EXPECT_EQ(check({"unix:/nowhere/a.sock"}).status, 4) << "who listens there is found out first";
  std::filesystem::remove(file);
}

TEST(CommandLine, ExplainsACaseByTheNameThatReportsShow) {
  const CommandAnswer answer = Say({"explain", "send-1k"});
  EXPECT_EQ(answer.status, 0) << answer.err;
  EXPECT_THAT(answer.out, HasSubstr("loopback.send-1k\n"));
  EXPECT_THAT(answer.out, HasSubstr("peer.send-1k\n"));
  const auto json = nlohmann::json::parse(Say({"explain", "send-1k", "--output", "json"}).out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.Explanations");
  ASSERT_EQ(json["explanations"].size(), 2U);
  EXPECT_EQ(json["explanations"][1]["id"], "peer.send-1k");
  ExpectOneLine(Say({"explain", "send-1"}), 2, "did you mean send-1k?");
}

TEST(CommandLine, ExplainsWithWordsToPutInAndNotWithPlaceholders) {
  EXPECT_THAT(Say({"explain", "pfc.lossless-priority"}).out,
              HasSubstr("dcb pfc set dev NETDEV prio-pfc all:off PRIORITY:on"));
  EXPECT_THAT(Say({"explain", "inv.transport"}).out, HasSubstr("another protocol than TRANSPORT"));
  for (const char* format : {"text", "json"}) {
    const std::string out = Say({"explain", "mtu.ethernet", "--output", format}).out;
    EXPECT_THAT(out, HasSubstr("ip link set dev NETDEV mtu MTU"));
    EXPECT_THAT(out, Not(HasSubstr("{netdev}")));
  }
  EXPECT_EQ(Say({"explain", "--markdown"}).out.find_first_of("{}"), std::string::npos);
}

TEST(CommandLine, SaysErrorsAsObjectsUnderJson) {
  for (const CommandAnswer& answer :
       {Say({"configure", "--output", "json"}), Say({"--output=json", "explain", "nothing"}),
        Say({"check", "--output", "json", "--level", "peer"})}) {
    EXPECT_EQ(answer.status, 2);
    EXPECT_EQ(answer.err, "");
    const auto json = nlohmann::json::parse(answer.out);
    EXPECT_EQ(json["schema"], "rdmaready.v1.Error");
    EXPECT_EQ(json["status"], 2);
    EXPECT_NE(json["error"], "");
  }
}

TEST(CommandLine, HelpsWithExamples) {
  for (const Command& command : AllCommands()) {
    const CommandAnswer answer = Say({command.name.data(), "--help"});
    EXPECT_EQ(answer.status, 0);
    EXPECT_THAT(answer.out, HasSubstr("Examples:\n  rdmaready " + std::string(command.name)));
    EXPECT_THAT(answer.out, HasSubstr("--output"));
  }
  EXPECT_THAT(Say({"--help"}).out, HasSubstr("rdmaready check node1 node2 --level peer"));
  EXPECT_THAT(Say({"test", "peer", "--help"}).out, HasSubstr("Usage: rdmaready test peer"));
}

TEST(CommandLine, ListsOneNamePerLine) {
  EXPECT_THAT(Say({"test", "--list"}).out, HasSubstr("write-512k\n"));
  EXPECT_THAT(Say({"explain", "--list"}).out, HasSubstr("pfc.lossless-priority\n"));
  EXPECT_THAT(Say({"profile", "list"}).out, HasSubstr("smb-direct-roce\n"));
}

// A profile file of one's own, gone at the end.
class ProfileFile {
 public:
  explicit ProfileFile(const std::string& text) : path_(testing::TempDir() + "rdmaready-site.yaml") {
    std::ofstream(path_, std::ios::binary) << text;
  }
  ~ProfileFile() { std::remove(path_.c_str()); }
  const char* path() const { return path_.c_str(); }

 private:
  std::string path_;
};

TEST(ProfileCommand, SaysTheDigestByWhichAProfileIsPermittedWhateverItsCommentsSay) {
  const CommandAnswer of_built_in = Say({"profile", "digest", "nvidia-lossy"});
  EXPECT_EQ(of_built_in.status, 0) << of_built_in.err;
  EXPECT_THAT(of_built_in.out, testing::MatchesRegex("[0-9a-f]+  nvidia-lossy\n"));
  const ProfileFile file("# a comment\n" + Say({"profile", "show", "nvidia-lossy"}).out);
  EXPECT_EQ(Say({"profile", "digest", file.path()}).out, of_built_in.out);
  const auto json = nlohmann::json::parse(Say({"profile", "digest", "nvidia-lossy", "--output", "json"}).out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.ProfileDigest");
  EXPECT_EQ(of_built_in.out, std::string(json["sha256"]) + "  nvidia-lossy\n");
}

TEST(ProfileCommand, ShowsYamlThatItTakesBack) {
  const CommandAnswer shown = Say({"profile", "show", "nvidia-lossy"});
  EXPECT_EQ(shown.status, 0) << shown.err;
  EXPECT_THAT(shown.out, HasSubstr("name: nvidia-lossy"));
  EXPECT_THAT(shown.out, HasSubstr("nvidia-lossless.yaml:"));
  const ProfileFile file(shown.out);
  const CommandAnswer check = Say({"profile", "check", file.path()});
  EXPECT_EQ(check.status, 0) << check.out;
  EXPECT_THAT(check.out, HasSubstr("profile nvidia-lossy is well-formed\n"));
  const auto json = nlohmann::json::parse(Say({"profile", "show", file.path(), "--output", "json"}).out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.Profile");
  EXPECT_EQ(json["profile"]["dscp"], 26);
}

TEST(ProfileCommand, NamesEveryFaultAndEndsWithTwo) {
  const ProfileFile file("name: x\ndscp: 64\nrdma_prioritie: 3\n");
  const std::string path = file.path();
  const CommandAnswer check = Say({"profile", "check", file.path()});
  EXPECT_EQ(check.status, 2);
  EXPECT_EQ(check.out, path + ":2: key `dscp`: 64 is not in 0..63\n" + path +
                           ":3: unknown key `rdma_prioritie` (did you mean `rdma_priority`?)\n" + path +
                           ": 2 faults\n");
  const CommandAnswer as_json = Say({"profile", "check", file.path(), "--output", "json"});
  EXPECT_EQ(as_json.status, 2);
  const auto json = nlohmann::json::parse(as_json.out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.ProfileCheck");
  EXPECT_EQ(json["well_formed"], false);
  ASSERT_EQ(json["faults"].size(), 2U);
  EXPECT_EQ(json["faults"][1]["line"], 3);
  EXPECT_EQ(json["faults"][1]["key"], "rdma_prioritie");
  ExpectOneLine(Say({"profile", "show", file.path()}), 2, "and 1 more fault: `rdmaready profile check");
  ExpectOneLine(Say({"check", "--profile", file.path()}), 2, ":2: key `dscp`");
  ExpectOneLine(Say({"profile", "check", "/nowhere/p.yaml"}), 2, "No such file");
}

TEST(ProfileCommand, ShowsTheSwitchSideWhereThereIsOne) {
  const CommandAnswer cumulus = Say({"profile", "show", "nvidia-lossless", "--switch", "cumulus"});
  EXPECT_EQ(cumulus.status, 0) << cumulus.err;
  EXPECT_THAT(cumulus.out, HasSubstr("nv set qos pfc default-global switch-priority 3\n"));
  ExpectOneLine(Say({"profile", "show", "infiniband", "--switch", "sonic"}), 2, "no Ethernet switch side");
  ExpectOneLine(Say({"profile", "show", "nvidia-lossless", "--switch", "junos"}), 2, "junos");
  const auto json = nlohmann::json::parse(
      Say({"profile", "show", "broadcom-thor", "--switch", "nxos", "--output", "json"}).out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.SwitchSide");
  EXPECT_EQ(json["switch"], "nxos");
  EXPECT_EQ(json["placeholders"].size(), 4U);
}

TEST(CommandLine, HasNoEscapesWhenItWritesToAFile) {
  EXPECT_THAT(Say({"explain", "link.state"}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(Say({"explain", "link.state", "--color", "always"}).out, HasSubstr("\x1b["));
}

}  // namespace
}  // namespace rdmaready
