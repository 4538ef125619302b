// SPDX-License-Identifier: Apache-2.0
// The documents that are not about findings: the catalogue, profiles, saved hosts, errors.
#include <google/protobuf/util/json_util.h>

#include <algorithm>
#include <array>
#include <optional>

#include "api/profile/profile_proto.h"
#include "checks/words/words_view.h"
#include "cli/render/documents.h"
#include "cli/render/json.h"
#include "cli/render/profile_tests_run.h"

namespace rdmaready {
namespace {

struct VersionShown {
  std::string version{};
};

struct NamesShown {
  std::vector<std::string> names{};
};

struct CatalogueShown {
  const std::vector<Explanation>* entries = nullptr;
};

struct CatalogueRow {
  Explanation entry{};
};

struct ExplanationsShown {
  std::vector<Explanation> explanations{};
};

struct ErrorShown {
  ExitStatus status = ExitStatus::kOwnFailure;
  std::string host{};
  std::string error{};
};

struct ProfileShown {
  std::string profile{};  // JSON
};

struct ProfileCheckShown {
  std::string file{};
  const ProfileReading* reading = nullptr;
};

struct SwitchSideShown {
  std::string profile{};
  std::string kind{};
  SwitchSide side{};
};

constexpr std::array<int, 5> kErrorStatuses{1, 2, 3, 4, 130};

enum class Severity { kBlocking, kAdvice };

std::string_view NameOf(Severity severity) {
  switch (severity) {
    case Severity::kBlocking:
      return "blocking";
    case Severity::kAdvice:
      return "advice";
  }
  return "unknown";
}

Severity SeverityIn(const Explanation& explanation) {
  return SeverityOf(explanation) == NameOf(Severity::kBlocking) ? Severity::kBlocking : Severity::kAdvice;
}

// protobuf's own JSON, with what is false, zero or empty; the text says so where it cannot be written (text
// that is not UTF-8).
std::string JsonOf(const Profile& profile) {
  google::protobuf::util::JsonPrintOptions options;
  options.preserve_proto_field_names = true;
  options.always_print_primitive_fields = true;
  std::string text;
  const auto status = google::protobuf::util::MessageToJsonString(ToProto(profile), &text, options);
  return status.ok() ? text : R"({"error": "the message does not fit into JSON"})";
}

struct CatalogueView : WordsView {
  static void Fields(const VersionShown& one, auto& list) { list("version", one.version); }

  static void Fields(const CatalogueRow& row, auto& list) {
    list("id", row.entry.id, "family", row.entry.family, "scope", row.entry.scope);
    list.Derived("severity", [](const CatalogueRow& one) { return SeverityIn(one.entry); });
    list("blocks_when", row.entry.blocks_when, "title", row.entry.title);
  }
  static void Fields(const CatalogueShown&, auto& list) {
    list.Derived("checks", [](const CatalogueShown& one) {
      std::vector<std::string> ids;
      for (const Explanation& entry : *one.entries) ids.push_back(entry.id);
      return ids;
    });
    list.Derived("catalogue", [](const CatalogueShown& one) {
      std::vector<CatalogueRow> rows;
      for (const Explanation& entry : *one.entries) rows.push_back({entry});
      return rows;
    });
  }

  static void Fields(const Explanation& one, auto& list) {
    list("id", one.id, "family", one.family, "title", one.title, "why", one.why, "fix", one.fix);
    list("example", one.example).WhenThere();
    list.Derived("severity", [](const Explanation& entry) { return SeverityIn(entry); });
    list("blocking", one.blocking, "blocks_when", one.blocks_when, "scope", one.scope);
    list("speed", one.speed).WhenThere();
    list("depends_on", one.depends_on);
  }
  static void Fields(const ExplanationsShown& some, auto& list) { list("explanations", some.explanations); }

  static void Fields(const HostSave& host, auto& list) {
    list("host", host.host);
    list.Derived("folder",
                 [](const HostSave& one) {
                   return one.error.empty() ? std::optional<std::string>(one.folder) : std::nullopt;
                 })
        .OneOf();
    list("error", host.error).OneOf();
  }
  static void Fields(const SaveRun& run, auto& list) { list("hosts", run.hosts); }

  static void Fields(const ProfileShown& one, auto& list) { list("profile", one.profile).Raw(); }
  static void Fields(const YamlFault& fault, auto& list) {
    list("file", fault.file, "line", fault.line, "key", fault.key, "text", fault.text);
  }
  static void Fields(const ProfileCheckShown& check, auto& list) {
    list("file", check.file);
    list.Derived("well_formed", [](const ProfileCheckShown& one) { return one.reading->faults.empty(); });
    list.Derived("faults", [](const ProfileCheckShown& one) { return one.reading->faults; });
    list.Derived("profile",
                 [](const ProfileCheckShown& one) {
                   return one.reading->profile ? JsonOf(*one.reading->profile) : std::string();
                 })
        .Raw()
        .WhenThere();
    // Every object of an error has these two.
    list.Derived("status",
                 [](const ProfileCheckShown& one) {
                   return one.reading->faults.empty() ? std::nullopt
                                                      : std::optional(static_cast<int>(ExitStatus::kUsage));
                 })
        .WhenThere();
    list.Derived("error",
                 [](const ProfileCheckShown& one) {
                   return one.reading->faults.empty() ? std::nullopt
                                                      : std::optional(one.reading->faults.front().Line());
                 })
        .WhenThere();
  }

