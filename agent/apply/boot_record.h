// SPDX-License-Identifier: Apache-2.0
// Records of files for the next boot, in the journal and beside the kept settings. The contents are this
// program's own texts; any other file has a digest at most.
#pragma once

#include <string>
#include <vector>

#include "api/model/fields.h"
#include "api/model/setting.h"

namespace rdmaready::apply {

// A file, or a link, that is written once its change is confirmed. In the journal before that.
struct PlannedFile {
  std::string path{};
  std::string content{};  // of a link, its target
  std::string before{};   // SHA-256 of what is there; empty: nothing is
  std::string sha256{};   // of `content`
  bool new_folder = false;
  std::vector<SettingObject> keeps{};
  std::vector<std::string> subjects{};  // of each of `keeps` its PlanStep::subject, for the permission

  bool operator==(const PlannedFile&) const = default;
  void Fields(auto& list) const {
    list("path", path, "content", content, "before", before, "sha256", sha256, "new_folder", new_folder,
         "keeps", keeps);
    list("subjects", subjects).Added();
  }
};

// A file, or a link, that was written and not forgotten.
struct KeptFile {
  std::string path{};
  std::string sha256{};      // a file of another content was edited since
  std::string change{};      // by which it was written last
  bool made_folder = false;  // its folder was made for it
  std::vector<SettingObject> keeps{};

  bool operator==(const KeptFile&) const = default;
  void Fields(auto& list) const {
    list("path", path, "sha256", sha256, "change", change, "made_folder", made_folder, "keeps", keeps);
  }
};

}  // namespace rdmaready::apply

namespace rdmaready {

template <>
const TypeInfo& TypeOf<apply::PlannedFile>();
template <>
const TypeInfo& TypeOf<apply::KeptFile>();

}  // namespace rdmaready
