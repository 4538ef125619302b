// SPDX-License-Identifier: Apache-2.0
// What is fuzzed: enrolment tokens, certificate requests, revocation lists, a CA's index, names of
// certificates.
#include "tests/fuzz/target.h"

#include <cstdlib>
#include <string>
#include <string_view>

#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/pki/fingerprint.h"
#include "api/pki/identity.h"
#include "api/pki/index.h"
#include "api/pki/key.h"
#include "api/pki/request.h"
#include "api/pki/sign.h"

namespace rdmaready::pki {
namespace {

constexpr std::int64_t kNow = 1'800'000'000;
const std::string kRootSerial(32, 'a');

void Demand(bool holds) {
  if (!holds) std::abort();
}

// A root, what it signed and a list of it, of one run.
struct Site {
  PrivateKey key = *MakeKey();
  std::string root = *SignRoot(*key, "fuzz", kRootSerial, kNow);
  Certificate root_certificate = std::move(ParseCertificates(root)->front());
  std::string leaf = *SignCertificate({.serial = std::string(32, 'b'),
                                       .kind = Kind::kHost,
                                       .common_name = "a",
                                       .identity = *NewHostId(),
                                       .dns = {"a.example"},
                                       .not_before_unix_s = kNow,
                                       .not_after_unix_s = kNow + 1},
                                      *key, *root_certificate, *key);
  std::string list =
      *SignRevocationList({{.serial = std::string(32, 'b'), .at_unix_s = kNow}}, *root_certificate, *key, kNow);
  std::string request = *MakeRequest(*key, "a");
};

Site& TheSite() {
  static Site site;
  return site;
}

void Token(std::string_view text) {
  const absl::StatusOr<EnrolmentToken> token = ParseToken(text);
  if (!token.ok()) return;
  Demand(token->Text() == text);
  Demand(token->secret.size() == 32 && token->ca_fingerprint.size() == 64);
}

// Whatever key is taken is one for which a certificate may be issued.
void Request(std::string_view pem) {
  const absl::StatusOr<PublicKey> key = KeyOfRequest(pem);
  if (key.ok()) Demand(CheckPublicKey(**key).ok());
}

// Nobody but the CA takes its own revoked certificate off the list.
void Lists(std::string_view pem) {
  Demand(!WhyRevokedNow(TheSite().leaf, {}, TheSite().root, std::string(pem)).empty());
  const absl::StatusOr<RevocationLists> lists = RevocationLists::Parse(pem);
  if (!lists.ok()) return;
  static_cast<void>(lists->WhyStale());
  static_cast<void>(lists->Judge({TheSite().root_certificate.get()}, true));
}

void Index(std::string_view text) {
  const absl::StatusOr<std::vector<IndexEntry>> entries = ParseIndex(text);
  if (!entries.ok()) return;
  std::string again;
  for (const IndexEntry& entry : *entries) {
    Demand(SerialOfText(entry.serial) == entry.serial);
    if (entry.kind != Kind::kUnknown) again += IssuedLine(entry);
    if (entry.revoked_unix_ns) again += RevokedLine(entry, *entry.revoked_unix_ns);
  }
  Demand(ParseIndex(again).ok());
}

void Identity(std::string_view text) {
  if (const auto identity = IdentityOf({std::string(text)}); identity.has_value())
    Demand(IdentityUri(identity->kind, identity->name) == text);
  const absl::StatusOr<std::vector<Certificate>> parsed = ParseCertificates(text);
  if (!parsed.ok()) return;
  for (const Certificate& one : *parsed) {
    static_cast<void>(HostIdOf(*one));
    Demand(SerialOf(*one).size() >= 32);
  }
}

constexpr void (*kPapers[])(std::string_view) = {Token, Request, Lists, Index, Identity};

std::vector<std::uint8_t> Seed(std::uint8_t paper, std::string_view text) {
  std::vector<std::uint8_t> seed{paper};
  seed.insert(seed.end(), text.begin(), text.end());
  return seed;
}

}  // namespace
}  // namespace rdmaready::pki

namespace rdmaready {

std::vector<std::vector<std::uint8_t>> FuzzSeeds() {
  const pki::IndexEntry entry{.serial = std::string(32, 'b'),
                              .kind = pki::Kind::kHost,
                              .name = "a",
                              .identity = *pki::NewHostId(),
                              .names = {"DNS:a"},
                              .root = pki::kRootSerial};
  return {pki::Seed(0, pki::MakeToken(std::string(64, 'a'), "hub1:7473")->Text()),
          pki::Seed(0, pki::MakeToken(std::string(64, 'a'))->Text()),
          pki::Seed(1, pki::TheSite().request),
          pki::Seed(2, pki::TheSite().list),
          pki::Seed(3, pki::IssuedLine(entry) + pki::RevokedLine(entry, 1)),
          pki::Seed(4, pki::HostUri(entry.identity)),
          pki::Seed(4, pki::TheSite().leaf)};
}

}  // namespace rdmaready

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view rest(reinterpret_cast<const char*>(data + 1), size - 1);
  rdmaready::pki::kPapers[data[0] % std::size(rdmaready::pki::kPapers)](rest);
  return 0;
}
