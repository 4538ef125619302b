// SPDX-License-Identifier: Apache-2.0
// Door: /metrics of an agent. A scrape shows what the agent knows already; it reads nothing of the host but
// what this process costs.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "agent/metrics/book.h"
#include "agent/metrics/exposition.h"
#include "agent/metrics/http_server.h"
#include "api/base/event.h"
#include "api/client/tls.h"

namespace rdmaready::metrics {

inline constexpr std::string_view kDefaultListen = "127.0.0.1:7472";
inline constexpr std::string_view kNowhere = "none";

struct DoorOptions {
  std::string listen{};   // HOST[:PORT]; empty: kDefaultListen; kNowhere: there is no door
  TlsFiles tls{};         // any: mutual TLS, on loopback too
  bool insecure = false;  // plain text off loopback
  HttpLimits limits{};
  EventSink events{};
  // Whether this caller may see metrics; else kPermissionDenied, kUnauthenticated or kResourceExhausted.
  std::function<absl::Status(const HttpCaller&)> admit{};
  std::function<AgentNow()> now{};
};

class Door {
 public:
  // `book` outlives the door. Null: nowhere was asked for; or the default address, and it is taken: then the
  // log says so (`metrics-off`), since an agent that works is worth more than one that is counted. An address
  // that was asked for: kUnavailable, kInvalidArgument, kNotFound; kFailedPrecondition: plain text off
  // loopback.
  static absl::StatusOr<std::unique_ptr<Door>> Open(DoorOptions options, const Book& book);

  const std::string& address() const { return server_->address(); }
  bool tls() const { return tls_; }

 private:
  Door() = default;

  bool tls_ = false;
  std::unique_ptr<HttpServer> server_;
};

}  // namespace rdmaready::metrics
