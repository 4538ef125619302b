// SPDX-License-Identifier: Apache-2.0
// A directory of a test's own, with a blank in its name, and a clock that is moved by hand.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/pki/authority.h"
#include "api/pki/key.h"

namespace rdmaready::pki {

class Place : public testing::Test {
 protected:
  Place() { std::filesystem::create_directories(directory_); }
  ~Place() override {
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
    std::filesystem::remove_all(directory_);
  }

  std::string Path(const std::string& file) const { return directory_ / file; }
  std::string Read(const std::string& file) const {
    std::ifstream stream(Path(file), std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void Write(const std::string& file, const std::string& text) const {
    std::ofstream(Path(file), std::ios::binary) << text;
  }
  // What there is below the directory, but for itself.
  int Files(const std::string& below = "") const {
    int files = 0;
    for (const auto& file : std::filesystem::directory_iterator(directory_ / below))
      files += file.exists() ? 1 : 0;
    return files;
  }

  AuthorityOptions Options() {
    return {.now_unix_ns = [this] { return now_unix_ns_; }, .lock_wait = std::chrono::milliseconds(2'000)};
  }
  Authority MakeCa() {
    EXPECT_EQ(Authority::Create(Path("ca"), "test", Options()), absl::OkStatus());
    return *Authority::Open(Path("ca"), Options());
  }
  static Certificate Parsed(const std::string& pem) { return std::move(ParseCertificates(pem)->front()); }

  static constexpr std::int64_t kSecond = 1'000'000'000;
  static constexpr std::int64_t kDay = 86'400 * kSecond;

  std::int64_t now_unix_ns_ = UnixNs(RealClock());

 private:
  std::filesystem::path directory_ =
      std::filesystem::temp_directory_path() / ("rdmaready pki " + std::to_string(::getpid()) + " " +
                                                testing::UnitTest::GetInstance()->current_test_info()->name());
};

}  // namespace rdmaready::pki
