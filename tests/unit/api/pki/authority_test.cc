// SPDX-License-Identifier: Apache-2.0
#include "api/pki/authority.h"

#include <gmock/gmock.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

#include <set>
#include <thread>

#include "api/pki/fingerprint.h"
#include "api/pki/request.h"
#include "tests/unit/api/pki/place.h"

namespace rdmaready::pki {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class AuthorityTest : public Place {
 protected:
  Issued Issue(const Authority& ca, Order order) {
    absl::StatusOr<Issued> issued = ca.Issue(order, **MakeKey());
    EXPECT_TRUE(issued.ok()) << issued.status();
    return issued.ok() ? *std::move(issued) : Issued();
  }
  std::string Why(const std::string& pem, CertificateUse use) {
    const TrustStore trusted = std::move(*ParseTrustStore(Read("ca/ca.pem")));
    return WhyUntrusted(*Parsed(pem), {}, *trusted, use);
  }
  std::string Refused(const Authority& ca, const Order& order) {
    return Message(ca.Issue(order, **MakeKey()).status());
  }
  // Whether the lists of crl.pem have it.
  bool Listed(const std::string& certificate_pem) {
    const std::string text = Read("ca/crl.pem");
    const Bio bio = ReadingBio(text);
    bool listed = false;
    while (Handle<::X509_CRL, ::X509_CRL_free> list{
        ::PEM_read_bio_X509_CRL(bio.get(), nullptr, nullptr, nullptr)}) {
      ::X509_REVOKED* entry = nullptr;
      if (::X509_CRL_get0_by_cert(list.get(), &entry, Parsed(certificate_pem).get()) == 1) listed = true;
    }
    return listed;
  }
};

const Order kHost{
    .kind = Kind::kHost, .name = "node1", .dns = {"node1.example"}, .addresses = {"10.0.0.7", "fd00::7"}};
const Order kOperator{.kind = Kind::kOperator, .name = "anna"};

TEST_F(AuthorityTest, IssuesWhatIsTrusted) {
  const Authority ca = MakeCa();
  const Issued host = Issue(ca, kHost);
  EXPECT_EQ(Why(host.certificate_pem, CertificateUse::kServer), "");
  EXPECT_EQ(Why(host.certificate_pem, CertificateUse::kClient), "");
  const Certificate certificate = Parsed(host.certificate_pem);
  EXPECT_EQ(HostIdOf(*certificate), host.entry.identity);
  EXPECT_TRUE(IsHostId(host.entry.identity));
  EXPECT_TRUE(CarriesName(*certificate, "node1.example"));
  EXPECT_TRUE(CarriesName(*certificate, "10.0.0.7"));
  EXPECT_TRUE(CarriesName(*certificate, "fd00::7"));
  EXPECT_EQ(SerialOf(*certificate), host.entry.serial);
  EXPECT_THAT(SubjectText(*certificate), "CN=node1");

  const Issued person = Issue(ca, kOperator);
  EXPECT_EQ(Why(person.certificate_pem, CertificateUse::kClient), "");
  EXPECT_THAT(Why(person.certificate_pem, CertificateUse::kServer), HasSubstr("not meant for this use"));
  EXPECT_EQ(IdentityOf(*Parsed(person.certificate_pem))->name, "anna");
}

TEST_F(AuthorityTest, ForAClockThatIsBehindIsValidFiveMinutesAgo) {
  const Authority ca = MakeCa();
  const Issued host = Issue(ca, kHost);
  const Certificate certificate = Parsed(host.certificate_pem);
  std::time_t then = static_cast<std::time_t>(now_unix_ns_ / kSecond) - 299;
  EXPECT_LT(::X509_cmp_time(::X509_get0_notBefore(certificate.get()), &then), 0);
  then -= 2;
  EXPECT_GT(::X509_cmp_time(::X509_get0_notBefore(certificate.get()), &then), 0);
  EXPECT_EQ(host.entry.not_after_unix_ns / kDay, now_unix_ns_ / kDay + 90);
}

TEST_F(AuthorityTest, IsNotMadeTwice) {
  const Authority ca = MakeCa();
  const std::string before = Read("ca/ca.pem");
  const std::string mode = Read("ca/issuer");
  EXPECT_TRUE(absl::IsAlreadyExists(Authority::Create(Path("ca"), "again", Options())));
  EXPECT_EQ(Read("ca/ca.pem"), before);
  EXPECT_EQ(Read("ca/issuer"), mode);
  struct ::stat info {};
  ASSERT_EQ(::stat(Path("ca").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777U, 0700U);
}

TEST_F(AuthorityTest, ThatBrokeOffIsMadeAnew) {
  MakeCa();
  ASSERT_TRUE(std::filesystem::remove(Path("ca/issuer")));
  EXPECT_TRUE(absl::IsNotFound(Authority::Open(Path("ca")).status()));
  const Authority ca = MakeCa();
  EXPECT_EQ(ca.Roots()->size(), 1U);
  EXPECT_EQ(Files("ca/roots"), 2);
}

TEST_F(AuthorityTest, RefusesOrdersThatCannotBe) {
  const Authority ca = MakeCa();
  EXPECT_THAT(Refused(ca, {}), HasSubstr("host, a hub or an operator"));
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHub, .name = "../x"}), HasSubstr("no name"));
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHub, .name = std::string("a\0b", 3)}), HasSubstr("no name"));
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHost, .name = "a", .dns = {"b,URI:rdmaready:hub/x"}}),
              HasSubstr("no DNS name"));
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHost, .name = "a", .addresses = {"b"}}), HasSubstr("no IP address"));
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHost, .name = "a", .host_id = "x"}), HasSubstr("no host id"));
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHost, .name = "a", .days = 0}), HasSubstr("days"));
  const PrivateKey weak(EVP_RSA_gen(1024));
  EXPECT_FALSE(ca.Issue(kHost, *weak).ok());
  EXPECT_TRUE(ca.Entries()->empty()) << "nothing was handed out";
  now_unix_ns_ += 3600 * kDay;
  EXPECT_THAT(Refused(ca, {.kind = Kind::kHost, .name = "a", .days = 60}), HasSubstr("rotate --ca"));
}

