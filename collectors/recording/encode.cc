// SPDX-License-Identifier: Apache-2.0
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <rdma/rdma_netlink.h>

#include <algorithm>
#include <set>

#include "api/base/digest.h"
#include "api/base/text.h"
#include "collectors/recording/device_numbers.h"
#include "collectors/recording/format.h"
#include "collectors/recording/json.h"
#include "collectors/recording/paths.h"

namespace rdmaready {
namespace {

using recording::FromStatus;
using recording::FromText;
using recording::HexOf;
using recording::Json;

constexpr std::size_t kShortestShown = 3;  // of text inside of a payload
constexpr std::size_t kMostShown = 8;

// Texts inside of a payload, as strings(1) finds them: names of devices, mostly.
Json Shown(std::span<const std::byte> payload) {
  Json found = Json::array();
  std::string text;
  const auto flush = [&] {
    if (text.size() >= kShortestShown && found.size() < kMostShown) found.push_back(text);
    text.clear();
  };
  for (const std::byte byte : payload) {
    const char letter = static_cast<char>(byte);
    if (letter > ' ' && letter <= '~') {
      text.push_back(letter);
    } else {
      flush();
    }
  }
  flush();
  return found;
}

std::string WhatIsAsked(const NetlinkRequest& request) {
  if (request.protocol == NETLINK_RDMA) {
    return "RDMA netlink command " + std::to_string(RDMA_NL_GET_OP(request.type));
  }
  if (request.protocol != NETLINK_ROUTE) return "netlink";
  switch (request.type) {
    case RTM_GETLINK:
      return "rtnetlink GETLINK";
    case RTM_GETADDR:
      return "rtnetlink GETADDR";
    case RTM_GETDCB:
      return "dcbnl";
    default:
      return "rtnetlink";
  }
}

Json ToJson(const NetlinkRequest& request) {
  return {{"protocol", request.protocol},      {"type", request.type},
          {"what", WhatIsAsked(request)},      {"dump", request.dump},
          {"payload", HexOf(request.payload)}, {"shows", Shown(request.payload)}};
}

Json ToJson(const std::vector<NetlinkMessage>& messages) {
  Json list = Json::array();
  for (const NetlinkMessage& message : messages) {
    list.push_back(
        {{"type", message.type}, {"payload", HexOf(message.payload)}, {"shows", Shown(message.payload)}});
  }
  return list;
}

Json ToJson(const std::vector<VerbsGid>& gids) {
  Json list = Json::array();
  for (const VerbsGid& gid : gids) {
    list.push_back({{"port", gid.port},
                    {"index", gid.index},
                    {"raw", HexOf(std::as_bytes(std::span(gid.raw)))},
                    {"type", gid.type},
                    {"ifindex", gid.ifindex}});
  }
  return list;
}

Json ToJson(const std::vector<std::string>& names) {
  Json list = Json::array();
  for (const std::string& name : names) list.push_back(FromText(name));
  return list;
}

// One line for each run of answers. `question` gives the first members; `answer` adds its own to them.
template <class Log, class ToQuestion, class AddAnswer>
void Append(std::string& lines, const Log& log, ToQuestion question, AddAnswer answer) {
  for (const auto& [asked, answers] : log.entries()) {
    for (const auto& run : answers.runs) {
      Json line = question(asked);
      if (run.answer.ok()) {
        answer(line, *run.answer);
      } else {
        line["error"] = FromStatus(run.answer.status());
      }
      if (run.times > 1) line["times"] = run.times;
      lines += line.dump() + "\n";
    }
  }
}

// Files that can, lie in the tree; what cannot (a second answer, an odd name, a file where a folder has to be)
// is in the line itself.
class Tree {
 public:
  explicit Tree(RecordingFiles& files) : files_(files) {}

  void Add(Json& line, const std::string& path, const std::string& text) {
    const std::string file = recording::TreePath(path);
    if (file.empty() || !Reserve(file)) {
      line["text"] = FromText(text);
      return;
    }
    line["in"] = file;
    files_[file] = text;
  }

 private:
  bool Reserve(const std::string& file) {
    if (folders_.contains(file) || files_.contains(file)) return false;
    std::vector<std::string> parents;
    for (std::size_t slash = file.find('/'); slash != std::string::npos; slash = file.find('/', slash + 1)) {
      parents.push_back(file.substr(0, slash));
      if (files_.contains(parents.back())) return false;
    }
    folders_.insert(parents.begin(), parents.end());
    return true;
  }

