// SPDX-License-Identifier: Apache-2.0
#include "hub/enrol/admission.h"

#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "absl/strings/escaping.h"
#include "api/base/digest.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/certificate.h"
#include "api/client/revocation.h"
#include "api/client/subject_names.h"
#include "api/pki/crypto.h"
#include "api/pki/file.h"
#include "api/pki/fingerprint.h"
#include "api/pki/key.h"
#include "api/pki/request.h"

namespace rdmaready::hub {
namespace {

constexpr std::size_t kTokenIdDigits = 12;
constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kMostHostnameBytes = 255;
constexpr std::size_t kMostNoteBytes = 256;
constexpr std::ptrdiff_t kMostLasting = 8;  // certificates of one host at a time
constexpr std::int64_t kSecondNs = 1'000'000'000;
constexpr std::int64_t kListsRenewedNs = 24 * 3'600 * kSecondNs;     // they are due after seven days
constexpr std::int64_t kTokensKeptNs = 30 * 24 * 3'600 * kSecondNs;  // after they ended: who used which
constexpr std::int64_t kLongestRestNs = 60 * kSecondNs;              // between two renewals of a host

// SHA-256 of what a certificate certifies.
absl::StatusOr<std::string> DigestOfKey(const ::EVP_PKEY& key) {
  const pki::CleanErrors clean;
  unsigned char* der = nullptr;
  const int size = ::i2d_PUBKEY(&key, &der);
  if (size <= 0) return pki::CryptoFailure("encode a public key");
  const std::string octets(reinterpret_cast<const char*>(der), static_cast<std::size_t>(size));
  ::OPENSSL_free(der);
  return Sha256(octets);
}

absl::Status CheckDirectory(const std::string& directory) {
  struct ::stat info {};
  if (::stat(directory.c_str(), &info) != 0) return absl::OkStatus();  // Authority::Open says so
  if (info.st_uid == ::geteuid() && (info.st_mode & (S_IRWXG | S_IRWXO)) == 0) return absl::OkStatus();
  return absl::FailedPreconditionError(
      fmt::format("--authority {}: who can read it is the CA of the fleet: it has to be this user's (uid {}) "
                  "and mode 0700, and it "
                  "is uid {}'s and {:04o}",
                  directory, ::geteuid(), info.st_uid, info.st_mode & 07777));
}

std::string NameForPeople(const std::string& said) {
  return !said.empty() && said.size() <= kMostHostnameBytes && IsPrintableName(said) ? said
                                                                                     : "a host without a name";
}

}  // namespace

std::string TokenId(const std::string& digest) { return digest.substr(0, kTokenIdDigits); }

Admission::Admission(AdmissionOptions options, const TlsFiles& hub, TokenStore& store, pki::Authority authority)
    : options_(std::move(options)),
      hub_(hub),
      store_(store),
      authority_(std::move(authority)),
      chain_file_(options_.authority + "/enrolment-chain.pem") {}

absl::StatusOr<std::unique_ptr<Admission>> Admission::Open(AdmissionOptions options, const TlsFiles& hub,
                                                           TokenStore& store) {
  RR_RETURN_IF_ERROR(CheckDirectory(options.authority));
  RR_ASSIGN_OR_RETURN(pki::Authority authority,
                      pki::Authority::Open(options.authority, {.now_unix_ns = [clock = options.clock] {
                                             return UnixNs(*clock);
                                           }}));
  std::unique_ptr<Admission> made(new Admission(std::move(options), hub, store, std::move(authority)));
  RR_RETURN_IF_ERROR(made->Begin());
  return made;
}

absl::Status Admission::Begin() {
  RR_RETURN_IF_ERROR(authority_.RenewRevocationList());  // that it can sign is known now, not at the first host
  lists_signed_unix_ns_ = UnixNs(*options_.clock);
  RR_RETURN_IF_ERROR(ReadLists().status());
  RR_RETURN_IF_ERROR(store_.Revoked([this](RevokedHost&& host) {
    std::string id = host.host_id;
    revoked_.emplace(std::move(id), std::move(host));
  }));
  RR_RETURN_IF_ERROR(ListTheRevoked());
  return WriteChain();
}

// A crash, or a full disk, may have come between the row and the list.
absl::Status Admission::ListTheRevoked() {
  const std::lock_guard deciding(deciding_);
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> entries, authority_.Entries());
  const std::int64_t now = UnixNs(*options_.clock);
  std::set<std::string> owed;
  for (const pki::IndexEntry& entry : entries) {
    if (entry.kind == pki::Kind::kHost && !entry.revoked_unix_ns && entry.not_after_unix_ns > now &&
        RevokedOf(entry.identity))
      owed.insert(entry.identity);
  }
  for (const std::string& host_id : owed) {
    const absl::Status listed = authority_.Revoke(host_id).status();
    if (!listed.ok() && !absl::IsNotFound(listed)) return listed;
  }
  list_owed_ = false;
  return owed.empty() ? absl::OkStatus() : ReadLists().status();
}

