// SPDX-License-Identifier: Apache-2.0
#include "hub/fleet/fleet_service.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/util/field_mask_util.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "api/base/status.h"
#include "api/base/text.h"
#include "api/base/version.h"
#include "api/convert/fleet.h"
#include "checks/words/words.h"
#include "hub/fleet/paging.h"
#include "hub/fleet/taken_place.h"
#include "hub/fleet/watched_hosts.h"

namespace rdmaready::hub {
namespace {

using google::protobuf::util::FieldMaskUtil;

constexpr std::size_t kDefaultOdd = 20;
constexpr std::size_t kMostOdd = 1000;
constexpr std::size_t kMostWords = 1000;     // of a filter
constexpr std::size_t kMostAuditRows = 200;  // of up to 10 KB each
constexpr std::size_t kMostRemedies = 200;   // of up to 4 KiB each, on one page
constexpr std::size_t kMostWhyBytes = 1024;
constexpr auto kBetweenLooks = std::chrono::milliseconds(500);
constexpr std::int64_t kAdmittedForNs = 10'000'000'000;  // then a watcher is judged again
constexpr std::int64_t kCommitTakesNs =
    std::int64_t{60} * 1'000'000'000;              // a change is told after the time that it has
constexpr std::size_t kMostFilterWordBytes = 256;  // of a filter

grpc::Status GrpcOf(const absl::Status& status) {
  return {static_cast<grpc::StatusCode>(status.code()), Message(status)};
}

absl::Status CheckWords(const std::vector<std::string>& words) {
  if (words.size() > kMostWords)
    return absl::InvalidArgumentError(
        fmt::format("a filter of {} words, {} are taken", words.size(), kMostWords));
  if (std::ranges::any_of(words, [](const std::string& word) { return word.size() > kMostFilterWordBytes; }))
    return absl::InvalidArgumentError(
        fmt::format("a filter's word of more than {} bytes", kMostFilterWordBytes));
  return absl::OkStatus();
}

absl::StatusOr<FleetFilter> FilterOf(const v1::HostFilter& message, const FleetCaller& caller) {
  FleetFilter filter{.seen_groups = caller.groups};
  filter.hosts.assign(message.hosts().begin(), message.hosts().end());
  filter.groups.assign(message.groups().begin(), message.groups().end());
  filter.racks.assign(message.racks().begin(), message.racks().end());
  filter.checks.assign(message.checks().begin(), message.checks().end());
  for (const int condition : message.conditions()) {
    if (condition <= 0 || !v1::HostCondition_IsValid(condition))
      return absl::InvalidArgumentError(fmt::format("condition {} is not known here", condition));
    filter.conditions.push_back(static_cast<HostCondition>(condition));
  }
  for (const std::vector<std::string>* words : {&filter.hosts, &filter.groups, &filter.racks, &filter.checks})
    RR_RETURN_IF_ERROR(CheckWords(*words));
  return filter;
}

absl::StatusOr<PastFilter> PastFilterOf(const v1::ListPastRequest& request, const FleetCaller& caller) {
  PastFilter filter;
  RR_ASSIGN_OR_RETURN(filter.hosts, FilterOf(request.filter(), caller));
  filter.ports.assign(request.ports().begin(), request.ports().end());
  filter.cases.assign(request.cases().begin(), request.cases().end());
  RR_RETURN_IF_ERROR(CheckWords(filter.ports));
  RR_RETURN_IF_ERROR(CheckWords(filter.cases));
  for (const int state : request.states()) {
    if (!v1::PastState_IsValid(state))
      return absl::InvalidArgumentError(fmt::format("state {} is not known here", state));
    filter.states.push_back(static_cast<PastState>(state));
  }
  return filter;
}

template <class Message>
absl::Status CheckMask(const google::protobuf::FieldMask& mask) {
  if (FieldMaskUtil::IsValidFieldMask<Message>(mask)) return absl::OkStatus();
  return absl::InvalidArgumentError("fields: " + FieldMaskUtil::ToString(mask) + " are not all there");
}

// Rows of one page, with the fields that were asked for.
template <class Message, class Row>
void AddRows(const std::vector<Row>& rows, const Page& page, const google::protobuf::FieldMask& mask,
             google::protobuf::RepeatedPtrField<Message>& to) {
  for (std::size_t i = page.first; i < std::min(rows.size(), page.first + page.count); ++i) {
    Message message = ToProto(rows[i]);
    if (mask.paths_size() > 0) FieldMaskUtil::TrimMessage(mask, &message);
    to.Add(std::move(message));
  }
}

// What was asked, without which page of it.
template <class Request>
std::string QuestionOf(Request request) {
  request.clear_page_token();
  request.clear_page_size();
  return request.SerializeAsString();
}

// "hosts node1, node2, checks pfc.*", for the audit.
std::string FilterWords(const FleetFilter& filter) {
  std::vector<std::string> parts;
  for (const auto& [what, words] : {std::pair("hosts", &filter.hosts), std::pair("groups", &filter.groups),
                                    std::pair("racks", &filter.racks), std::pair("checks", &filter.checks)}) {
    if (!words->empty()) parts.push_back(fmt::format("{} {}", what, fmt::join(*words, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

absl::StatusOr<FleetCaller> FleetService::Admit(const grpc::ServerContext& context, FleetAsk ask) const {
  absl::StatusOr<FleetCaller> caller = options_.admit(context, ask);
  if (!caller.ok()) {
    Tell(options_.events, EventLevel::kWarning, "refused",
         {{"origin", context.peer()}, {"reason", Message(caller.status())}});
  }
  return caller;
}

absl::StatusOr<FleetCaller> FleetService::AdmitTo(const char* verb, const grpc::ServerContext& context,
                                                  FleetAsk ask) {
  absl::StatusOr<FleetCaller> caller = Admit(context, ask);
  if (!caller.ok())
    trail_.Refused({.peer = context.peer(), .verb = verb}, caller.status(), UnixNs(*options_.clock));
  return caller;
}

grpc::Status FleetService::GetStatus(grpc::ServerContext* context, const v1::GetStatusRequest* request,
                                     v1::FleetStatus* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    const std::size_t odd =
        request->most_odd() == 0 ? kDefaultOdd : std::min<std::size_t>(request->most_odd(), kMostOdd);
    RR_ASSIGN_OR_RETURN(FleetStatus status, view_.Status(filter, odd, UnixNs(*options_.clock)));
    status.hub = options_.hub_name;
    status.hub_version = kVersion;
    *response = ToProto(status);
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::ListHosts(grpc::ServerContext* context, const v1::ListHostsRequest* request,
                                     v1::ListHostsResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    RR_RETURN_IF_ERROR(CheckMask<v1::FleetHost>(request->fields()));
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    const std::string question = QuestionOf(*request);
    RR_ASSIGN_OR_RETURN(const Page page, ReadPage(request->page_size(), request->page_token(), question));
    RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, view_.Hosts(filter, UnixNs(*options_.clock)));
    AddRows(hosts, page, request->fields(), *response->mutable_hosts());
    response->set_next_page_token(NextToken(page, hosts.size(), question));
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::ListFindings(grpc::ServerContext* context, const v1::ListFindingsRequest* request,
                                        v1::ListFindingsResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    RR_RETURN_IF_ERROR(CheckMask<v1::FleetFinding>(request->fields()));
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    const std::string question = QuestionOf(*request);
    RR_ASSIGN_OR_RETURN(FindingPage page,
                        ReadFindingPage(request->page_size(), request->page_token(), question));
    const bool with_remedy = request->with_remedy() && filter.hosts.size() == 1;
    if (with_remedy) page.count = std::min(page.count, kMostRemedies);
    const std::int64_t now = UnixNs(*options_.clock);
    RR_ASSIGN_OR_RETURN(FindingsPart part, view_.FindingsAfter(filter, page.after, page.count, now));
    if (with_remedy) RR_RETURN_IF_ERROR(view_.AddRemedies(part.rows, now));
    AddRows(part.rows, {.count = part.rows.size()}, request->fields(), *response->mutable_findings());
    RR_ASSIGN_OR_RETURN(*response->mutable_next_page_token(), TokenAfter(part.next, question));
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::ListTransitions(grpc::ServerContext* context,
                                           const v1::ListTransitionsRequest* request,
                                           v1::ListTransitionsResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    if (request->before_unix_ns() < 0)
      return absl::InvalidArgumentError("before_unix_ns: a time after 1970 is expected, or 0 for now");
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    const std::string question = QuestionOf(*request);
    RR_ASSIGN_OR_RETURN(ChangePage page, ReadChangePage(request->page_size(), request->page_token(), question));
    if (request->page_token().empty() && request->before_unix_ns() != 0)
      page.after.last_unix_ns = request->before_unix_ns() - 1;
    RR_ASSIGN_OR_RETURN(const ChangesPart part, view_.ChangesAfter(filter, request->since_unix_ns(), page.after,
                                                                   page.count, UnixNs(*options_.clock)));
    AddRows(part.rows, {.count = part.rows.size()}, {}, *response->mutable_changes());
    RR_ASSIGN_OR_RETURN(*response->mutable_next_page_token(), TokenAfter(part.next, question));
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::Diff(grpc::ServerContext* context, const v1::FleetDiffRequest* request,
                                v1::FleetDiffResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    const std::string question = QuestionOf(*request);
    RR_ASSIGN_OR_RETURN(const FindingPage page,
                        ReadFindingPage(request->page_size(), request->page_token(), question));
    const std::int64_t now = UnixNs(*options_.clock);
    RR_ASSIGN_OR_RETURN(const DifferencesPart part,
                        view_.DiffAfter(filter, request->at_unix_ns(), page.after, page.count, now));
    AddRows(part.rows, {.count = part.rows.size()}, {}, *response->mutable_differences());
    RR_ASSIGN_OR_RETURN(*response->mutable_next_page_token(), TokenAfter(part.next, question));
    if (options_.keeps_changes.count() > 0)
      response->set_kept_since_unix_ns(now - options_.keeps_changes.count());
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::Baseline(grpc::ServerContext* context, const v1::FleetBaselineRequest* request,
                                    v1::FleetBaselineResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    const std::string question = QuestionOf(*request);
    RR_ASSIGN_OR_RETURN(const Page page, ReadPage(request->page_size(), request->page_token(), question));
    RR_ASSIGN_OR_RETURN(const FleetView::UsualValues usual, view_.Usual(filter, UnixNs(*options_.clock)));
    AddRows(usual.values, page, {}, *response->mutable_usual());
    response->set_next_page_token(NextToken(page, usual.values.size(), question));
    response->set_complete(usual.complete);
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::ListPast(grpc::ServerContext* context, const v1::ListPastRequest* request,
                                    v1::ListPastResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    const TakenPlace place(past_readers_, options_.most_past_readers);
    if (!place.has_one())
      return absl::ResourceExhaustedError(
          fmt::format("{} read what live tests showed already: come later", options_.most_past_readers));
    RR_ASSIGN_OR_RETURN(const PastFilter filter, PastFilterOf(*request, caller));
    const std::string question = QuestionOf(*request);
    RR_ASSIGN_OR_RETURN(const PastPage page,
                        ReadPastPage(request->page_size(), request->page_token(), question));
    RR_ASSIGN_OR_RETURN(const PastPart part,
                        view_.Past(filter, page.after, page.count, UnixNs(*options_.clock)));
    AddRows(part.rows, {.count = part.rows.size()}, {}, *response->mutable_tests());
    response->set_of(page.of.value_or(part.of));
    RR_ASSIGN_OR_RETURN(*response->mutable_next_page_token(), TokenAfter(part.next, response->of(), question));
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::Watch(grpc::ServerContext* context, const v1::WatchFleetRequest* request,
                                 grpc::ServerWriter<v1::FleetChange>* writer) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, Admit(*context, FleetAsk::kObserve));
    const TakenPlace place(watchers_, options_.most_watchers);
    if (!place.has_one())
      return absl::ResourceExhaustedError(fmt::format("{} watch already", options_.most_watchers));
    RR_ASSIGN_OR_RETURN(FleetFilter filter, FilterOf(request->filter(), caller));
    if (!filter.racks.empty() || !filter.conditions.empty())
      return absl::InvalidArgumentError("a watch is chosen by hosts, groups and checks");
    WatchedHosts watched(store_, view_, filter, *options_.clock);
    for (const v1::HostCursor& cursor : request->cursors()) watched.Saw(cursor.host_id(), cursor.number());
    bool gone = false;
    const auto tell = [&](const FleetChange& change) {
      gone = gone || !writer->Write(ToProto(change));
      return !gone;
    };
    // Before the store is read, so that nothing falls between.
    const std::shared_ptr<ChangeFeed::Watcher> watcher = feed_.Watch();
    writer->SendInitialMetadata();
    std::int64_t heard_until = UnixNs(*options_.clock);
    std::int64_t admitted = heard_until;
    RR_RETURN_IF_ERROR(watched.CatchUp(request->since_unix_ns(), tell));
    while (!gone && !context->IsCancelled()) {
      const std::int64_t now = UnixNs(*options_.clock);
      ChangeFeed::Watcher::Taken taken = watcher->Take(kBetweenLooks);
      if (taken.missed) RR_RETURN_IF_ERROR(watched.CatchUp(heard_until - kCommitTakesNs, tell));
      for (FleetChange& change : taken.changes) RR_RETURN_IF_ERROR(watched.OfferLive(std::move(change), tell));
      heard_until = now;
      // Roles change, and certificates are revoked, while somebody watches.
      if (now - admitted < kAdmittedForNs && now >= admitted) continue;
      RR_ASSIGN_OR_RETURN(const FleetCaller still, Admit(*context, FleetAsk::kObserve));
      if (still.groups != caller.groups) return absl::AbortedError("the caller's groups became others");
      admitted = now;
      if (taken.over) return absl::UnavailableError("the hub is ending");
    }
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::Acknowledge(grpc::ServerContext* context, const v1::AcknowledgeRequest* request,
                                       v1::AcknowledgeResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, AdmitTo("acknowledge", *context, FleetAsk::kOperate));
    if (request->why().size() > kMostWhyBytes) return absl::InvalidArgumentError("why: too long");
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    if (filter.hosts.empty() && filter.checks.empty() && filter.groups.empty() && filter.racks.empty())
      return absl::InvalidArgumentError("which findings are acknowledged: name hosts, groups, racks or checks");
    const std::int64_t now = UnixNs(*options_.clock);
    RR_ASSIGN_OR_RETURN(const std::vector<FleetFinding> findings, view_.Findings(filter, now));
    const std::set<std::string> subjects(request->subjects().begin(), request->subjects().end());
    std::vector<FindingKey> keys;
    for (const FleetFinding& finding : findings) {
      if (!subjects.empty() && !subjects.contains(finding.subject)) continue;
      keys.push_back({finding.host_id, finding.check, finding.subject, finding.profile});
    }
    const AuditedAsk ask{
        caller.who, context->peer(), "acknowledge",
        WithReason(fmt::format("{} of {}", CountText(keys.size(), "finding"), FilterWords(filter)),
                   request->why())};
    const auto acknowledge = [&] {
      return store_.Acknowledge(keys, {.who = caller.who, .why = request->why(), .unix_ns = now});
    };
    RR_ASSIGN_OR_RETURN(const FleetStore::Acknowledged count, trail_.Audited(ask, acknowledge));
    Tell(options_.events, EventLevel::kInfo, "acknowledged",
         {{"origin", caller.who},
          {"marked", static_cast<std::int64_t>(count.marked)},
          {"forgotten", static_cast<std::int64_t>(count.forgotten)},
          {"why", request->why()}});
    response->set_marked(count.marked);
    response->set_forgotten(count.forgotten);
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::SetMaintenance(grpc::ServerContext* context,
                                          const v1::SetMaintenanceRequest* request,
                                          v1::SetMaintenanceResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, AdmitTo("maintenance", *context, FleetAsk::kOperate));
    if (request->reason().size() > kMostWhyBytes) return absl::InvalidArgumentError("reason: too long");
    RR_ASSIGN_OR_RETURN(const FleetFilter filter, FilterOf(request->filter(), caller));
    if (filter.hosts.empty() && filter.groups.empty() && filter.racks.empty())
      return absl::InvalidArgumentError("which hosts are worked on: name hosts, groups or racks");
    RR_ASSIGN_OR_RETURN(const std::vector<FleetHost> hosts, view_.Hosts(filter, UnixNs(*options_.clock)));
    if (hosts.empty()) return absl::NotFoundError("no such host");
    std::vector<std::string> ids;
    for (const FleetHost& host : hosts) {
      if (!host.host_id.empty()) ids.push_back(host.host_id);  // of whom nothing was heard, nothing is kept
    }
    const std::string end =
        request->until_unix_ns() == 0 ? "over" : "until " + TimeText(request->until_unix_ns());
    const AuditedAsk ask{
        caller.who, context->peer(), "maintenance",
        WithReason(fmt::format("{} of {}, {}", CountText(ids.size(), "host"), FilterWords(filter), end),
                   request->reason())};
    RR_RETURN_IF_ERROR(trail_.Audited(
        ask, [&] { return store_.SetMaintenance(ids, request->until_unix_ns(), request->reason()); }));
    Tell(options_.events, EventLevel::kInfo, "maintenance",
         {{"origin", caller.who},
          {"hosts", static_cast<std::int64_t>(ids.size())},
          {"until_unix_s", request->until_unix_ns() / 1'000'000'000},
          {"reason", request->reason()}});
    response->set_hosts(ids.size());
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

grpc::Status FleetService::ListAudit(grpc::ServerContext* context, const v1::ListAuditRequest* request,
                                     v1::ListAuditResponse* response) {
  const auto work = [&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(const FleetCaller caller, AdmitTo("audit", *context, FleetAsk::kOperate));
    RR_RETURN_IF_ERROR(CheckAllGroups(caller, "the audit takes"));
    const std::size_t most = request->page_size() == 0
                                 ? kMostAuditRows
                                 : std::min<std::size_t>(request->page_size(), kMostAuditRows);
    // One more says whether there are more.
    RR_RETURN_IF_ERROR(
        store_.Audit(trail_.hub(), request->after_number(), request->since_unix_ns(), most + 1,
                     [&](FleetAuditEntry&& entry) { *response->add_entries() = ToProto(entry); }));
    response->set_more(static_cast<std::size_t>(response->entries_size()) > most);
    if (response->more()) response->mutable_entries()->RemoveLast();
    return absl::OkStatus();
  };
  return GrpcOf(work());
}

}  // namespace rdmaready::hub
