// SPDX-License-Identifier: Apache-2.0
#include "api/convert/history.h"

#include <algorithm>

#include "api/convert/fact.h"
#include "api/convert/report.h"

namespace rdmaready {

using convert::Enumerator;

v1::StoredRun ToProto(const RunRecord& record) {
  v1::StoredRun message;
  message.set_run_id(record.run_id);
  message.set_started_unix_ns(record.started_unix_ns);
  message.set_duration_ns(record.duration_ns);
  message.set_level(static_cast<v1::Rung>(record.level));
  message.set_profile_name(record.profile_name);
  message.set_profile_digest(record.profile_digest);
  *message.mutable_report() = ToProto(record.report);
  return message;
}

RunRecord FromProto(const v1::StoredRun& message) {
  return {.run_id = message.run_id(),
          .started_unix_ns = message.started_unix_ns(),
          .duration_ns = message.duration_ns(),
          .level = Enumerator(message.level(), Rung::kShare),
          .profile_name = message.profile_name(),
          .profile_digest = message.profile_digest(),
          .report = FromProto(message.report())};
}

v1::StoredTransfer ToProto(const TransferRecord& record) {
  v1::StoredTransfer message;
  message.set_run_id(record.run_id);
  message.set_started_unix_ns(record.started_unix_ns);
  message.set_port(record.port);
  message.set_role(record.role);
  message.set_peer(record.peer);
  *message.mutable_result() = ToProto(record.result);
  return message;
}

TransferRecord FromProto(const v1::StoredTransfer& message) {
  return {.run_id = message.run_id(),
          .started_unix_ns = message.started_unix_ns(),
          .port = message.port(),
          .role = message.role(),
          .peer = message.peer(),
          .result = FromProto(message.result())};
}

v1::StoreEvent ToProto(const StoreEvent& event) {
  v1::StoreEvent message;
  message.set_unix_ns(event.unix_ns);
  message.set_text(event.text);
  return message;
}

StoreEvent FromProto(const v1::StoreEvent& message) {
  return {.unix_ns = message.unix_ns(), .text = message.text()};
}

v1::ListHistoryRequest ToProto(const HistoryQuery& query) {
  v1::ListHistoryRequest message;
  message.set_limit(static_cast<std::uint32_t>(std::max(query.limit, 1)));
  message.set_since_unix_ns(query.since_unix_ns);
  message.set_before_unix_ns(query.before_unix_ns);
  message.set_run_id(query.run_id);
  message.set_with_texts(query.with_texts);
  message.set_kind(static_cast<v1::ListHistoryRequest::Kind>(query.kind));
  return message;
}

HistoryQuery FromProto(const v1::ListHistoryRequest& message) {
  HistoryQuery query;
  if (message.limit() != 0)
    query.limit = static_cast<int>(std::min<std::uint32_t>(message.limit(), kMaxHistory));
  query.since_unix_ns = message.since_unix_ns();
  query.before_unix_ns = message.before_unix_ns();
  query.run_id = message.run_id();
  query.with_texts = message.with_texts();
  query.kind = Enumerator(message.kind(), HistoryQuery::Kind::kTransfers);
  return query;
}

}  // namespace rdmaready