// By a file, because the certificate of the hub is renewed by files, too.
absl::Status Admission::WriteChain() {
  RR_ASSIGN_OR_RETURN(std::string chain, ReadSmallFile(hub_.certificate, kMaxPemBytes));
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> shown, ParseCertificates(chain));
  RR_ASSIGN_OR_RETURN(const std::string bundle, authority_.Bundle());
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> roots, ParseCertificates(bundle));
  const ::X509* root = nullptr;
  for (const Certificate& one : roots) {
    if (::X509_verify(shown.front().get(), ::X509_get0_pubkey(one.get())) == 1) root = one.get();
  }
  if (root == nullptr) {
    return absl::FailedPreconditionError(fmt::format(
        "--tls-cert {}: it is not of --authority {}, by which hosts are to know this hub (rdmaready pki "
        "issue hub NAME --dir {})",
        hub_.certificate, options_.authority, options_.authority));
  }
  RR_ASSIGN_OR_RETURN(std::string fingerprint, pki::Fingerprint(*root));
  const pki::Bio pem = pki::WritingBio();
  if (!pem || ::PEM_write_bio_X509(pem.get(), root) != 1) return pki::CryptoFailure("write a certificate");
  chain += "\n" + pki::WrittenTo(*pem);
  const std::lock_guard lock(mutex_);
  if (chain == chain_) return absl::OkStatus();
  constexpr ::mode_t kForAll = 0644;
  RR_RETURN_IF_ERROR(pki::WriteFile(chain_file_, chain, kForAll, pki::Existing::kReplaced));
  chain_ = std::move(chain);
  fingerprint_ = std::move(fingerprint);
  return absl::OkStatus();
}

absl::StatusOr<bool> Admission::ReadLists() {
  RR_ASSIGN_OR_RETURN(std::string pem, ReadSmallFile(options_.authority + "/crl.pem", kMaxListsBytes));
  RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(pem));
  auto lists = std::make_shared<const SignedLists>(
      SignedLists{.pem = std::move(pem), .sha256 = absl::HexStringToBytes(digest)});
  const std::lock_guard lock(mutex_);
  const bool others = lists_ == nullptr || lists_->sha256 != lists->sha256;
  lists_ = std::move(lists);
  return others;
}

std::shared_ptr<const SignedLists> Admission::Lists() const {
  const std::lock_guard lock(mutex_);
  return lists_;
}

std::optional<RevokedHost> Admission::RevokedOf(const std::string& host_id) const {
  const std::lock_guard lock(mutex_);
  const auto found = revoked_.find(host_id);
  return found == revoked_.end() ? std::nullopt : std::optional(found->second);
}

// Each of them stands in the list of the revoked, should the host be: no host makes that list large.
absl::Status Admission::TooMany(const std::string& host_id) {
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> entries, authority_.Entries());
  const std::int64_t now = UnixNs(*options_.clock);
  const auto lasting = std::ranges::count_if(entries, [&](const pki::IndexEntry& entry) {
    return entry.kind == pki::Kind::kHost && entry.identity == host_id && entry.not_after_unix_ns > now;
  });
  if (lasting < kMostLasting) return absl::OkStatus();
  return absl::ResourceExhaustedError(fmt::format("this host has {} certificates that last still", lasting));
}

