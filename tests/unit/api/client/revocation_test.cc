// SPDX-License-Identifier: Apache-2.0
#include "api/client/revocation.h"

#include <gmock/gmock.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "api/base/run_id.h"
#include "api/base/status.h"
#include "api/client/certificate.h"
#include "api/pki/key.h"
#include "api/pki/sign.h"

namespace rdmaready {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kDayS = 86'400;

const std::int64_t kNowS = UnixNowNs() / 1'000'000'000;

// A CA in memory.
struct Ca {
  explicit Ca(const std::string& name = "ca") : pem(*pki::SignRoot(*key, name, *pki::NewSerial(), kNowS)) {}

  Certificate Root() const { return std::move(ParseCertificates(pem)->front()); }
  std::string Issue(const std::string& serial, std::int64_t until = kNowS + kDayS) const {
    return *pki::SignCertificate({.serial = serial,
                                  .kind = pki::Kind::kOperator,
                                  .common_name = "anna",
                                  .identity = "anna",
                                  .not_before_unix_s = kNowS - 2 * kDayS,
                                  .not_after_unix_s = until},
                                 *key, *Root(), *key);
  }
  std::string List(const std::vector<pki::Revoked>& revoked = {}, std::int64_t now = kNowS) const {
    return *pki::SignRevocationList(revoked, *Root(), *key, now);
  }

