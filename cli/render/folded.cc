// SPDX-License-Identifier: Apache-2.0
#include "cli/render/folded.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string_view>
#include <tuple>
#include <utility>

#include "api/inventory/host_list.h"
#include "checks/judge.h"
#include "checks/words/words.h"

namespace rdmaready {
namespace {

bool IsPartOfName(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
}

// Whole words only: "mlx5_01" does not contain "mlx5_0".
std::string WithoutWord(std::string text, std::string_view word) {
  if (word.empty()) return text;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool whole =
        (at == 0 || !IsPartOfName(text[at - 1])) && (end == text.size() || !IsPartOfName(text[end]));
    if (whole) text.replace(at, word.size(), "@");
  }
  return text;
}

// The sentence without the names of the port: "mlx5_0/1 ens1f0" stands for mlx5_0/1, mlx5_0 and ens1f0.
std::string Unnamed(const Finding& finding) {
  std::string text = Sentence(finding);
  std::string_view rest = finding.subject;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    text = WithoutWord(std::move(text), word);
    text = WithoutWord(std::move(text), word.substr(0, word.find('/')));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
  }
  return text;
}

std::string PortOf(const Finding& finding) { return finding.subject.substr(0, finding.subject.find(' ')); }

}  // namespace

std::string Folded::PortsText() const { return Printable(FoldHosts(ports)); }

std::vector<Folded> FoldPorts(const std::vector<const Finding*>& findings) {
  using Key = std::tuple<std::string, Outcome, bool, std::string, std::string>;
  std::vector<Folded> folded;
  std::map<Key, std::size_t> places;
  for (const Finding* finding : findings) {
    const bool alone = finding->scope != Scope::kPort || finding->waived;
    const Key key{finding->id, finding->outcome, finding->blocking, finding->profile, Unnamed(*finding)};
    const auto known = alone ? places.end() : places.find(key);
    if (known != places.end()) {
      folded[known->second].ports.push_back(PortOf(*finding));
      continue;
    }
    if (!alone) places.emplace(key, folded.size());
    folded.push_back({.finding = finding, .ports = {PortOf(*finding)}});
  }
  return folded;
}

}  // namespace rdmaready
