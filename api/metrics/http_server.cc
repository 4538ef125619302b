// SPDX-License-Identifier: Apache-2.0
#include "api/metrics/http_server.h"

#include <fcntl.h>
#include <microhttpd.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <stop_token>
#include <string_view>
#include <thread>
#include <utility>

#include "api/base/handle.h"
#include "api/base/status.h"
#include "api/metrics/listener.h"
#include "api/metrics/server_certificate.h"

namespace rdmaready::metrics {
namespace {

constexpr char kPriorities[] = "NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2";

// GnuTLS asks for the certificate without saying for whom; the thread that serves knows.
thread_local ServerCertificate* own_certificate = nullptr;

int GiveCertificate(::gnutls_session_t, const struct gnutls_cert_retr_st*, ::gnutls_pcert_st** certificates,
                    unsigned int* count, ::gnutls_ocsp_data_st** ocsp, unsigned int* ocsp_count,
                    ::gnutls_privkey_t* key, unsigned int* flags) {
  if (own_certificate == nullptr) return GNUTLS_E_INTERNAL_ERROR;
  static_cast<void>(own_certificate->Read());  // files that are wrong now leave it as it was
  *ocsp = nullptr;
  *ocsp_count = 0;
  return own_certificate->Give(certificates, count, key, flags);
}

HttpCaller CallerOf(::MHD_Connection* connection) {
  HttpCaller caller;
  const auto* address = ::MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (address != nullptr) caller.address = PeerText(address->client_addr);
  const auto* session = ::MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (session == nullptr || session->tls_session == nullptr) return caller;
  caller.tls = true;
  const std::vector<std::string> shown = ShownBy(static_cast<::gnutls_session_t>(session->tls_session));
  for (std::size_t i = 0; i < shown.size(); ++i)
    (i == 0 ? caller.certificate_pem : caller.others_pem) += shown[i];
  return caller;
}

::MHD_Result Send(::MHD_Connection* connection, const HttpAnswer& answer) {
  // MHD_RESPMEM_MUST_COPY: the library only reads.
  const Handle<::MHD_Response, ::MHD_destroy_response> response(::MHD_create_response_from_buffer(
      answer.body.size(), const_cast<char*>(answer.body.data()), MHD_RESPMEM_MUST_COPY));
  if (!response) return MHD_NO;
  if (!answer.content_type.empty())
    ::MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CONTENT_TYPE, answer.content_type.c_str());
  if (answer.status == MHD_HTTP_METHOD_NOT_ALLOWED)
    ::MHD_add_response_header(response.get(), MHD_HTTP_HEADER_ALLOW, "GET, HEAD");
  ::MHD_add_response_header(response.get(), MHD_HTTP_HEADER_CONNECTION, "close");
  return ::MHD_queue_response(connection, answer.status, response.get());
}

HttpAnswer Plain(unsigned status, std::string text) {
  return {status, "text/plain; charset=utf-8", std::move(text) + "\n"};
}

}  // namespace

struct HttpServer::Parts {
  HttpOptions options;
  Page page;
  std::string address{};
  UniqueFd wake{};
  std::unique_ptr<ServerCertificate> certificate{};
  ::MHD_Daemon* daemon = nullptr;
  struct Open {
    int fd = -1;
    Clock::TimePoint deadline{};
  };
  std::map<::MHD_Connection*, Open> open{};  // of the server's thread, as all below
  bool closed = false;                       // a connection, in this run of the library's
  std::jthread thread{};

  static ::MHD_Result Answer(void* self, ::MHD_Connection* connection, const char* url, const char* method,
                             const char* version, const char* data, std::size_t* size, void** seen);
  static void Came(void* self, ::MHD_Connection* connection, void** context,
                   ::MHD_ConnectionNotificationCode code);
  absl::Status StartDaemon(int listener);  // which stays the caller's
  int EndOverdue();
  void Serve(const std::stop_token& stop);
};

::MHD_Result HttpServer::Parts::Answer(void* self, ::MHD_Connection* connection, const char* url,
                                       const char* method, const char*, const char*, std::size_t* size,
                                       void** seen) {
  auto& parts = *static_cast<Parts*>(self);
  const std::string_view how(method);
  if (how != MHD_HTTP_METHOD_GET && how != MHD_HTTP_METHOD_HEAD)
    return *seen == nullptr ? Send(connection, Plain(MHD_HTTP_METHOD_NOT_ALLOWED, "only GET and HEAD"))
                            : MHD_NO;
  if (*seen == nullptr) {  // the headers are there; a body may follow
    *seen = self;
    return MHD_YES;
  }
  if (*size != 0) return MHD_NO;  // a page is asked for without one
  if (std::string_view(url) != parts.options.path)
    return Send(connection, Plain(MHD_HTTP_NOT_FOUND, "there is " + parts.options.path + " only"));
  return Send(connection, parts.page(CallerOf(connection)));
}

