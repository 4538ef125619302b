// SPDX-License-Identifier: Apache-2.0
#include "api/client/agent_client.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <grpcpp/create_channel_posix.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "api/base/version.h"
#include "api/client/agent_wire.h"
#include "api/client/beating.h"
#include "api/client/first_route.h"
#include "api/client/route.h"
#include "api/client/trusted_socket.h"
#include "api/convert/facts.h"
#include "api/convert/records.h"
#include "api/model/probe_walk.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

using std::chrono::milliseconds;

// An agent may be anybody's.
constexpr std::size_t kMaxRecordingBytes = std::size_t{128} << 20;
constexpr std::size_t kMaxRecordingFiles = 20'000;
// Runs with all their findings, as many as were asked for.
constexpr AnswerLimits kHistoryLimits{.octets = std::size_t{256} << 20, .elements = 1'000'000};

absl::StatusCode CodeOf(grpc::StatusCode code) { return static_cast<absl::StatusCode>(code); }

// Until a probe's answer is late. The kernel's own clients, which a proof uses, obey no time limit while they
// mount; an answer that was told its time is worth the wait for the facts before it and the store behind it.
milliseconds LongestProbe(milliseconds timeout, bool prove, milliseconds call_timeout) {
  constexpr milliseconds kAround{10'000};
  constexpr milliseconds kMount{130'000};
  if (timeout == milliseconds::zero()) return call_timeout + (prove ? kMostProbeTime : milliseconds::zero());
  return timeout + kAround + (prove ? kMount : milliseconds::zero());
}

std::string LevelWord(v1::LoggedEvent::Level level) {
  if (level == v1::LoggedEvent::LEVEL_INFO) return "info";
  if (level == v1::LoggedEvent::LEVEL_WARNING) return "warning";
  return level == v1::LoggedEvent::LEVEL_ERROR ? "error" : "";
}

v1::CheckRequest RequestOf(const CheckOptions& options) {
  v1::CheckRequest request;
  for (const Profile& profile : options.profiles) *request.add_profiles()->mutable_profile() = ToProto(profile);
  for (const std::string& port : options.ports) request.add_ports(port);
  request.set_level(static_cast<v1::Rung>(options.level));
  request.set_caller(options.caller);
  request.set_run_id(options.run_id);
  request.set_watch_seconds(static_cast<std::uint32_t>(options.watch.count()));
  request.set_with_facts(options.with_facts);
  request.set_in_production(options.in_production);
  return request;
}

// Holds no credentials: they go only where the wire is trusted.
v1::ProbeRequest RequestOf(const ProbeOptions& options, milliseconds timeout) {
  v1::ProbeRequest request;
  request.set_protocol(static_cast<v1::Protocol>(options.protocol));
  request.set_target(options.target);
  request.set_port_number(options.port_number);
  request.set_timeout_ms(static_cast<std::uint32_t>(timeout.count()));
  request.set_prove(options.prove);
  request.set_volume(options.volume);
  request.mutable_port()->set_device(options.port.device);
  request.mutable_port()->set_number(options.port.number);
  request.mutable_port()->set_address(options.port.address);
  request.set_caller(options.caller);
  request.set_run_id(options.run_id);
  request.set_in_production(options.in_production);
  return request;
}

// The end of a check that streamed so many findings.
absl::StatusOr<CheckAnswer> DecodeDone(const v1::CheckDone& done, std::size_t findings,
                                       const std::string& host) {
  if (!done.has_findings() || done.findings() != findings) {
    return absl::InternalError(
        fmt::format("host {}: the agent sent {} findings of the {} that it tells of", host, findings,
                    done.has_findings() ? fmt::to_string(done.findings()) : "unknown number"));
  }
  CheckAnswer answer{.report = FromProto(done.report()),
                     .run_id = done.run_id(),
                     .software_devices_only = done.software_devices_only(),
                     .store_error = done.store_error(),
                     .store_notice = done.store_notice()};
  for (const v1::Profile& used : done.profiles()) {
    RR_ASSIGN_OR_RETURN(Profile profile, FromProto(used));
    answer.profiles.push_back(std::move(profile));
  }
  if (done.has_facts()) answer.facts = FromProto(done.facts());
  if (done.has_remembered()) answer.remembered = FromProto(done.remembered());
  return answer;
}

// "127.0.0.1:7471" where the address is this host's loopback and names no other port; else empty.
std::string UsualLoopback(const HostAddress& address) {
  if (!address.unix_path.empty() || address.port != kDefaultAgentPort) return {};
  const absl::StatusOr<std::vector<ResolvedAddress>> resolved = Resolve(address);
  if (!resolved.ok() || !std::ranges::all_of(*resolved, &ResolvedAddress::loopback)) return {};
  const auto v4 = std::ranges::find_if(
      *resolved, [](const ResolvedAddress& one) { return one.target.starts_with("ipv4:"); });
  return (v4 != resolved->end() ? *v4 : resolved->front()).target.substr(std::string_view("ipv4:").size());
}

// How to ask the agent of this host that has no TCP listener: what a caller of 127.0.0.1 has to know since no
// agent listens there unless it is configured.
std::string WithoutListener(const std::string& place, bool tls) {
  const std::string role = tls ? "" : " (and `plain_role: test` for live tests)";
  return fmt::format(
      ". An agent answers TCP only where its agent.yaml says so. Leave out the host, or name "
      "unix:/run/rdmaready/test.sock, and the command asks this host's agent by its local socket. For TCP "
      "write `listen: {}`{} into /etc/rdmaready/agent.yaml, then type: systemctl restart rdmaready-agent",
      place.starts_with('[') ? "'" + place + "'" : place, role);
}

// Nobody listens, or something in between closes the connection: the agent is not there.
absl::Status WithStart(const absl::Status& status, const HostAddress& address, bool tls) {
  const std::string why = Message(status);
  const bool refused = why.ends_with(": Connection refused");
  const bool closed = why.ends_with(": Socket closed)") || why.ends_with(":Connection reset by peer)");
  if (!absl::IsUnavailable(status) || (!refused && !closed)) return status;
  if (!address.unix_path.empty()) {
    return absl::UnavailableError(
        why + " (no agent listens there; to start it, type: systemctl start rdmaready-agent)");
  }
  if (const std::string place = UsualLoopback(address); refused && !place.empty())
    return absl::UnavailableError(why + WithoutListener(place, tls));
  return absl::UnavailableError(why +
                                " (no agent listens there; to start it, type on that host: systemctl start "
                                "rdmaready-agent; one that runs needs `listen:` in its agent.yaml)");
}

}  // namespace

AgentClient::AgentClient(std::string name, std::shared_ptr<grpc::Channel> channel, const ClientOptions& options)
    : name_(std::move(name)), options_(options), wire_(new Wire{v1::Agent::NewStub(std::move(channel))}) {}

AgentClient::~AgentClient() = default;

absl::StatusOr<std::unique_ptr<AgentClient>> AgentClient::Connect(const HostAddress& address,
                                                                  const ClientOptions& options) {
  const std::string name = "host " + address.text;
  std::unique_ptr<AgentClient> found;
  const auto talk = [&](const Route& route, std::chrono::steady_clock::time_point deadline) -> absl::Status {
    auto client = std::make_unique<AgentClient>(address.text, OpenChannel(route), options);
    client->private_ = route.tls != nullptr;
    client->socket_path_ = address.unix_path;
    absl::StatusOr<AgentVersion> version = client->GetVersion();
    if (!version.ok()) {
      const absl::Status why = WhyNobody(route, version.status(), deadline);
      return why == version.status() ? why : absl::Status(why.code(), name + ": " + Message(why));
    }
    client->version_ = *std::move(version);
    found = std::move(client);
    return absl::OkStatus();
  };
  if (const absl::Status led = FirstRoute(address, name, options, talk); !led.ok())
    return WithStart(led, address, options.tls != nullptr);
  return found;
}

absl::Status AgentClient::Explain(const grpc::Status& status) const {
  if (status.ok()) return absl::OkStatus();
  const std::string host = "host " + name_ + ": ";
  switch (status.error_code()) {
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::UnimplementedError(host + "the agent is of an incompatible version, or no rdmaready agent");
    case grpc::StatusCode::UNAVAILABLE:
      return absl::UnavailableError(host + "the agent went away (" + status.error_message() + ")");
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::DeadlineExceededError(host + "the agent did not answer in time");
    case grpc::StatusCode::RESOURCE_EXHAUSTED:
      // gRPC's own words, which would read as if the agent was busy.
      if (status.error_message().find("larger than max") != std::string::npos) {
        return absl::InternalError(host +
                                   "the agent sends more than this command takes: a message larger than " +
                                   BytesText(kMaxAnswerMessageOctets));
      }
      [[fallthrough]];
    default:
      return {CodeOf(status.error_code()), host + status.error_message()};
  }
}

absl::Status AgentClient::Take(AnswerBounds& bounds, const google::protobuf::Message& message,
                               grpc::ClientContext& context) const {
  const absl::Status taken = bounds.Take(message);
  if (taken.ok()) return taken;
  context.TryCancel();
  return {taken.code(), "host " + name_ + ": the agent sends more than this command takes: " + Message(taken)};
}

absl::StatusOr<AgentVersion> AgentClient::GetVersion() {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.connect_timeout));
  v1::GetVersionResponse response;
  const grpc::Status status = wire_->stub->GetVersion(&context, {}, &response);
  if (!status.ok()) return Explain(status);
  AnswerBounds bounds({.text_octets = 256});
  RR_RETURN_IF_ERROR(Take(bounds, response, context));
  if (response.api_revision() != kApiRevision) {
    return absl::UnimplementedError(fmt::format(
        "host {}: incompatible version: the agent ({}) speaks revision {}, this command ({}) revision {}",
        name_, response.version(), response.api_revision(), kVersion, kApiRevision));
  }
  return AgentVersion{response.version(),      response.hostname(), response.instance_id(),
                      response.limits_tests(), response.stress(),   response.tcp_transfers(),
                      response.tcp_tests(),    response.numbered()};
}

