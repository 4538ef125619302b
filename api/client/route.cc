// SPDX-License-Identifier: Apache-2.0
#include "api/client/route.h"

#include <grpcpp/grpcpp.h>

#include "api/base/status.h"
#include "api/client/answer_bounds.h"
#include "api/client/tls_channel.h"
#include "api/client/tls_probe.h"

namespace rdmaready {

std::shared_ptr<grpc::Channel> OpenChannel(const Route& route) {
  grpc::ChannelArguments arguments;
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);  // an agent is never behind the user's web proxy
  arguments.SetMaxReceiveMessageSize(kMaxAnswerMessageOctets);
  if (route.tls == nullptr) {
    return grpc::CreateCustomChannel(route.target, grpc::InsecureChannelCredentials(), arguments);
  }
  arguments.SetSslTargetNameOverride(route.certificate_name);
  return grpc::CreateCustomChannel(route.target, CallerCredentials(*route.tls), arguments);
}

absl::Status WhyNobody(const Route& route, absl::Status otherwise,
                       std::chrono::steady_clock::time_point deadline, const std::string& who) {
  if (route.target.starts_with("unix:") || !absl::IsUnavailable(otherwise)) return otherwise;
  if (route.tls == nullptr) {
    if (!SpeaksTls(route.target, deadline)) return otherwise;
    return absl::UnavailableError(who + " wants TLS: --tls-ca, --tls-cert and --tls-key are needed");
  }
  const std::string why = WhyTlsFails(route.target, route.certificate_name, *route.tls, deadline);
  return why.empty() ? otherwise : absl::UnavailableError(why);
}

}  // namespace rdmaready