void HttpServer::Parts::Came(void* self, ::MHD_Connection* connection, void**,
                             ::MHD_ConnectionNotificationCode code) {
  auto& parts = *static_cast<Parts*>(self);
  if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
    parts.open.erase(connection);
    parts.closed = true;
    return;
  }
  const auto* info = ::MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  parts.open[connection] = {info == nullptr ? -1 : info->connect_fd,
                            parts.options.clock->Now() + parts.options.limits.exchange};
}

absl::Status HttpServer::Parts::StartDaemon(int listener) {
  unsigned flags = MHD_USE_EPOLL;
  std::array<::MHD_OptionItem, 8> items{};
  std::size_t count = 0;
  const auto add = [&](::MHD_OPTION option, std::intptr_t value, void* pointer) {
    items[count++] = {option, value, pointer};
  };
  if (options.tls.Any()) {
    certificate = std::make_unique<ServerCertificate>(options.tls);
    RR_RETURN_IF_ERROR(certificate->Read());
    flags |= MHD_USE_TLS;
    add(MHD_OPTION_HTTPS_CERT_CALLBACK2, 0, reinterpret_cast<void*>(&GiveCertificate));
    // Names the CA to callers, and makes the library ask them for a certificate. Who judges it is the page.
    add(MHD_OPTION_HTTPS_MEM_TRUST, 0, const_cast<char*>(certificate->ca().c_str()));
    add(MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kPriorities));
  }
  add(MHD_OPTION_END, 0, nullptr);
  const auto seconds = std::chrono::ceil<std::chrono::seconds>(options.limits.exchange).count();
  const int own = ::fcntl(listener, F_DUPFD_CLOEXEC, 0);  // the library's, which closes it
  daemon = ::MHD_start_daemon(flags, 0, nullptr, nullptr, &Answer, this, MHD_OPTION_LISTEN_SOCKET, own,
                              MHD_OPTION_NOTIFY_CONNECTION, &Came, this, MHD_OPTION_CONNECTION_LIMIT,
                              options.limits.connections, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
                              options.limits.connection_bytes, MHD_OPTION_CONNECTION_TIMEOUT,
                              static_cast<unsigned>(seconds), MHD_OPTION_ARRAY, items.data(), MHD_OPTION_END);
  if (daemon == nullptr) return absl::UnavailableError("the HTTP server did not start");
  return absl::OkStatus();
}

// Hangs up on who takes too long; returns for how long nobody does, in ms; -1: nobody is there.
int HttpServer::Parts::EndOverdue() {
  const Clock::TimePoint now = options.clock->Now();
  int wait = -1;
  for (auto& [connection, one] : open) {
    if (one.deadline <= now) {
      if (one.fd >= 0) ::shutdown(one.fd, SHUT_RDWR);
      one.deadline = now + options.limits.exchange;  // the library notices, and closes it
    }
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(one.deadline - now).count();
    wait = wait < 0 ? static_cast<int>(left) : std::min(wait, static_cast<int>(left));
  }
  return wait;
}

void HttpServer::Parts::Serve(const std::stop_token& stop) {
  own_certificate = certificate.get();
  const auto* info = ::MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  std::array<::pollfd, 2> fds{{{info->epoll_fd, POLLIN, 0}, {wake.get(), POLLIN, 0}}};
  while (!stop.stop_requested()) {
    int wait = EndOverdue();
    MHD_UNSIGNED_LONG_LONG asked = 0;
    if (::MHD_get_timeout(daemon, &asked) == MHD_YES) {
      const int most = static_cast<int>(std::min<unsigned long long>(asked, 60'000));
      wait = wait < 0 ? most : std::min(wait, most);
    }
    ::poll(fds.data(), fds.size(), wait);
    // At the limit it stops accepting, and looks whether there is room again at the beginning of a run only.
    do {
      closed = false;
      ::MHD_run(daemon);
    } while (closed);
  }
}

HttpServer::HttpServer(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {
  parts_->thread = std::jthread([parts = parts_.get()](const std::stop_token& stop) { parts->Serve(stop); });
}

HttpServer::~HttpServer() {
  parts_->thread.request_stop();
  ::eventfd_write(parts_->wake.get(), 1);
  parts_->thread.join();
  ::MHD_stop_daemon(parts_->daemon);
}

const std::string& HttpServer::address() const { return parts_->address; }

absl::StatusOr<std::unique_ptr<HttpServer>> HttpServer::Start(HttpOptions options, Page page) {
  auto parts = std::make_unique<Parts>();
  parts->options = std::move(options);
  parts->page = std::move(page);
  RR_ASSIGN_OR_RETURN(const UniqueFd listener, ListenOn(parts->options.target));
  parts->address = AddressOf(listener.get());
  parts->wake = UniqueFd(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  if (!parts->wake) return absl::UnavailableError("no descriptor to wake the HTTP server with");
  RR_RETURN_IF_ERROR(parts->StartDaemon(listener.get()));
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(parts)));
}

}  // namespace rdmaready::metrics
