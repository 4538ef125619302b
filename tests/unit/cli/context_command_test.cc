// SPDX-License-Identifier: Apache-2.0
// `rdmaready context`, and what commands take from the environment and a context. No agent is asked: nobody is
// at 192.0.2.1 (RFC 5737), and what a command refuses before it calls says what it took.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/command/apply_flags.h"
#include "cli/commands.h"
#include "cli/context/shared_options.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

struct ContextAnswer {
  int status = 0;
  std::string out{};
  std::string err{};
};

std::string WholeFile(std::FILE* file) {
  std::string text;
  std::rewind(file);
  for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) text += static_cast<char>(c);
  std::fclose(file);
  return text;
}

ContextAnswer RunLine(std::vector<std::string> words) {
  words.insert(words.begin(), "rdmaready");
  std::vector<const char*> line;
  for (const std::string& word : words) line.push_back(word.c_str());
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  ContextAnswer answer;
  {
    Interrupt interrupt;
    Console console(out, err);
    answer.status = RunCommandLine(static_cast<int>(line.size()), line.data(), console, interrupt);
  }
  answer.out = WholeFile(out);
  answer.err = WholeFile(err);
  return answer;
}

class ContextCommand : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "context command";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    for (const SharedOption& option : kSharedOptions) {
      if (!option.variable.empty()) ::unsetenv(std::string(option.variable).c_str());
    }
    ::unsetenv(kContextVariable);
    ::setenv(kConfigVariable, Path("contexts.yaml").c_str(), 1);
  }
  void TearDown() override {
    SetUp();
    ::unsetenv(kConfigVariable);
    fs::remove_all(folder_);
  }

  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  static void Set(std::vector<std::string> words) {
    words.insert(words.begin(), {"context", "set"});
    const ContextAnswer answer = RunLine(words);
    EXPECT_EQ(answer.status, 0) << answer.err;
  }

  fs::path folder_{};
};

// The error of a command that asks a hub; it names the hub.
std::string HubTaken(std::vector<std::string> words = {}) {
  words.insert(words.begin(), {"fleet", "status", "--timeout", "200ms"});
  return RunLine(words).err;
}