absl::StatusOr<HostCredentials> Admission::Issue(pki::Order order, ::EVP_PKEY& key) {
  order.lifetime_s = options_.lifetime.count();
  RR_ASSIGN_OR_RETURN(pki::Issued issued, authority_.Issue(order, key));
  HostCredentials out{.host_id = issued.entry.identity,
                      .certificate_pem = std::move(issued.certificate_pem),
                      .not_after_unix_ns = issued.entry.not_after_unix_ns};
  RR_ASSIGN_OR_RETURN(out.roots_pem, authority_.Bundle());
  out.lists_pem = Lists()->pem;
  return out;
}

absl::StatusOr<HostCredentials> Admission::Admit(const Application& application, const std::string& address) {
  if (application.secret.size() != kSecretBytes) return absl::UnauthenticatedError("no token of this hub");
  RR_ASSIGN_OR_RETURN(const pki::PublicKey key, pki::KeyOfRequest(application.request_pem));
  TokenUse use{.hostname = NameForPeople(application.hostname), .unix_ns = UnixNs(*options_.clock)};
  if (application.machine_id.size() <= kMostHostnameBytes && IsPrintableName(application.machine_id))
    use.machine_id = application.machine_id;
  RR_ASSIGN_OR_RETURN(use.digest, pki::TokenDigest({.secret = application.secret}));
  RR_ASSIGN_OR_RETURN(use.key_digest, DigestOfKey(*key));
  RR_ASSIGN_OR_RETURN(use.host_id, pki::NewHostId());
  RR_ASSIGN_OR_RETURN(const StoredToken token, store_.UseToken(use));
  if (!pki::SameSecret(token.digest, use.digest)) return absl::UnauthenticatedError("no token of this hub");
  const std::lock_guard lock(deciding_);
  if (RevokedOf(token.host_id)) return absl::PermissionDeniedError("the host of this token was revoked");
  pki::Order order{.kind = pki::Kind::kHost,
                   .name = token.name.empty() ? token.host_id : token.name,
                   .host_id = token.host_id};
  if (!token.name.empty()) (pki::IsIpAddress(token.name) ? order.addresses : order.dns).push_back(token.name);
  // Before it is written down: one token writes no more entries than it has certificates made.
  RR_RETURN_IF_ERROR(TooMany(token.host_id));
  const auto issue = [&] { return Issue(std::move(order), *key); };
  const AuditedAsk ask{"token " + TokenId(token.digest), address, "enrol",
                       fmt::format("host {}{}, which calls itself {}", token.host_id,
                                   token.name.empty() ? "" : " as " + token.name, token.hostname)};
  RR_ASSIGN_OR_RETURN(HostCredentials made,
                      options_.trail == nullptr ? issue() : options_.trail->Audited(ask, issue));
  Tell(options_.events, EventLevel::kInfo, "enrolled",
       {{"host_id", made.host_id},
        {"hostname", token.hostname},
        {"name", token.name},
        {"token", TokenId(token.digest)}});
  return made;
}

absl::StatusOr<HostCredentials> Admission::Enrol(const Application& application, const std::string& address) {
  const auto refuse = [&](const absl::Status& why) {
    Tell(options_.events, EventLevel::kWarning, "enrol-refused",
         {{"origin", address}, {"hostname", NameForPeople(application.hostname)}, {"reason", Message(why)}});
    if (options_.trail != nullptr)
      options_.trail->Refused({.peer = address,
                               .verb = "enrol",
                               .detail = "a host that calls itself " + NameForPeople(application.hostname)},
                              why, UnixNs(*options_.clock));
    return why;
  };
  if (const auto wait = limiter_.Wait(address, options_.clock->Now()); wait.count() > 0) {
    return absl::ResourceExhaustedError(fmt::format("too many wrong tries: come again in {} s",
                                                    std::chrono::ceil<std::chrono::seconds>(wait).count()));
  }
  absl::StatusOr<HostCredentials> made = Admit(application, address);
  if (made.ok()) {
    limiter_.Right(address);
    return made;
  }
  if (absl::IsUnauthenticated(made.status()) || absl::IsPermissionDenied(made.status()) ||
      absl::IsInvalidArgument(made.status()))
    limiter_.Wrong(address, options_.clock->Now());
  return refuse(made.status());
}

