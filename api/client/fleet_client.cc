// SPDX-License-Identifier: Apache-2.0
#include "api/client/fleet_client.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <map>
#include <utility>

#include "api/base/clock.h"
#include "api/base/status.h"
#include "api/client/first_route.h"
#include "api/client/fleet_wire.h"
#include "api/client/hub_address.h"
#include "api/client/route.h"
#include "api/convert/fleet.h"

namespace rdmaready {
namespace {

constexpr std::uint32_t kRowsOnPage = 4000;
constexpr std::size_t kMostCursors = 10'000;          // some 600 KB of them
constexpr std::int64_t kOverlapNs = 120'000'000'000;  // a change is told after the time that it has
constexpr auto kFirstRetry = std::chrono::milliseconds(500);
constexpr auto kLongestRetry = std::chrono::milliseconds(10'000);

v1::HostFilter FilterMessage(const FleetFilterWords& filter) {
  v1::HostFilter message;
  message.mutable_hosts()->Assign(filter.hosts.begin(), filter.hosts.end());
  message.mutable_groups()->Assign(filter.groups.begin(), filter.groups.end());
  message.mutable_racks()->Assign(filter.racks.begin(), filter.racks.end());
  message.mutable_checks()->Assign(filter.checks.begin(), filter.checks.end());
  for (const HostCondition condition : filter.conditions)
    message.add_conditions(static_cast<v1::HostCondition>(condition));
  return message;
}

template <class Row, class Message>
void AppendRows(const google::protobuf::RepeatedPtrField<Message>& messages, std::vector<Row>& rows) {
  for (const Message& message : messages) rows.push_back(FromProto(message));
}

// What another try would not change.
bool IsWorthRetrying(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::UNIMPLEMENTED:
      return false;
    default:
      return true;
  }
}

}  // namespace

FleetClient::FleetClient(std::string name, const ClientOptions& options, std::shared_ptr<grpc::Channel> channel)
    : name_(std::move(name)),
      call_timeout_(options.call_timeout),
      wire_(new Wire{v1::Fleet::NewStub(channel), v1::Access::NewStub(std::move(channel))}) {}

FleetClient::~FleetClient() = default;

absl::StatusOr<std::unique_ptr<FleetClient>> FleetClient::Connect(const std::string& hub,
                                                                  const ClientOptions& options) {
  RR_ASSIGN_OR_RETURN(const HostAddress address, ParseHubAddress(hub));
  const std::string name = "hub " + hub;
  std::unique_ptr<FleetClient> found;
  const auto talk = [&](const Route& route, Clock::TimePoint deadline) -> absl::Status {
    const std::shared_ptr<grpc::Channel> channel = OpenChannel(route);
    if (const absl::Status why = AwaitConnected(route, *channel, deadline, "the hub"); !why.ok())
      return {why.code(), name + ": " + Message(why)};
    found.reset(new FleetClient(hub, options, channel));
    return absl::OkStatus();
  };
  RR_RETURN_IF_ERROR(FirstRoute(address, name, options, talk));
  return found;
}

absl::Status FleetClient::Explain(const grpc::Status& status) const {
  if (status.ok()) return absl::OkStatus();
  const std::string hub = "hub " + name_ + ": ";
  switch (status.error_code()) {
    case grpc::StatusCode::UNIMPLEMENTED:
      return absl::UnimplementedError(hub + "it is no rdmaready hub, or one of an incompatible version");
    case grpc::StatusCode::UNAVAILABLE:
      return absl::UnavailableError(hub + "it went away (" + status.error_message() + ")");
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return absl::DeadlineExceededError(hub + "it did not answer in time");
    default:
      return {static_cast<absl::StatusCode>(status.error_code()), hub + status.error_message()};
  }
}

template <class Method, class Request, class Response>
absl::Status FleetClient::Call(Method method, const Request& request, Response& response) {
  grpc::ClientContext context;
  context.set_deadline(DeadlineIn(call_timeout_));
  return Explain(((*wire_->fleet).*method)(&context, request, &response));
}

absl::StatusOr<FleetStatus> FleetClient::Status(const FleetFilterWords& filter, std::uint32_t most_odd) {
  v1::GetStatusRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_most_odd(most_odd);
  v1::FleetStatus response;
  RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::GetStatus, request, response));
  return FromProto(response);
}