absl::Status AgentClient::KnowsInProduction(bool in_production) {
  if (!in_production) return absl::OkStatus();
  RR_ASSIGN_OR_RETURN(const AgentVersion told, GetVersion());
  if (told.limits_tests) return absl::OkStatus();
  return absl::FailedPreconditionError(fmt::format(
      "host {}: its agent ({}) does not know --in-production, and would test at full speed: nothing "
      "was sent. Update that agent, or test when nobody uses the port",
      name_, told.version));
}

absl::StatusOr<Facts> AgentClient::GetFacts() {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.call_timeout));
  v1::GetFactsResponse response;
  const grpc::Status status = wire_->stub->GetFacts(&context, {}, &response);
  if (!status.ok()) return Explain(status);
  AnswerBounds bounds;
  RR_RETURN_IF_ERROR(Take(bounds, response, context));
  return FromProto(response.facts());
}

absl::StatusOr<std::map<std::string, std::string>> AgentClient::GetRecording(std::chrono::seconds lldp) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.call_timeout + lldp));
  v1::GetRecordingRequest request;
  request.set_lldp_seconds(static_cast<std::uint32_t>(lldp.count()));
  const auto reader = wire_->stub->GetRecording(&context, request);
  std::map<std::string, std::string> files;
  std::size_t left = kMaxRecordingBytes;
  for (v1::RecordingPart part; reader->Read(&part);) {
    const std::size_t bytes = part.path().size() + part.data().size();
    if (bytes > left || files.size() > kMaxRecordingFiles) {
      context.TryCancel();
      return absl::InternalError("host " + name_ + ": the agent sends more than a recording may hold");
    }
    left -= bytes;
    files[part.path()] += part.data();
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Explain(status);
  return files;
}

