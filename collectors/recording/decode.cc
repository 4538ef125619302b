// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>
#include <utility>

#include "api/base/digest.h"
#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/recording/device_numbers.h"
#include "collectors/recording/format.h"
#include "collectors/recording/json.h"
#include "collectors/recording/paths.h"

namespace rdmaready {
namespace {

using recording::Json;
using recording::Reader;

constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;
constexpr std::size_t kShownWordBytes = 200;  // of foreign text in an error
constexpr std::size_t kDigestDigits = 64;
constexpr std::string_view kSchema = "rdmaready.v1.Recording";

absl::Status Bad(std::string_view file, std::string_view why) {
  return absl::InvalidArgumentError(std::string(file) + ": " + std::string(why));
}

absl::Status Bad(std::string_view file, std::size_t line, std::string_view why) {
  return Bad(std::string(file) + ":" + std::to_string(line), why);
}

// ---- the lines of one file ----

// Calls `add(Reader&)` for each line.
template <class Add>
absl::Status EachLine(const RecordingFiles& files, const std::string& file, std::size_t* answers, Add add) {
  const auto found = files.find(file);
  if (found == files.end()) return Bad(file, "missing");
  std::string_view rest = found->second;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = rest.find('\n');
    if (end == std::string_view::npos) return Bad(file, number, "ends in the middle of a line");
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end + 1);
    if (line.size() > kMaxLineBytes) return Bad(file, number, "too long a line");
    if (++*answers > kMaxRecordedAnswers) return Bad(file, number, "too many answers");
    const absl::StatusOr<Json> object = recording::ParseObject(line);
    if (!object.ok()) return Bad(file, number, Message(object.status()));
    Reader reader(*object);
    add(reader);
    if (const absl::Status status = reader.status(); !status.ok()) return Bad(file, number, Message(status));
  }
  return absl::OkStatus();
}

// The answer of a line: `read()` gives it, unless the line has an error.
template <class Log, class Question, class Read>
void AddAnswer(Reader& line, Log& log, const Question& question, Read read) {
  const bool failed = line.Has("error");
  const absl::Status error = failed ? line.Error("error") : absl::OkStatus();
  const std::uint32_t times = line.Has("times") ? line.Unsigned<std::uint32_t>("times") : 1;
  if (times == 0) line.Fail("an answer that came no times");
  if (failed) {
    log.Add(question, error, times);
  } else {
    log.Add(question, read(), times);
  }
}

// Questions about files, and what they held.
class FileLines {
 public:
  FileLines(const RecordingFiles& files, Recording& recording) : files_(files), recording_(recording) {}

  void Add(Reader& line) {
    if (line.Has("read")) {
      const std::string path = line.Text("read");
      AddAnswer(line, recording_.files, path, [&] { return ContentOf(line, path); });
    } else if (line.Has("list")) {
      AddAnswer(line, recording_.directories, line.Text("list"), [&] { return line.Texts("names"); });
    } else {
      AddAnswer(line, recording_.links, line.Text("link"), [&] { return line.Text("text"); });
    }
  }

 private:
  std::string ContentOf(Reader& line, const std::string& path) {
    if (!line.Has("in")) return line.Text("text");
    const std::string file = line.Text("in");
    const auto found = files_.find(file);
    if (file.empty() || file != recording::TreePath(path) || found == files_.end()) {
      line.Fail("\"" + SafeLine(file, kShownWordBytes) + "\" is not where the file was put");
      return {};
    }
    if (!used_.insert(file).second) {  // else a few lines could stand for any amount of memory
      line.Fail("\"" + file + "\" is used twice");
      return {};
    }
    return found->second;
  }

  const RecordingFiles& files_;
  Recording& recording_;
  std::set<std::string> used_;
};

NetlinkMessage MessageOf(Reader& reader) {
  reader.Ignore("shows");
  NetlinkMessage message;
  message.type = reader.Unsigned<std::uint16_t>("type");
  message.payload = reader.Bytes("payload");
  return message;
}

void AddNetlink(Reader& line, Recording& recording) {
  line.Ignore("what");
  line.Ignore("shows");
  NetlinkRequest request;
  request.protocol = line.Unsigned<int>("protocol");
  request.type = line.Unsigned<std::uint16_t>("type");
  request.dump = line.Flag("dump");
  request.payload = line.Bytes("payload");
  AddAnswer(line, recording.netlink, request, [&] { return line.List<NetlinkMessage>("messages", MessageOf); });
}