  RecordingFiles& files_;
  std::set<std::string> folders_;
};

void EncodeFiles(const Recording& recording, RecordingFiles& files) {
  std::string lines;
  Tree tree(files);
  // Append hands the answer, not the question, to its last argument: the line has it.
  Append(
      lines, recording.files,
      [](const std::string& path) {
        return Json{{"read", FromText(path)}};
      },
      [&](Json& line, const std::string& text) {
        const Json& path = line["read"];
        if (path.is_string()) {
          tree.Add(line, path.get<std::string>(), text);
        } else {
          line["text"] = FromText(text);
        }
      });
  Append(
      lines, recording.directories,
      [](const std::string& path) {
        return Json{{"list", FromText(path)}};
      },
      [](Json& line, const std::vector<std::string>& names) { line["names"] = ToJson(names); });
  Append(
      lines, recording.links,
      [](const std::string& path) {
        return Json{{"link", FromText(path)}};
      },
      [](Json& line, const std::string& text) { line["text"] = FromText(text); });
  files["files.jsonl"] = std::move(lines);
}

std::string VerbsLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.verbs_ports,
      [](const PortQuestion& asked) {
        return Json{{"device", FromText(asked.device)}, {"port", asked.port}};
      },
      [](Json& line, const VerbsPortAnswer& answer) {
        line["state"] = answer.state;
        line["phys_state"] = answer.phys_state;
        line["max_mtu"] = answer.max_mtu;
        line["active_mtu"] = answer.active_mtu;
        line["link_layer"] = answer.link_layer;
      });
  Append(
      lines, recording.verbs_gids,
      [](const std::string& device) {
        return Json{{"device", FromText(device)}};
      },
      [](Json& line, const std::vector<VerbsGid>& gids) { line["gids"] = ToJson(gids); });
  return lines;
}

std::string FoundLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.lines,
      [](const LinesQuestion& asked) {
        return Json{{"find", FromText(asked.path)}, {"words", ToJson(asked.words)}};
      },
      [](Json& line, const std::vector<std::string>& found) { line["lines"] = ToJson(found); });
  return lines;
}

std::string ModeLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.modes,
      [](const std::string& path) {
        return Json{{"look", FromText(path)}};
      },
      [](Json& line, std::uint32_t mode) { line["mode"] = mode; });
  return lines;
}

std::string DeviceLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.verbs_devices,
      [](const std::string& device) {
        return Json{{"device", FromText(device)}};
      },
      [](Json& line, const VerbsDeviceAnswer& answer) {
        for (const recording::DeviceNumber& number : recording::kDeviceNumbers)
          line[number.name] = answer.*number.member;
      });
  return lines;
}

Json ToJson(const LldpFrame& frame) {
  return {{"sent_here", frame.sent_here}, {"times", frame.times},        {"first_ms", frame.first_ms},
          {"last_ms", frame.last_ms},     {"bytes", HexOf(frame.bytes)}, {"shows", Shown(frame.bytes)}};
}

std::string LldpLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.lldp,
      [](const std::string& netdev) {
        return Json{{"netdev", FromText(netdev)}};
      },
      [](Json& line, const LldpFrames& heard) {
        line["listened_ms"] = heard.listened_ms;
        line["left_out"] = heard.left_out;
        Json& frames = line["frames"] = Json::array();
        for (const LldpFrame& frame : heard.frames) frames.push_back(ToJson(frame));
      });
  return lines;
}

std::string MadLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.mads,
      [](const MadRequest& asked) {
        return Json{{"device", FromText(asked.device)},
                    {"port", asked.port},
                    {"lid", asked.lid},
                    {"request", HexOf(asked.mad)}};
      },
      [](Json& line, const std::vector<std::byte>& answer) { line["answer"] = HexOf(answer); });
  return lines;
}

std::string LldpadLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.lldpad,
      [](const std::string& question) {
        return Json{{"question", FromText(question)}};
      },
      [](Json& line, const std::string& answer) { line["answer"] = FromText(answer); });
  return lines;
}

Json ToJson(const std::vector<ProcessName>& processes) {
  Json list = Json::array();
  for (const ProcessName& process : processes)
    list.push_back({{"pid", process.pid}, {"name", FromText(process.name)}});
  return list;
}

Json ToJson(const DcbNotice& notice) {
  return {{"type", notice.type},
          {"sequence", notice.sequence},
          {"at_ms", notice.at_ms},
          {"payload", HexOf(notice.payload)},
          {"shows", Shown(notice.payload)},
          {"newcomers", ToJson(notice.newcomers)}};
}