absl::StatusOr<CheckAnswer> AgentClient::Check(const CheckOptions& options, const Progress& progress,
                                               const OnFinding& on_finding) {
  RR_RETURN_IF_ERROR(KnowsInProduction(options.in_production));
  v1::CheckRequest request = RequestOf(options);
  const Beating beating(wire_->Says(), version_.limits_tests);
  request.set_beat(beating.word());

  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.call_timeout + options.watch));
  const auto reader = wire_->stub->Check(&context, request);
  std::vector<Finding> findings;
  std::optional<CheckAnswer> answer;
  AnswerBounds bounds;
  for (v1::CheckEvent event; reader->Read(&event);) {
    RR_RETURN_IF_ERROR(Take(bounds, event, context));
    if (event.has_progress() && progress) progress(event.progress());
    if (event.has_finding()) {
      findings.push_back(FromProto(event.finding()));
      if (on_finding) on_finding(findings.back());
    }
    if (event.has_done()) {
      absl::StatusOr<CheckAnswer> done = DecodeDone(event.done(), findings.size(), name_);
      if (!done.ok()) {
        context.TryCancel();
        return std::move(done).status();
      }
      answer = *std::move(done);
    }
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Explain(status);
  if (!answer) return absl::InternalError("host " + name_ + ": the agent ended the check without a report");
  answer->report.findings = std::move(findings);
  return *std::move(answer);
}

