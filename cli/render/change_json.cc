// SPDX-License-Identifier: Apache-2.0
#include "cli/render/change_json.h"

#include <array>

#include "checks/words/words_view.h"
#include "cli/render/documents.h"

namespace rdmaready {
namespace {

struct DigestOfProfile {
  std::string profile{};
  std::string sha256{};
};

struct ChangeView : WordsView {
  static void Fields(const ProfileRef& one, auto& list) { list("name", one.name, "sha256", one.digest); }

  static void Fields(const PlanRun& run, auto& list) { list("hosts", run.hosts); }
  static void Fields(const HostPlan& host, auto& list) {
    list("host", host.host, "error", host.error, "plan", host.plan);
  }

  static void Fields(const ChangeRun& run, auto& list) { list("hosts", run.hosts); }
  static void Fields(const HostChange& host, auto& list) {
    list("host", host.host, "error", host.error, "not_begun", host.not_begun);
    list("under_way", host.under_way, "heard_last", host.heard_last).Added();
    list("plan", host.plan, "change", host.change);
  }

  static void Fields(const ApplierRun& run, auto& list) { list("hosts", run.hosts); }
  static void Fields(const HostApplier& host, auto& list) {
    list("host", host.host, "error", host.error, "forgotten", host.forgotten, "applier", host.status);
    list("files", host.files).Added();
  }

  static void Fields(const DigestOfProfile& one, auto& list) {
    list("profile", one.profile, "sha256", one.sha256);
  }
};

template <class T>
using InChanges = describe::Described<T, ChangeView>;

constexpr convert::DocumentOf<PlanRun> kPlanDocument{{"rdmaready.v1.Plan", &InChanges<PlanRun>::kType}};
constexpr convert::DocumentOf<ChangeRun> kApplyDocument{{"rdmaready.v1.Apply", &InChanges<ChangeRun>::kType}};
constexpr convert::DocumentOf<ApplierRun> kApplierDocument{
    {"rdmaready.v1.Applier", &InChanges<ApplierRun>::kType}};
constexpr convert::DocumentOf<DigestOfProfile> kProfileDigestDocument{
    {"rdmaready.v1.ProfileDigest", &InChanges<DigestOfProfile>::kType}};

}  // namespace

std::string PlanJson(const PlanRun& run) { return kPlanDocument.Text(run); }
std::string ApplyJson(const ChangeRun& run) { return kApplyDocument.Text(run); }
std::string ApplierJson(const ApplierRun& run) { return kApplierDocument.Text(run); }
std::string ProfileDigestJson(const std::string& profile, const std::string& sha256) {
  return kProfileDigestDocument.Text({.profile = profile, .sha256 = sha256});
}

std::span<const convert::Document> ChangeDocuments() {
  static constexpr std::array<convert::Document, 4> kDocuments{kPlanDocument, kApplyDocument, kApplierDocument,
                                                               kProfileDigestDocument};
  return kDocuments;
}

}  // namespace rdmaready
