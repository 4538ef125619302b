// SPDX-License-Identifier: Apache-2.0
// ContextFile: the named contexts of a user, in a YAML file.
//
//   current: lab                 # which one holds where nobody names another
//   contexts:
//     lab:
//       tls_ca: certificates/ca.pem     # seen from the folder of this file
//       hub: hub.example.org
//
// The file names the CA that commands trust. So it has to be of root or of this user, and nobody else may write
// to it; it is refused otherwise, and so is an unknown key, with file and line.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace rdmaready {

struct NamedContext {
  std::string name{};
  std::map<std::string, std::string, std::less<>>
      values{};  // by key of kSharedOptions, as written; a flag: "true"
};

struct ContextFile {
  std::string path{};
  bool is_there = false;
  std::string current{};                 // empty: none
  std::vector<NamedContext> contexts{};  // in the order of the file

  const NamedContext* Find(std::string_view name) const;
  NamedContext* Find(std::string_view name);
  std::vector<std::string> Names() const;
};

// The folder of this user's configuration of rdmaready: $XDG_CONFIG_HOME/rdmaready, by default
// ~/.config/rdmaready. A folder of another user is passed over (a HOME that sudo kept);
// then the home of the user database counts. kFailedPrecondition: no home.
absl::StatusOr<std::string> UserConfigFolder();

// RDMAREADY_CONFIG, else contexts.yaml of UserConfigFolder.
absl::StatusOr<std::string> ContextFilePath();

// kInvalidArgument: "contexts.yaml:3: unknown key `tls_caa` (did you mean `tls_ca`?)", and other first faults.
absl::StatusOr<ContextFile> ParseContexts(std::string_view text, const std::string& path);

// The same of the file, and of no file one without contexts. kFailedPrecondition: others may write to it.
absl::StatusOr<ContextFile> ReadContexts(const std::string& path);

// kInvalidArgument unless it is 1 to 64 letters, digits, dots, dashes and underscores, and not `none`.
absl::Status CheckContextName(std::string_view name);

// kInvalidArgument: a context that no command could use, with the repair.
absl::Status CheckContext(const NamedContext& context);

// kNotFound: which contexts there are, and what was perhaps meant.
absl::Status NoSuchContext(const ContextFile& file, std::string_view name);

// The text of a value as commands take it: a relative path is seen from the folder of the file.
std::string ResolvedValue(const ContextFile& file, std::string_view key, const std::string& value);

// Reads the file, changes it and replaces it, mode 0600; one process at a time. Folders that are missing are
// made, mode 0700. Comments in it are not kept. Nothing is written when `change` fails.
absl::Status ChangeContexts(const std::string& path, const std::function<absl::Status(ContextFile&)>& change);

}  // namespace rdmaready