void AddEthtool(Reader& line, Recording& recording) {
  line.Ignore("shows");
  const EthtoolQuestion question{line.Text("netdev"), line.Bytes("request")};
  AddAnswer(line, recording.ethtool, question, [&] { return line.Bytes("answer"); });
}

VerbsPortAnswer PortAnswerOf(Reader& reader) {
  VerbsPortAnswer answer;
  answer.state = reader.Unsigned<std::uint32_t>("state");
  answer.phys_state = reader.Unsigned<std::uint32_t>("phys_state");
  answer.max_mtu = reader.Unsigned<std::uint32_t>("max_mtu");
  answer.active_mtu = reader.Unsigned<std::uint32_t>("active_mtu");
  answer.link_layer = reader.Unsigned<std::uint32_t>("link_layer");
  return answer;
}

VerbsGid GidOf(Reader& reader) {
  VerbsGid gid;
  gid.port = reader.Unsigned<std::uint32_t>("port");
  gid.index = reader.Unsigned<std::uint32_t>("index");
  gid.type = reader.Unsigned<std::uint32_t>("type");
  gid.ifindex = reader.Unsigned<std::uint32_t>("ifindex");
  const std::vector<std::byte> raw = reader.Bytes("raw");
  if (raw.size() != gid.raw.size()) {
    reader.Fail("a GID of " + std::to_string(raw.size()) + " bytes");
  } else {
    std::ranges::transform(raw, gid.raw.begin(),
                           [](std::byte one) { return std::to_integer<std::uint8_t>(one); });
  }
  return gid;
}

void AddVerbs(Reader& line, Recording& recording) {
  const std::string device = line.Text("device");
  if (!line.Has("port")) {
    AddAnswer(line, recording.verbs_gids, device, [&] { return line.List<VerbsGid>("gids", GidOf); });
    return;
  }
  const PortQuestion question{device, line.Unsigned<std::uint32_t>("port")};
  AddAnswer(line, recording.verbs_ports, question, [&] { return PortAnswerOf(line); });
}

void AddFoundLines(Reader& line, Recording& recording) {
  const LinesQuestion question{line.Text("find"), line.Texts("words")};
  AddAnswer(line, recording.lines, question, [&] { return line.Texts("lines"); });
}

void AddMode(Reader& line, Recording& recording) {
  AddAnswer(line, recording.modes, line.Text("look"), [&] { return line.Unsigned<std::uint32_t>("mode"); });
}

void AddDevice(Reader& line, Recording& recording) {
  AddAnswer(line, recording.verbs_devices, line.Text("device"), [&] {
    VerbsDeviceAnswer answer;
    for (const recording::DeviceNumber& number : recording::kDeviceNumbers)
      answer.*number.member = line.Unsigned<std::uint32_t>(number.name);
    return answer;
  });
}

LldpFrame FrameOf(Reader& reader) {
  reader.Ignore("shows");
  LldpFrame frame;
  frame.sent_here = reader.Flag("sent_here");
  frame.times = reader.Unsigned<std::uint32_t>("times");
  frame.first_ms = reader.Unsigned<std::uint32_t>("first_ms");
  frame.last_ms = reader.Unsigned<std::uint32_t>("last_ms");
  frame.bytes = reader.Bytes("bytes");
  return frame;
}

void AddLldp(Reader& line, Recording& recording) {
  AddAnswer(line, recording.lldp, line.Text("netdev"), [&] {
    LldpFrames heard;
    heard.listened_ms = line.Unsigned<std::uint32_t>("listened_ms");
    heard.left_out = line.Unsigned<std::uint32_t>("left_out");
    heard.frames = line.List<LldpFrame>("frames", FrameOf);
    return heard;
  });
}

ProcessName ProcessOf(Reader& reader) {
  ProcessName process;
  process.pid = reader.Unsigned<std::uint32_t>("pid");
  process.name = reader.Text("name");
  return process;
}

DcbNotice NoticeOf(Reader& reader) {
  reader.Ignore("shows");
  DcbNotice notice;
  notice.type = reader.Unsigned<std::uint16_t>("type");
  notice.sequence = reader.Unsigned<std::uint32_t>("sequence");
  notice.at_ms = reader.Unsigned<std::uint32_t>("at_ms");
  notice.payload = reader.Bytes("payload");
  notice.newcomers = reader.List<ProcessName>("newcomers", ProcessOf);
  return notice;
}