  pki::PrivateKey key = *pki::MakeKey();
  std::string pem;
};

const std::string kOne(32, '1');
const std::string kTwo(32, '2');

std::string WhyNot(const Ca& ca, const std::string& pem, const std::string& lists_pem) {
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(lists_pem);
  EXPECT_TRUE(lists.ok()) << lists.status();
  const Certificate certificate = std::move(ParseCertificates(pem)->front());
  return WhyUntrusted(*certificate, {}, **ParseTrustStore(ca.pem), CertificateUse::kClient, &*lists);
}

TEST(Revocation, OfOneSaysWhenAndSparesTheOther) {
  const Ca ca;
  const std::string list = ca.List({{.serial = kOne, .at_unix_s = 1'800'000'000}});
  EXPECT_EQ(WhyNot(ca, ca.Issue(kOne), list), "was revoked on 2027-01-15 08:00 UTC");
  EXPECT_EQ(WhyNot(ca, ca.Issue(kTwo), list), "");
  EXPECT_EQ(WhyNot(ca, ca.Issue(kOne), ca.List()), "");
}

TEST(Revocation, ByAListOfAnotherCaIsNone) {
  const Ca ca("a");
  const Ca other("b");
  EXPECT_THAT(WhyNot(ca, ca.Issue(kOne), other.List()),
              HasSubstr("there is no revocation list of its CA CN=a"));
  EXPECT_EQ(WhyNot(ca, ca.Issue(kOne), other.List() + ca.List()), "");
}

TEST(Revocation, ByAForgedListRefusesEverybody) {
  const Ca ca("a");
  const Ca forger("a");
  for (const std::string& lists : {forger.List(), forger.List() + ca.List(), ca.List() + forger.List()})
    EXPECT_THAT(WhyNot(ca, ca.Issue(kOne), lists), HasSubstr("is not signed by that CA"));
}

TEST(Revocation, ByAListThatIsDueStillCountsAndIsTold) {
  const Ca ca;
  const std::string list = ca.List({{.serial = kOne, .at_unix_s = kNowS}}, kNowS - 8 * kDayS);
  EXPECT_THAT(WhyNot(ca, ca.Issue(kOne), list), HasSubstr("was revoked on"));
  EXPECT_EQ(WhyNot(ca, ca.Issue(kTwo), list), "");
  EXPECT_THAT(RevocationLists::Parse(list)->WhyStale(),
              HasSubstr("the revocation list of CN=ca was to be renewed by"));
  EXPECT_EQ(RevocationLists::Parse(ca.List())->WhyStale(), "");
}

TEST(Revocation, IsJudgedWithTheRoots) {
  const Ca ca("a");
  const Ca forger("a");
  const Ca other("b");
  const Certificate root = ca.Root();
  EXPECT_EQ(RevocationLists::Parse(ca.List())->Judge({root.get()}, true), absl::OkStatus());
  EXPECT_FALSE(RevocationLists::Parse(forger.List())->Judge({root.get()}, true).ok());
  EXPECT_FALSE(RevocationLists::Parse(other.List())->Judge({root.get()}, true).ok());
  EXPECT_EQ(RevocationLists::Parse(other.List())->Judge({root.get()}, false), absl::OkStatus());
  EXPECT_FALSE(RevocationLists::Parse(forger.List())->Judge({root.get()}, false).ok());
  EXPECT_EQ(RevocationLists::Parse(other.List() + ca.List())->Judge({root.get()}, true), absl::OkStatus());
}

TEST(Revocation, OfWhatIsNoListIsRefused) {
  const std::string list = Ca().List();
  EXPECT_FALSE(RevocationLists::Parse("").ok());
  EXPECT_FALSE(RevocationLists::Parse("nonsense").ok());
  EXPECT_FALSE(RevocationLists::Parse(Ca().pem).ok());
  for (std::size_t size = 30; size + 30 < list.size(); size += 7)
    EXPECT_FALSE(RevocationLists::Parse(list.substr(0, size)).ok()) << size;
  EXPECT_FALSE(RevocationLists::Parse(list + list.substr(0, list.size() / 2)).ok())
      << "the second one broke off";
}

// Another list would have to be read with it.
TEST(Revocation, OfAListThatTellsOfAPartIsRefused) {
  const Ca ca;
  const std::string text = ca.List();
  const Handle<::BIO, ::BIO_free> in(::BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  const RevocationList list(::PEM_read_bio_X509_CRL(in.get(), nullptr, nullptr, nullptr));
  const Handle<::ASN1_INTEGER, ::ASN1_INTEGER_free> base(::ASN1_INTEGER_new());
  ::ASN1_INTEGER_set_int64(base.get(), 1);
  ASSERT_EQ(::X509_CRL_add1_ext_i2d(list.get(), NID_delta_crl, base.get(), 1, X509V3_ADD_DEFAULT), 1);
  ASSERT_GT(::X509_CRL_sign(list.get(), ca.key.get(), ::EVP_sha256()), 0);
  const Handle<::BIO, ::BIO_free> out(::BIO_new(::BIO_s_mem()));
  ::PEM_write_bio_X509_CRL(out.get(), list.get());
  EXPECT_THAT(Message(RevocationLists::Parse(pki::WrittenTo(*out)).status()),
              HasSubstr("does not tell of all"));
}

TEST(Revocation, IsAskedOfAConnectionThatStands) {
  const Ca ca;
  const Ca other("b");
  const std::string list = ca.List({{.serial = kOne, .at_unix_s = kNowS}});
  EXPECT_THAT(WhyRevokedNow(ca.Issue(kOne), {}, ca.pem, list), HasSubstr("was revoked on"));
  EXPECT_EQ(WhyRevokedNow(ca.Issue(kTwo), {}, ca.pem, list), "");
  EXPECT_EQ(WhyRevokedNow(ca.Issue(kTwo, kNowS - 1), {}, ca.pem, list), "") << "its dates are another matter";
  EXPECT_NE(WhyRevokedNow(ca.Issue(kTwo), {}, other.pem, list), "");
  EXPECT_NE(WhyRevokedNow("nonsense", {}, ca.pem, list), "");
  EXPECT_NE(WhyRevokedNow(ca.Issue(kTwo), {}, "nonsense", list), "");
  EXPECT_NE(WhyRevokedNow(ca.Issue(kTwo), {}, ca.pem, "nonsense"), "");
}

TEST(Revocation, OfAFileIsReadAsItChangesAndIsDueOnce) {
  const Ca ca;
  const std::string path = std::filesystem::temp_directory_path() / ("a crl " + std::to_string(::getpid()));
  const auto write = [&path](const std::string& text) { std::ofstream(path, std::ios::trunc) << text; };
  int stale = 0;
  RevocationFile file(path, [&stale](const std::string&) { ++stale; });
  EXPECT_FALSE(file.Now().ok());
  write(ca.List({}, kNowS - 8 * kDayS));
  ASSERT_TRUE(file.Now().ok());
  ASSERT_TRUE(file.Now().ok());
  EXPECT_EQ(stale, 1);
  write(ca.List());
  const auto before = file.Now();
  EXPECT_EQ(*file.Now(), *before) << "is parsed once";
  write("nonsense");
  EXPECT_THAT(Message(file.Now().status()), HasSubstr(path));
  write(ca.List({{.serial = kOne, .at_unix_s = kNowS}}));
  EXPECT_NE(*file.Now(), *before);
  std::filesystem::remove(path);
  EXPECT_FALSE(file.Now().ok()) << "what was read before does not count";
  EXPECT_EQ(stale, 1);
}

}  // namespace
}  // namespace rdmaready
