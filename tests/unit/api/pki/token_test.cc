// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <random>
#include <set>

#include "api/pki/fingerprint.h"
#include "api/pki/identity.h"
#include "tests/unit/api/pki/place.h"

namespace rdmaready::pki {
namespace {

const std::string kPrint(64, 'a');

TEST(Token, IsReadAsItWasWritten) {
  for (const std::string& address : std::vector<std::string>{"", "hub1:7473", "[fd00::1]:7473", "10.0.0.1"}) {
    const absl::StatusOr<EnrolmentToken> token = MakeToken(kPrint, address);
    ASSERT_TRUE(token.ok()) << token.status();
    const absl::StatusOr<EnrolmentToken> read = ParseToken(token->Text());
    ASSERT_TRUE(read.ok()) << token->Text();
    EXPECT_EQ(read->secret, token->secret);
    EXPECT_EQ(read->ca_fingerprint, kPrint);
    EXPECT_EQ(read->hub_address, address);
    EXPECT_EQ(*TokenDigest(*read), *TokenDigest(*token));
    EXPECT_EQ(TokenDigest(*read)->size(), 64U);
  }
}

TEST(Token, IsAnotherOneEachTime) {
  EXPECT_NE(MakeToken(kPrint)->secret, MakeToken(kPrint)->secret);
  EXPECT_FALSE(SameSecret(MakeToken(kPrint)->secret, MakeToken(kPrint)->secret));
  EXPECT_TRUE(SameSecret("abc", "abc"));
  EXPECT_FALSE(SameSecret("abc", "abcd"));
}

TEST(Token, IsNotMadeOfWhatItCannotHold) {
  EXPECT_FALSE(MakeToken("aa").ok());
  EXPECT_FALSE(MakeToken(std::string(64, 'A')).ok());
  EXPECT_FALSE(MakeToken(kPrint, "a b").ok());
  EXPECT_FALSE(MakeToken(kPrint, "a\nb").ok());
  EXPECT_FALSE(MakeToken(kPrint, std::string(301, 'a')).ok());
}

// Whatever one letter is changed to: what is taken is written in that way, and no other text means the same.
TEST(Token, HasOneSpelling) {
  const EnrolmentToken token = *MakeToken(kPrint, "hub1:7473");
  const std::string text = token.Text();
  for (std::size_t at = 0; at < text.size(); ++at) {
    EXPECT_FALSE(ParseToken(text.substr(0, at)).ok() && at < text.size() - 10) << at;
    for (int letter = 0; letter < 256; ++letter) {
      std::string changed = text;
      changed[at] = static_cast<char>(letter);
      const absl::StatusOr<EnrolmentToken> read = ParseToken(changed);
      if (read.ok()) {
        EXPECT_EQ(read->Text(), changed);
      }
    }
  }
  for (const std::string& wrong :
       std::vector{text + " ", " " + text, text + "\n", "rdmaready-enrol-2" + text.substr(17)})
    EXPECT_FALSE(ParseToken(wrong).ok());
}

TEST(Token, OfRandomOctetsNeverIsOne) {
  std::mt19937 random(7);
  for (int i = 0; i < 20'000; ++i) {
    std::string text(random() % 200, '\0');
    for (char& c : text) c = static_cast<char>(random());
    EXPECT_FALSE(ParseToken(text).ok());
    EXPECT_FALSE(ParseToken("rdmaready-enrol-1:" + text).ok());
  }
}

TEST(HostId, IsFreshAndStrict) {
  std::set<std::string> ids;
  for (int i = 0; i < 200; ++i) ids.insert(*NewHostId());
  EXPECT_EQ(ids.size(), 200U);
  for (const std::string& id : ids) EXPECT_TRUE(IsHostId(id)) << id;
  const std::string id = *ids.begin();
  EXPECT_FALSE(IsHostId(""));
  EXPECT_FALSE(IsHostId(id + "0"));
  EXPECT_FALSE(IsHostId("6F9619FF-8B86-D011-B42D-00CF4FC964FF"));
  EXPECT_FALSE(IsHostId("6f9619ff08b86-d011-b42d-00cf4fc964ff"));
  EXPECT_TRUE(IsHostId("6f9619ff-8b86-d011-b42d-00cf4fc964ff"));
}

TEST(Identity, IsOneUriOfOurs) {
  const std::string id = "6f9619ff-8b86-d011-b42d-00cf4fc964ff";
  EXPECT_EQ(HostUri(id), "rdmaready:host/" + id);
  EXPECT_EQ(HostIdOf(std::vector{HostUri(id)}), id);
  EXPECT_EQ(HostIdOf(std::vector<std::string>{"spiffe://x/y", HostUri(id)}), id);
  EXPECT_EQ(HostIdOf(std::vector{HostUri(id), HostUri(id)}), std::nullopt) << "two are nobody";
  EXPECT_EQ(HostIdOf(std::vector{HostUri(id), IdentityUri(Kind::kOperator, "anna")}), std::nullopt);
  EXPECT_EQ(HostIdOf(std::vector{HostUri("node1")}), std::nullopt);
  EXPECT_EQ(HostIdOf(std::vector{IdentityUri(Kind::kHub, id)}), std::nullopt)
      << "a hub's name may look like an id";
  EXPECT_EQ(IdentityOf(std::vector{IdentityUri(Kind::kHub, "eu-1")})->name, "eu-1");
  for (const std::string& wrong :
       std::vector<std::string>{"rdmaready:", "rdmaready:host", "rdmaready:host/", "rdmaready:hub/../x",
                                "rdmaready:unknown/x", "rdmaready:root/x", "rdmaready:hub/a b"})
    EXPECT_FALSE(IdentityOf(std::vector{wrong})) << wrong;
}

TEST(Names, OfDnsAndOfAddresses) {
  for (const char* name : {"a", "node1.example.org", "*.example.org", "a_b"})
    EXPECT_TRUE(IsDnsName(name)) << name;
  for (const char* name : {"", ".", "a.", "a..b", "-a", "a b", "a,email:x", "*", "a.*.b"})
    EXPECT_FALSE(IsDnsName(name)) << name;
  EXPECT_TRUE(IsIpAddress("10.0.0.7"));
  EXPECT_TRUE(IsIpAddress("fd00::1"));
  EXPECT_FALSE(IsIpAddress("10.0.0"));
  EXPECT_FALSE(IsIpAddress("fe80::1%eth0"));
}

}  // namespace
}  // namespace rdmaready::pki