TEST_F(AuthorityTest, WritesDownWhatItIssues) {
  const Authority ca = MakeCa();
  const Issued host = Issue(ca, kHost);
  Issue(ca, kOperator);
  const std::vector<IndexEntry> entries = *ca.Entries();
  ASSERT_EQ(entries.size(), 2U);
  EXPECT_EQ(entries[0].serial, host.entry.serial);
  EXPECT_EQ(entries[0].identity, host.entry.identity);
  EXPECT_THAT(entries[0].names, ElementsAre("DNS:node1.example", "IP:10.0.0.7", "IP:fd00::7"));
  EXPECT_EQ(entries[0].not_after_unix_ns, host.entry.not_after_unix_ns);
  EXPECT_EQ(entries[0].issued_unix_ns, now_unix_ns_);
  EXPECT_EQ(entries[1].kind, Kind::kOperator);
}

TEST_F(AuthorityTest, RevokesBySerialByHostAndByCertificate) {
  const Authority ca = MakeCa();
  const Issued first = Issue(ca, kHost);
  const Issued again = Issue(ca, Authority::Again(first.entry, 30));
  const Issued person = Issue(ca, kOperator);
  EXPECT_EQ(again.entry.identity, first.entry.identity);
  EXPECT_FALSE(Listed(first.certificate_pem));

  EXPECT_EQ(ca.Revoke(person.entry.serial)->size(), 1U);
  EXPECT_TRUE(Listed(person.certificate_pem));
  EXPECT_FALSE(Listed(first.certificate_pem));

  EXPECT_EQ(ca.Revoke(first.entry.identity)->size(), 2U) << "whatever certificate that host shows";
  EXPECT_TRUE(Listed(first.certificate_pem));
  EXPECT_TRUE(Listed(again.certificate_pem));

  const Issued hub = Issue(ca, {.kind = Kind::kHub, .name = "hub1"});
  std::filesystem::remove(Path("ca/index.jsonl"));
  EXPECT_EQ(ca.Revoke(*Parsed(hub.certificate_pem))->size(), 1U) << "an index that was lost keeps nobody";
  EXPECT_TRUE(Listed(hub.certificate_pem));
}

TEST_F(AuthorityTest, RevokesOnceAndKeepsTheDate) {
  const Authority ca = MakeCa();
  const Issued host = Issue(ca, kHost);
  const std::int64_t then = now_unix_ns_;
  ASSERT_TRUE(ca.Revoke(host.entry.serial).ok());
  now_unix_ns_ += kDay;
  EXPECT_EQ((*ca.Revoke(host.entry.serial))[0].revoked_unix_ns, then);
  EXPECT_EQ((*ca.Entries())[0].revoked_unix_ns, then);
}

TEST_F(AuthorityTest, DoesNotRevokeWhatIsNotItsOwn) {
  const Authority ca = MakeCa();
  EXPECT_TRUE(absl::IsNotFound(ca.Revoke(std::string(32, 'a')).status()));
  EXPECT_TRUE(absl::IsNotFound(ca.Revoke("6f9619ff-8b86-d011-b42d-00cf4fc964ff").status()));
  EXPECT_TRUE(absl::IsInvalidArgument(ca.Revoke("node1").status()));
  ASSERT_EQ(Authority::Create(Path("other"), "other", Options()), absl::OkStatus());
  const Issued foreign = Issue(*Authority::Open(Path("other"), Options()), kHost);
  EXPECT_TRUE(absl::IsNotFound(ca.Revoke(*Parsed(foreign.certificate_pem)).status()));
  EXPECT_FALSE(ca.Revoke(*Parsed(Read("ca/ca.pem"))).ok()) << "the root itself";
}

