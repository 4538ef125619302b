// SPDX-License-Identifier: Apache-2.0
#include "cli/context/context_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include "api/base/handle.h"
#include "api/base/small_file.h"
#include "api/base/status.h"
#include "api/pki/file.h"
#include "api/profile/load.h"
#include "api/profile/yaml_message.h"
#include "api/profile/yaml_tree.h"
#include "cli/context/shared_options.h"

namespace rdmaready {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostNameLetters = 64;
constexpr ::mode_t kOwnersFile = 0600;
constexpr ::mode_t kOwnersFolder = 0700;
constexpr YamlLimits kContextLimits{.what = "file of contexts"};

std::string VariableText(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : value;
}

// Whether the folder belongs to this user, or does not exist yet. sudo, su and setpriv may keep HOME as it was
// for another user, whose files say nothing about this one.
bool IsOwnFolder(const std::string& path) {
  if (!path.starts_with('/')) return false;
  struct ::stat info {};
  return ::stat(path.c_str(), &info) == 0 ? info.st_uid == ::geteuid() : errno == ENOENT;
}

// The home of this user in the user database; empty: not known.
std::string HomeInDatabase() {
  const ::passwd* user = ::getpwuid(::geteuid());
  return user == nullptr || user->pw_dir == nullptr ? std::string() : user->pw_dir;
}

absl::Status Fault(const std::string& path, int line, const std::string& text) {
  return absl::InvalidArgumentError(fmt::format("{}:{}: {}", path, line, text));
}

std::string Unknown(const std::string& key, const std::vector<std::string>& known) {
  const std::string close = ClosestWord(key, known);
  return fmt::format("unknown key `{}`{}; there are {}", key,
                     close.empty() ? "" : " (did you mean `" + close + "`?)", fmt::join(known, ", "));
}

std::vector<std::string> SharedKeys() {
  std::vector<std::string> keys;
  for (const SharedOption& option : kSharedOptions) keys.emplace_back(option.key);
  return keys;
}

bool HasControls(std::string_view text) {
  return std::ranges::any_of(text, [](unsigned char letter) { return letter < ' ' || letter == 0x7f; });
}

// The value of one key of a context; nothing for a flag that is off.
absl::StatusOr<std::optional<std::string>> ParseValue(const YamlNode::Entry& entry, const SharedOption& option,
                                                      const std::string& path) {
  const YamlNode& value = entry.value;
  const auto wrong = [&](const std::string& text) {
    return Fault(path, entry.line, "`" + entry.key + "` " + text);
  };
  if (value.kind != YamlNode::Kind::kScalar) return wrong("takes one value");
  if (option.kind == SharedKind::kFlag) {
    if (value.quoted || (value.text != "true" && value.text != "false")) return wrong("is true or false");
    return value.text == "true" ? std::optional<std::string>(value.text) : std::nullopt;
  }
  if (value.text.empty() || HasControls(value.text)) return wrong("needs a value of one line");
  if (option.kind == SharedKind::kFile && value.text == "-") return wrong("is a file, and not standard input");
  return std::optional<std::string>(value.text);
}

absl::StatusOr<NamedContext> ParseContext(const YamlNode::Entry& entry, const std::string& path) {
  if (const absl::Status name = CheckContextName(entry.key); !name.ok())
    return Fault(path, entry.line, Message(name));
  NamedContext context{.name = entry.key};
  if (entry.value.kind == YamlNode::Kind::kNull) return context;
  if (entry.value.kind != YamlNode::Kind::kMap)
    return Fault(path, entry.line,
                 "context `" + entry.key + "` takes keys: " + fmt::format("{}", fmt::join(SharedKeys(), ", ")));
  for (const YamlNode::Entry& one : entry.value.entries) {
    const SharedOption* option = FindSharedOption(one.key);
    if (option == nullptr) return Fault(path, one.line, Unknown(one.key, SharedKeys()));
    RR_ASSIGN_OR_RETURN(const std::optional<std::string> value, ParseValue(one, *option, path));
    if (value) context.values[one.key] = *value;
  }
  if (const absl::Status usable = CheckContext(context); !usable.ok())
    return Fault(path, entry.line, Message(usable));
  return context;
}

absl::Status ParseRoot(const YamlNode& root, ContextFile& file) {
  int line_of_current = 0;
  for (const YamlNode::Entry& entry : root.entries) {
    if (entry.key == "current") {
      if (entry.value.kind != YamlNode::Kind::kScalar)
        return Fault(file.path, entry.line, "`current` takes the name of a context");
      file.current = entry.value.text;
      line_of_current = entry.line;
    } else if (entry.key == "contexts") {
      if (entry.value.kind != YamlNode::Kind::kMap && entry.value.kind != YamlNode::Kind::kNull)
        return Fault(file.path, entry.line, "`contexts` takes a name and keys for each context");
      for (const YamlNode::Entry& one : entry.value.entries) {
        RR_ASSIGN_OR_RETURN(NamedContext context, ParseContext(one, file.path));
        file.contexts.push_back(std::move(context));
      }
    } else {
      return Fault(file.path, entry.line, Unknown(entry.key, {"current", "contexts"}));
    }
  }
  if (file.current.empty() || file.Find(file.current) != nullptr) return absl::OkStatus();
  return Fault(file.path, line_of_current, Message(NoSuchContext(file, file.current)));
}

// In single quotes: no letter but the quote itself means anything there.
std::string Quoted(const std::string& value) {
  std::string text = "'";
  for (const char letter : value) text += letter == '\'' ? std::string("''") : std::string(1, letter);
  return text + "'";
}

std::string ContextsText(const ContextFile& file) {
  std::string text = "# Written by `rdmaready context`, which keeps no comments.\n";
  if (!file.current.empty()) text += "current: " + Quoted(file.current) + "\n";
  if (file.contexts.empty()) return text;
  text += "contexts:\n";
  for (const NamedContext& context : file.contexts) {
    text += "  " + Quoted(context.name) + ":\n";
    for (const SharedOption& option : kSharedOptions) {
      const auto value = context.values.find(option.key);
      if (value == context.values.end()) continue;
      const bool plain = option.kind == SharedKind::kFlag;
      text += fmt::format("    {}: {}\n", option.key, plain ? value->second : Quoted(value->second));
    }
  }
  return text;
}

// Where a name is a link, the file behind it is what is replaced.
std::string BehindLinks(const std::string& path) {
  std::error_code error;
  const fs::path real = fs::weakly_canonical(path, error);
  return error ? path : real.string();
}

// Held until it is closed; of the folder, since the file itself is replaced.
absl::StatusOr<UniqueFd> LockFolder(const std::string& folder) {
  UniqueFd fd(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!fd) return ErrnoStatus(errno, "open " + folder);
  while (::flock(fd.get(), LOCK_EX) != 0) {
    if (errno != EINTR) return ErrnoStatus(errno, "lock " + folder);
  }
  return fd;
}

bool IsThere(const std::string& path) {
  struct ::stat info {};
  return ::stat(path.c_str(), &info) == 0 || (errno != ENOENT && errno != ENOTDIR);
}

}  // namespace