std::string DcbNoticeLines(const Recording& recording) {
  std::string lines;
  Append(
      lines, recording.dcb_notices,
      [](std::monostate) {
        return Json{{"group", "dcb"}};
      },
      [](Json& line, const DcbNotices& heard) {
        line["listened_ms"] = heard.listened_ms;
        line["lost"] = heard.lost;
        line["residents"] = ToJson(heard.residents);
        Json& notices = line["notices"] = Json::array();
        for (const DcbNotice& notice : heard.notices) notices.push_back(ToJson(notice));
      });
  return lines;
}

void EncodeAnswers(const Recording& recording, RecordingFiles& files) {
  Append(
      files["netlink.jsonl"], recording.netlink, [](const NetlinkRequest& asked) { return ToJson(asked); },
      [](Json& line, const std::vector<NetlinkMessage>& messages) { line["messages"] = ToJson(messages); });
  Append(
      files["ethtool.jsonl"], recording.ethtool,
      [](const EthtoolQuestion& asked) {
        return Json{{"netdev", FromText(asked.netdev)}, {"request", HexOf(asked.request)}};
      },
      [](Json& line, const std::vector<std::byte>& answer) {
        line["answer"] = HexOf(answer);
        line["shows"] = Shown(answer);
      });
  files["verbs.jsonl"] = VerbsLines(recording);
  files["lines.jsonl"] = FoundLines(recording);
  files["devices.jsonl"] = DeviceLines(recording);
  files["modes.jsonl"] = ModeLines(recording);
  // Whoever did not listen has none, so that older programs can read it.
  if (!recording.lldp.entries().empty()) files["lldp.jsonl"] = LldpLines(recording);
  if (!recording.dcb_notices.entries().empty()) files["dcb_notices.jsonl"] = DcbNoticeLines(recording);
  if (!recording.mads.entries().empty()) files["mads.jsonl"] = MadLines(recording);
  if (!recording.lldpad.entries().empty()) files["lldpad.jsonl"] = LldpadLines(recording);
  Append(
      files["rdma_cm.jsonl"], recording.rdma_cm,
      [](const PortQuestion& asked) {
        return Json{{"device", FromText(asked.device)}, {"port", asked.port}};
      },
      [](Json& line, const RdmaCmAnswer& answer) {
        line["default_roce_mode"] = FromText(answer.default_roce_mode);
        line["default_roce_tos"] = FromText(answer.default_roce_tos);
      });
  Append(
      files["limits.jsonl"], recording.memlock,
      [](std::monostate) {
        return Json{{"limit", "memlock"}};
      },
      [](Json& line, const Memlock& memlock) {
        line["limit_bytes"] = memlock.limit_bytes;
        line["cap_ipc_lock"] = memlock.cap_ipc_lock;
        line["pid"] = memlock.pid;
      });
}

std::string Manifest(const Recording& recording, std::size_t files) {
  const Json manifest{
      {"schema", "rdmaready.v1.Recording"},
      {"format", kRecordingFormat},
      {"host", FromText(recording.host)},
      {"hostname", FromText(recording.hostname)},
      {"kernel", FromText(recording.kernel)},
      {"rdmaready", FromText(recording.rdmaready)},
      {"recorded", UtcText(recording.recorded_unix_ns)},
      {"recorded_unix_ns", recording.recorded_unix_ns},
      {"files", files},
      {"about",
       "What rdmaready asked this host and what the host answered: judge it with "
       "`rdmaready check --facts FOLDER`. It holds names, hardware and IP addresses, and the settings "
       "of network and RDMA devices; no user data, no keys."}};
  return manifest.dump(1) + "\n";
}

}  // namespace

absl::StatusOr<RecordingFiles> EncodeRecording(const Recording& recording) {
  RecordingFiles files;
  EncodeFiles(recording, files);
  EncodeAnswers(recording, files);
  const std::string manifest(kManifestFile);
  files[manifest] = Manifest(recording, files.size() + 1);
  std::string digests;
  for (const auto& [path, text] : files) {
    const absl::StatusOr<std::string> digest = Sha256(text);
    if (!digest.ok()) return digest.status();
    digests += *digest + "  " + path + "\n";
  }
  files[std::string(kDigestsFile)] = std::move(digests);
  return files;
}

}  // namespace rdmaready
