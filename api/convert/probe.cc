// SPDX-License-Identifier: Apache-2.0
#include "api/convert/probe.h"

#include "api/convert/fact.h"
#include "api/convert/report.h"

namespace rdmaready {

using convert::Enumerator;

namespace {

v1::ProbeStep ToProto(const ProbeStep& step) {
  v1::ProbeStep message;
  message.set_name(step.name);
  message.set_outcome(static_cast<v1::ProbeStep::Outcome>(step.outcome));
  *message.mutable_failure() = rdmaready::ToProto(step.failure);
  message.set_duration_ns(step.duration_ns);
  return message;
}

ProbeStep FromProto(const v1::ProbeStep& message) {
  return {.name = message.name(),
          .outcome = Enumerator(message.outcome(), StepOutcome::kFailed),
          .failure = rdmaready::FromProto(message.failure()),
          .duration_ns = message.duration_ns()};
}

}  // namespace

v1::ProbeResult ToProto(const ProbeResult& result) {
  v1::ProbeResult message;
  message.set_protocol(static_cast<v1::Protocol>(result.protocol));
  message.set_target(result.target);
  message.set_address(result.address);
  message.set_port_number(result.port_number);
  message.set_local_port(result.local_port);
  message.set_transport(result.transport);
  for (const ProbeStep& step : result.steps) *message.add_steps() = ToProto(step);
  for (const ProbeValue& value : result.values) {
    v1::ProbeValue* row = message.add_values();
    row->set_name(value.name);
    row->set_value(value.value);
  }
  for (const TransferResult& transfer : result.transfers) *message.add_transfers() = ToProto(transfer);
  return message;
}

ProbeResult FromProto(const v1::ProbeResult& message) {
  ProbeResult result{.protocol = Enumerator(message.protocol(), Protocol::kNfs),
                     .target = message.target(),
                     .address = message.address(),
                     .port_number = message.port_number(),
                     .local_port = message.local_port(),
                     .transport = message.transport()};
  for (const v1::ProbeStep& step : message.steps()) result.steps.push_back(FromProto(step));
  for (const v1::ProbeValue& row : message.values()) result.values.push_back({row.name(), row.value()});
  for (const v1::TransferResult& transfer : message.transfers())
    result.transfers.push_back(FromProto(transfer));
  return result;
}

}  // namespace rdmaready