absl::StatusOr<std::vector<FleetHost>> FleetClient::Hosts(const FleetFilterWords& filter) {
  v1::ListHostsRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_page_size(kRowsOnPage);
  std::vector<FleetHost> hosts;
  do {
    v1::ListHostsResponse response;
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::ListHosts, request, response));
    AppendRows(response.hosts(), hosts);
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return hosts;
}

absl::StatusOr<std::vector<FleetFinding>> FleetClient::Findings(const FleetFilterWords& filter) {
  v1::ListFindingsRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_with_remedy(filter.hosts.size() == 1);
  request.set_page_size(kRowsOnPage);
  std::vector<FleetFinding> findings;
  do {
    v1::ListFindingsResponse response;
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::ListFindings, request, response));
    AppendRows(response.findings(), findings);
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return findings;
}

absl::StatusOr<std::vector<FleetChange>> FleetClient::Changes(const FleetFilterWords& filter,
                                                              std::int64_t since_unix_ns, std::size_t most) {
  v1::ListTransitionsRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_since_unix_ns(since_unix_ns);
  request.set_page_size(static_cast<std::uint32_t>(std::min<std::size_t>(most, kRowsOnPage)));
  std::vector<FleetChange> changes;
  do {
    v1::ListTransitionsResponse response;
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::ListTransitions, request, response));
    AppendRows(response.changes(), changes);
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty() && changes.size() < most);
  if (changes.size() > most) changes.resize(most);
  return changes;
}

absl::StatusOr<FleetClient::DiffAnswer> FleetClient::Diff(const FleetFilterWords& filter,
                                                          std::int64_t at_unix_ns) {
  v1::FleetDiffRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_at_unix_ns(at_unix_ns);
  request.set_page_size(kRowsOnPage);
  DiffAnswer answer;
  do {
    v1::FleetDiffResponse response;
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::Diff, request, response));
    AppendRows(response.differences(), answer.differences);
    answer.kept_since_unix_ns = response.kept_since_unix_ns();
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return answer;
}

absl::StatusOr<FleetClient::BaselineAnswer> FleetClient::Baseline(const FleetFilterWords& filter) {
  v1::FleetBaselineRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_page_size(kRowsOnPage);
  BaselineAnswer answer;
  do {
    v1::FleetBaselineResponse response;
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::Baseline, request, response));
    AppendRows(response.usual(), answer.usual);
    answer.complete = response.complete();
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty());
  return answer;
}

absl::StatusOr<FleetClient::PastAnswer> FleetClient::Past(const FleetFilterWords& filter,
                                                          const PastWords& words, std::size_t most) {
  v1::ListPastRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.mutable_ports()->Assign(words.ports.begin(), words.ports.end());
  request.mutable_cases()->Assign(words.cases.begin(), words.cases.end());
  for (const PastState state : words.states) request.add_states(static_cast<v1::PastState>(state));
  request.set_page_size(static_cast<std::uint32_t>(std::min<std::size_t>(most, kRowsOnPage)));
  PastAnswer answer;
  do {
    v1::ListPastResponse response;
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::ListPast, request, response));
    AppendRows(response.tests(), answer.tests);
    answer.of = response.of();
    request.set_page_token(response.next_page_token());
  } while (!request.page_token().empty() && answer.tests.size() < most);
  if (answer.tests.size() > most) answer.tests.resize(most);
  return answer;
}

