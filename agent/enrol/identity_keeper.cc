// SPDX-License-Identifier: Apache-2.0
#include "agent/enrol/identity_keeper.h"

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <functional>
#include <stop_token>
#include <utility>

#include "absl/strings/escaping.h"
#include "agent/enrol/granted.h"
#include "api/base/clock.h"
#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/pki/key.h"
#include "api/pki/request.h"
#include "api/pki/sign.h"
#include "rdmaready/v1/enrolment.grpc.pb.h"

namespace rdmaready::enrol {
namespace {

constexpr auto kCallWithin = std::chrono::seconds(30);
constexpr auto kLongestSleep = std::chrono::seconds(30);  // the wall clock may be set meanwhile
constexpr auto kSoon = std::chrono::seconds(5);  // until lists are tried again that could not be written
constexpr std::int64_t kNsPerSecond = 1'000'000'000;
constexpr std::int64_t kLongestRetryS = 3'600;
constexpr int kMostRetryDoublings = 10;
constexpr std::size_t kMostWords = 300;

std::int64_t LifeS(const Identity& identity) {
  return std::max<std::int64_t>(identity.not_after_unix_s - identity.not_before_unix_s - pki::kBackdatedS, 1);
}

absl::Status StatusOfCall(const grpc::Status& status) {
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()),
                      SafeLine(status.error_message(), kMostWords));
}

// A call that is given up when `stop` is requested.
class CallContext {
 public:
  explicit CallContext(const std::stop_token& stop) : give_up_(stop, [this] { context_.TryCancel(); }) {
    context_.set_deadline(DeadlineIn(kCallWithin));
  }
  grpc::ClientContext* get() { return &context_; }

 private:
  grpc::ClientContext context_{};
  std::stop_callback<std::function<void()>> give_up_;
};

}  // namespace

std::int64_t RenewAtUnixS(const Identity& identity, double jitter) {
  constexpr double kAt = 2.0 / 3.0;
  constexpr double kSpread = 0.1;
  const double part = kAt * (1.0 - kSpread + 2 * kSpread * jitter);
  return identity.not_before_unix_s + pki::kBackdatedS +
         static_cast<std::int64_t>(part * static_cast<double>(LifeS(identity)));
}

absl::StatusOr<std::shared_ptr<IdentityKeeper>> IdentityKeeper::Start(KeeperOptions options) {
  RR_ASSIGN_OR_RETURN(const Identity identity, options.files.Read());
  std::shared_ptr<IdentityKeeper> keeper(new IdentityKeeper(std::move(options)));
  keeper->identity_ = identity;
  keeper->NextTry(absl::OkStatus());
  keeper->thread_ = std::jthread([keeper = keeper.get()](const std::stop_token& stop) { keeper->Run(stop); });
  return keeper;
}

IdentityKeeper::IdentityKeeper(KeeperOptions options) : options_(std::move(options)), random_(options_.seed) {}

IdentityKeeper::~IdentityKeeper() { Stop(); }

void IdentityKeeper::Stop() { thread_ = {}; }

void IdentityKeeper::Heard(std::string lists_pem) {
  {
    const std::lock_guard lock(mutex_);
    heard_ = std::move(lists_pem);
  }
  woken_.notify_one();
}

std::string IdentityKeeper::ListsSha256() const {
  return absl::HexStringToBytes(Sha256(options_.files.Lists()).value_or(std::string(64, '0')));
}

void IdentityKeeper::Run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    TakeLists();
    RenewWhenDue(stop);
    const std::int64_t left = std::max<std::int64_t>(next_unix_s_ - UnixNs(*options_.clock) / kNsPerSecond, 1);
    std::unique_lock lock(mutex_);
    const auto sleep =
        std::min<std::chrono::seconds>(untaken_ ? kSoon : kLongestSleep, std::chrono::seconds(left));
    options_.clock->WaitUntil(woken_, lock, stop, options_.clock->Now() + sleep,
                              [this] { return heard_.has_value(); });
  }
}

