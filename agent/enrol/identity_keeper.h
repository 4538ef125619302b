// SPDX-License-Identifier: Apache-2.0
// IdentityKeeper: keeps an enrolled host enrolled: renews its certificate at two thirds of its life, by a new
// key each time, and takes over the revocation lists that the hub passes on. One thread.
//
// The certificate before stays in use until the hub has answered a call by the new one. Whoever reads the files
// (api/client/report_channel.h, api/daemon/server_tls.h) has the new one within a minute; the stream to the hub
// is opened again by it at once.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "agent/enrol/identity_files.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/client/tls.h"

namespace grpc {
class Channel;
}

namespace rdmaready::enrol {

struct KeeperOptions {
  IdentityFiles files;
  std::function<std::shared_ptr<grpc::Channel>(const TlsFiles&)> channel{};  // a fresh one to the hub
  std::function<void()> renewed{};                                           // on the keeper's thread
  std::uint64_t seed = 0;
  EventSink events{};
  Clock* clock = &RealClock();
};

// When a certificate is to be renewed: at two thirds of its life, give or take a tenth of that. Its life begins
// when it was issued, which is five minutes after it says. `jitter`: from 0 to 1.
std::int64_t RenewAtUnixS(const Identity& identity, double jitter);

class IdentityKeeper {
 public:
  // kNotFound, kDataLoss: as IdentityFiles::Read.
  static absl::StatusOr<std::shared_ptr<IdentityKeeper>> Start(KeeperOptions options);
  ~IdentityKeeper();

  // Lists that the hub passed on; judged and written by the thread. Any thread.
  void Heard(std::string lists_pem);
  // SHA-256 of those in use, 32 octets. Any thread.
  std::string ListsSha256() const;

  // Ends the thread, and gives up a call that is under way; what is heard later is forgotten. `renewed` is not
  // called any more.
  void Stop();

 private:
  explicit IdentityKeeper(KeeperOptions options);
  void Run(const std::stop_token& stop);
  void TakeLists();
  void RenewWhenDue(const std::stop_token& stop);
  absl::Status Renew(const std::stop_token& stop);
  void NextTry(const absl::Status& renewed);

  const KeeperOptions options_;
  Identity identity_{};
  std::int64_t next_unix_s_ = 0;
  int failures_ = 0;
  std::string told_{};  // the failure that was told last
  std::mt19937_64 random_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable_any woken_;
  std::optional<std::string> heard_{};
  std::optional<std::string> untaken_{};  // lists that could not be written; of the thread alone
  std::jthread thread_;
};

}  // namespace rdmaready::enrol
