// SPDX-License-Identifier: Apache-2.0
#include "cli/context/fill.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "api/base/small_file.h"
#include "api/inventory/inventory.h"

namespace rdmaready {
namespace {

// The option of the command, or of one above it.
CLI::Option* OptionOf(CLI::App& chosen, std::string_view name) {
  for (CLI::App* app = &chosen; app != nullptr; app = app->get_parent()) {
    if (CLI::Option* option = app->get_option_no_throw(std::string(name)); option != nullptr) return option;
  }
  return nullptr;
}

// Behind the command, or before it.
bool IsGiven(const CLI::App& chosen, std::string_view name) {
  for (const CLI::App* app = &chosen; app != nullptr; app = app->get_parent()) {
    const CLI::Option* option = app->get_option_no_throw(std::string(name));
    if (option != nullptr && option->count() > 0) return true;
  }
  return false;
}

std::string ValueGiven(const CLI::App& chosen, std::string_view name) {
  for (const CLI::App* app = &chosen; app != nullptr; app = app->get_parent()) {
    const CLI::Option* option = app->get_option_no_throw(std::string(name));
    if (option != nullptr && option->count() > 0) return option->results().front();
  }
  return {};
}

// Plain text or TLS is one choice, and the command line made it.
bool IsDecided(const CLI::App& chosen, const SharedOption& option) {
  if (IsOfTls(option.key)) return IsGiven(chosen, "--insecure");
  if (option.key != kInsecureKey) return false;
  return std::ranges::any_of(kSharedOptions, [&](const SharedOption& other) {
    return IsOfTls(other.key) && IsGiven(chosen, other.option);
  });
}

bool IsOfSavedHosts(const CLI::App& chosen) {
  return IsGiven(chosen, "--facts") || IsGiven(chosen, "--bundle");
}

bool NamesHosts(const CLI::App& chosen) {
  return std::ranges::any_of(std::array{"HOST", "--inventory", "--group", "--rack"},
                             [&](const char* name) { return IsGiven(chosen, name); });
}

// Whether the file says by what its hosts are judged. One that cannot be read says so itself, later; of
// standard input, which can be read once, nothing is known.
bool MayNameProfiles(const std::string& inventory) {
  if (inventory == "-") return true;
  if (!inventory.ends_with(".yaml") && !inventory.ends_with(".yml")) return false;
  const absl::StatusOr<std::string> text = ReadSmallFile(inventory, kMostInventoryBytes);
  if (!text.ok()) return true;
  const absl::StatusOr<Inventory> listed = ParseInventory(*text, inventory);
  return !listed.ok() || !listed->judgings.empty();
}

// The command line asks for the inventory, and does not say which.
bool WantsInventory(const CLI::App& chosen) {
  if (IsGiven(chosen, "--inventory")) return ValueGiven(chosen, "--inventory").empty();
  return IsGiven(chosen, "--group") || IsGiven(chosen, "--rack");
}

// A profile that nobody typed changes nothing: those commands take the agent's own. Facts have one only where
// they are saved.
bool TakesKnownProfile(const CLI::App& chosen) {
  const std::string& command = chosen.get_name();
  if (command == "plan" || command == "apply") return false;
  return command != "facts" || IsGiven(chosen, "--save");
}

bool WantsProfile(const CLI::App& chosen, ValueSource source) {
  if (!TakesKnownProfile(chosen)) return false;
  if (IsOfSavedHosts(chosen) || IsGiven(chosen, "--profile")) return false;
  if (source == ValueSource::kContext && !NamesHosts(chosen)) return false;
  const std::string inventory = ValueGiven(chosen, "--inventory");
  return inventory.empty() || !MayNameProfiles(inventory);
}

bool IsWanted(const CLI::App& chosen, const SharedOption& option, ValueSource source) {
  if (source == ValueSource::kNowhere || source == ValueSource::kCommandLine) return false;
  if (option.key == "inventory") return WantsInventory(chosen);
  if (option.key == "profile") return WantsProfile(chosen, source);
  if (!AsksOthers(chosen)) return false;
  return !IsGiven(chosen, option.option) && !IsDecided(chosen, option);
}

// "--tls-ca and --tls-key".
std::string Listed(const std::vector<std::string_view>& names) {
  if (names.size() < 2) return fmt::format("{}", fmt::join(names, ""));
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

absl::Status PutValue(CLI::Option& option, const std::string& value, const std::string& place) {
  try {  // CLI11 says by exceptions what it refuses
    option.clear();
    option.add_result(value);
    option.run_callback();
  } catch (const CLI::Error& error) {
    return absl::InvalidArgumentError(fmt::format("{} (from {})", error.what(), place));
  }
  return absl::OkStatus();
}

}  // namespace

bool FilledOptions::Has(std::string_view key, ValueSource source) const {
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    if (kSharedOptions[i].key == key) return is_filled[i] && defaults.values[i].source == source;
  }
  return false;
}

std::string FilledOptions::TlsPlaces() const {
  std::vector<std::pair<std::string, std::vector<std::string_view>>> places;
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    if (!is_filled[i] || !IsOfTls(kSharedOptions[i].key)) continue;
    const std::string place = defaults.Place(kSharedOptions[i].key);
    auto known = std::ranges::find_if(places, [&](const auto& one) { return one.first == place; });
    if (known == places.end()) known = places.insert(places.end(), {place, {}});
    known->second.push_back(kSharedOptions[i].option);
  }
  std::string text;
  for (const auto& [place, options] : places)
    text += fmt::format("{}{} {} from {}", text.empty() ? "" : "; ", Listed(options),
                        options.size() == 1 ? "is" : "are", place);
  return text.empty() ? text : " (" + text + ")";
}

std::string FilledOptions::WithPlaces(std::string error) const {
  const std::string said = error;
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    const SharedOption& option = kSharedOptions[i];
    const std::string& value = defaults.values[i].value;
    if (!is_filled[i] || option.kind == SharedKind::kFlag || said.find(value) == std::string::npos) continue;
    const std::string place = defaults.Place(option.key);
    if (said.find(place) == std::string::npos && defaults.values[i].source != ValueSource::kBuiltIn)
      error += fmt::format(" ({} is from {})", option.option, place);
  }
  return error;
}

bool AsksOthers(const CLI::App& chosen) {
  if (IsOfSavedHosts(chosen)) return false;
  return NamesHosts(chosen) || IsGiven(chosen, "--from") || IsGiven(chosen, "--peer") ||
         chosen.get_option_no_throw("--hub") != nullptr;
}

absl::StatusOr<FilledOptions> FillOptions(CLI::App& chosen, Defaults defaults) {
  FilledOptions filled{.defaults = std::move(defaults)};
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    const SharedOption& shared = kSharedOptions[i];
    CLI::Option* option = OptionOf(chosen, shared.option);
    const SharedValue& known = filled.defaults.values[i];
    if (option == nullptr || !IsWanted(chosen, shared, known.source)) continue;
    const absl::Status put = PutValue(*option, known.value, filled.defaults.Place(shared.key));
    if (!put.ok()) return put;
    filled.is_filled[i] = true;
  }
  if (IsGiven(chosen, "--inventory") && ValueGiven(chosen, "--inventory").empty())
    return absl::InvalidArgumentError(
        "--inventory needs a FILE: neither RDMAREADY_INVENTORY nor a context names one");
  return filled;
}

}  // namespace rdmaready
