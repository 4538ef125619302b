// SPDX-License-Identifier: Apache-2.0
#include "collectors/system/network_drop_ins.h"

#include <algorithm>
#include <string_view>

#include "collectors/lines.h"

namespace rdmaready {
namespace {

std::string_view KindOf(const SettingLine& line) { return WordsOf(line.text).front(); }

std::string ObjectOf(const SettingLine& line) { return std::string(WordsOf(line.text)[1]); }

// The interfaces that the lines name; "*" alone where they name none.
std::vector<std::string> ObjectsOf(std::span<const SettingLine> lines) {
  std::vector<std::string> objects;
  for (const SettingLine& line : lines) {
    std::string object = ObjectOf(line);
    if (object != "*" && std::ranges::find(objects, object) == objects.end())
      objects.push_back(std::move(object));
  }
  if (objects.empty()) objects.emplace_back("*");
  return objects;
}

// "pause eth2 autoneg off rx on" without the keys of `later`: "pause eth2 autoneg off".
void RemoveKeys(const SettingLine& later, SettingLine& line) {
  const std::vector<std::string_view> set = WordsOf(later.text);
  const std::string old = line.text;
  const std::vector<std::string_view> words = WordsOf(old);
  line.text = std::string(words[0]) + " " + std::string(words[1]);
  for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
    if (std::ranges::find(set, words[i]) == set.end())
      line.text += " " + std::string(words[i]) + " " + std::string(words[i + 1]);
  }
}

}  // namespace

std::vector<SettingLine> WithDropIn(std::vector<SettingLine> lines, std::span<const SettingLine> drop_in) {
  const auto whole = [](const SettingLine& line) { return WordsOf(line.text).size() > 1; };
  std::vector<SettingLine> more(drop_in.begin(), drop_in.end());
  std::erase_if(more, [&whole](const SettingLine& line) { return !whole(line); });
  std::erase_if(lines, [&whole](const SettingLine& line) { return !whole(line); });
  std::vector<SettingLine> all = lines;
  all.insert(all.end(), more.begin(), more.end());
  const std::vector<std::string> objects = ObjectsOf(all);
  for (const SettingLine& later : more) {
    const std::string_view kind = KindOf(later);
    if (kind == "match") {
      lines.push_back(later);
      continue;
    }
    if (kind == "mtu") std::erase_if(lines, [](const SettingLine& line) { return KindOf(line) == "mtu"; });
    for (SettingLine& line : lines) {
      if (kind == "pause" && KindOf(line) == "pause") RemoveKeys(later, line);
    }
    std::erase_if(lines, [&whole](const SettingLine& line) {
      return KindOf(line) == "pause" && WordsOf(line.text).size() == 2;
    });
    std::string values;
    const std::vector<std::string_view> words = WordsOf(later.text);
    for (std::size_t i = 2; i < words.size(); ++i) values += " " + std::string(words[i]);
    for (const std::string& object : objects)
      lines.push_back({std::string(kind) + " " + object + values, later.file});
  }
  return lines;
}

}  // namespace rdmaready
