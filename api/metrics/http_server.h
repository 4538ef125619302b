// SPDX-License-Identifier: Apache-2.0
// HttpServer: answers one page by HTTP, on one thread, and bounds what anybody can take by asking for it.
//
// The library is libmicrohttpd: its event loop serves all connections from one thread, and it bounds
// connections and the memory of each by itself. cpp-httplib, as Debian 12 has it, gives a slow caller a thread
// of its own for as long as he likes, reads any number of header lines, and does not tell the handler the
// caller's certificate.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/base/clock.h"
#include "api/client/tls.h"

namespace rdmaready::metrics {

struct HttpCaller {
  std::string address{};  // "ipv4:127.0.0.1:40112", "ipv6:[::1]:40112"
  bool tls = false;
  std::string certificate_pem{};  // not judged, but its key is the caller's; empty: none was shown
  std::string others_pem{};       // that he sent with it
};

struct HttpAnswer {
  unsigned status = 200;
  std::string content_type{};
  std::string body{};
};

struct HttpLimits {
  unsigned connections = 16;                // at a time; more wait, or are turned away by the kernel
  std::size_t connection_bytes = 16 << 10;  // a request's line and headers together have less
  // From the connection to the last byte of the answer. Every connection is for one request.
  std::chrono::milliseconds exchange{5'000};
};

struct HttpOptions {
  std::string target{};  // ResolvedAddress::target: "ipv4:127.0.0.1:7472"
  std::string path{};    // of the page
  TlsFiles tls{};        // any: TLS 1.2 or later, and each caller is asked for his certificate
  HttpLimits limits{};
  Clock* clock = &RealClock();
};

class HttpServer {
 public:
  // Called on the server's thread for each GET or HEAD of the page.
  using Page = std::function<HttpAnswer(const HttpCaller&)>;

  // kUnavailable: nobody can listen there, in the kernel's words. kInvalidArgument: the TLS files; afterwards
  // they are read for each caller, and files that are wrong then leave the certificate as it was.
  static absl::StatusOr<std::unique_ptr<HttpServer>> Start(HttpOptions options, Page page);

  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;
  // Closes what is open.
  ~HttpServer();

  // With the real port where 0 was asked for: "127.0.0.1:7472".
  const std::string& address() const;

 private:
  struct Parts;
  explicit HttpServer(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace rdmaready::metrics