  static void Fields(const Mismatch& one, auto& list) { list("wanted", one.wanted, "seen", one.seen); }
  static void Fields(const ProfileTestResult& one, auto& list) {
    list("name", one.name, "line", one.line);
    list.Derived("passed", [](const ProfileTestResult& test) { return test.differences.empty(); });
    list("differences", one.differences);
  }
  static void Fields(const ProfileTestsRun& run, auto& list) {
    list("file", run.file);
    list.Derived("passed", [](const ProfileTestsRun& all) {
      return std::ranges::all_of(all.tests,
                                 [](const ProfileTestResult& test) { return test.differences.empty(); });
    });
    list("tests", run.tests);
  }

  static void Fields(const Placeholder& one, auto& list) { list("name", one.name, "meaning", one.meaning); }
  static void Fields(const SwitchSideShown& one, auto& list) {
    list("profile", one.profile, "switch", one.kind, "placeholders", one.side.placeholders, "text",
         one.side.text);
  }
};

// Lists of names, each with the key of its own.
struct CasesView {
  static void Fields(const NamesShown& some, auto& list) { list("cases", some.names); }
};
struct ProfilesView {
  static void Fields(const NamesShown& some, auto& list) { list("profiles", some.names); }
};

// Without words: an exit status is the number that the process ends with.
struct ErrorView {
  static void Fields(const ErrorShown& one, auto& list) {
    list("status", one.status).Among(kErrorStatuses);
    list("host", one.host, "error", one.error);
  }
};

template <class T, class View = CatalogueView>
constexpr const TypeInfo* kInCatalogue = &describe::Described<T, View>::kType;

constexpr convert::DocumentOf<VersionShown> kVersionDocument{
    {"rdmaready.v1.Version", kInCatalogue<VersionShown>}};
constexpr convert::DocumentOf<NamesShown> kCasesDocument{
    {"rdmaready.v1.Cases", kInCatalogue<NamesShown, CasesView>}};
constexpr convert::DocumentOf<NamesShown> kProfilesDocument{
    {"rdmaready.v1.Profiles", kInCatalogue<NamesShown, ProfilesView>}};
constexpr convert::DocumentOf<CatalogueShown> kChecksDocument{
    {"rdmaready.v1.Checks", kInCatalogue<CatalogueShown>}};
constexpr convert::DocumentOf<Explanation> kExplanationDocument{
    {"rdmaready.v1.Explanation", kInCatalogue<Explanation>}};
constexpr convert::DocumentOf<ExplanationsShown> kExplanationsDocument{
    {"rdmaready.v1.Explanations", kInCatalogue<ExplanationsShown>}};
constexpr convert::DocumentOf<ErrorShown> kErrorDocument{
    {"rdmaready.v1.Error", kInCatalogue<ErrorShown, ErrorView>}};
constexpr convert::DocumentOf<SaveRun> kSavedDocument{{"rdmaready.v1.Saved", kInCatalogue<SaveRun>}};
constexpr convert::DocumentOf<ProfileShown> kProfileDocument{
    {"rdmaready.v1.Profile", kInCatalogue<ProfileShown>}};
constexpr convert::DocumentOf<ProfileCheckShown> kProfileCheckDocument{
    {"rdmaready.v1.ProfileCheck", kInCatalogue<ProfileCheckShown>}};
constexpr convert::DocumentOf<ProfileTestsRun> kProfileTestsDocument{
    {"rdmaready.v1.ProfileTests", kInCatalogue<ProfileTestsRun>}};
constexpr convert::DocumentOf<SwitchSideShown> kSwitchSideDocument{
    {"rdmaready.v1.SwitchSide", kInCatalogue<SwitchSideShown>}};

}  // namespace

std::string SavedJson(const SaveRun& run) { return kSavedDocument.Text(run); }
std::string ProfileJson(const Profile& profile) { return kProfileDocument.Text({.profile = JsonOf(profile)}); }
std::string ProfileCheckJson(const std::string& named, const ProfileReading& reading) {
  return kProfileCheckDocument.Text({.file = named, .reading = &reading});
}
std::string ProfileTestsJson(const ProfileTestsRun& run) { return kProfileTestsDocument.Text(run); }
std::string SwitchSideJson(const std::string& profile, const std::string& kind, const SwitchSide& side) {
  return kSwitchSideDocument.Text({.profile = profile, .kind = kind, .side = side});
}
std::string VersionJson(std::string_view version) {
  return kVersionDocument.Text({.version = std::string(version)});
}
std::string CasesJson(const std::vector<std::string>& names) { return kCasesDocument.Text({.names = names}); }
std::string ProfilesJson(const std::vector<std::string>& names) {
  return kProfilesDocument.Text({.names = names});
}
std::string CatalogueJson(const std::vector<Explanation>& catalogue) {
  return kChecksDocument.Text({.entries = &catalogue});
}
std::string ExplainJson(const std::vector<Explanation>& explanations) {
  if (explanations.size() == 1) return kExplanationDocument.Text(explanations.front());
  return kExplanationsDocument.Text({.explanations = explanations});
}
std::string ErrorJson(ExitStatus status, std::string_view host, std::string_view error) {
  return kErrorDocument.Text({.status = status, .host = std::string(host), .error = std::string(error)});
}

std::span<const convert::Document> CatalogueDocuments() {
  static constexpr std::array<convert::Document, 12> kDocuments{
      kVersionDocument,     kCasesDocument,        kProfilesDocument,     kChecksDocument,
      kExplanationDocument, kExplanationsDocument, kErrorDocument,        kSavedDocument,
      kProfileDocument,     kProfileCheckDocument, kProfileTestsDocument, kSwitchSideDocument};
  return kDocuments;
}

}  // namespace rdmaready
