// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context/shared_options.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

// The words that may stand at the end of a line, without their meanings; ":files" where files may.
std::vector<std::string> Completed(const std::vector<std::string>& words) {
  std::vector<const char*> line{"rdmaready", "__complete"};
  for (const std::string& word : words) line.push_back(word.c_str());
  std::FILE* out = std::tmpfile();
  std::FILE* err = std::tmpfile();
  {
    Interrupt interrupt;
    Console console(out, err);
    EXPECT_EQ(RunCommandLine(static_cast<int>(line.size()), line.data(), console, interrupt), 0);
  }
  EXPECT_EQ(std::ftell(err), 0);
  std::rewind(out);
  std::vector<std::string> found(1);
  for (int c = std::fgetc(out); c != EOF; c = std::fgetc(out)) {
    if (c == '\n') {
      found.back() = found.back().substr(0, found.back().find('\t'));
      found.emplace_back();
    } else {
      found.back() += static_cast<char>(c);
    }
  }
  found.pop_back();
  std::fclose(out);
  std::fclose(err);
  return found;
}

TEST(Completion, KnowsCommandsVerbsAndOptions) {
  EXPECT_THAT(Completed({"ch"}), ElementsAre("check"));
  EXPECT_THAT(Completed({"fleet", "re"}), ElementsAre("revoke"));
  EXPECT_THAT(Completed({"context", ""}), IsSupersetOf({"list", "show", "set", "use", "unset", "delete"}));
  EXPECT_THAT(Completed({"pki", "is"}), ElementsAre("issue"));
  EXPECT_THAT(Completed({"profile", "d"}), ElementsAre("digest"));
  EXPECT_THAT(Completed({"check", "--lev"}), ElementsAre("--level"));
  EXPECT_THAT(Completed({"--outp"}), ElementsAre("--output"));
  EXPECT_THAT(Completed({"test", "peer", "a", "b", "--bidi"}), ElementsAre("--bidirectional"));
  EXPECT_THAT(Completed({}), Contains("check"));
}

TEST(Completion, KnowsValues) {
  EXPECT_THAT(Completed({"check", "--level", "p"}), ElementsAre("peer"));
  EXPECT_THAT(Completed({"check", "--level=p"}), ElementsAre("--level=peer"));
  EXPECT_THAT(Completed({"check", "--level", "=", "p"}), ElementsAre("peer")) << "as bash splits it";
  EXPECT_THAT(Completed({"check", "--output", "j"}), ElementsAre("json", "jsonl", "junit"));
  EXPECT_THAT(Completed({"plan", "--output", "ju"}), IsEmpty()) << "plan writes no JUnit";
  EXPECT_THAT(Completed({"check", "--profile", "nvidia-lossl"}), ElementsAre("nvidia-lossless", ":files"));
  EXPECT_THAT(Completed({"profile", "show", "nvidia-lossl"}), ElementsAre("nvidia-lossless", ":files"));
  EXPECT_THAT(Completed({"explain", "pfc.loss"}), ElementsAre("pfc.lossless-priority"));
  EXPECT_THAT(Completed({"explain", "send-"}), Contains("send-1k"));
  EXPECT_THAT(Completed({"test", "loopback", "--case", "send-1k,write-512"}),
              ElementsAre("send-1k,write-512k"));
  EXPECT_THAT(Completed({"incast", "a", "b", "--case", "send-"}), IsEmpty()) << "an incast writes";
  EXPECT_THAT(Completed({"incast", "a", "b", "--case", "write-51"}), ElementsAre("write-512k"));
  EXPECT_THAT(Completed({"ets", "a", "b", "--case", "send-"}), IsEmpty()) << "so does an ETS test";
  EXPECT_THAT(Completed({"pfc", "a", "b", "--case", "send-"}), IsEmpty()) << "and a test of PFC";
  EXPECT_THAT(Completed({"compare", "a", "b", "--case", "smbd-"}), IsEmpty()) << "TCP has no SMB Direct";
  EXPECT_THAT(Completed({"compare", "a", "b", "--case", "send-"}), ElementsAre("send-1k"));
  EXPECT_THAT(Completed({"fleet", "findings", "--check", "pfc.loss"}), ElementsAre("pfc.lossless-priority"));
  EXPECT_THAT(Completed({"fleet", "hosts", "--condition", "ready,sil"}), ElementsAre("ready,silent"));
  EXPECT_THAT(Completed({"probe", "nv"}), ElementsAre("nvme"));
  EXPECT_THAT(Completed({"context", "unset", "lab", "tls_c"}), ElementsAre("tls_ca", "tls_cert", "tls_crl"));
  EXPECT_THAT(Completed({"check", "--inventory", ""}), ElementsAre(":files"));
  EXPECT_THAT(Completed({"check", "--timeout", ""}), IsEmpty());
}

TEST(Completion, KnowsContextsAndTheHostsOfTheInventory) {
  const fs::path folder = fs::path(testing::TempDir()) / "completion";
  fs::create_directories(folder);
  std::ofstream(folder / "fleet.yaml") << "groups: {storage: {hosts: [node1, node2, 'node3;x', 'node$(x)', "
                                          "':files'], racks: {r1: [node1]}}}\n";
  std::ofstream(folder / "contexts.yaml")
      << "current: lab\ncontexts: {lab: {inventory: fleet.yaml}, other: {}}\n";
  fs::permissions(folder / "contexts.yaml", fs::perms::owner_read | fs::perms::owner_write);
  ::setenv(kConfigVariable, (folder / "contexts.yaml").c_str(), 1);
  EXPECT_THAT(Completed({"check", "--context", ""}), ElementsAre("lab", "other", "none"));
  EXPECT_THAT(Completed({"context", "use", "o"}), ElementsAre("other"));
  EXPECT_THAT(Completed({"context", "delete", ""}), AllOf(Contains("lab"), Not(Contains("none"))));
  EXPECT_THAT(Completed({"check", "no"}), ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"check", "node1", "node"}), ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"incast", "node1", "x", "--to", "no"}), ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"incast", "node1", "x", "--victim", "no"}), ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"pfc", "no"}), ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"pfc", "node1", "no"}), ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"check", "--group", ""}), ElementsAre("storage"));
  EXPECT_THAT(Completed({"fleet", "hosts", "--rack", ""}), ElementsAre("r1"));
  EXPECT_THAT(Completed({"check", "--context", "other", ""}), IsEmpty());
  ::setenv(kConfigVariable, "/dev/null/contexts.yaml", 1);
  EXPECT_THAT(Completed({"check", "--inventory", (folder / "fleet.yaml").string(), "node1", "no"}),
              ElementsAre("node1", "node2"));
  EXPECT_THAT(Completed({"check", "--context", "lab", ""}), IsEmpty());
  ::unsetenv(kConfigVariable);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace rdmaready
