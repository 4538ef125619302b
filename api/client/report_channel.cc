// SPDX-License-Identifier: Apache-2.0
#include "api/client/report_channel.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/support/channel_arguments.h>

#include <memory>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/client/hub_address.h"

namespace rdmaready {
namespace {

constexpr unsigned kRereadCertificatesSeconds = 60;
constexpr int kReconnectMs = 1'000;              // whoever opens streams backs off by himself
constexpr int kConnectWithinMs = 20'000;         // a hub that has thousands to greet
constexpr int kReceivedBytes = 2 * 1024 * 1024;  // revocation lists are the largest

// As gRPC names it, which resolves it again when the connection is lost.
std::string TargetOf(const HostAddress& address) {
  if (!address.unix_path.empty()) return "unix:" + address.unix_path;
  const bool v6 = address.host.find(':') != std::string::npos;
  return "dns:///" + (v6 ? "[" + address.host + "]" : address.host) + ":" + std::to_string(address.port);
}

namespace experimental = grpc::experimental;

std::shared_ptr<grpc::ChannelCredentials> CredentialsBy(
    std::shared_ptr<experimental::CertificateProviderInterface> provider) {
  experimental::TlsChannelCredentialsOptions options;
  options.set_certificate_provider(std::move(provider));
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  return experimental::TlsCredentials(options);
}

std::shared_ptr<grpc::Channel> ChannelBy(const std::shared_ptr<grpc::ChannelCredentials>& credentials,
                                         const std::string& hub, int number, const Keepalive& keepalive) {
  const absl::StatusOr<HostAddress> address = ParseHubAddress(hub);
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, static_cast<int>(keepalive.ping.count()));
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, static_cast<int>(keepalive.answer.count()));
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);  // a period may be longer than any number of them
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, kConnectWithinMs);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, kReconnectMs);
  arguments.SetMaxReceiveMessageSize(kReceivedBytes);
  arguments.SetInt("rdmaready.channel", number);
  return grpc::CreateCustomChannel(address.ok() ? TargetOf(*address) : hub, credentials, arguments);
}

}  // namespace

absl::Status CheckReportRoute(const std::string& hub, const TlsFiles& tls, bool insecure) {
  RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHubAddress(hub));
  if (tls.Any()) return LoadTls(tls, TlsRole::kCaller).status();
  if (insecure || !address.unix_path.empty()) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  for (const ResolvedAddress& one : resolved) {
    if (!one.loopback)
      return absl::FailedPreconditionError("hub " + hub +
                                           " is not on loopback: refusing to report in plain text without "
                                           "--insecure (or --tls-cert, --tls-key and --tls-ca)");
  }
  return absl::OkStatus();
}

std::shared_ptr<grpc::Channel> ReportChannel(const std::string& hub, const TlsFiles& tls, int number,
                                             const Keepalive& keepalive) {
  if (!tls.Any()) return ChannelBy(grpc::InsecureChannelCredentials(), hub, number, keepalive);
  return ChannelBy(CredentialsBy(std::make_shared<experimental::FileWatcherCertificateProvider>(
                       tls.key, tls.certificate, tls.ca, kRereadCertificatesSeconds)),
                   hub, number, keepalive);
}

std::shared_ptr<grpc::Channel> ReportChannelByTexts(const std::string& hub, const TlsMaterial& tls, int number,
                                                    const Keepalive& keepalive) {
  return ChannelBy(CredentialsBy(std::make_shared<experimental::StaticDataCertificateProvider>(
                       tls.ca, std::vector<experimental::IdentityKeyCertPair>{{tls.key, tls.certificate}})),
                   hub, number, keepalive);
}

}  // namespace rdmaready