void IdentityKeeper::TakeLists() {
  std::optional<std::string> heard;
  {
    const std::lock_guard lock(mutex_);
    heard = std::exchange(heard_, std::nullopt);
  }
  if (!heard) heard = std::exchange(untaken_, std::nullopt);
  if (!heard) return;
  const absl::StatusOr<pki::DirectoryLock> lock = options_.files.Lock();
  const absl::Status put = lock.ok() ? options_.files.PutLists(*heard) : lock.status();
  if (put.ok())
    return Tell(options_.events, EventLevel::kInfo, "lists",
                {{"reason", std::string("newer ones of the hub")}});
  if (absl::IsAlreadyExists(put)) return;
  if (!absl::IsInvalidArgument(put)) {  // no room, or a lock: the hub says them once
    untaken_ = std::move(heard);
  }
  Tell(options_.events, EventLevel::kError, "lists",
       {{"reason", "those of the hub are not taken: " + Message(put)}});
}

void IdentityKeeper::RenewWhenDue(const std::stop_token& stop) {
  if (UnixNs(*options_.clock) / kNsPerSecond < next_unix_s_) return;
  const absl::Status renewed = Renew(stop);
  if (stop.stop_requested() && !renewed.ok()) return;  // it was given up, which is no failure of the hub
  NextTry(renewed);
  if (renewed.ok()) {
    told_.clear();
    Tell(options_.events, EventLevel::kInfo, "renewed",
         {{"host_id", identity_.host_id}, {"until_unix_s", identity_.not_after_unix_s}});
    if (options_.renewed) options_.renewed();
    return;
  }
  const std::string why = Message(renewed);
  if (why == std::exchange(told_, why)) return;
  Tell(options_.events, EventLevel::kError, "identity",
       {{"reason", "the certificate is not renewed: " + why}, {"until_unix_s", identity_.not_after_unix_s}});
}

absl::Status IdentityKeeper::Renew(const std::stop_token& stop) {
  RR_ASSIGN_OR_RETURN(const pki::PrivateKey key, pki::MakeKey());
  v1::RenewRequest request;
  RR_ASSIGN_OR_RETURN(*request.mutable_request_pem(), pki::MakeRequest(*key, "rdmaready host"));
  v1::HostCertificate answer;
  {
    CallContext context(stop);
    const auto stub = v1::Enrolment::NewStub(options_.channel(options_.files.Files()));
    const grpc::Status asked = stub->Renew(context.get(), request, &answer);
    if (!asked.ok()) return StatusOfCall(asked);
  }
  RR_ASSIGN_OR_RETURN(const Generation generation, JudgeGranted(answer, *key, identity_.host_id));
  RR_ASSIGN_OR_RETURN(const pki::DirectoryLock lock, options_.files.Lock());
  RR_ASSIGN_OR_RETURN(const std::string staged, options_.files.Stage(generation));
  CallContext context(stop);
  v1::ProveResponse proof;
  const auto stub = v1::Enrolment::NewStub(options_.channel(options_.files.FilesOf(staged)));
  const grpc::Status proven = stub->Prove(context.get(), {}, &proof);
  if (!proven.ok() || proof.host_id() != identity_.host_id) {
    options_.files.Drop(staged);
    return absl::UnavailableError("the hub does not take the new one: " +
                                  SafeLine(proven.error_message(), kMostWords));
  }
  RR_RETURN_IF_ERROR(options_.files.Switch(staged));
  RR_ASSIGN_OR_RETURN(identity_, options_.files.Read());
  return absl::OkStatus();
}

// What failed is tried again soon at first, and often enough before it is too late.
void IdentityKeeper::NextTry(const absl::Status& renewed) {
  std::uniform_real_distribution<double> jitter(0.0, 1.0);
  if (renewed.ok()) {
    failures_ = 0;
    next_unix_s_ = RenewAtUnixS(identity_, jitter(random_));
    return;
  }
  const std::int64_t most = std::clamp<std::int64_t>(LifeS(identity_) / 30, 1, kLongestRetryS);
  const std::int64_t wait = std::min(most, std::int64_t{1} << std::min(failures_++, kMostRetryDoublings));
  next_unix_s_ = UnixNs(*options_.clock) / kNsPerSecond + 1 +
                 static_cast<std::int64_t>(jitter(random_) * static_cast<double>(wait));
}

}  // namespace rdmaready::enrol
