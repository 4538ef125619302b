// SPDX-License-Identifier: Apache-2.0
#include "cli/bundle/bundle.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "cli/bundle/manifest.h"
#include "collectors/recording/paths.h"

namespace rdmaready::bundle {
namespace {

constexpr std::string_view kHosts = "hosts/";

// A kind of members, and what is left out before what.
struct Part {
  std::string_view what;
  std::string_view path;  // of one member, or with '/' of all below it
};
constexpr std::array<Part, 6> kParts{{{"events", kEvents},
                                      {"history", kHistory},
                                      {"report", kReport},
                                      {"profiles", kJudgedBy},
                                      {"facts", kFacts},
                                      {"recording", kRecording}}};

bool IsOf(const Part& part, std::string_view path) {
  return part.path.ends_with('/') ? path.starts_with(part.path) : path == part.path;
}

// Two hosts never share a folder.
void NameFolders(std::vector<BundledHost>& hosts) {
  std::set<std::string> taken;
  for (BundledHost& host : hosts) {
    const std::string wanted = recording::FolderName(host.folder.empty() ? host.name : host.folder);
    host.folder = wanted;
    for (int number = 2; !taken.insert(host.folder).second; ++number) {
      host.folder = fmt::format("{}_{}", wanted, number);
    }
  }
}

std::string PathOf(const BundledHost& host, const std::string& member) {
  return fmt::format("{}{}/{}", kHosts, host.folder, member);
}

// More than a member can take in the manifest beside its path.
constexpr std::size_t kMemberLineBytes = 160;
constexpr std::size_t kRounding = 512;  // of the manifest, when its list has come to it

std::size_t CostOf(const std::string& path, std::size_t bytes) {
  return TarBytesOf(bytes) + path.size() + kMemberLineBytes;
}

class Fitting {
 public:
  Fitting(Bundle& bundle, std::size_t most_bytes) : bundle_(bundle), most_bytes_(most_bytes) {}

  void LeaveOutWhatDoesNotFit() {
    LeaveOutLongPaths();
    Count();
    for (const Part& part : kParts) {
      for (auto host = bundle_.hosts.rbegin(); host != bundle_.hosts.rend() && !Fits(); ++host) {
        LeaveOut(*host, part, fmt::format("more than {} would not fit", BytesText(most_bytes_)));
      }
    }
  }

 private:
  bool Fits() const { return bytes_ + Head() <= most_bytes_ && members_ < kMaxMembers; }

  // The manifest without its list of members.
  std::size_t Head() const { return kTarEndBytes + TarBytesOf(ManifestText(bundle_, {}).size()) + kRounding; }

  void Count() {
    for (const BundledHost& host : bundle_.hosts) {
      for (const auto& [path, contents] : host.members) bytes_ += CostOf(PathOf(host, path), contents.size());
      members_ += host.members.size();
    }
  }

  void LeaveOutLongPaths() {
    for (BundledHost& host : bundle_.hosts) {
      for (const Part& part : kParts) {
        const auto fits = [&](const auto& member) {
          return !IsOf(part, member.first) || FitsHeader(PathOf(host, member.first));
        };
        if (!std::ranges::all_of(host.members, fits)) LeaveOut(host, part, "too long a path for a bundle");
      }
    }
  }

  void LeaveOut(BundledHost& host, const Part& part, const std::string& why) {
    std::size_t left_out = 0;
    for (auto member = host.members.begin(); member != host.members.end();) {
      if (!IsOf(part, member->first)) {
        ++member;
        continue;
      }
      bytes_ -= std::min(bytes_, CostOf(PathOf(host, member->first), member->second.size()));
      ++left_out;
      member = host.members.erase(member);
    }
    members_ -= std::min(members_, left_out);
    if (left_out > 0) bundle_.left_out.push_back({host.name, std::string(part.what), why});
  }

