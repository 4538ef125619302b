// SPDX-License-Identifier: Apache-2.0
// Admission: who may join the fleet, who is one of it, and who was sent away: an authority of api/pki and the
// store's tokens put together. What a certificate says is decided here: an id that is minted here, and the name
// that an operator gave to the token; nothing that the host says of itself.
//
// Threads: any. Calls that sign take the lock of the authority's directory one after the other.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/client/tls.h"
#include "api/pki/authority.h"
#include "hub/access/audit_trail.h"
#include "hub/enrol/signed_lists.h"
#include "hub/enrol/try_limiter.h"
#include "hub/store/token_store.h"

namespace rdmaready::hub {

inline constexpr auto kShortestLifetime = std::chrono::seconds(10);
inline constexpr auto kDefaultLifetime = std::chrono::hours(24 * 90);
inline constexpr std::uint32_t kDefaultTokenS = 3'600;
inline constexpr std::uint32_t kLongestTokenS = 86'400;
inline constexpr std::uint32_t kMostTokens = 1'000;  // of one call

struct AdmissionOptions {
  std::string authority{};  // a directory of api/pki
  std::chrono::seconds lifetime = kDefaultLifetime;
  Clock* clock = &RealClock();
  EventSink events{};
  AuditTrail* trail = nullptr;  // who was let in, and who was not; null: nobody writes it down
};

struct HostCredentials {
  std::string host_id{};
  std::string certificate_pem{};
  std::string roots_pem{};
  std::string lists_pem{};
  std::int64_t not_after_unix_ns = 0;
};

struct NewTokens {
  std::uint32_t lasts_s = 0;
  std::uint32_t count = 0;
  std::vector<std::string> names{};
  std::string note{};
};

struct MadeTokens {
  struct One {
    std::string text{};  // the secret
    std::string id{};
    std::string name{};
  };
  std::vector<One> tokens{};
  std::int64_t ends_unix_ns = 0;
};

class Admission {
 public:
  // The authority has to be this user's, and nobody else's to read; the hub's own certificate one of it.
  // kFailedPrecondition, kInvalidArgument, kNotFound in clear words; errors of the store.
  static absl::StatusOr<std::unique_ptr<Admission>> Open(AdmissionOptions options, const TlsFiles& hub,
                                                         TokenStore& store);

  // Errors of TokenStore::UseToken; kInvalidArgument: the request. kResourceExhausted: too many wrong tries,
  // and how long to wait. `address`: of the caller, without its port.
  struct Application {
    std::string secret{};
    std::string request_pem{};
    std::string hostname{};
    std::string machine_id{};
  };
  absl::StatusOr<HostCredentials> Enrol(const Application& application, const std::string& address);

  // `host_id` is what the certificate says by which the caller came. kPermissionDenied: it was revoked;
  // kFailedPrecondition: it is not of this authority; kResourceExhausted: it has a new one already.
  absl::StatusOr<HostCredentials> Renew(const std::string& host_id, const std::string& request_pem);

  // kInvalidArgument: too long, too many, a name that no certificate has.
  absl::StatusOr<MadeTokens> MakeTokens(const NewTokens& wanted, const std::string& who);
  // Newest first, those after that place.
  absl::StatusOr<std::vector<StoredToken>> Tokens(const TokenPlace& after, std::size_t most) const;
  // By the ids that people see. kNotFound: one of them is none, or names several.
  absl::StatusOr<std::uint64_t> Withdraw(const std::vector<std::string>& ids, const std::string& who);

  // How many certificates ended. kNotFound: this authority issued none to that host, ever.
  absl::StatusOr<std::size_t> Revoke(const std::string& host_id, const std::string& who,
                                     const std::string& why);
  std::optional<RevokedHost> RevokedOf(const std::string& host_id) const;

  // As they were read last.
  std::shared_ptr<const SignedLists> Lists() const;

  // To be called now and then: reads what `rdmaready pki` may have written, renews lists before they are due,
  // forgets old tokens. True: the lists are others than they were.
  bool LookAfter();

  std::uint64_t wrong_tries() const { return limiter_.wrong(); }
  // What the enrolment's listener shows: the hub's certificate, and its root after it. A file of the authority.
  const std::string& chain_file() const { return chain_file_; }

 private:
  Admission(AdmissionOptions options, const TlsFiles& hub, TokenStore& store, pki::Authority authority);
  absl::Status Begin();
  absl::Status WriteChain();
  absl::StatusOr<bool> ReadLists();
  absl::StatusOr<HostCredentials> Issue(pki::Order order, ::EVP_PKEY& key);
  absl::StatusOr<HostCredentials> Admit(const Application& application, const std::string& address);
  absl::Status TooSoon(const std::string& host_id);
  absl::Status TooMany(const std::string& host_id);
  absl::Status ListTheRevoked();

  const AdmissionOptions options_;
  const TlsFiles hub_;
  TokenStore& store_;
  const pki::Authority authority_;
  const std::string chain_file_;
  TryLimiter limiter_{};
  std::mutex deciding_;       // nobody is given a certificate while it is decided that he gets none any more
  mutable std::mutex mutex_;  // guards what follows
  std::unordered_map<std::string, RevokedHost> revoked_{};
  std::map<std::string, std::int64_t> renewed_unix_ns_{};  // by host, of late
  std::shared_ptr<const SignedLists> lists_{};
  std::string chain_{};  // as it is in the file
  std::string fingerprint_{};
  std::int64_t lists_signed_unix_ns_ = 0;
  std::atomic<bool> list_owed_ = false;  // a host was revoked, and the list could not be written
};

// The first digits of its digest: what people call a token.
std::string TokenId(const std::string& digest);

}  // namespace rdmaready::hub
