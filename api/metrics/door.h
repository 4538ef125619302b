// SPDX-License-Identifier: Apache-2.0
// Door: /metrics of a daemon. A scrape shows what the daemon knows already.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/base/event.h"
#include "api/client/tls.h"
#include "api/metrics/http_server.h"

namespace rdmaready::metrics {

inline constexpr std::string_view kNowhere = "none";

struct DoorOptions {
  std::string listen{};            // HOST[:PORT]; empty: the default; kNowhere: there is no door
  std::uint16_t default_port = 0;  // on loopback
  TlsFiles tls{};                  // any: mutual TLS, on loopback too
  bool insecure = false;           // plain text off loopback
  HttpLimits limits{};
  Clock* clock = &RealClock();
  EventSink events{};
  // Whether this caller may see metrics; else kPermissionDenied, kUnauthenticated or kResourceExhausted.
  std::function<absl::Status(const HttpCaller&)> admit{};
  std::function<std::string()> page{};  // in the text format; called on the door's thread
};

class Door {
 public:
  // Null: nowhere was asked for; or the default address, and it is taken: then the log says so
  // (`metrics-off`), since a daemon that works is worth more than one that is counted. An address
  // that was asked for: kUnavailable, kInvalidArgument, kNotFound; kFailedPrecondition: plain text off
  // loopback.
  static absl::StatusOr<std::unique_ptr<Door>> Open(DoorOptions options);

  const std::string& address() const { return server_->address(); }
  bool tls() const { return tls_; }

 private:
  Door() = default;

  bool tls_ = false;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace rdmaready::metrics
