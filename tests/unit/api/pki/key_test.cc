// SPDX-License-Identifier: Apache-2.0
#include "api/pki/key.h"

#include <gmock/gmock.h>
#include <openssl/rsa.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "api/pki/request.h"
#include "tests/unit/api/pki/place.h"

namespace rdmaready::pki {
namespace {

using testing::HasSubstr;
using testing::Not;

class KeyTest : public Place {};

PrivateKey Of(const char* curve) { return PrivateKey(::EVP_EC_gen(curve)); }

TEST_F(KeyTest, IsItsOwnersAloneAndIsReadAgain) {
  const PrivateKey key = *MakeKey();
  const ::mode_t before = ::umask(0);
  ASSERT_EQ(WriteKey(Path("a.key"), *key, Existing::kKept), absl::OkStatus());
  ::umask(before);
  struct ::stat info {};
  ASSERT_EQ(::stat(Path("a.key").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  const absl::StatusOr<PrivateKey> read = LoadKey(Path("a.key"));
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_TRUE(SameKey(*key, **read));
  EXPECT_FALSE(SameKey(*key, **MakeKey()));
  EXPECT_EQ(Files(), 1);
}

TEST_F(KeyTest, ThatIsThereStaysUnlessItIsToBeReplaced) {
  Write("a.key", "mine");
  const PrivateKey key = *MakeKey();
  EXPECT_TRUE(absl::IsAlreadyExists(WriteKey(Path("a.key"), *key, Existing::kKept)));
  EXPECT_EQ(Read("a.key"), "mine");
  EXPECT_EQ(WriteKey(Path("a.key"), *key, Existing::kReplaced), absl::OkStatus());
  EXPECT_TRUE(LoadKey(Path("a.key")).ok());
  EXPECT_EQ(Files(), 1);
}

TEST_F(KeyTest, ThatOthersMayReadIsNotUsed) {
  ASSERT_EQ(WriteKey(Path("a.key"), **MakeKey(), Existing::kKept), absl::OkStatus());
  ASSERT_EQ(::chmod(Path("a.key").c_str(), 0640), 0);
  EXPECT_TRUE(absl::IsFailedPrecondition(LoadKey(Path("a.key")).status()));
}

TEST_F(KeyTest, OnAFullDiskIsNotThereAtAll) {
  Write("a.key", "mine");
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  ::rlimit small = before;
  small.rlim_cur = 20;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const absl::Status written = WriteKey(Path("a.key"), **MakeKey(), Existing::kReplaced);
  const absl::Status appended = AppendWhole(Path("index"), std::string(50, 'x') + "\n", 0600);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(absl::IsResourceExhausted(written)) << written;
  EXPECT_EQ(Read("a.key"), "mine");
  EXPECT_TRUE(absl::IsResourceExhausted(appended)) << appended;
  EXPECT_EQ(Read("index"), "");
  EXPECT_EQ(Files(), 2) << "nothing lies about";
}

TEST_F(KeyTest, WhereNothingCanBeWrittenSaysWhere) {
  const absl::Status missing = WriteKey(Path("no/a.key"), **MakeKey(), Existing::kKept);
  EXPECT_TRUE(absl::IsNotFound(missing));
  EXPECT_THAT(Message(missing), HasSubstr(Path("no/a.key")));
}

TEST_F(KeyTest, ThatIsTruncatedOrNoneIsRefusedWithoutBeingShown) {
  const std::string pem = *KeyPem(**MakeKey());
  for (std::size_t size = 0; size + 30 < pem.size(); ++size)
    EXPECT_FALSE(ParseKey(pem.substr(0, size)).ok()) << size;
  EXPECT_FALSE(ParseKey(std::string(100'000, 'x')).ok());
  EXPECT_THAT(Message(ParseKey("secret words").status()), Not(HasSubstr("secret")));
}

TEST_F(KeyTest, KindsThatAreTaken) {
  EXPECT_EQ(CheckPublicKey(*Of("P-256")), absl::OkStatus());
  EXPECT_EQ(CheckPublicKey(*Of("P-384")), absl::OkStatus());
  EXPECT_EQ(CheckPublicKey(*PrivateKey(EVP_RSA_gen(2048))), absl::OkStatus());
  EXPECT_EQ(CheckPublicKey(*PrivateKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"))), absl::OkStatus());
  EXPECT_THAT(Message(CheckPublicKey(*PrivateKey(EVP_RSA_gen(1024)))), HasSubstr("1024 bits"));
  EXPECT_THAT(Message(CheckPublicKey(*Of("secp256k1"))), HasSubstr("secp256k1"));
  EXPECT_FALSE(CheckPublicKey(*PrivateKey(EVP_PKEY_Q_keygen(nullptr, nullptr, "X25519"))).ok());
}

TEST_F(KeyTest, ARequestHandsOverItsKeyAndNothingElse) {
  for (const char* type : {"ED25519", "EC"}) {
    const PrivateKey key =
        type == std::string("EC") ? *MakeKey() : PrivateKey(EVP_PKEY_Q_keygen(nullptr, nullptr, type));
    const absl::StatusOr<std::string> request = MakeRequest(*key, "root of all");
    ASSERT_TRUE(request.ok()) << request.status();
    const absl::StatusOr<PublicKey> taken = KeyOfRequest(*request);
    ASSERT_TRUE(taken.ok()) << taken.status();
    EXPECT_TRUE(SameKey(*key, **taken));
  }
}

TEST_F(KeyTest, ARequestWithAWeakKeyIsRefused) {
  const PrivateKey weak(EVP_RSA_gen(1024));
  EXPECT_THAT(Message(KeyOfRequest(*MakeRequest(*weak, "x")).status()), HasSubstr("RSA key of 1024 bits"));
}

// A change in the middle of the base64 text changes the key, the name or the signature.
TEST_F(KeyTest, ARequestThatWasChangedIsRefused) {
  const std::string request = *MakeRequest(**MakeKey(), "a");
  const std::size_t from = request.find('\n') + 1;
  const std::size_t until = request.find("-----END");
  int taken = 0;
  for (std::size_t at = from; at < until; ++at) {
    std::string changed = request;
    changed[at] = changed[at] == 'A' ? 'B' : 'A';
    taken += changed != request && KeyOfRequest(changed).ok() ? 1 : 0;
    EXPECT_FALSE(KeyOfRequest(request.substr(0, at)).ok());
  }
  EXPECT_LE(taken, 3) << "but for bits that base64 does not use, and line ends";
}

TEST_F(KeyTest, WhatIsNoRequestIsRefused) {
  EXPECT_FALSE(KeyOfRequest("").ok());
  EXPECT_FALSE(KeyOfRequest(std::string(kMaxRequestBytes + 1, ' ')).ok());
  EXPECT_FALSE(KeyOfRequest(*KeyPem(**MakeKey())).ok());
  EXPECT_FALSE(KeyOfRequest("-----BEGIN CERTIFICATE REQUEST-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: "
                            "AES-128-CBC,00000000000000000000000000000000\n\nAAAA\n-----END CERTIFICATE "
                            "REQUEST-----\n")
                   .ok());
}

}  // namespace
}  // namespace rdmaready::pki
