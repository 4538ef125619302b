// SPDX-License-Identifier: Apache-2.0
#include "api/profile/load.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <system_error>
#include <utility>

#include "api/base/status.h"
#include "api/profile/builtin.h"
#include "api/profile/chain.h"
#include "api/profile/profile_problems.h"
#include "api/profile/profile_proto.h"

namespace rdmaready {
namespace {

constexpr std::string_view kBesideFields[] = {kExtendsKey, kWithoutKey};

// Where the field was set, or the message it is in; the file's beginning when no file says it.
FieldPlace PlaceOf(const FieldPlaces& places, std::string_view field) {
  while (!field.empty()) {
    if (const auto found = places.find(field); found != places.end()) return found->second;
    const std::size_t end = field.find_last_of(".[");
    field = field.substr(0, end == std::string_view::npos ? 0 : end);
  }
  return {.source = 0, .line = 1};
}

std::string LineText(const ProfileReading& reading, const FieldPlace& place) {
  return fmt::format("{}:{}", reading.files[static_cast<std::size_t>(place.source)], place.line);
}

// "`pfc: [4]` here sets it right, or `without: [pfc]`": of what is inherited.
std::string HowToAnswer(const ProfileProblem& problem) {
  const std::string key = problem.field.substr(0, problem.field.find('['));
  const std::string write =
      problem.write.empty() ? "`" + key + "` of this file" : "`" + problem.write + "` here";
  return write + " sets it right, or `without: [" + key + "]`";
}

// What disagrees may be from two files; the extending one is the reader's own, and the one to name.
YamlFault FaultOf(const ProfileProblem& problem, const ProfileReading& reading) {
  FieldPlace place = PlaceOf(reading.places, problem.field);
  std::string text = "key `" + problem.field + "`: " + problem.text;
  if (const auto other = reading.places.find(problem.other);
      other != reading.places.end() && other->second.source < place.source) {
    text += " (`" + problem.field + "` is from " + LineText(reading, place) + ": " + HowToAnswer(problem) + ")";
    place = other->second;
  }
  return {.file = reading.files[static_cast<std::size_t>(place.source)],
          .line = place.line,
          .key = problem.field,
          .text = std::move(text),
          .is_contradiction = !problem.other.empty()};
}

// Whether one path is the other, or a part of it.
bool Related(std::string_view a, std::string_view b) {
  if (a.size() > b.size()) std::swap(a, b);
  return !a.empty() && b.starts_with(a) && (a.size() == b.size() || b[a.size()] == '.' || b[a.size()] == '[');
}

// Whether a fault of filling the message already explains the problem: what was refused, or written wrongly, is
// not missing.
bool Explained(const ProfileProblem& problem, std::span<const YamlFault> faults, const FieldPlaces& places) {
  const auto explains = [&places](const YamlFault& fault, const std::string& field) {
    if (fault.meant.empty()) return Related(fault.key, field);
    return Related(fault.meant, field) && !places.contains(field);
  };
  return std::ranges::any_of(faults, [&](const YamlFault& fault) {
    return explains(fault, problem.field) || explains(fault, problem.other);
  });
}

// The YAML keys whose values are advice by it.
std::vector<std::string_view> FieldsOf(Profile::Key key) {
  switch (key) {
    case Profile::Key::kUnknown:
      return {};
    case Profile::Key::kTrust:
      return {"trust"};
    case Profile::Key::kTos:
      return {"tos", "dscp"};
    case Profile::Key::kPfc:
      return {"pfc"};
    case Profile::Key::kEts:
      return {"ets"};
    case Profile::Key::kDcbx:
      return {"dcbx"};
    case Profile::Key::kCnp:
      return {"cnp"};
    case Profile::Key::kHeartbeat:
      return {"heartbeat"};
    case Profile::Key::kVlan:
      return {"vlan"};
    case Profile::Key::kMtuBytes:
      return {"mtu_bytes"};
    case Profile::Key::kRoceMtuBytes:
      return {"roce_mtu_bytes"};
    case Profile::Key::kMinSpeedMbps:
      return {"min_speed_mbps"};
    case Profile::Key::kMinMemlockBytes:
      return {"min_memlock_bytes"};
    case Profile::Key::kMinPorts:
      return {"min_ports"};
  }
  return {};
}

// As `advice` lists it: "mtu-bytes".
std::string AdviceName(Profile::Key key) {
  const std::vector<std::string_view> fields = FieldsOf(key);
  std::string name(fields.empty() ? std::string_view() : fields.front());
  std::ranges::replace(name, '_', '-');
  return name;
}

// The line at which the file itself says the field, or a part of it.
std::optional<int> OwnLine(const FieldPlaces& places, std::string_view field) {
  for (auto place = places.lower_bound(field); place != places.end() && place->first.starts_with(field);
       ++place) {
    if (Related(field, place->first) && place->second.source == 0) return place->second.line;
  }
  return std::nullopt;
}

void Sort(ProfileReading& reading) {
  const auto place = [&reading](const YamlFault& fault) {
    return std::pair(std::ranges::find(reading.files, fault.file) - reading.files.begin(), fault.line);
  };
  std::ranges::stable_sort(reading.faults, {}, place);
}

ProfileReading Read(std::string_view yaml, std::string_view file_name, Extendable extendable) {
  ProfileReading reading;
  ProfileChain chain = ReadChain(yaml, file_name, extendable, reading.faults);
  reading.files = chain.files;
  v1::Profile message;
  std::vector<YamlFault> filling;
  const bool has_root = chain.readable || chain.root.kind == YamlNode::Kind::kMap;
  if (has_root) {
    const KeyRules rules{.not_a_key = "digest", .beside = kBesideFields};
    reading.places = FillMessage(chain.root, chain.files, rules, message, filling);
  }
  reading.faults.insert(reading.faults.end(), filling.begin(), filling.end());
  // What a lost part of the chain would have said, nobody can miss; and an empty text lacks everything.
  if (chain.readable && chain.root.kind == YamlNode::Kind::kMap) {
    for (const ProfileProblem& problem : FindProblems(message)) {
      if (!Explained(problem, filling, reading.places)) reading.faults.push_back(FaultOf(problem, reading));
    }
  }
  Sort(reading);
  if (!reading.faults.empty()) return reading;
  absl::StatusOr<Profile> profile = Digested(message);
  if (profile.ok()) {
    reading.profile = *std::move(profile);
  } else {
    reading.faults.push_back(
        {.file = reading.files.front(), .line = 1, .text = std::string(profile.status().message())});
  }
  return reading;
}

absl::StatusOr<Profile> ProfileOf(ProfileReading reading) {
  if (reading.profile) return *std::move(reading.profile);
  const std::size_t more = reading.faults.size() - 1;
  // A contradiction may be but the shadow of another fault.
  auto first = std::ranges::find(reading.faults, false, &YamlFault::is_contradiction);
  if (first == reading.faults.end()) first = reading.faults.begin();
  std::string text = first->Line();
  if (more > 0) {
    text += fmt::format(" (and {} more fault{}: `rdmaready profile check {}`)", more, more > 1 ? "s" : "",
                        reading.files.front());
  }
  return absl::InvalidArgumentError(text);
}

}  // namespace

std::vector<InheritedAdvice> AdviceOnOwnValues(const ProfileReading& reading) {
  std::vector<InheritedAdvice> own;
  if (!reading.profile || !reading.profile->advice) return own;
  const auto advice = reading.places.lower_bound("advice");
  const bool said = advice != reading.places.end() && Related("advice", advice->first);
  if (!said || advice->second.source == 0) return own;
  const std::vector<Profile::Key>& keys = *reading.profile->advice;
  for (const Profile::Key key : keys) {
    for (const std::string_view field : FieldsOf(key)) {
      const std::optional<int> line = OwnLine(reading.places, field);
      if (!line) continue;
      InheritedAdvice& one = own.emplace_back(
          InheritedAdvice{.key = std::string(field),
                          .line = *line,
                          .base = reading.files[static_cast<std::size_t>(advice->second.source)]});
      for (const Profile::Key other : keys) {
        if (other != key) one.left.push_back(AdviceName(other));
      }
    }
  }
  return own;
}

absl::StatusOr<Profile> ParseProfile(std::string_view yaml, std::string_view file_name) {
  return ProfileOf(ReadProfileText(yaml, file_name));
}

ProfileReading ReadProfileText(std::string_view yaml, std::string_view file_name) {
  return Read(yaml, file_name, Extendable::kBuiltIns);
}

absl::StatusOr<Profile> LoadProfile(const std::string& name_or_path) {
  RR_ASSIGN_OR_RETURN(ProfileReading reading, ReadProfile(name_or_path));
  return ProfileOf(std::move(reading));
}

absl::StatusOr<ProfileReading> ReadProfile(const std::string& name_or_path) {
  const std::string_view built_in = BuiltInProfileText(name_or_path);
  if (!built_in.empty()) return ReadProfileText(built_in, name_or_path + ".yaml");
  std::error_code error;
  if (!LooksLikeAPath(name_or_path) && !std::filesystem::exists(name_or_path, error))
    return NoSuchProfile(name_or_path);
  RR_ASSIGN_OR_RETURN(const std::string text, ReadProfileFile(name_or_path));
  return Read(text, name_or_path, Extendable::kBuiltInsAndFiles);
}

std::vector<std::string> BuiltInProfileNames() {
  std::vector<std::string> names;
  for (const BuiltInProfile& profile : BuiltInProfiles()) names.emplace_back(profile.name);
  return names;
}

std::string_view BuiltInProfileText(std::string_view name) {
  const std::span<const BuiltInProfile> all = BuiltInProfiles();
  const auto found = std::ranges::find(all, name, &BuiltInProfile::name);
  return found == all.end() ? std::string_view() : found->text;
}

bool LooksLikeAPath(std::string_view name) {
  return name.find('/') != std::string_view::npos || name.ends_with(".yaml") || name.ends_with(".yml");
}

absl::Status NoSuchProfile(const std::string& name) {
  const std::vector<std::string> names = BuiltInProfileNames();
  const std::string close = ClosestWord(name, names);
  std::string known;
  for (const std::string& built_in : names) known += (known.empty() ? "" : ", ") + built_in;
  const std::string hint = close.empty() ? "" : " (did you mean `" + close + "`?)";
  return absl::NotFoundError("no profile `" + name + "`" + hint + "; built in are " + known +
                             "; one of your own is named by the path of its file");
}

}  // namespace rdmaready
