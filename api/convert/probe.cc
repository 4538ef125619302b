// SPDX-License-Identifier: Apache-2.0
#include "api/convert/probe.h"

#include <google/protobuf/message.h>

#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "api/convert/fact.h"
#include "api/convert/report.h"

namespace rdmaready {

using convert::Enumerator;

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Every name of the model is one of the wire: held by the test that walks both.
const FieldDescriptor* FieldNamed(const Message& message, const char* name) {
  const FieldDescriptor* field = message.GetDescriptor()->FindFieldByName(name);
  assert(field != nullptr);
  return field;
}

// Writes what a struct of api/model/probe_*.h lists into the fields of a message that have the same names.
class AnswerWriter {
 public:
  explicit AnswerWriter(Message& message) : message_(message), reflection_(*message.GetReflection()) {}

  template <class T>
  void operator()(const char* name, const T& value) {
    Put(FieldNamed(message_, name), value);
  }

 private:
  void Put(const FieldDescriptor* field, const std::string& value) {
    reflection_.SetString(&message_, field, value);
  }
  void Put(const FieldDescriptor* field, bool value) { reflection_.SetBool(&message_, field, value); }
  void Put(const FieldDescriptor* field, std::uint64_t value) {
    reflection_.SetUInt64(&message_, field, value);
  }
  template <class T>
  void Put(const FieldDescriptor* field, const std::optional<T>& value) {
    if (value) Put(field, *value);
  }
  template <class T>
  requires std::is_enum_v<T>
  void Put(const FieldDescriptor* field, T value) {
    reflection_.SetEnumValue(&message_, field, static_cast<int>(value));
  }
  template <ListsFields T>
  void Put(const FieldDescriptor* field, const T& value) {
    if (value == T{}) return;
    AnswerWriter writer(*reflection_.MutableMessage(&message_, field));
    T::Fields(value, writer);
  }
  void Put(const FieldDescriptor* field, const std::vector<std::string>& values) {
    for (const std::string& value : values) reflection_.AddString(&message_, field, value);
  }
  template <ListsFields T>
  void Put(const FieldDescriptor* field, const std::vector<T>& values) {
    for (const T& value : values) {
      AnswerWriter writer(*reflection_.AddMessage(&message_, field));
      T::Fields(value, writer);
    }
  }

  Message& message_;
  const Reflection& reflection_;
};

// The other way round. An enumerator of a newer sender reads as not told.
class AnswerReader {
 public:
  explicit AnswerReader(const Message& message) : message_(message), reflection_(*message.GetReflection()) {}

  template <class T>
  void operator()(const char* name, T& value) {
    Get(FieldNamed(message_, name), value);
  }

 private:
  void Get(const FieldDescriptor* field, std::string& value) { value = reflection_.GetString(message_, field); }
  void Get(const FieldDescriptor* field, bool& value) { value = reflection_.GetBool(message_, field); }
  void Get(const FieldDescriptor* field, std::uint64_t& value) {
    value = reflection_.GetUInt64(message_, field);
  }
  template <class T>
  void Get(const FieldDescriptor* field, std::optional<T>& value) {
    if (reflection_.HasField(message_, field)) Get(field, value.emplace());
  }
  template <class T>
  requires std::is_enum_v<T>
  void Get(const FieldDescriptor* field, T& value) {
    const int number = reflection_.GetEnumValue(message_, field);
    if (field->enum_type()->FindValueByNumber(number) != nullptr) value = static_cast<T>(number);
  }
  template <ListsFields T>
  void Get(const FieldDescriptor* field, T& value) {
    AnswerReader reader(reflection_.GetMessage(message_, field));
    T::Fields(value, reader);
  }
  void Get(const FieldDescriptor* field, std::vector<std::string>& values) {
    const int count = reflection_.FieldSize(message_, field);
    for (int i = 0; i < count; ++i) values.push_back(reflection_.GetRepeatedString(message_, field, i));
  }
  template <ListsFields T>
  void Get(const FieldDescriptor* field, std::vector<T>& values) {
    const int count = reflection_.FieldSize(message_, field);
    for (int i = 0; i < count; ++i) {
      AnswerReader reader(reflection_.GetRepeatedMessage(message_, field, i));
      T::Fields(values.emplace_back(), reader);
    }
  }

  const Message& message_;
  const Reflection& reflection_;
};

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

v1::ProbeAnswers ToProto(const ProbeAnswers& answers) {
  v1::ProbeAnswers message;
  AnswerWriter writer(message);
  ProbeAnswers::Fields(answers, writer);
  return message;
}

ProbeAnswers FromProto(const v1::ProbeAnswers& message) {
  ProbeAnswers answers;
  AnswerReader reader(message);
  ProbeAnswers::Fields(answers, reader);
  return answers;
}

v1::ProbeResult ToProto(const ProbeResult& result) {
  v1::ProbeResult message;
  message.set_protocol(static_cast<v1::Protocol>(result.protocol));
  message.set_target(result.target);
  message.set_address(result.address);
  message.set_port_number(result.port_number);
  message.set_local_port(result.local_port);
  message.set_transport(result.transport);
  for (const ProbeStep& step : result.steps) *message.add_steps() = ToProto(step);
  *message.mutable_answers() = ToProto(result.answers);
  for (const TransferResult& transfer : result.transfers) *message.add_transfers() = ToProto(transfer);
  return message;
}

ProbeResult FromProto(const v1::ProbeResult& message) {
  ProbeResult result{.protocol = Enumerator(message.protocol(), Protocol::kNfs),
                     .target = message.target(),
                     .address = message.address(),
                     .port_number = message.port_number(),
                     .local_port = message.local_port(),
                     .transport = message.transport(),
                     .answers = FromProto(message.answers())};
  for (const v1::ProbeStep& step : message.steps()) result.steps.push_back(FromProto(step));
  for (const v1::TransferResult& transfer : message.transfers())
    result.transfers.push_back(FromProto(transfer));
  return result;
}

}  // namespace rdmaready