void AddDcbNotices(Reader& line, Recording& recording) {
  if (line.Text("group") != "dcb") line.Fail("another group than dcb");
  AddAnswer(line, recording.dcb_notices, std::monostate(), [&] {
    DcbNotices heard;
    heard.listened_ms = line.Unsigned<std::uint32_t>("listened_ms");
    heard.lost = line.Flag("lost");
    heard.residents = line.List<ProcessName>("residents", ProcessOf);
    heard.notices = line.List<DcbNotice>("notices", NoticeOf);
    return heard;
  });
}

void AddMad(Reader& line, Recording& recording) {
  MadRequest request;
  request.device = line.Text("device");
  request.port = line.Unsigned<std::uint32_t>("port");
  request.lid = line.Unsigned<std::uint16_t>("lid");
  request.mad = line.Bytes("request");
  AddAnswer(line, recording.mads, request, [&] { return line.Bytes("answer"); });
}

void AddRdmaCm(Reader& line, Recording& recording) {
  const std::string device = line.Text("device");
  const PortQuestion question{device, line.Unsigned<std::uint32_t>("port")};
  AddAnswer(line, recording.rdma_cm, question, [&] {
    RdmaCmAnswer answer;
    answer.default_roce_mode = line.Text("default_roce_mode");
    answer.default_roce_tos = line.Text("default_roce_tos");
    return answer;
  });
}

void AddLimit(Reader& line, Recording& recording) {
  if (line.Text("limit") != "memlock") line.Fail("another limit than memlock");
  AddAnswer(line, recording.memlock, std::monostate(), [&] {
    Memlock memlock;
    memlock.limit_bytes = line.Unsigned<std::uint64_t>("limit_bytes");
    memlock.cap_ipc_lock = line.Flag("cap_ipc_lock");
    memlock.pid = line.Unsigned<std::int64_t>("pid");
    return memlock;
  });
}

// ---- the recording as a whole ----

struct Listed {
  std::string path{};
  std::string digest{};
};

absl::StatusOr<std::vector<Listed>> DecodeDigests(std::string_view text) {
  std::vector<Listed> listed;
  std::set<std::string> seen;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return Bad(kDigestsFile, number, "ends in the middle of a line");
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end + 1);
    const std::string_view path = line.substr(std::min(line.size(), kDigestDigits + 2));
    if (line.substr(0, kDigestDigits).find_first_not_of("0123456789abcdef") != std::string_view::npos ||
        line.substr(std::min(line.size(), kDigestDigits), 2) != "  " || !recording::IsSafePath(path)) {
      return Bad(kDigestsFile, number, "not a SHA-256 and a plain path inside of the recording");
    }
    if (number > kMaxRecordingFiles) return Bad(kDigestsFile, number, "too many files");
    if (!seen.emplace(path).second) return Bad(kDigestsFile, number, "a file named twice");
    listed.push_back({std::string(path), std::string(line.substr(0, kDigestDigits))});
  }
  return listed;
}