const NamedContext* ContextFile::Find(std::string_view name) const {
  const auto found = std::ranges::find(contexts, name, &NamedContext::name);
  return found == contexts.end() ? nullptr : &*found;
}

NamedContext* ContextFile::Find(std::string_view name) {
  const auto found = std::ranges::find(contexts, name, &NamedContext::name);
  return found == contexts.end() ? nullptr : &*found;
}

std::vector<std::string> ContextFile::Names() const {
  std::vector<std::string> names;
  for (const NamedContext& context : contexts) names.push_back(context.name);
  return names;
}

absl::StatusOr<std::string> UserConfigFolder() {
  const std::string config = VariableText("XDG_CONFIG_HOME");
  if (IsOwnFolder(config)) return config + "/rdmaready";
  for (const std::string& home : {VariableText("HOME"), HomeInDatabase()}) {
    if (IsOwnFolder(home)) return home + "/.config/rdmaready";
  }
  return absl::FailedPreconditionError("this user has no home");
}

absl::StatusOr<std::string> ContextFilePath() {
  if (const std::string named = VariableText(kConfigVariable); !named.empty()) {
    std::error_code error;
    const fs::path whole = fs::absolute(named, error);
    return error ? named : whole.lexically_normal().string();
  }
  const absl::StatusOr<std::string> folder = UserConfigFolder();
  if (folder.ok()) return *folder + "/contexts.yaml";
  return absl::FailedPreconditionError(Message(folder.status()) + ": " + kConfigVariable +
                                       " says where its contexts are kept");
}