absl::Status FleetClient::Watch(const FleetFilterWords& filter, std::int64_t since_unix_ns,
                                const std::function<bool(const FleetChange&)>& tell,
                                const std::function<void(const std::string&)>& trouble) {
  std::map<std::string, std::uint64_t> seen;  // by host
  std::int64_t heard_unix_ns = 0;             // the newest change
  std::chrono::milliseconds wait = kFirstRetry;
  // By the hub's clock: whatever happens from here on is told, also what happens while the stream is away.
  std::int64_t since = since_unix_ns;
  if (since == 0) {
    RR_ASSIGN_OR_RETURN(const FleetStatus now, Status({}, 1));
    since = now.unix_ns;
  }
  while (true) {
    v1::WatchFleetRequest request;
    *request.mutable_filter() = FilterMessage(filter);
    // A cursor for each of very many hosts is more than a message may be: then all of the last minutes comes
    // again, and what was seen is dropped here.
    const bool too_many = seen.size() > kMostCursors;
    request.set_since_unix_ns(too_many ? std::max(since, heard_unix_ns - kOverlapNs) : since);
    for (const auto& [host_id, number] : too_many ? std::map<std::string, std::uint64_t>() : seen) {
      v1::HostCursor& cursor = *request.add_cursors();
      cursor.set_host_id(host_id);
      cursor.set_number(number);
    }
    grpc::ClientContext context;
    {
      const std::lock_guard lock(mutex_);
      if (cancelled_) return absl::OkStatus();
      watching_ = &context;
    }
    const auto reader = wire_->fleet->Watch(&context, request);
    v1::FleetChange message;
    bool wanted = true;
    while (wanted && reader->Read(&message)) {
      wait = kFirstRetry;
      std::uint64_t& last = seen[message.host_id()];
      if (message.number() <= last) continue;
      last = message.number();
      heard_unix_ns = std::max(heard_unix_ns, message.last_unix_ns());
      wanted = tell(FromProto(message));
    }
    context.TryCancel();
    const grpc::Status status = reader->Finish();
    {
      const std::lock_guard lock(mutex_);
      watching_ = nullptr;
      if (cancelled_ || !wanted) return absl::OkStatus();
    }
    if (!IsWorthRetrying(status)) return Explain(status);
    trouble(status.ok() ? "hub " + name_ + ": it ended the watch" : Message(Explain(status)));
    RealClock().SleepUntil(RealClock().Now() + wait, std::stop_token());
    wait = std::min(wait * 2, kLongestRetry);
  }
}

void FleetClient::Cancel() {
  const std::lock_guard lock(mutex_);
  cancelled_ = true;
  if (watching_ != nullptr) watching_->TryCancel();
}

absl::StatusOr<FleetClient::Acknowledged> FleetClient::Acknowledge(const FleetFilterWords& filter,
                                                                   const std::vector<std::string>& subjects,
                                                                   const std::string& why) {
  v1::AcknowledgeRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.mutable_subjects()->Assign(subjects.begin(), subjects.end());
  request.set_why(why);
  v1::AcknowledgeResponse response;
  RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::Acknowledge, request, response));
  return Acknowledged{.marked = response.marked(), .forgotten = response.forgotten()};
}

absl::StatusOr<std::uint64_t> FleetClient::SetMaintenance(const FleetFilterWords& filter,
                                                          std::int64_t until_unix_ns,
                                                          const std::string& reason) {
  v1::SetMaintenanceRequest request;
  *request.mutable_filter() = FilterMessage(filter);
  request.set_until_unix_ns(until_unix_ns);
  request.set_reason(reason);
  v1::SetMaintenanceResponse response;
  RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::SetMaintenance, request, response));
  return response.hosts();
}

absl::StatusOr<std::vector<FleetAuditEntry>> FleetClient::Audit(std::int64_t since_unix_ns) {
  v1::ListAuditRequest request;
  request.set_since_unix_ns(since_unix_ns);
  std::vector<FleetAuditEntry> entries;
  v1::ListAuditResponse response;
  do {
    RR_RETURN_IF_ERROR(Call(&v1::Fleet::Stub::ListAudit, request, response));
    AppendRows(response.entries(), entries);
    if (!entries.empty()) request.set_after_number(entries.back().number);
  } while (response.more() && response.entries_size() > 0);
  return entries;
}

}  // namespace rdmaready