absl::Status CheckDigests(const RecordingFiles& files, const std::vector<Listed>& listed) {
  for (const Listed& one : listed) {
    const auto file = files.find(one.path);
    if (file == files.end()) return Bad(one.path, "missing");
    const absl::StatusOr<std::string> digest = Sha256(file->second);
    if (!digest.ok()) return digest.status();
    if (*digest != one.digest) {
      return Bad(one.path, "truncated or changed: not what " + std::string(kDigestsFile) + " says");
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Json> ParseManifest(std::string_view text) {
  absl::StatusOr<Json> manifest = recording::ParseObject(text);
  if (!manifest.ok()) return Bad(kManifestFile, Message(manifest.status()));
  const auto schema = manifest->find("schema");
  if (schema == manifest->end() || !schema->is_string() || schema->get_ref<const std::string&>() != kSchema) {
    return Bad(kManifestFile, "not the recording of a host by rdmaready");
  }
  const auto format = manifest->find("format");
  if (format == manifest->end() || !format->is_number_unsigned())
    return Bad(kManifestFile, "no number \"format\"");
  if (const auto number = format->get<std::uint64_t>(); number != kRecordingFormat) {
    return Bad(kManifestFile, "recording format " + std::to_string(number) + ", this program knows " +
                                  std::to_string(kRecordingFormat) +
                                  (number == 0 ? "" : ": use a newer rdmaready"));
  }
  return manifest;
}

// Its own part of the recording, and how many files there are.
absl::Status DecodeManifest(const Json& manifest, Recording* recording, std::size_t* files) {
  Reader reader(manifest);
  for (const char* member : {"schema", "format", "recorded", "about"}) reader.Ignore(member);
  recording->host = reader.Text("host");
  recording->hostname = reader.Text("hostname");
  recording->kernel = reader.Text("kernel");
  recording->rdmaready = reader.Text("rdmaready");
  recording->recorded_unix_ns = reader.Unsigned<std::int64_t>("recorded_unix_ns");
  *files = reader.Unsigned<std::size_t>("files");
  const absl::Status status = reader.status();
  return status.ok() ? status : Bad(kManifestFile, Message(status));
}

void AddLldpad(Reader& line, Recording& recording) {
  AddAnswer(line, recording.lldpad, line.Text("question"), [&] { return line.Text("answer"); });
}

absl::Status DecodeAnswers(const RecordingFiles& files, Recording* recording) {
  std::size_t answers = 0;
  FileLines file_lines(files, *recording);
  RR_RETURN_IF_ERROR(EachLine(files, "files.jsonl", &answers, [&](Reader& line) { file_lines.Add(line); }));
  struct Part {
    const char* file;
    void (*add)(Reader& line, Recording& recording);
  };
  for (const Part& part :
       {Part{"netlink.jsonl", AddNetlink}, Part{"ethtool.jsonl", AddEthtool}, Part{"verbs.jsonl", AddVerbs},
        Part{"rdma_cm.jsonl", AddRdmaCm}, Part{"limits.jsonl", AddLimit}}) {
    RR_RETURN_IF_ERROR(EachLine(files, part.file, &answers, [&](Reader& line) { part.add(line, *recording); }));
  }
  // Of an older version, which did not ask these, of somebody who did not listen, or of a host without
  // InfiniBand or lldpad there are no such files;
  // where there are, the digests name them.
  for (const Part& part :
       {Part{"lines.jsonl", AddFoundLines}, Part{"devices.jsonl", AddDevice}, Part{"modes.jsonl", AddMode},
        Part{"lldp.jsonl", AddLldp}, Part{"dcb_notices.jsonl", AddDcbNotices}, Part{"mads.jsonl", AddMad},
        Part{"lldpad.jsonl", AddLldpad}}) {
    if (!files.contains(part.file)) continue;
    RR_RETURN_IF_ERROR(EachLine(files, part.file, &answers, [&](Reader& line) { part.add(line, *recording); }));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status CheckManifest(std::string_view manifest) { return ParseManifest(manifest).status(); }

absl::StatusOr<std::vector<std::string>> ListedFiles(std::string_view digests) {
  absl::StatusOr<std::vector<Listed>> listed = DecodeDigests(digests);
  if (!listed.ok()) return listed.status();
  std::vector<std::string> paths;
  paths.reserve(listed->size());
  for (Listed& one : *listed) paths.push_back(std::move(one.path));
  return paths;
}

absl::StatusOr<Recording> DecodeRecording(const RecordingFiles& files) {
  const auto manifest_file = files.find(std::string(kManifestFile));
  if (manifest_file == files.end()) return Bad(kManifestFile, "missing");
  const absl::StatusOr<Json> manifest = ParseManifest(manifest_file->second);
  if (!manifest.ok()) return manifest.status();
  const auto digests = files.find(std::string(kDigestsFile));
  if (digests == files.end()) return Bad(kDigestsFile, "missing");
  const absl::StatusOr<std::vector<Listed>> listed = DecodeDigests(digests->second);
  if (!listed.ok()) return listed.status();
  RR_RETURN_IF_ERROR(CheckDigests(files, *listed));

  Recording recording;
  std::size_t count = 0;
  RR_RETURN_IF_ERROR(DecodeManifest(*manifest, &recording, &count));
  if (count != listed->size()) {
    return Bad(kDigestsFile, "truncated: names " + std::to_string(listed->size()) + " of " +
                                 std::to_string(count) + " files");
  }
  if (files.size() != count + 1) return Bad(kDigestsFile, "does not name every file");
  RR_RETURN_IF_ERROR(DecodeAnswers(files, &recording));
  return recording;
}

}  // namespace rdmaready
