// SPDX-License-Identifier: Apache-2.0
#include "cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <span>
#include <string_view>
#include <utility>

#include "api/base/small_file.h"
#include "api/inventory/inventory.h"
#include "api/model/cases.h"
#include "api/profile/load.h"
#include "checks/words/words.h"
#include "cli/context/context_file.h"
#include "cli/context/defaults.h"
#include "cli/explanation.h"
#include "cli/render/format/format.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostMeaning = 70;

// The part of the line before the word that is being typed.
struct TypedLine {
  const CLI::App* app = nullptr;                // the innermost command
  const CLI::Option* option = nullptr;          // whose value comes next
  std::size_t positionals = 0;                  // how many arguments of `app` are there
  bool options_ended = false;                   // by --
  std::string command{};                        // the outermost: "check"
  std::map<std::string, std::string> values{};  // of options, the last of each
};

bool TakesValue(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

std::string NameOfOption(const CLI::Option& option) { return option.get_name(option.get_positional()); }

const CLI::Option* FindOption(const CLI::App& app, const std::string& word) {
  for (const CLI::Option* option : app.get_options()) {
    if (option->check_name(word)) return option;
  }
  return nullptr;
}

const CLI::App* FindSubcommand(const CLI::App& app, const std::string& word) {
  const std::vector<const CLI::App*> all = app.get_subcommands([](const CLI::App*) { return true; });
  const auto found = std::ranges::find_if(all, [&](const CLI::App* one) { return one->get_name() == word; });
  return found == all.end() ? nullptr : *found;
}

std::vector<const CLI::Option*> PositionalsOf(const CLI::App& app) {
  return app.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

void TakeOption(TypedLine& typed, const std::string& word) {
  const std::size_t equals = word.find('=');
  const CLI::Option* option = FindOption(*typed.app, word.substr(0, equals));
  if (option == nullptr || !TakesValue(*option)) return;
  if (equals != std::string::npos) {
    typed.values[NameOfOption(*option)] = word.substr(equals + 1);
  } else {
    typed.option = option;
  }
}

void Take(TypedLine& typed, const std::string& word) {
  if (typed.option != nullptr && word == "=") return;  // bash splits there
  if (typed.option != nullptr) {
    const bool left_out = word.starts_with('-') && typed.option->get_items_expected_min() == 0;
    const CLI::Option* option = std::exchange(typed.option, nullptr);
    if (left_out) return TakeOption(typed, word);
    typed.values[NameOfOption(*option)] = word;
  } else if (word == "--" && !typed.options_ended) {
    typed.options_ended = true;
  } else if (word.starts_with('-') && !typed.options_ended) {
    TakeOption(typed, word);
  } else if (const CLI::App* inner = FindSubcommand(*typed.app, word);
             inner != nullptr && typed.positionals == 0) {
    if (typed.command.empty()) typed.command = word;
    typed.app = inner;
  } else {
    ++typed.positionals;
  }
}

using Words = std::vector<std::string>;

// The words of a validator: "{host,loopback}" in "LEVEL:{host,loopback}".
Words WordsOfValidator(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  const std::size_t open = type.find('{');
  const std::size_t close = type.find('}', open);
  Words words;
  if (close == std::string::npos) return words;
  for (std::size_t begin = open + 1; begin < close;) {
    const std::size_t end = std::min(type.find(',', begin), close);
    words.push_back(type.substr(begin, end - begin));
    begin = end + 1;
  }
  return words;
}

Words ContextNames() {
  const absl::StatusOr<std::string> path = ContextFilePath();
  if (!path.ok()) return {};
  const absl::StatusOr<ContextFile> file = ReadContexts(*path);
  return file.ok() ? file->Names() : Words();
}

Words Ids(bool families) {
  Words words;
  for (const Explanation& entry : Catalogue()) {
    words.push_back(entry.id);
    if (families && std::ranges::find(words, entry.family) == words.end()) words.push_back(entry.family);
  }
  return words;
}

// The inventory that is typed, else the one that would be taken; empty: none that can be read now.
std::string InventoryOf(const TypedLine& typed) {
  if (const auto named = typed.values.find("--inventory"); named != typed.values.end()) return named->second;
  const auto context = typed.values.find("--context");
  const absl::StatusOr<Defaults> defaults =
      ReadDefaults(context == typed.values.end() ? std::string() : context->second);
  return defaults.ok() ? defaults->Of("inventory").value : std::string();
}

// bash takes a word as it is offered: what a shell would expand or run is not.
bool IsPlainName(std::string_view word) {
  const auto alone = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  const auto plain = [&alone](char c) { return alone(c) || c == '.' || c == ':' || c == '-'; };
  return !word.empty() && alone(word.front()) && std::ranges::all_of(word, plain);
}

enum class InventoryPlace { kHost, kGroup, kRack };

Words FromInventory(const TypedLine& typed, InventoryPlace place) {
  const absl::StatusOr<std::string> text = ReadSmallFile(InventoryOf(typed), kMostInventoryBytes);
  if (!text.ok()) return {};
  const absl::StatusOr<Inventory> listed = ParseInventory(*text, InventoryOf(typed));
  if (!listed.ok()) return {};
  Words words;
  for (const ListedHost& host : listed->hosts) {
    const std::string& word = place == InventoryPlace::kHost    ? host.name
                              : place == InventoryPlace::kGroup ? host.group
                                                                : host.rack;
    if (IsPlainName(word)) words.push_back(word);
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

Words NamesOf(std::span<const TransferCase> tests) {
  Words words;
  for (const TransferCase& test : tests) words.emplace_back(test.name);
  return words;
}

Words StressCaseNames() {
  std::vector<TransferCase> tests(kTransferCases.begin(), kTransferCases.end());
  std::erase_if(tests, [](const TransferCase& test) { return !IsStressCase(test); });
  return NamesOf(tests);
}

// Those that the option does not list itself.
Words KnownValues(const TypedLine& typed, const std::string& name) {
  if (name == "--output") return FormatNames(typed.command);
  if (name == "--profile" || name == "PROFILE") return BuiltInProfileNames();
  const bool of_stress = typed.command == "incast" || typed.command == "ets" || typed.command == "pfc";
  if (name == "--case" && typed.command == "failover") return {"write-4k", "write-8k"};
  if (name == "--case" && typed.command == "compare") return NamesOf(CasesOn(Rung::kPeer));
  if (name == "--case") return of_stress ? StressCaseNames() : CaseNames();
  if (name == "--check") return Ids(false);
  if (name == "--group") return FromInventory(typed, InventoryPlace::kGroup);
  if (name == "--rack") return FromInventory(typed, InventoryPlace::kRack);
  const bool of_incast =
      typed.command == "incast" && (name == "--to" || name == "--victim" || name == "--second-victim");
  if (name == "HOST" || name == "PEER" || name == "PAUSER" || name == "--from" || name == "--peer" || of_incast)
    return FromInventory(typed, InventoryPlace::kHost);
  if (name == "ID" && typed.command == "explain") {
    Words words = Ids(true);
    std::ranges::copy(CaseNames(), std::back_inserter(words));
    return words;
  }
  if (name == "--context" || (name == "NAME" && typed.command == "context")) {
    Words words = ContextNames();
    if (name == "--context" || typed.app->get_name() == "use") words.emplace_back(kNoContext);
    return words;
  }
  return {};
}

bool TakesFiles(const CLI::Option& option) {
  const std::string type = option.get_positional() ? NameOfOption(option) : option.get_type_name();
  return std::ranges::any_of(std::array{"FILE", "DIR", "PROFILE"},
                             [&](const char* word) { return type.find(word) != std::string::npos; });
}

// `before`: what of the word stays as it is: "--level=", or the first words of a list.
void AddValues(const TypedLine& typed, const CLI::Option& option, const std::string& before,
               std::string_view begun, Completions& found) {
  Words words = WordsOfValidator(option);
  if (words.empty()) words = KnownValues(typed, NameOfOption(option));
  std::string kept = before;
  if (const char delimiter = option.get_delimiter(); delimiter != '\0') {
    const std::size_t last = begun.rfind(delimiter);
    if (last != std::string_view::npos) {
      kept += std::string(begun.substr(0, last + 1));
      begun.remove_prefix(last + 1);
    }
  }
  for (const std::string& word : words) {
    if (word.starts_with(begun)) found.words.push_back({kept + word, ""});
  }
  found.files = found.files || TakesFiles(option);
}

// The first sentence or part of it.
std::string MeaningOf(std::string text) {
  text = text.substr(0, std::min(text.find_first_of(":;\n"), text.find(". ")));
  return text.size() > kMostMeaning ? text.substr(0, kMostMeaning - 3) + "..." : text;
}

void AddOptions(const TypedLine& typed, const std::string& begun, Completions& found) {
  for (const CLI::Option* option : typed.app->get_options()) {
    if (option->get_positional() || option->get_group().empty()) continue;
    for (const std::string& name : option->get_lnames()) {
      const std::string word = "--" + name;
      if (word.starts_with(begun)) found.words.push_back({word, MeaningOf(option->get_description())});
    }
  }
}

void AddArguments(const TypedLine& typed, const std::string& begun, Completions& found) {
  if (typed.positionals == 0) {
    for (const CLI::App* one : typed.app->get_subcommands([](const CLI::App*) { return true; })) {
      if (one->get_name().starts_with(begun))
        found.words.push_back({one->get_name(), MeaningOf(one->get_description())});
    }
  }
  std::size_t place = typed.positionals;
  for (const CLI::Option* argument : PositionalsOf(*typed.app)) {
    const auto most = static_cast<std::size_t>(std::max(argument->get_items_expected_max(), 1));
    if (place < most) return AddValues(typed, *argument, "", begun, found);
    place -= most;
  }
}

}  // namespace

Completions Complete(const CLI::App& root, const std::vector<std::string>& words) {
  Completions found;
  TypedLine typed{.app = &root};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) Take(typed, words[i]);
  std::string begun = words.empty() ? std::string() : words.back();
  if (typed.option != nullptr && begun == "=") begun.clear();
  const std::size_t equals = begun.find('=');
  if (typed.option != nullptr && !begun.starts_with('-')) {
    AddValues(typed, *typed.option, "", begun, found);
  } else if (begun.starts_with("--") && equals != std::string::npos && !typed.options_ended) {
    const CLI::Option* option = FindOption(*typed.app, begun.substr(0, equals));
    if (option != nullptr)
      AddValues(typed, *option, begun.substr(0, equals + 1), std::string_view(begun).substr(equals + 1), found);
  } else if (begun.starts_with('-') && !typed.options_ended) {
    AddOptions(typed, begun, found);
  } else {
    AddArguments(typed, begun, found);
  }
  return found;
}

std::string CompletionText(const Completions& completions) {
  std::string text;
  for (const Completions::Candidate& one : completions.words)
    text += Printable(one.word) + (one.meaning.empty() ? "" : "\t" + Printable(one.meaning)) + "\n";
  return completions.files ? text + ":files\n" : text;
}

}  // namespace rdmaready
