// SPDX-License-Identifier: Apache-2.0
#include "collectors/nic/pause_thresholds.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/collectors/fake_host.h"

namespace rdmaready {
namespace {

constexpr const char* kFile = "/sys/class/net/ens1f0np0/qos/buffer_size";

std::string Text() {
  return "Port buffer size = 262016\nSpare buffer size = 0\nBuffer\tSize\txoff_threshold\txon_threshold\n"
         "0\t130944\t0\t\t0\n1\t131072\t93824\t\t84608\n2\t0\t0\t\t0\n3\t0\t0\t\t0\n"
         "4\t0\t0\t\t0\n5\t0\t0\t\t0\n6\t0\t0\t\t0\n7\t0\t0\t\t0\n";
}

std::string With(std::string text, const std::string& old, const std::string& now) {
  return text.replace(text.find(old), old.size(), now);
}

std::string Refusal(const std::string& text) {
  return std::string(DecodePauseThresholds(text).status().message());
}

TEST(PauseThresholds, AreThoseOfEachBuffer) {
  const absl::StatusOr<PauseThresholds> read = DecodePauseThresholds(Text());
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(*read, (PauseThresholds{.xoff_bytes = {0, 93'824}, .xon_bytes = {0, 84'608}}));
}

TEST(PauseThresholds, OfAnotherFormatAreNone) {
  EXPECT_EQ(Refusal(""), "decode buffer sizes: only 0 of 8 buffers");
  EXPECT_EQ(Refusal(With(Text(), "7\t0\t0\t\t0\n", "")), "decode buffer sizes: only 7 of 8 buffers");
  EXPECT_EQ(Refusal(With(Text(), "7\t0", "6\t0")), "decode buffer sizes: \"6?0?0??0\" is no line of a buffer");
  EXPECT_NE(Refusal(With(Text(), "7\t0", "8\t0")), "");
  EXPECT_NE(Refusal(With(Text(), "93824", "-1")), "");
  EXPECT_NE(Refusal(With(Text(), "93824", "4294967296")), "");
  EXPECT_NE(Refusal(With(Text(), "\t84608", "")), "");
}

TEST(PauseThresholds, AreReadOfMellanoxsDriverOnly) {
  FakeHost host;
  host.files[kFile] = Text();
  const auto read = [&host](const char* driver) {
    return ReadPauseThresholds(host, "/sys/class/net/ens1f0np0", driver);
  };
  ASSERT_TRUE(read("mlx5_core"));
  EXPECT_EQ(read("mlx5_core")->xoff_bytes[1], 93'824U);
  EXPECT_EQ(read("nbl").missing().kind, Missing::Kind::kUnsupported);
}

TEST(PauseThresholds, ThatCannotBeReadSayWhy) {
  FakeHost host;
  const auto read = [&host] { return ReadPauseThresholds(host, "/sys/class/net/ens1f0np0", "mlx5_core"); };
  EXPECT_EQ(read().missing().kind, Missing::Kind::kUnsupported);
  host.files[kFile] = absl::InternalError("Input/output error");
  EXPECT_EQ(read().missing().kind, Missing::Kind::kFailed);
}

}  // namespace
}  // namespace rdmaready