TEST_F(AuthorityTest, AListForgetsWhatExpired) {
  const Authority ca = MakeCa();
  const Issued host = Issue(ca, {.kind = Kind::kHost, .name = "a", .days = 1});
  ASSERT_TRUE(ca.Revoke(host.entry.serial).ok());
  now_unix_ns_ += 3 * kDay;
  ASSERT_EQ(ca.RenewRevocationList(), absl::OkStatus());
  EXPECT_FALSE(Listed(host.certificate_pem));
}

TEST_F(AuthorityTest, WithHalfALineGoesOnAndWithADamagedOneDoesNot) {
  const Authority ca = MakeCa();
  Issue(ca, kHost);
  const std::string whole = Read("ca/index.jsonl");
  Write("ca/index.jsonl", whole + R"({"event":"iss)");
  EXPECT_EQ(ca.Entries()->size(), 1U);
  Issue(ca, kOperator);
  EXPECT_EQ(ca.Entries()->size(), 2U);
  Write("ca/index.jsonl", "nonsense\n" + whole);
  EXPECT_TRUE(absl::IsDataLoss(ca.Entries().status()));
  EXPECT_THAT(Message(ca.Entries().status()), HasSubstr("line 1 is damaged"));
  EXPECT_FALSE(ca.RenewRevocationList().ok()) << "a list without those that it cannot read would let them in";
}

TEST_F(AuthorityTest, ManyAtOnceDoNotTearTheIndex) {
  const Authority ca = MakeCa();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 10; ++n) EXPECT_TRUE(ca.Issue(kHost, **MakeKey()).ok());
    });
  }
  threads.clear();
  const std::vector<IndexEntry> entries = *ca.Entries();
  std::set<std::string> serials;
  for (const IndexEntry& entry : entries) serials.insert(entry.serial);
  EXPECT_EQ(serials.size(), 40U);
}

TEST_F(AuthorityTest, MovesTrustInSteps) {
  const Authority ca = MakeCa();
  const Issued old = Issue(ca, kHost);
  const std::string old_root = Read("ca/ca.pem");
  EXPECT_TRUE(absl::IsFailedPrecondition(ca.SwitchRoot()));
  ASSERT_EQ(ca.BeginRotation("test"), absl::OkStatus());
  EXPECT_TRUE(absl::IsAlreadyExists(ca.BeginRotation("test")));
  EXPECT_EQ(ParseCertificates(Read("ca/ca.pem"))->size(), 2U);
  const Issued between = Issue(ca, kHost);
  EXPECT_EQ(
      WhyUntrusted(*Parsed(between.certificate_pem), {}, **ParseTrustStore(old_root), CertificateUse::kServer),
      "")
      << "who has the old file alone trusts what is issued";
  EXPECT_TRUE(absl::IsFailedPrecondition(ca.RetireRoot(true)));

  ASSERT_EQ(ca.SwitchRoot(), absl::OkStatus());
  EXPECT_TRUE(absl::IsAlreadyExists(ca.SwitchRoot()));
  const Issued fresh = Issue(ca, Authority::Again(old.entry, 90));
  EXPECT_EQ(fresh.entry.identity, old.entry.identity);
  EXPECT_EQ(Why(old.certificate_pem, CertificateUse::kServer), "");
  EXPECT_EQ(Why(fresh.certificate_pem, CertificateUse::kServer), "");
  ASSERT_TRUE(ca.Revoke(between.entry.serial).ok()) << "by the list of the root that signed it";
  EXPECT_TRUE(Listed(between.certificate_pem));

  EXPECT_THAT(Message(ca.RetireRoot(false)), HasSubstr("last still"));
  ASSERT_TRUE(ca.Revoke(old.entry.serial).ok());
  ASSERT_EQ(ca.RetireRoot(false), absl::OkStatus());
  EXPECT_NE(Why(old.certificate_pem, CertificateUse::kServer), "");
  EXPECT_EQ(Why(fresh.certificate_pem, CertificateUse::kServer), "");
  EXPECT_EQ(Files("ca/roots"), 2);
  EXPECT_EQ(ca.Roots()->size(), 1U);
}

TEST_F(AuthorityTest, SaysWhatOfItIsDamaged) {
  const Authority ca = MakeCa();
  const std::string serial = ca.Roots()->front().serial;
  Write("ca/roots/" + serial + ".pem", "nonsense");
  EXPECT_THAT(Message(ca.Roots().status()), HasSubstr(serial));
  Write("ca/issuer", "nonsense");
  EXPECT_TRUE(absl::IsDataLoss(ca.Issue(kHost, **MakeKey()).status()));
}

TEST_F(AuthorityTest, WithAnotherKeySignsNothing) {
  const Authority ca = MakeCa();
  ASSERT_EQ(WriteKey(Path("ca/roots/" + ca.Roots()->front().serial + ".key"), **MakeKey(), Existing::kReplaced),
            absl::OkStatus());
  EXPECT_THAT(Message(ca.Issue(kHost, **MakeKey()).status()), HasSubstr("not the key of its certificate"));
}

}  // namespace
}  // namespace rdmaready::pki