absl::Status Admission::TooSoon(const std::string& host_id) {
  const std::int64_t now = UnixNs(*options_.clock);
  const std::int64_t rest = std::min(kLongestRestNs, std::chrono::nanoseconds(options_.lifetime).count() / 10);
  const std::lock_guard lock(mutex_);
  std::erase_if(renewed_unix_ns_, [&](const auto& one) { return one.second < now - rest || one.second > now; });
  if (!renewed_unix_ns_.emplace(host_id, now).second)
    return absl::ResourceExhaustedError("this host was given a certificate a moment ago");
  return absl::OkStatus();
}

absl::StatusOr<HostCredentials> Admission::Renew(const std::string& host_id, const std::string& request_pem) {
  const std::lock_guard lock(deciding_);
  if (const std::optional<RevokedHost> revoked = RevokedOf(host_id))
    return absl::PermissionDeniedError("this host was revoked at " + TimeText(revoked->unix_ns));
  RR_ASSIGN_OR_RETURN(const pki::PublicKey key, pki::KeyOfRequest(request_pem));
  RR_RETURN_IF_ERROR(TooSoon(host_id));
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> entries, authority_.Entries());
  const auto last = std::find_if(entries.rbegin(), entries.rend(), [&](const pki::IndexEntry& entry) {
    return entry.kind == pki::Kind::kHost && entry.identity == host_id;
  });
  if (last == entries.rend())
    return absl::FailedPreconditionError("the authority of this hub issued nothing to this host");
  if (last->revoked_unix_ns)
    return absl::PermissionDeniedError("this host was revoked at " + TimeText(*last->revoked_unix_ns));
  RR_RETURN_IF_ERROR(TooMany(host_id));
  RR_ASSIGN_OR_RETURN(HostCredentials made, Issue(pki::Authority::Again(*last, pki::kDefaultDays), *key));
  Tell(options_.events, EventLevel::kInfo, "renewed",
       {{"host_id", host_id}, {"until_unix_s", made.not_after_unix_ns / kSecondNs}});
  return made;
}

absl::StatusOr<MadeTokens> Admission::MakeTokens(const NewTokens& wanted, const std::string& who) {
  const std::uint32_t lasts = wanted.lasts_s == 0 ? kDefaultTokenS : wanted.lasts_s;
  if (lasts > kLongestTokenS) return absl::InvalidArgumentError("a token lasts 24 hours at most");
  if (!wanted.names.empty() && wanted.count > 1)
    return absl::InvalidArgumentError("of a name there is one token: count or names, not both");
  std::vector<std::string> names = wanted.names;
  if (names.empty()) names.resize(std::max<std::uint32_t>(wanted.count, 1));
  if (names.size() > kMostTokens)
    return absl::InvalidArgumentError(fmt::format("{} tokens at most in one call", kMostTokens));
  for (const std::string& name : wanted.names) {
    pki::Order order{.kind = pki::Kind::kHost, .name = name};
    if (!pki::IsIpAddress(name)) order.dns = {name};
    RR_RETURN_IF_ERROR(pki::CheckOrder(order));
  }
  if (wanted.note.size() > kMostNoteBytes) return absl::InvalidArgumentError("note: too long");
  std::string fingerprint;
  {
    const std::lock_guard lock(mutex_);
    fingerprint = fingerprint_;
  }
  const std::int64_t now = UnixNs(*options_.clock);
  MadeTokens made{.ends_unix_ns = now + std::int64_t{lasts} * kSecondNs};
  std::vector<StoredToken> rows;
  for (const std::string& name : names) {
    RR_ASSIGN_OR_RETURN(const pki::EnrolmentToken token, pki::MakeToken(fingerprint));
    StoredToken row{.name = name,
                    .note = wanted.note,
                    .made_by = who,
                    .made_unix_ns = now,
                    .ends_unix_ns = made.ends_unix_ns};
    RR_ASSIGN_OR_RETURN(row.digest, pki::TokenDigest(token));
    made.tokens.push_back({.text = token.Text(), .id = TokenId(row.digest), .name = name});
    rows.push_back(std::move(row));
  }
  RR_RETURN_IF_ERROR(store_.PutTokens(rows));
  Tell(options_.events, EventLevel::kInfo, "tokens-made",
       {{"origin", who},
        {"tokens", static_cast<std::int64_t>(rows.size())},
        {"first", TokenId(rows.front().digest)},
        {"until_unix_s", made.ends_unix_ns / kSecondNs},
        {"note", wanted.note}});
  return made;
}