absl::Status AgentClient::TestLoopback(const PortSelection& port, const std::vector<std::string>& cases,
                                       const std::string& caller, const std::string& run_id,
                                       const Progress& progress, const OnTransfer& on_transfer,
                                       const TransferOptions& options) {
  RR_RETURN_IF_ERROR(KnowsInProduction(options.in_production));
  v1::TestLoopbackRequest request;
  *request.mutable_options() = ToProto(options);
  request.mutable_port()->set_device(port.device);
  request.mutable_port()->set_number(port.number);
  request.mutable_port()->set_address(port.address);
  for (const std::string& name : cases) request.add_cases(name);
  request.set_caller(caller);
  request.set_run_id(run_id);

  grpc::ClientContext context;
  const Beating beating(wire_->Says(), version_.limits_tests);
  request.set_beat(beating.word());
  // A longer test may take longer by that, for each case on each port.
  constexpr int kMostTests = 20;
  context.set_deadline(Deadline(options, kMostTests));
  const auto reader = wire_->stub->TestLoopback(&context, request);
  AnswerBounds bounds;
  for (v1::TransferEvent event; reader->Read(&event);) {
    RR_RETURN_IF_ERROR(Take(bounds, event, context));
    if (event.has_progress() && progress) progress(event.progress());
    if (event.has_result() && on_transfer) {
      const v1::TransferEvent::Result& result = event.result();
      PortTransfer transfer{.port = result.port(), .result = FromProto(result.result())};
      if (result.has_reverse()) transfer.reverse = FromProto(result.reverse());
      transfer.store_error = result.store_error();
      on_transfer(transfer);
    }
  }
  return Explain(reader->Finish());
}

absl::Status CredentialsNeedPrivacy(const std::string& host) {
  return absl::InvalidArgumentError("host " + host +
                                    ": credentials are not sent in plain text: use TLS (--tls-cert, --tls-key, "
                                    "--tls-ca), or run this on that host and without HOST");
}

absl::StatusOr<std::unique_ptr<AgentClient::Wire>> AgentClient::WayForSecrets() const {
  if (private_) return nullptr;
  if (socket_path_.empty()) return CredentialsNeedPrivacy(name_);
  const Clock::TimePoint deadline = RealClock().Now() + options_.connect_timeout;
  absl::StatusOr<UniqueFd> fd = ConnectTrusted(socket_path_, deadline);
  if (!fd.ok()) return absl::Status(fd.status().code(), "host " + name_ + ": " + Message(fd.status()));
  const int given = ::fcntl(fd->get(), F_DUPFD_CLOEXEC, 0);  // gRPC closes it
  if (given < 0) return ErrnoStatus(errno, "host " + name_ + ": duplicate a socket");
  return std::unique_ptr<Wire>(
      new Wire{v1::Agent::NewStub(grpc::CreateInsecureChannelFromFd("unix:" + socket_path_, given))});
}

