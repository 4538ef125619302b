// SPDX-License-Identifier: Apache-2.0
#include "cli/context/context_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "api/base/status.h"
#include "cli/context/shared_options.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string WhyRefused(std::string_view text) {
  return Message(ParseContexts(text, "/c/contexts.yaml").status());
}

class ContextFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) / "context files";
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    path_ = (folder_ / "contexts.yaml").string();
  }
  void TearDown() override { fs::remove_all(folder_); }

  void Write(const std::string& text, ::mode_t mode) const {
    std::ofstream(path_) << text;
    ASSERT_EQ(::chmod(path_.c_str(), mode), 0);
  }
  std::string Text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  fs::path folder_{};
  std::string path_{};
};

TEST(Contexts, ParseWithTheirValues) {
  const auto file = ParseContexts(
      "current: lab\ncontexts:\n  lab: {tls_ca: certs/ca.pem, hub: hub1}\n  plain: {insecure: true}\n  "
      "empty:\n",
      "/c/contexts.yaml");
  ASSERT_TRUE(file.ok()) << file.status();
  EXPECT_EQ(file->current, "lab");
  EXPECT_THAT(file->Names(), ElementsAre("lab", "plain", "empty"));
  EXPECT_EQ(file->Find("lab")->values.at("hub"), "hub1");
  EXPECT_EQ(file->Find("plain")->values.at("insecure"), "true");
  EXPECT_TRUE(file->Find("empty")->values.empty());
  EXPECT_TRUE(ParseContexts("", "/c/contexts.yaml")->contexts.empty());
}

TEST(Contexts, SeeRelativePathsFromTheFolderOfTheFile) {
  const ContextFile file{.path = "/c/contexts.yaml"};
  EXPECT_EQ(ResolvedValue(file, "tls_ca", "certs/ca.pem"), "/c/certs/ca.pem");
  EXPECT_EQ(ResolvedValue(file, "tls_ca", "/etc/ca.pem"), "/etc/ca.pem");
  EXPECT_EQ(ResolvedValue(file, "inventory", "../hosts.txt"), "/hosts.txt");
  EXPECT_EQ(ResolvedValue(file, "profile", "nvidia-lossless"), "nvidia-lossless");
  EXPECT_EQ(ResolvedValue(file, "profile", "mine.yaml"), "/c/mine.yaml");
  EXPECT_EQ(ResolvedValue(file, "hub", "hub1:7473"), "hub1:7473");
}

TEST(Contexts, NameFileAndLineOfAFault) {
  EXPECT_THAT(WhyRefused("contexts:\n  lab:\n    tls_caa: x\n"),
              HasSubstr("/c/contexts.yaml:3: unknown key `tls_caa` (did you mean `tls_ca`?)"));
  EXPECT_THAT(WhyRefused("context: {}\n"), HasSubstr("/c/contexts.yaml:1: unknown key `context`"));
  EXPECT_THAT(WhyRefused("contexts: {a: {}}\ncurrent: b\n"), HasSubstr("/c/contexts.yaml:2: no context 'b'"));
  EXPECT_THAT(WhyRefused("contexts:\n  a:\n    insecure: \"true\"\n"),
              HasSubstr(":3: `insecure` is true or false"));
  EXPECT_THAT(WhyRefused("contexts: {a: {hub: [x]}}\n"), HasSubstr("`hub` takes one value"));
  EXPECT_THAT(WhyRefused("contexts: {a: {inventory: '-'}}\n"), HasSubstr("not standard input"));
  EXPECT_THAT(WhyRefused("contexts: {a: {insecure: true, tls_ca: x}}\n"), HasSubstr("exclude each other"));
  EXPECT_THAT(WhyRefused("contexts: {none: {hub: x}}\n"), HasSubstr("cannot be the name of a context"));
  EXPECT_THAT(WhyRefused("contexts: {'a b': {hub: x}}\n"), HasSubstr("cannot be the name of a context"));
  EXPECT_THAT(WhyRefused("- a\n"), HasSubstr("`current` and `contexts`"));
}

TEST_F(ContextFiles, RefuseToBeWritableByOthers) {
  Write("contexts: {a: {hub: x}}\n", 0644);
  EXPECT_TRUE(ReadContexts(path_).ok());
  for (const ::mode_t mode : {0664U, 0646U, 0666U}) {
    Write("contexts: {a: {hub: x}}\n", mode);
    const auto refused = ReadContexts(path_);
    EXPECT_TRUE(absl::IsFailedPrecondition(refused.status())) << refused.status();
    EXPECT_THAT(Message(refused.status()), HasSubstr("names the CA that is trusted"));
    EXPECT_THAT(Message(refused.status()), HasSubstr("chmod 600"));
  }
}

TEST_F(ContextFiles, HaveNoContextsWithoutAFile) {
  const auto file = ReadContexts(path_);
  ASSERT_TRUE(file.ok());
  EXPECT_FALSE(file->is_there);
  EXPECT_TRUE(ReadContexts("/dev/null/contexts.yaml").ok());
}

TEST_F(ContextFiles, SurviveARoundTripWithMode0600) {
  fs::remove_all(folder_);
  const auto change = [](ContextFile& file) {
    file.contexts.push_back({"lab", {{"tls_ca", "/a 'quoted' \"path\": #1"}, {"insecure", "true"}}});
    file.contexts.back().values.erase("insecure");
    file.contexts.push_back({"plain", {{"insecure", "true"}}});
    file.current = "lab";
    return absl::OkStatus();
  };
  ASSERT_TRUE(ChangeContexts(path_, change).ok());
  struct ::stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  const auto file = ReadContexts(path_);
  ASSERT_TRUE(file.ok()) << file.status() << Text();
  EXPECT_EQ(file->Find("lab")->values.at("tls_ca"), "/a 'quoted' \"path\": #1");
  EXPECT_EQ(file->current, "lab");
}

TEST_F(ContextFiles, KeepTheirTextWhenAChangeFails) {
  Write("contexts: {a: {hub: x}}\n", 0600);
  const auto failed = ChangeContexts(path_, [](ContextFile& file) {
    file.contexts.clear();
    return absl::NotFoundError("no");
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(Text(), "contexts: {a: {hub: x}}\n");
}

TEST_F(ContextFiles, KeepTheLinkThatLeadsToThem) {
  Write("contexts: {a: {hub: x}}\n", 0600);
  const fs::path link = folder_ / "link.yaml";
  fs::create_symlink(path_, link);
  ASSERT_TRUE(ChangeContexts(link.string(), [](ContextFile& file) {
                file.Find("a")->values["hub"] = "y";
                return absl::OkStatus();
              }).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_THAT(Text(), HasSubstr("hub: 'y'"));
}

TEST(SharedOptions, HaveOneKeyOptionAndVariableEach) {
  for (const SharedOption& one : kSharedOptions) {
    std::string option = "--" + std::string(one.key);
    std::ranges::replace(option, '_', '-');
    EXPECT_EQ(option, one.option);
    EXPECT_EQ(FindSharedOption(one.key), &one);
    if (one.key != kInsecureKey) {
      EXPECT_TRUE(one.variable.starts_with("RDMAREADY_")) << one.key;
    }
  }
  EXPECT_EQ(FindSharedOption("nothing"), nullptr);
}

}  // namespace
}  // namespace rdmaready