TEST_F(ContextCommand, MakesTheFirstContextTheCurrentOne) {
  Set({"lab", "--hub", "192.0.2.1"});
  Set({"other", "--hub", "192.0.2.2"});
  const std::string listed = RunLine({"context", "list"}).out;
  EXPECT_THAT(listed, AllOf(HasSubstr("*  lab"), HasSubstr("hub 192.0.2.2")));
  const auto json = nlohmann::json::parse(RunLine({"context", "list", "--output", "json"}).out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.Contexts");
  EXPECT_EQ(json["current"], "lab");
  EXPECT_EQ(RunLine({"context", "use", "other"}).status, 0);
  EXPECT_THAT(HubTaken(), HasSubstr("192.0.2.2"));
  EXPECT_EQ(RunLine({"context", "use", "none"}).status, 0);
  EXPECT_THAT(HubTaken(), HasSubstr("127.0.0.1:7473"));
  EXPECT_EQ(RunLine({"context", "delete", "other"}).status, 0);
  const ContextAnswer gone = RunLine({"context", "use", "other"});
  EXPECT_EQ(gone.status, 2);
  EXPECT_THAT(gone.err, HasSubstr("no context 'other'"));
}

TEST_F(ContextCommand, TakesTheCommandLineBeforeTheEnvironmentBeforeTheContextBeforeBuiltIn) {
  EXPECT_THAT(HubTaken(), AllOf(HasSubstr("hub 127.0.0.1:7473"), HasSubstr("RDMAREADY_HUB")));
  Set({"lab", "--hub", "192.0.2.1"});
  EXPECT_THAT(HubTaken(), AllOf(HasSubstr("hub 192.0.2.1"),
                                HasSubstr("--hub is from context lab of " + Path("contexts.yaml"))));
  ::setenv("RDMAREADY_HUB", "192.0.2.3", 1);
  EXPECT_THAT(HubTaken(), AllOf(HasSubstr("hub 192.0.2.3"), HasSubstr("--hub is from RDMAREADY_HUB")));
  EXPECT_THAT(HubTaken({"--hub", "192.0.2.4"}), AllOf(HasSubstr("hub 192.0.2.4"), Not(HasSubstr(" from "))));
}

TEST_F(ContextCommand, IsChosenForOneCommandByOptionOrVariable) {
  Set({"lab", "--hub", "192.0.2.1"});
  Set({"other", "--hub", "192.0.2.2"});
  EXPECT_THAT(HubTaken({"--context", "other"}), HasSubstr("192.0.2.2"));
  EXPECT_THAT(HubTaken({"--context", "none"}), HasSubstr("127.0.0.1:7473"));
  ::setenv("RDMAREADY_CONTEXT", "other", 1);
  EXPECT_THAT(HubTaken(), HasSubstr("192.0.2.2"));
  EXPECT_THAT(HubTaken({"--context", "lab"}), HasSubstr("192.0.2.1"));
  ::setenv("RDMAREADY_CONTEXT", "othr", 1);
  const ContextAnswer wrong = RunLine({"fleet", "status"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err,
              AllOf(HasSubstr("RDMAREADY_CONTEXT: no context 'othr'"), HasSubstr("did you mean other?")));
}

TEST_F(ContextCommand, StoresWholePathsAndSaysWhatCannotBeUsed) {
  const ContextAnswer set = RunLine({"context", "set", "lab", "--tls-ca", "nowhere/ca.pem"});
  EXPECT_EQ(set.status, 0) << set.err;
  EXPECT_THAT(set.err, AllOf(HasSubstr("cannot be used yet"), HasSubstr("nowhere/ca.pem")));
  const auto json = nlohmann::json::parse(RunLine({"context", "list", "--output", "json"}).out);
  EXPECT_EQ(json["contexts"][0]["values"][0]["value"], (fs::current_path() / "nowhere/ca.pem").string());
}

TEST_F(ContextCommand, NamesTheContextInAnErrorOfTls) {
  Set({"lab", "--tls-ca", Path("ca.pem"), "--tls-cert", Path("me.pem")});
  const ContextAnswer check = RunLine({"check", "192.0.2.1"});
  EXPECT_EQ(check.status, 2);
  EXPECT_THAT(check.err, AllOf(HasSubstr("TLS needs --tls-key as well"),
                               HasSubstr("(--tls-ca and --tls-cert are from context lab of " +
                                         Path("contexts.yaml") + ")")));
  ::setenv("RDMAREADY_TLS_KEY", "/nowhere/me.key", 1);
  EXPECT_THAT(RunLine({"check", "192.0.2.1"}).err, HasSubstr("--tls-key is from RDMAREADY_TLS_KEY"));
}

TEST_F(ContextCommand, LetsOneChoiceOfPlainTextOrTlsWin) {
  Set({"lab", "--tls-ca", "/nowhere/ca.pem"});
  // The command line said plain text: the context's TLS is left out, and nothing is said of it.
  const ContextAnswer plain = RunLine({"check", "192.0.2.1", "--insecure", "--timeout", "100ms"});
  EXPECT_EQ(plain.status, 4) << plain.err;
  EXPECT_THAT(plain.err, Not(HasSubstr("context lab")));
  Set({"open", "--insecure"});
  const ContextAnswer open = RunLine({"check", "192.0.2.1", "--context", "open", "--timeout", "100ms"});
  EXPECT_EQ(open.status, 4) << open.err;
  EXPECT_THAT(open.err, HasSubstr("plain text is allowed by context open of "));
  ::setenv("RDMAREADY_TLS_CA", "/nowhere/ca.pem", 1);
  const ContextAnswer tls = RunLine({"check", "192.0.2.1", "--context", "open"});
  EXPECT_EQ(tls.status, 2) << tls.err;
  EXPECT_THAT(tls.err, AllOf(HasSubstr("/nowhere/ca.pem"), Not(HasSubstr("plain text"))));
  const ContextAnswer both = RunLine({"context", "set", "open", "--tls-ca", "/x.pem"});
  EXPECT_EQ(both.status, 2);
  EXPECT_THAT(both.err, HasSubstr("`rdmaready context unset open insecure`"));
}

TEST_F(ContextCommand, LeavesACommandWithoutHostsOneAboutThisHost) {
  std::ofstream(Path("hosts.txt")) << "192.0.2.1\n192.0.2.2\n";
  Set({"lab", "--inventory", Path("hosts.txt"), "--profile", "/nowhere/p.yaml", "--insecure"});
  // Two hosts would be asked for a ring.
  EXPECT_THAT(RunLine({"check", "--level", "peer", "--context", "lab"}).err, HasSubstr("at least two hosts"));
  EXPECT_THAT(RunLine({"check", "--level", "peer"}).err, HasSubstr("at least two hosts"));
  const ContextAnswer named = RunLine({"check", "192.0.2.9"});
  EXPECT_EQ(named.status, 2);
  EXPECT_THAT(named.err, AllOf(HasSubstr("/nowhere/p.yaml"), HasSubstr("--profile is from context lab")));
}

TEST_F(ContextCommand, TakesItsInventoryWhereOneIsAskedForWithoutAFile) {
  std::ofstream(Path("fleet.yaml")) << "groups: {storage: {hosts: [192.0.2.1, '192.0.2.1:7471']}}\n";
  const ContextAnswer none = RunLine({"check", "--inventory"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("--inventory needs a FILE"));
  EXPECT_THAT(RunLine({"check", "--group", "storage"}).err, HasSubstr("--group is for --inventory FILE"));
  Set({"lab", "--inventory", Path("fleet.yaml")});
  for (const std::vector<std::string>& words : {std::vector<std::string>{"check", "--inventory"},
                                                {"facts", "--inventory", "--output", "json"},
                                                {"plan", "--group", "storage"},
                                                {"history", "--inventory", "--limit", "1"},
                                                {"bundle", "--group", "storage"},
                                                {"apply", "--group", "storage"},
                                                {"confirm", "--inventory"},
                                                {"rollback", "--inventory"},
                                                {"forget", "--inventory"}}) {
    const ContextAnswer answer = RunLine(words);
    EXPECT_EQ(answer.status, 2) << words[0];
    EXPECT_THAT(answer.err + answer.out, AllOf(HasSubstr("fleet.yaml"), HasSubstr("are the same"))) << words[0];
  }
}

TEST_F(ContextCommand, IsNamedByThePrintedCommandThatReachesTheSameHost) {
  GlobalOptions global;
  global.tls = {.certificate = "me.pem", .key = "me.key", .ca = "/c/ca.pem"};
  EXPECT_EQ(SameWay(global), " --tls-ca /c/ca.pem --tls-cert me.pem --tls-key me.key");
  global.filled.defaults.context = "lab";
  global.filled.defaults.values[0] = {"/c/ca.pem", ValueSource::kContext};
  global.filled.is_filled[0] = true;
  EXPECT_EQ(SameWay(global), " --context lab --tls-cert me.pem --tls-key me.key");
  global.tls = {};
  global.insecure = true;
  EXPECT_EQ(SameWay(global), " --insecure");
}

TEST_F(ContextCommand, LeavesTheProfilesOfAnInventoryToIt) {
  std::ofstream(Path("fleet.yaml")) << "groups: {storage: {profile: /nowhere/own.yaml, hosts: [192.0.2.1]}}\n";
  std::ofstream(Path("hosts.txt")) << "192.0.2.1\n";
  ::setenv("RDMAREADY_PROFILE", "/nowhere/shell.yaml", 1);
  EXPECT_THAT(RunLine({"check", "--inventory", Path("fleet.yaml")}).err, HasSubstr("/nowhere/own.yaml"));
  EXPECT_THAT(RunLine({"check", "--inventory", Path("hosts.txt")}).err, HasSubstr("/nowhere/shell.yaml"));
  EXPECT_THAT(RunLine({"check"}).err, HasSubstr("/nowhere/shell.yaml"));
  EXPECT_THAT(RunLine({"check", "--facts", "/nowhere/saved"}).err, Not(HasSubstr("shell.yaml")));
}

TEST_F(ContextCommand, ChangesNothingByAProfileThatNobodyTyped) {
  ::setenv("RDMAREADY_PROFILE", "/nowhere/shell.yaml", 1);
  for (const std::string command : {"facts", "plan", "apply"}) {
    const std::string err = RunLine({command, "192.0.2.1", "--insecure", "--timeout", "200ms"}).err;
    EXPECT_THAT(err, AllOf(HasSubstr("192.0.2.1"), Not(HasSubstr("shell.yaml")), Not(HasSubstr("--profile"))));
  }
  EXPECT_THAT(RunLine({"check", "192.0.2.1", "--insecure"}).err, HasSubstr("/nowhere/shell.yaml"));
  EXPECT_THAT(RunLine({"env", "192.0.2.1", "--insecure", "--for", "nccl"}).err,
              HasSubstr("/nowhere/shell.yaml"));
}

TEST_F(ContextCommand, RefusesAValueThatTheFileCannotHold) {
  Set({"lab", "--hub", "192.0.2.1"});
  EXPECT_EQ(RunLine({"context", "set", "lab", "--tls-name", "a\tb"}).status, 2);
  EXPECT_EQ(RunLine({"context", "list"}).status, 0);
}

TEST_F(ContextCommand, PassesOverABrokenFileWhereNoContextIsWanted) {
  std::ofstream(Path("contexts.yaml")) << "contexts: [";
  EXPECT_THAT(HubTaken({"--context", "none"}), HasSubstr("127.0.0.1:7473"));
  ::setenv("RDMAREADY_CONTEXT", "none", 1);
  EXPECT_THAT(HubTaken(), HasSubstr("127.0.0.1:7473"));
}

TEST_F(ContextCommand, TakesNoTimeForAHost) {
  const ContextAnswer answer = RunLine({"check", "--wait", "2m", "--insecure"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err, HasSubstr("write --wait=2m"));
}

TEST_F(ContextCommand, RefusesAFileThatItCannotTrustBeforeAnyHostIsAsked) {
  std::ofstream(Path("contexts.yaml")) << "contexts:\n  lab:\n    tls_cca: x\n";
  const ContextAnswer wrong = RunLine({"check", "192.0.2.1"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("contexts.yaml:3: unknown key `tls_cca` (did you mean `tls_ca`?)"));
  EXPECT_EQ(RunLine({"version"}).status, 0);
  EXPECT_EQ(RunLine({"explain", "--list"}).status, 0);
  EXPECT_THAT(RunLine({"check", "--level", "peer"}).err, HasSubstr("at least two hosts"))
      << "it is about this host";
  ::setenv("RDMAREADY_TLS_CA", "/nowhere/ca.pem", 1);
  EXPECT_THAT(RunLine({"check", "--level", "peer"}).err, HasSubstr("at least two hosts")) << "it needs no TLS";
  ::unsetenv("RDMAREADY_TLS_CA");
  fs::permissions(Path("contexts.yaml"), fs::perms::all);
  EXPECT_THAT(RunLine({"check", "192.0.2.1"}).err, HasSubstr("nobody else may write to it"));
}

TEST_F(ContextCommand, ShowsWhereEachValueIsFrom) {
  Set({"lab", "--hub", "hub1", "--inventory", "/h/fleet.yaml"});
  ::setenv("RDMAREADY_INVENTORY", "mine.txt", 1);
  const std::string text = RunLine({"context", "show"}).out;
  EXPECT_THAT(text, AllOf(HasSubstr("context lab (current)"), HasSubstr("hub1"), HasSubstr("context lab\n"),
                          HasSubstr("environment RDMAREADY_INVENTORY")));
  const auto json = nlohmann::json::parse(RunLine({"context", "show", "lab", "--output", "json"}).out);
  EXPECT_EQ(json["schema"], "rdmaready.v1.Context");
  std::map<std::string, std::string> from;
  for (const auto& value : json["values"]) from[value["key"]] = value["from"];
  EXPECT_EQ(from["hub"], "context");
  EXPECT_EQ(from["inventory"], "environment");
  EXPECT_EQ(from["tls_ca"], "nowhere");
  EXPECT_EQ(RunLine({"context", "unset", "lab", "hub"}).status, 0);
  EXPECT_THAT(RunLine({"context", "show"}).out, HasSubstr("127.0.0.1:7473  built-in"));
  EXPECT_THAT(RunLine({"context", "unset", "lab", "hubb"}).err, HasSubstr("did you mean hub?"));
}

}  // namespace
}  // namespace rdmaready
