// SPDX-License-Identifier: Apache-2.0
#include "cli/context/defaults.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "api/base/status.h"

namespace rdmaready {
namespace {

std::string SharedVariable(std::string_view name) {
  if (name.empty()) return {};
  const char* value = std::getenv(std::string(name).c_str());
  return value == nullptr ? std::string() : value;
}

std::size_t IndexOf(std::string_view key) {
  const auto found = std::ranges::find(kSharedOptions, key, &SharedOption::key);
  return static_cast<std::size_t>(found - kSharedOptions.begin());
}

// Which context holds; empty: none.
absl::StatusOr<std::string> ChooseContext(const ContextFile& file, const std::string& named, bool& chosen) {
  const std::string wanted = named.empty() ? SharedVariable(kContextVariable) : named;
  chosen = !wanted.empty();
  if (wanted.empty()) return file.current;
  if (file.Find(wanted) != nullptr) return wanted;
  const absl::Status none = NoSuchContext(file, wanted);
  if (!named.empty()) return none;
  return absl::NotFoundError(fmt::format("{}: {}", kContextVariable, Message(none)));
}

void TakeBuiltIn(Defaults& defaults) {
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    if (!kSharedOptions[i].built_in.empty())
      defaults.values[i] = {std::string(kSharedOptions[i].built_in), ValueSource::kBuiltIn};
  }
}

void TakeContext(const ContextFile& file, Defaults& defaults) {
  const NamedContext* context = file.Find(defaults.context);
  if (context == nullptr) return;
  for (const auto& [key, value] : context->values)
    defaults.values[IndexOf(key)] = {ResolvedValue(file, key, value), ValueSource::kContext};
}

// Over what is there. TLS in the environment ends the context's plain text.
void TakeEnvironment(Defaults& defaults) {
  bool tls = false;
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    std::string value = SharedVariable(kSharedOptions[i].variable);
    if (value.empty()) continue;
    defaults.values[i] = {std::move(value), ValueSource::kEnvironment};
    tls = tls || IsOfTls(kSharedOptions[i].key);
  }
  if (tls) defaults.values[IndexOf(kInsecureKey)] = {};
}

}  // namespace

const SharedValue& Defaults::Of(std::string_view key) const {
  static const SharedValue kNone{};
  const std::size_t index = IndexOf(key);
  return index < values.size() ? values[index] : kNone;
}

std::string Defaults::Place(std::string_view key) const {
  const SharedOption* option = FindSharedOption(key);
  switch (Of(key).source) {
    case ValueSource::kNowhere:
      return {};
    case ValueSource::kBuiltIn:
      return "built-in";
    case ValueSource::kContext:
      return fmt::format("context {} of {}", context, file);
    case ValueSource::kEnvironment:
      return std::string(option->variable);
    case ValueSource::kCommandLine:
      return std::string(option->option);
  }
  return {};
}

absl::StatusOr<Defaults> ReadDefaults(const std::string& named) {
  const std::string wanted = named.empty() ? SharedVariable(kContextVariable) : named;
  if (wanted == kNoContext) {  // whatever is in the file
    Defaults none = DefaultsWithoutContext();
    none.chosen = true;
    return none;
  }
  Defaults defaults;
  ContextFile file;
  const absl::StatusOr<std::string> path = ContextFilePath();
  if (path.ok()) {
    RR_ASSIGN_OR_RETURN(file, ReadContexts(*path));
  } else if (!named.empty()) {
    return path.status();
  }
  defaults.file = file.path;
  RR_ASSIGN_OR_RETURN(defaults.context, ChooseContext(file, named, defaults.chosen));
  TakeBuiltIn(defaults);
  TakeContext(file, defaults);
  TakeEnvironment(defaults);
  return defaults;
}

Defaults DefaultsWithoutContext() {
  Defaults defaults;
  TakeBuiltIn(defaults);
  TakeEnvironment(defaults);
  return defaults;
}

}  // namespace rdmaready