  Bundle& bundle_;
  const std::size_t most_bytes_;
  std::size_t bytes_ = 0;
  std::size_t members_ = 0;
};

// Each member that the manifest names is there, as it says, and no other one.
absl::Status CheckMembers(const Members& members, const std::vector<ListedMember>& listed) {
  std::set<std::string_view> named;
  for (const ListedMember& one : listed) {
    const std::string shown = SafeLine(one.path, 120);
    if (one.path == kManifest || !named.insert(one.path).second) {
      return absl::InvalidArgumentError(shown + ": the manifest names it twice");
    }
    const auto member = members.find(one.path);
    if (member == members.end()) return absl::InvalidArgumentError(shown + ": missing");
    if (member->second.size() != one.bytes)
      return absl::InvalidArgumentError(shown + ": damaged: its size differs");
    RR_ASSIGN_OR_RETURN(const std::string digest, Sha256(member->second));
    if (digest != one.sha256) return absl::InvalidArgumentError(shown + ": damaged: its digest differs");
  }
  for (const auto& [path, contents] : members) {
    if (path != kManifest && !named.contains(path)) {
      return absl::InvalidArgumentError(SafeLine(path, 120) + ": the manifest does not name it");
    }
  }
  return absl::OkStatus();
}

// Gives each host its members; one of no host, or of no kind that we know, is refused.
absl::Status Distribute(Members members, Bundle& bundle) {
  std::map<std::string, BundledHost*> folders;
  for (BundledHost& host : bundle.hosts) {
    if (host.folder != recording::FolderName(host.folder) || !folders.try_emplace(host.folder, &host).second) {
      return absl::InvalidArgumentError(fmt::format("{}: \"{}\" is no folder of a host, or that of two",
                                                    kManifest, SafeLine(host.folder, 120)));
    }
  }
  for (auto& [path, contents] : members) {
    if (path == kManifest) continue;
    const std::string rest = path.starts_with(kHosts) ? path.substr(kHosts.size()) : std::string();
    const std::size_t slash = std::min(rest.find('/'), rest.size());
    const auto host = folders.find(rest.substr(0, slash));
    const std::string member = slash < rest.size() ? rest.substr(slash + 1) : std::string();
    const bool known = std::ranges::any_of(kParts, [&](const Part& part) { return IsOf(part, member); });
    if (host == folders.end() || !known) {
      return absl::InvalidArgumentError(SafeLine(path, 120) + ": no member of a bundle");
    }
    host->second->members.emplace(member, std::move(contents));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<EncodedBundle> Encode(Bundle bundle, std::size_t most_bytes) {
  most_bytes = std::min(most_bytes, kMaxTarBytes);
  NameFolders(bundle.hosts);
  Fitting(bundle, most_bytes).LeaveOutWhatDoesNotFit();
  Members members;
  std::vector<ListedMember> listed;
  for (const BundledHost& host : bundle.hosts) {
    for (const auto& [path, contents] : host.members) {
      RR_ASSIGN_OR_RETURN(std::string digest, Sha256(contents));
      listed.push_back({PathOf(host, path), contents.size(), std::move(digest)});
      members.emplace(listed.back().path, contents);
    }
  }
  members.emplace(kManifest, ManifestText(bundle, listed));
  EncodedBundle encoded{.left_out = std::move(bundle.left_out)};
  RR_ASSIGN_OR_RETURN(encoded.tar, WriteTar(members, kManifest));
  if (encoded.tar.size() <= most_bytes) return encoded;
  return absl::ResourceExhaustedError(fmt::format("not even the manifest of {} hosts fits into {}",
                                                  bundle.hosts.size(), BytesText(most_bytes)));
}

absl::StatusOr<Bundle> Decode(std::string_view bytes) {
  std::string unpacked;
  if (IsGzip(bytes)) {
    RR_ASSIGN_OR_RETURN(unpacked, Gunzip(bytes));
    bytes = unpacked;
  }
  RR_ASSIGN_OR_RETURN(Members members, ReadTar(bytes));
  unpacked = std::string();
  const auto manifest = members.find(std::string(kManifest));
  if (manifest == members.end())
    return absl::InvalidArgumentError("no bundle: it has no " + std::string(kManifest));
  RR_ASSIGN_OR_RETURN(Manifest read, ReadManifest(manifest->second));
  RR_RETURN_IF_ERROR(CheckMembers(members, read.members));
  RR_RETURN_IF_ERROR(Distribute(std::move(members), read.bundle));
  return std::move(read.bundle);
}

}  // namespace rdmaready::bundle