absl::StatusOr<ProbeAnswer> AgentClient::Probe(const ProbeOptions& options, const Progress& progress) {
  RR_RETURN_IF_ERROR(KnowsInProduction(options.in_production));
  const milliseconds timeout = std::min(options.timeout, kMostProbeTime);
  v1::ProbeRequest request = RequestOf(options, timeout);
  std::unique_ptr<Wire> trusted;
  if (!options.credentials.user_name.empty()) {
    RR_ASSIGN_OR_RETURN(trusted, WayForSecrets());
    request.mutable_credentials()->set_user_name(options.credentials.user_name);
    request.mutable_credentials()->set_password(options.credentials.password);
    request.mutable_credentials()->set_domain(options.credentials.domain);
  }
  const Beating beating(wire_->Says(), version_.limits_tests);
  request.set_beat(beating.word());

  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(LongestProbe(timeout, options.prove, options_.call_timeout)));
  const auto reader = (trusted ? trusted : wire_)->stub->Probe(&context, request);
  std::optional<ProbeAnswer> answer;
  AnswerBounds bounds;
  for (v1::ProbeEvent event; reader->Read(&event);) {
    RR_RETURN_IF_ERROR(Take(bounds, event, context));
    if (event.has_progress() && progress) progress(event.progress());
    if (!event.has_done()) continue;
    const v1::ProbeDone& done = event.done();
    answer = {.result = FromProto(done.result()),
              .run_id = done.run_id(),
              .store_error = done.store_error(),
              .store_notice = done.store_notice()};
    for (const v1::Finding& finding : done.findings()) answer->findings.push_back(FromProto(finding));
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Explain(status);
  if (!answer) return absl::InternalError("host " + name_ + ": the agent ended the probe without a result");
  return *std::move(answer);
}

absl::StatusOr<History> AgentClient::ListHistory(const HistoryQuery& query) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.call_timeout));
  const auto reader = wire_->stub->ListHistory(&context, ToProto(query));
  History history;
  AnswerBounds bounds(kHistoryLimits);
  for (v1::HistoryEntry entry; reader->Read(&entry);) {
    RR_RETURN_IF_ERROR(Take(bounds, entry, context));
    if (entry.has_run()) history.runs.push_back(FromProto(entry.run()));
    if (entry.has_transfer()) history.transfers.push_back(FromProto(entry.transfer()));
    if (entry.has_event()) history.events.push_back(FromProto(entry.event()));
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Explain(status);
  return history;
}

absl::StatusOr<std::vector<CaseBaseline>> AgentClient::Baseline(const BaselineQuery& query) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.call_timeout));
  v1::BaselineRequest request;
  request.set_port(query.port);
  request.set_case_name(query.case_name);
  const auto reader = wire_->stub->Baseline(&context, request);
  std::vector<CaseBaseline> baselines;
  AnswerBounds bounds(kHistoryLimits);
  for (v1::CaseBaseline baseline; reader->Read(&baseline);) {
    RR_RETURN_IF_ERROR(Take(bounds, baseline, context));
    baselines.push_back(FromProto(baseline));
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Explain(status);
  return baselines;
}

absl::StatusOr<std::vector<AgentEvent>> AgentClient::GetEvents() {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(options_.call_timeout));
  const auto reader = wire_->stub->GetEvents(&context, {});
  std::vector<AgentEvent> events;
  AnswerBounds bounds(kHistoryLimits);
  for (v1::LoggedEvent event; reader->Read(&event);) {
    RR_RETURN_IF_ERROR(Take(bounds, event, context));
    AgentEvent& one = events.emplace_back();
    one.unix_ns = event.unix_ns();
    one.level = LevelWord(event.level());
    one.name = event.name();
    for (const v1::LoggedEvent::Field& field : event.fields())
      one.fields.emplace_back(field.key(), field.value());
  }
  const grpc::Status status = reader->Finish();
  if (!status.ok()) return Explain(status);
  return events;
}

}  // namespace rdmaready