absl::StatusOr<ContextFile> ParseContexts(std::string_view text, const std::string& path) {
  std::vector<YamlFault> faults;
  const std::optional<YamlNode> root = ParseYaml(text, path, faults, kContextLimits);
  if (!faults.empty()) return absl::InvalidArgumentError(faults.front().Line());
  ContextFile file{.path = path, .is_there = true};
  if (!root || root->kind == YamlNode::Kind::kNull) return file;
  if (root->kind != YamlNode::Kind::kMap)
    return Fault(path, root->line, "it takes the keys `current` and `contexts`");
  RR_RETURN_IF_ERROR(ParseRoot(*root, file));
  return file;
}

absl::StatusOr<ContextFile> ReadContexts(const std::string& path) {
  if (!IsThere(path)) return ContextFile{.path = path};
  const absl::StatusOr<std::string> text = ReadOwnedFile(path, kMaxYamlBytes, kOthersWrite);
  if (text.ok()) return ParseContexts(*text, path);
  if (!absl::IsFailedPrecondition(text.status())) return text.status();
  const std::string owner = ::geteuid() == 0 ? "root" : fmt::format("root or of user {}", ::geteuid());
  return absl::FailedPreconditionError(fmt::format(
      "{}: it names the CA that is trusted, so it has to be of {}, and nobody else may write to it: "
      "chown {} {} && chmod 600 {}",
      path, owner, ::geteuid(), path, path));
}

absl::Status CheckContextName(std::string_view name) {
  const bool fits = !name.empty() && name.size() <= kMostNameLetters && name != kNoContext &&
                    name.front() != '-' && std::ranges::all_of(name, [](char letter) {
                      return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                             (letter >= '0' && letter <= '9') || letter == '.' || letter == '-' ||
                             letter == '_';
                    });
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(fmt::format(
      "'{}' cannot be the name of a context: 1 to {} letters, digits, dots, dashes and underscores, and "
      "not {}",
      name, kMostNameLetters, kNoContext));
}

absl::Status CheckContext(const NamedContext& context) {
  if (!context.values.contains(kInsecureKey)) return absl::OkStatus();
  for (const auto& [key, value] : context.values) {
    if (IsOfTls(key)) {
      return absl::InvalidArgumentError(fmt::format(
          "context {}: `insecure` and `{}` exclude each other: `rdmaready context unset {} insecure`",
          context.name, key, context.name));
    }
  }
  return absl::OkStatus();
}

absl::Status NoSuchContext(const ContextFile& file, std::string_view name) {
  const std::string close = ClosestWord(name, file.Names());
  std::string known = fmt::format("; there are {}", fmt::join(file.Names(), ", "));
  if (file.contexts.empty()) known = ", which has none: `rdmaready context set NAME` makes one";
  return absl::NotFoundError(fmt::format("no context '{}' in {}{}{}", name, file.path,
                                         close.empty() ? "" : " (did you mean " + close + "?)", known));
}

std::string ResolvedValue(const ContextFile& file, std::string_view key, const std::string& value) {
  const SharedOption* option = FindSharedOption(key);
  if (option == nullptr || value.starts_with('/')) return value;
  const bool path =
      option->kind == SharedKind::kFile || (option->kind == SharedKind::kProfile && LooksLikeAPath(value));
  return path ? (fs::path(file.path).parent_path() / value).lexically_normal().string() : value;
}

absl::Status ChangeContexts(const std::string& path, const std::function<absl::Status(ContextFile&)>& change) {
  const std::string real = BehindLinks(path);
  const std::string folder = fs::path(real).parent_path().string();
  RR_RETURN_IF_ERROR(pki::MakeDirectories(folder, kOwnersFolder));
  RR_ASSIGN_OR_RETURN(const UniqueFd lock, LockFolder(folder));
  RR_ASSIGN_OR_RETURN(ContextFile file, ReadContexts(path));
  RR_RETURN_IF_ERROR(change(file));
  const std::string text = ContextsText(file);
  // A value that the file cannot hold is refused before it is written.
  RR_RETURN_IF_ERROR(ParseContexts(text, path).status());
  return pki::WriteFile(real, text, kOwnersFile, pki::Existing::kReplaced);
}

}  // namespace rdmaready
