// SPDX-License-Identifier: Apache-2.0
#include "collectors/recording/answer_lines.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <concepts>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

#include "api/base/status.h"
#include "api/base/text.h"
#include "collectors/recording/json.h"
#include "collectors/recording/paths.h"

namespace rdmaready::recording {
namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{16} << 20;
constexpr std::size_t kShownPathBytes = 200;  // of foreign text in an error
constexpr std::size_t kElementBytes = 64;     // of one element of a list, beside its own bytes
constexpr std::size_t kShortestShown = 3;     // of text inside of bytes
constexpr std::size_t kMostShown = 8;

// What recordings have had from the first version on, and files that a later version writes although they may
// be empty. All others are there when there is something in them, so that an older program reads the recording.
constexpr std::array<std::string_view, 6> kFirstFiles{"files.jsonl", "netlink.jsonl", "ethtool.jsonl",
                                                      "verbs.jsonl", "rdma_cm.jsonl", "limits.jsonl"};
constexpr std::array<std::string_view, 3> kLaterFiles{"lines.jsonl", "devices.jsonl", "modes.jsonl"};

template <class Value>
concept Octets = !std::same_as<Value, std::string> && std::ranges::sized_range<Value> &&
                 (std::same_as<std::ranges::range_value_t<Value>, std::byte> ||
                  std::same_as<std::ranges::range_value_t<Value>, std::uint8_t>);

// The fields of an answer: those that its kind names, or its own.
template <class Kind>
void VisitAnswer(auto& line, typename Kind::Answer& answer) {
  if constexpr (requires { Kind::Answered(line, answer); }) {
    Kind::Answered(line, answer);
  } else {
    answer.Fields(line);
  }
}

// ---- writing ----

// Texts inside of bytes, as strings(1) finds them: names of devices, mostly.
Json TextsIn(std::span<const std::byte> bytes) {
  Json found = Json::array();
  std::string text;
  const auto flush = [&] {
    if (text.size() >= kShortestShown && found.size() < kMostShown) found.push_back(text);
    text.clear();
  };
  for (const std::byte byte : bytes) {
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

// The files of the host, below the recording's "files". What cannot lie there (a second answer, an odd name, a
// file where a folder has to be) is in the line itself.
class TreeWriter {
 public:
  explicit TreeWriter(RecordingFiles& files) : files_(files) {}

  // Where the contents were put; empty when they were not.
  std::string Put(const Json& path, const std::string& contents) {
    if (!path.is_string()) return {};
    const std::string file = TreePath(path.get_ref<const std::string&>());
    if (file.empty() || !Reserve(file)) return {};
    files_[file] = contents;
    return file;
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

// Fields into the members of an object.
class LineWriter {
 public:
  LineWriter(Json& object, TreeWriter& tree) : object_(object), tree_(tree) {}

  void operator()(const char* name, const auto& value, const auto&... rest) {
    object_[name] = ToJson(value);
    if constexpr (sizeof...(rest) > 0) (*this)(rest...);
  }
  void Word(const char* name, const char* word) { object_[name] = word; }
  void Note(const char* name, const std::string& text) { object_[name] = text; }
  void Shows(std::span<const std::byte> bytes) { object_["shows"] = TextsIn(bytes); }
  void Content(const std::string& contents) {
    if (std::string file = tree_.Put(object_["read"], contents); !file.empty()) {
      object_["in"] = std::move(file);
    } else {
      object_["text"] = FromText(contents);
    }
  }

 private:
  template <class Value>
  Json ToJson(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return value;
    } else if constexpr (std::same_as<Value, std::string>) {
      return FromText(value);
    } else if constexpr (Octets<Value>) {
      return HexOf(std::as_bytes(std::span(value)));
    } else if constexpr (std::ranges::range<Value>) {
      Json list = Json::array();
      for (const auto& element : value) list.push_back(ToJson(element));
      return list;
    } else {
      Json object = Json::object();
      LineWriter fields(object, tree_);
      const_cast<Value&>(value).Fields(fields);  // Fields is not const for the reader's sake
      return object;
    }
  }

  Json& object_;
  TreeWriter& tree_;
};

template <class Kind>
std::string LineOf(Kind question, const AnswerLog::Run& run, TreeWriter& tree) {
  Json json = Json::object();
  LineWriter line(json, tree);
  question.Fields(line);
  absl::StatusOr<typename Kind::Answer> answer = AnswerTo<Kind>(run.answer);
  if (answer.ok()) {
    VisitAnswer<Kind>(line, *answer);
  } else {
    json["error"] = FromStatus(answer.status());
  }
  if (run.times > 1) json["times"] = run.times;
  return json.dump() + "\n";
}

// ---- reading ----

// The files of the host that lines lead to.
class TreeReader {
 public:
  explicit TreeReader(const RecordingFiles& files) : files_(files) {}

  std::string Take(Reader& line, const std::string& path) {
    const std::string file = line.Text("in");
    const auto found = files_.find(file);
    if (file.empty() || file != TreePath(path) || found == files_.end()) {
      line.Fail(fmt::format("\"{}\" is not where the file was put", SafeLine(file, kShownPathBytes)));
      return {};
    }
    if (!used_.insert(file).second) {  // else a few lines could stand for any amount of memory
      line.Fail(fmt::format("\"{}\" is used twice", file));
      return {};
    }
    return found->second;
  }

 private:
  const RecordingFiles& files_;
  std::set<std::string> used_;
};

// The members of an object into fields.
class LineReader {
 public:
  LineReader(Reader& object, TreeReader& tree) : object_(object), tree_(tree) {}

  void operator()(const char* name, auto& value, auto&&... rest) {
    Read(name, value);
    if constexpr (sizeof...(rest) > 0) (*this)(rest...);
  }
  void Word(const char* name, std::string_view word) {
    if (object_.Text(name) != word) object_.Fail(fmt::format("another {} than {}", name, word));
  }
  void Note(const char* name, const std::string&) { object_.Ignore(name); }
  void Shows(std::span<const std::byte>) { object_.Ignore("shows"); }
  void Content(std::string& contents) {
    contents = object_.Has("in") ? tree_.Take(object_, object_.Text("read")) : object_.Text("text");
  }

 private:
  void Read(const char* name, bool& value) { value = object_.Flag(name); }
  void Read(const char* name, std::integral auto& value) {
    value = object_.Unsigned<std::remove_reference_t<decltype(value)>>(name);
  }
  void Read(const char* name, std::string& value) { value = object_.Text(name); }
  void Read(const char* name, std::vector<std::string>& value) { value = object_.Texts(name); }
  void Read(const char* name, std::vector<std::byte>& value) { value = object_.Bytes(name); }
  template <std::size_t size>
  void Read(const char* name, std::array<std::uint8_t, size>& value) {
    const std::vector<std::byte> bytes = object_.Bytes(name);
    if (bytes.size() != size) {
      object_.Fail(fmt::format("\"{}\" of {} bytes instead of {}", name, bytes.size(), size));
      return;
    }
    std::ranges::transform(bytes, value.begin(),
                           [](std::byte one) { return std::to_integer<std::uint8_t>(one); });
  }
  template <class Element>
  void Read(const char* name, std::vector<Element>& value) {
    value = object_.List<Element>(name, [this](Reader& object) {
      Element element;
      LineReader fields(object, tree_);
      element.Fields(fields);
      return element;
    });
  }

  Reader& object_;
  TreeReader& tree_;
};

// Does a line have all that a question of some kind has?
class NameFinder {
 public:
  explicit NameFinder(const Json& line) : line_(line) {}

  bool all() const { return all_; }
  void operator()(const char* name, const auto&, const auto&... rest) {
    all_ = all_ && line_.contains(name);
    if constexpr (sizeof...(rest) > 0) (*this)(rest...);
  }
  void Word(const char* name, const char*) { all_ = all_ && line_.contains(name); }
  void Note(const char*, const std::string&) {}
  void Shows(std::span<const std::byte>) {}

 private:
  const Json& line_;
  bool all_ = true;
};

// ---- the kinds ----

struct KindRow {
  std::string_view file;
  bool (*is)(const Json& line);
  void (*read)(Reader& line, TreeReader& tree, AnswerLog& answers);
};

template <class Kind>
bool IsLineOf(const Json& line) {
  NameFinder names(line);
  Kind().Fields(names);
  return names.all();
}

template <class Kind>
void ReadLineOf(Reader& line, TreeReader& tree, AnswerLog& answers) {
  LineReader fields(line, tree);
  Kind question;
  question.Fields(fields);
  const std::uint32_t times = line.Has("times") ? line.Unsigned<std::uint32_t>("times") : 1;
  if (times == 0) line.Fail("an answer that came no times");
  const bool failed = line.Has("error");
  const absl::Status error = failed ? line.Error("error") : absl::OkStatus();
  typename Kind::Answer answer{};
  if (!failed) VisitAnswer<Kind>(fields, answer);
  answers.Add(question, failed ? Answer(error) : AnswerOf<Kind>(std::move(answer)), times);
}

template <class... Kinds>
constexpr std::array<KindRow, sizeof...(Kinds)> RowsOf(KindList<Kinds...>) {
  return {KindRow{Kinds::kFile, IsLineOf<Kinds>, ReadLineOf<Kinds>}...};
}

constexpr auto kKinds = RowsOf(QuestionKinds());

// The kind of a line: the first one of its file whose names it has, else the last one of that file.
const KindRow& KindOf(std::string_view file, const Json& line) {
  const KindRow* kind = nullptr;
  for (const KindRow& row : kKinds) {
    if (row.file != file) continue;
    kind = &row;
    if (row.is(line)) break;
  }
  return *kind;
}

absl::Status BadLine(std::string_view file, std::size_t line, std::string_view why) {
  return absl::InvalidArgumentError(fmt::format("{}:{}: {}", file, line, why));
}

// `lines` is the text of a file.
absl::Status ReadFileOf(std::string_view file, std::string_view lines, TreeReader& tree, std::size_t& count,
                        AnswerLog& answers) {
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const std::size_t end = lines.find('\n');
    if (end == std::string_view::npos) return BadLine(file, number, "ends in the middle of a line");
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + 1);
    if (line.size() > kMaxLineBytes) return BadLine(file, number, "too long a line");
    if (++count > kMaxRecordedAnswers) return BadLine(file, number, "too many answers");
    const absl::StatusOr<Json> object = ParseObject(line);
    if (!object.ok()) return BadLine(file, number, Message(object.status()));
    Reader reader(*object);
    KindOf(file, *object).read(reader, tree, answers);
    if (const absl::Status status = reader.status(); !status.ok())
      return BadLine(file, number, Message(status));
  }
  return absl::OkStatus();
}

// ---- sizes ----

class ByteCounter {
 public:
  std::size_t bytes() const { return bytes_; }
  void operator()(const char*, const auto& value, const auto&... rest) {
    Count(value);
    if constexpr (sizeof...(rest) > 0) (*this)(rest...);
  }
  void Word(const char*, const char*) {}
  void Note(const char*, const std::string&) {}
  void Shows(std::span<const std::byte>) {}
  void Content(const std::string& contents) { Count(contents); }

 private:
  template <class Value>
  void Count(const Value& value) {
    if constexpr (std::is_arithmetic_v<Value>) {
      return;  // a few numbers count with their question
    } else if constexpr (std::same_as<Value, std::string> || Octets<Value>) {
      bytes_ += value.size();
    } else if constexpr (std::ranges::range<Value>) {
      bytes_ += value.size() * kElementBytes;
      for (const auto& element : value) Count(element);
    } else {
      const_cast<Value&>(value).Fields(*this);
    }
  }

  std::size_t bytes_ = 0;
};

}  // namespace

void WriteAnswers(const AnswerLog& answers, RecordingFiles& files) {
  for (const auto& names :
       {std::span<const std::string_view>(kFirstFiles), std::span<const std::string_view>(kLaterFiles)}) {
    for (const std::string_view name : names) files[std::string(name)];
  }
  TreeWriter tree(files);
  for (const auto& [question, runs] : answers.entries()) {
    std::visit(
        [&]<class Kind>(const Kind& kind) {
          for (const AnswerLog::Run& run : runs.runs) files[Kind::kFile] += LineOf(kind, run, tree);
        },
        question);
  }
}

absl::Status ReadAnswers(const RecordingFiles& files, AnswerLog& answers) {
  TreeReader tree(files);
  std::size_t count = 0;
  std::set<std::string_view> read;
  for (const KindRow& kind : kKinds) {
    if (!read.insert(kind.file).second) continue;
    const auto found = files.find(std::string(kind.file));
    if (found != files.end()) {
      RR_RETURN_IF_ERROR(ReadFileOf(kind.file, found->second, tree, count, answers));
    } else if (std::ranges::find(kFirstFiles, kind.file) != kFirstFiles.end()) {
      return absl::InvalidArgumentError(fmt::format("{}: missing", kind.file));
    }
  }
  return absl::OkStatus();
}

std::size_t BytesOf(const QuestionKinds::Answer& answer) {
  ByteCounter counter;
  std::visit([&](const auto& value) { counter("", value); }, answer);
  return counter.bytes();
}

}  // namespace rdmaready::recording