absl::StatusOr<std::vector<StoredToken>> Admission::Tokens(const TokenPlace& after, std::size_t most) const {
  std::vector<StoredToken> tokens;
  RR_RETURN_IF_ERROR(
      store_.Tokens(after, most, [&tokens](StoredToken&& token) { tokens.push_back(std::move(token)); }));
  return tokens;
}

absl::StatusOr<std::uint64_t> Admission::Withdraw(const std::vector<std::string>& ids, const std::string& who) {
  std::vector<std::string> digests;
  for (const std::string& id : ids) {
    std::vector<std::string> named;
    if (id.size() >= kTokenIdDigits)
      RR_RETURN_IF_ERROR(store_.TokensNamed(
          id, 2, [&named](StoredToken&& token) { named.push_back(std::move(token.digest)); }));
    if (named.size() != 1)
      return absl::NotFoundError("no token " + SafeLine(id, 80) + " (rdmaready fleet token --list)");
    digests.push_back(std::move(named.front()));
  }
  RR_ASSIGN_OR_RETURN(const std::uint64_t withdrawn,
                      store_.WithdrawTokens(digests, who, UnixNs(*options_.clock)));
  Tell(options_.events, EventLevel::kInfo, "tokens-withdrawn",
       {{"origin", who}, {"tokens", static_cast<std::int64_t>(withdrawn)}});
  return withdrawn;
}

absl::StatusOr<std::size_t> Admission::Revoke(const std::string& host_id, const std::string& who,
                                              const std::string& why) {
  const std::lock_guard deciding(deciding_);
  const RevokedHost word{.host_id = host_id, .unix_ns = UnixNs(*options_.clock), .who = who, .why = why};
  RR_ASSIGN_OR_RETURN(const std::vector<pki::IndexEntry> all, authority_.Entries());
  const bool ours = std::ranges::any_of(all, [&](const pki::IndexEntry& entry) {
    return entry.kind == pki::Kind::kHost && entry.identity == host_id;
  });
  if (!ours)
    return absl::NotFoundError("the authority of this hub issued nothing to host " + SafeLine(host_id, 80));
  RR_RETURN_IF_ERROR(store_.PutRevoked(word));
  {
    const std::lock_guard lock(mutex_);
    revoked_.emplace(host_id, word);
  }
  const absl::StatusOr<std::vector<pki::IndexEntry>> revoked = authority_.Revoke(host_id);
  if (!revoked.ok() && !absl::IsNotFound(revoked.status())) {
    list_owed_ = true;
    return revoked.status();
  }
  const std::size_t ended = revoked.ok() ? revoked->size() : 0;  // all had expired: no list needs to name them
  RR_RETURN_IF_ERROR(ReadLists().status());
  Tell(options_.events, EventLevel::kWarning, "revoked",
       {{"origin", who},
        {"host_id", host_id},
        {"certificates", static_cast<std::int64_t>(ended)},
        {"reason", why}});
  return ended;
}

bool Admission::LookAfter() {
  const auto tell = [this](const absl::Status& status) {
    if (!status.ok()) Tell(options_.events, EventLevel::kError, "lists", {{"reason", Message(status)}});
  };
  const std::int64_t now = UnixNs(*options_.clock);
  if (now - lists_signed_unix_ns_ > kListsRenewedNs || now < lists_signed_unix_ns_) {
    const absl::Status renewed = authority_.RenewRevocationList();
    tell(renewed);
    tell(store_.PruneTokens(now - kTokensKeptNs));
    lists_signed_unix_ns_ = now;
  }
  tell(WriteChain());
  const std::string before = Lists()->sha256;
  if (list_owed_) tell(ListTheRevoked());
  tell(ReadLists().status());
  return Lists()->sha256 != before;
}

}  // namespace rdmaready::hub
