// SPDX-License-Identifier: Apache-2.0
#include "agent/enrol/enrol.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/grpcpp.h>
#include <grpcpp/security/credentials.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <memory>
#include <utility>
#include <vector>

#include "agent/enrol/granted.h"
#include "agent/enrol/identity_files.h"
#include "api/base/clock.h"
#include "api/base/digest.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/client/address.h"
#include "api/client/certificate.h"
#include "api/client/server_chain.h"
#include "api/pki/crypto.h"
#include "api/pki/request.h"
#include "rdmaready/v1/enrolment.grpc.pb.h"

namespace rdmaready::enrol {
namespace {

constexpr auto kReachWithin = std::chrono::seconds(20);
constexpr auto kEnrolWithin = std::chrono::seconds(30);
constexpr std::size_t kMostIdBytes = 256;

// A hub that shows the CA that the token is for, and where.
struct Found {
  std::string target{};
  std::string name{};
  std::string root_pem{};
};

absl::StatusOr<std::string> PemText(const ::X509& certificate) {
  const pki::Bio bio = pki::WritingBio();
  if (!bio || ::PEM_write_bio_X509(bio.get(), &certificate) != 1)
    return pki::CryptoFailure("write a certificate");
  return pki::WrittenTo(*bio);
}

// The one of the chain that the token means.
absl::StatusOr<std::string> RootShown(const std::string& target, const std::string& fingerprint, Clock& clock) {
  RR_ASSIGN_OR_RETURN(const std::vector<Certificate> chain,
                      UnverifiedChainOf(target, clock.Now() + kReachWithin));
  for (const Certificate& one : chain) {
    RR_ASSIGN_OR_RETURN(const std::string digest, pki::Fingerprint(*one));
    if (digest == fingerprint && ::X509_check_ca(one.get()) > 0) return PemText(*one);
  }
  return absl::UnauthenticatedError(
      "it does not show the CA that the token is for: it is another hub, or somebody between; the token was "
      "not sent");
}

absl::StatusOr<Found> FindHub(const std::string& hub, const std::string& fingerprint, Clock& clock) {
  RR_ASSIGN_OR_RETURN(HostAddress address, ParseHostAddress(hub));
  if (!address.unix_path.empty())
    return absl::InvalidArgumentError("the hub is at an address, not at a local socket");
  if (!hub.ends_with(":" + std::to_string(address.port))) address.port = kDefaultEnrolPort;
  RR_ASSIGN_OR_RETURN(const std::vector<ResolvedAddress> resolved, Resolve(address));
  absl::Status last = absl::NotFoundError("no address");
  for (const ResolvedAddress& one : resolved) {
    absl::StatusOr<std::string> root = RootShown(one.target, fingerprint, clock);
    if (root.ok()) return Found{one.target, CertificateName(address, one), *std::move(root)};
    last = {root.status().code(), "hub " + hub + ": " + Message(root.status())};
  }
  return last;
}

std::string LineIn(const std::string& path) {
  const absl::StatusOr<std::string> text = ReadSmallFile(path, kMostIdBytes);
  return text.ok() ? TrimRight(*text) : std::string();
}

v1::EnrolRequest RequestOf(const pki::EnrolmentToken& token, std::string request_pem) {
  v1::EnrolRequest request;
  request.set_secret(token.secret);
  request.set_request_pem(std::move(request_pem));
  std::array<char, 256> name{};
  if (::gethostname(name.data(), name.size() - 1) == 0) request.set_hostname(name.data());
  if (const std::string machine = LineIn("/etc/machine-id"); !machine.empty())
    request.set_machine_id(Sha256("rdmaready machine " + machine).value_or(""));
  return request;
}

absl::StatusOr<v1::HostCertificate> Ask(const std::string& hub, const Found& found,
                                        const v1::EnrolRequest& request) {
  grpc::ChannelArguments arguments;
  arguments.SetSslTargetNameOverride(found.name);
  arguments.SetInt(GRPC_ARG_ENABLE_HTTP_PROXY, 0);
  grpc::SslCredentialsOptions credentials;
  credentials.pem_root_certs = found.root_pem;
  const auto channel = grpc::CreateCustomChannel(found.target, grpc::SslCredentials(credentials), arguments);
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(kEnrolWithin));
  v1::HostCertificate answer;
  const grpc::Status status = v1::Enrolment::NewStub(channel)->Enrol(&context, request, &answer);
  if (status.ok()) return answer;
  std::string words = SafeLine(status.error_message(), 300);
  if (status.error_code() == grpc::StatusCode::UNAVAILABLE)
    words = "no connection as " + found.name + " (is that a name of its certificate?): " + words;
  return absl::Status(static_cast<absl::StatusCode>(status.error_code()), "hub " + hub + ": " + words);
}

}  // namespace

absl::StatusOr<Enrolled> Enrol(const EnrolOptions& options) {
  const IdentityFiles files(options.state_directory);
  RR_ASSIGN_OR_RETURN(const pki::DirectoryLock lock, files.Lock());
  if (files.Enrolled() && !options.again) {
    const absl::StatusOr<Identity> now = files.Read();
    return absl::AlreadyExistsError("this host is enrolled already, as " +
                                    (now.ok() ? now->host_id : std::string("one that cannot be read")) +
                                    ": --again makes it a new one");
  }
  RR_ASSIGN_OR_RETURN(const pki::PrivateKey key, files.PendingKey());
  RR_ASSIGN_OR_RETURN(std::string request_pem, pki::MakeRequest(*key, "rdmaready host"));
  RR_ASSIGN_OR_RETURN(const Found found, FindHub(options.hub, options.token.ca_fingerprint, *options.clock));
  RR_ASSIGN_OR_RETURN(const v1::HostCertificate answer,
                      Ask(options.hub, found, RequestOf(options.token, std::move(request_pem))));
  RR_ASSIGN_OR_RETURN(const Generation generation, JudgeGranted(answer, *key, ""));
  RR_ASSIGN_OR_RETURN(const std::string staged, files.Stage(generation));
  RR_RETURN_IF_ERROR(files.Switch(staged));
  files.ForgetPendingKey();
  RR_ASSIGN_OR_RETURN(const Identity identity, files.Read());
  return Enrolled{identity.host_id, identity.not_after_unix_s, options.state_directory + "/identity"};
}

}  // namespace rdmaready::enrol
