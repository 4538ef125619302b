// SPDX-License-Identifier: Apache-2.0
#include "cli/render/context_run.h"

#include <fmt/format.h>

#include <array>

#include "checks/words/words.h"
#include "checks/words/words_view.h"
#include "cli/layout.h"
#include "cli/render/documents.h"

namespace rdmaready {
namespace {

// A value as it is written in the file.
struct KeptValue {
  std::string key{};
  std::string value{};
};

struct ContextRow {
  std::string name{};
  bool current = false;
  std::vector<KeptValue> values{};
};

struct ContextRows {
  std::string file{};
  std::string current{};
  std::vector<ContextRow> contexts{};
};

// A value as a command takes it.
struct HeldValue {
  std::string key{};
  std::string option{};
  std::string variable{};
  std::string value{};
  ValueSource from = ValueSource::kNowhere;
};

struct HeldValues {
  std::string file{};
  std::string name{};
  bool current = false;
  std::vector<HeldValue> values{};
};

std::vector<KeptValue> KeptIn(const NamedContext& context) {
  std::vector<KeptValue> values;
  for (const SharedOption& option : kSharedOptions) {
    const auto found = context.values.find(option.key);
    if (found != context.values.end()) values.push_back({found->first, found->second});
  }
  return values;
}

ContextRows RowsOf(const ContextFile& file) {
  ContextRows rows{.file = file.path, .current = file.current};
  for (const NamedContext& context : file.contexts)
    rows.contexts.push_back({context.name, context.name == file.current, KeptIn(context)});
  return rows;
}

HeldValues ValuesOf(const ContextShown& shown) {
  HeldValues held{.file = shown.defaults.file, .name = shown.defaults.context, .current = shown.is_current};
  for (std::size_t i = 0; i < kSharedOptions.size(); ++i) {
    const SharedOption& option = kSharedOptions[i];
    const SharedValue& value = shown.defaults.values[i];
    held.values.push_back({std::string(option.key), std::string(option.option), std::string(option.variable),
                           value.value, value.source});
  }
  return held;
}

struct ContextView : WordsView {
  static void Fields(const KeptValue& one, auto& list) { list("key", one.key, "value", one.value); }
  static void Fields(const ContextRow& row, auto& list) {
    list("name", row.name, "current", row.current, "values", row.values);
  }
  static void Fields(const ContextRows& rows, auto& list) {
    list("file", rows.file, "current", rows.current, "contexts", rows.contexts);
  }
  static void Fields(const HeldValue& one, auto& list) {
    list("key", one.key, "option", one.option, "variable", one.variable, "value", one.value, "from", one.from);
  }
  static void Fields(const HeldValues& held, auto& list) {
    list("file", held.file, "name", held.name, "current", held.current, "values", held.values);
  }
};

template <class T>
constexpr const TypeInfo* kOfContexts = &describe::Described<T, ContextView>::kType;

constexpr convert::DocumentOf<ContextRows> kContextsDocument{
    {"rdmaready.v1.Contexts", kOfContexts<ContextRows>}};
constexpr convert::DocumentOf<HeldValues> kContextDocument{{"rdmaready.v1.Context", kOfContexts<HeldValues>}};

// "tls_ca, tls_cert, hub hub.example.org".
std::string Summary(const NamedContext& context) {
  std::string text;
  for (const KeptValue& one : KeptIn(context)) {
    const bool named = one.key == "hub" || one.key == "inventory" || one.key == "profile";
    text += (text.empty() ? "" : ", ") + one.key + (named ? " " + Printable(one.value) : "");
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace

std::string_view NameOf(ValueSource source) {
  switch (source) {
    case ValueSource::kNowhere:
      return "nowhere";
    case ValueSource::kBuiltIn:
      return "built-in";
    case ValueSource::kContext:
      return "context";
    case ValueSource::kEnvironment:
      return "environment";
    case ValueSource::kCommandLine:
      return "command-line";
  }
  return "unknown";
}

std::string ContextsText(const ContextFile& file, const Style& style) {
  if (file.contexts.empty())
    return fmt::format("no context in {}: `rdmaready context set NAME` makes one\n", Printable(file.path));
  std::vector<std::vector<std::string>> rows;
  for (const NamedContext& context : file.contexts) {
    const bool current = context.name == file.current;
    rows.push_back({current ? "*" : "", style.Paint(current ? Tone::kStrong : Tone::kPlain, context.name),
                    Summary(context)});
  }
  return Table(style, rows, 0);
}

std::string ContextText(const ContextShown& shown, const Style& style) {
  const Defaults& defaults = shown.defaults;
  std::string text = defaults.context.empty()
                         ? "no context"
                         : fmt::format("context {}{}", style.Paint(Tone::kStrong, defaults.context),
                                       shown.is_current ? " (current)" : "");
  text += fmt::format(", file {}\n",
                      defaults.file.empty() ? "none: this user has no home" : Printable(defaults.file));
  std::vector<std::vector<std::string>> rows;
  for (const SharedOption& option : kSharedOptions) {
    const SharedValue& held = defaults.Of(option.key);
    if (held.source == ValueSource::kNowhere) {
      rows.push_back({std::string(option.key), "-", ""});
      continue;
    }
    std::string place(NameOf(held.source));
    if (held.source == ValueSource::kContext) place = "context " + defaults.context;
    if (held.source == ValueSource::kEnvironment) place = "environment " + std::string(option.variable);
    rows.push_back({std::string(option.key), Printable(held.value), place});
  }
  return text + Table(style, rows, 2);
}

std::string ContextsJson(const ContextFile& file) { return kContextsDocument.Text(RowsOf(file)); }
std::string ContextJson(const ContextShown& shown) { return kContextDocument.Text(ValuesOf(shown)); }

std::span<const convert::Document> ContextDocuments() {
  static constexpr std::array<convert::Document, 2> kDocuments{kContextsDocument, kContextDocument};
  return kDocuments;
}

}  // namespace rdmaready
