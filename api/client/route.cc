// SPDX-License-Identifier: Apache-2.0
#include "api/client/route.h"

#include <grpcpp/grpcpp.h>

#include <string_view>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/answer_bounds.h"
#include "api/client/tls_channel.h"
#include "api/client/tls_probe.h"

namespace rdmaready {
namespace {

constexpr char kNoGrpc[] = "no gRPC there";

// A server that has too much to do closes handshakes, too: the next one may pass.
bool MayPassLater(const absl::Status& why) {
  const std::string text = Message(why);
  return text == kNoGrpc || text.find("closed the connection in the TLS handshake") != std::string::npos ||
         text.find("no answer in the TLS handshake") != std::string::npos;
}

// The probe knows agents only.
std::string Naming(std::string text, const std::string& who) {
  constexpr std::string_view kAgent = "the agent";
  for (std::size_t at = text.find(kAgent); at != std::string::npos; at = text.find(kAgent, at + who.size()))
    text.replace(at, kAgent.size(), who);
  return text;
}

// A certificate that is not valid yet becomes valid: at boot the clock of a host may be behind.
absl::Status RefusedByTls(const std::string& why) {
  const bool lasts =
      why.find("certificate") != std::string::npos && why.find("is not valid before") == std::string::npos;
  return lasts ? absl::UnauthenticatedError(why) : absl::UnavailableError(why);
}

}  // namespace

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

absl::Status AwaitConnected(const Route& route, grpc::Channel& channel,
                            std::chrono::steady_clock::time_point deadline, const std::string& who) {
  absl::Status why = absl::UnavailableError(kNoGrpc);
  while (true) {
    const ::grpc_connectivity_state state = channel.GetState(true);
    if (state == GRPC_CHANNEL_READY) return absl::OkStatus();
    if (state == GRPC_CHANNEL_TRANSIENT_FAILURE) {
      why = WhyNobody(route, absl::UnavailableError(kNoGrpc), deadline, who);
      if (!MayPassLater(why)) return why;
    }
    if (!channel.WaitForStateChange(state, DeadlineIn(deadline - RealClock().Now()))) return why;
  }
}

absl::Status WhyNobody(const Route& route, absl::Status otherwise,
                       std::chrono::steady_clock::time_point deadline, const std::string& who) {
  if (route.target.starts_with("unix:") || !absl::IsUnavailable(otherwise)) return otherwise;
  if (route.tls == nullptr) {
    if (!SpeaksTls(route.target, deadline)) return otherwise;
    return absl::UnauthenticatedError(who + " wants TLS: --tls-ca, --tls-cert and --tls-key are needed (" +
                                      kOrHeldElsewhere + ")");
  }
  const std::string why = WhyTlsFails(route.target, route.certificate_name, *route.tls, deadline);
  return why.empty() ? otherwise : RefusedByTls(Naming(why, who) + route.tls_places);
}

}  // namespace rdmaready
