// SPDX-License-Identifier: Apache-2.0
// RemedyView: a remedy in JSON, in every view that has one. Only for the .cc file of a view.
#pragma once

#include "api/model/remedy.h"
#include "checks/words/words_view.h"

namespace rdmaready {

struct RemedyView : WordsView {
  static void Fields(const RemedyStep& one, auto& list) {
    list("site", one.site).Known();
    list("command", one.command, "action", one.action).WhenThere();
  }
  static void Fields(const Remedy& one, auto& list) {
    list("cause", one.cause).WhenThere();
    list("certainty", one.certainty, "ruled_out", one.ruled_out, "cautions", one.cautions, "steps", one.steps,
         "alternatives", one.alternatives);
    list("check", one.check, "owner", one.owner).WhenThere();
  }
};

}  // namespace rdmaready
