// SPDX-License-Identifier: Apache-2.0
// Fix: the remedy that a check writes. One command is a text; what a person must know before, does after it, or
// may do instead is added to it:
//
//   Fix("devlink dev eswitch set {netdev} mode legacy")
//       .Caution("the port loses its addresses and its virtual functions")
//       .CheckBy("rdma link show {device}/{port}")
//
// Every text may hold the placeholders of checks/placeholders.h.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>

#include "api/model/remedy.h"
#include "api/model/report.h"

namespace rdmaready {

class Fix {
 public:
  Fix() = default;
  // A command; what follows "  # " is done by a person after it. A text that begins with "# " is done by a
  // person alone.
  Fix(std::string_view text);
  Fix(const std::string& text) : Fix(std::string_view(text)) {}
  Fix(const char* text) : Fix(std::string_view(text)) {}
  explicit Fix(Remedy remedy) : remedy_(std::move(remedy)) {}

  Fix Because(std::string_view cause, Certainty certainty = Certainty::kLikely) &&;
  Fix RulesOut(std::string_view text) &&;  // "the driver: 7 other ports are up"; empty: nothing
  Fix Caution(std::string_view text) &&;
  Fix Run(std::string_view command, StepSite site = StepSite::kHost) &&;
  Fix Do(std::string_view action, StepSite site = StepSite::kHost) &&;
  Fix Or(std::string_view alternative) &&;
  Fix CheckBy(std::string_view command) &&;
  Fix OwnedBy(std::string_view owner) &&;

  bool empty() const { return remedy_.empty(); }
  const Remedy& remedy() const { return remedy_; }

  bool operator==(const Fix&) const = default;

 private:
  Remedy remedy_;
};

// Finding::remedy, and Finding::fix as it follows from it; an empty one takes both away.
void SetRemedy(Finding& finding, Remedy remedy);
inline void SetFix(Finding& finding, const Fix& fix) { SetRemedy(finding, fix.remedy()); }

// Replaces each text of the remedy by `made` of it.
Remedy WithTexts(Remedy remedy, const std::function<std::string(const std::string&)>& made);

// In one line, for places that have no more room: "COMMAND; COMMAND  # caution; action; or alternative".
std::string OneLine(const Remedy& remedy);

}  // namespace rdmaready
