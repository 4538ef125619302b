// SPDX-License-Identifier: Apache-2.0
// From frames to neighbours, and from ports to the netdevs that are listened on.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "api/base/status.h"
#include "collectors/lldp/lldp.h"
#include "collectors/lldp/lldp_links.h"

namespace rdmaready {
namespace {

constexpr std::size_t kMostNeighbours = 64;  // a link has two ends
constexpr std::size_t kMostNotes = 16;

bool SameSender(const LldpNeighbour& a, const LldpNeighbour& b) {
  return a.source_mac == b.source_mac && a.destination_mac == b.destination_mac && a.chassis == b.chassis &&
         a.port == b.port;
}

bool SameAgent(const LldpNeighbour& a, const LldpNeighbour& b) {
  return SameSender(a, b) && a.dialects == b.dialects;
}

class Listener {
 public:
  explicit Listener(const LldpFrames& frames) { heard_.listened_ms = frames.listened_ms; }

  void Add(const LldpFrame& frame) {
    absl::StatusOr<LldpNeighbour> agent = DecodeLldpFrame(frame.bytes);
    if (!agent.ok()) return Note(Message(agent.status()));
    agent->frames = frame.times;
    agent->first_ms = frame.first_ms;
    agent->last_ms = frame.last_ms;
    if (agent->ttl_s == 0) {  // 802.1AB 8.5.4: its sender stops; the other TLVs are not sent
      goodbyes_.push_back({frame.sent_here, *std::move(agent)});
    } else {
      Merge(frame.sent_here ? heard_.own : heard_.peers, *std::move(agent));
    }
  }

  LldpHeard Take() {
    for (const auto& [sent_here, gone] : goodbyes_) {
      std::vector<LldpNeighbour>& agents = sent_here ? heard_.own : heard_.peers;
      // An agent that went on after its goodbye was only restarted.
      const auto left = std::erase_if(agents, [&gone = gone](const LldpNeighbour& agent) {
        return SameSender(agent, gone) && agent.last_ms <= gone.last_ms;
      });
      const bool back = std::ranges::any_of(
          agents, [&gone = gone](const LldpNeighbour& agent) { return SameSender(agent, gone); });
      if (left > 0 || !back) Note(gone.chassis.text + " port " + gone.port.text + " said goodbye");
    }
    return std::move(heard_);
  }

  void Note(std::string text) {
    if (heard_.notes.size() < kMostNotes) heard_.notes.push_back(std::move(text));
  }

 private:
  // What an agent said last counts.
  void Merge(std::vector<LldpNeighbour>& agents, LldpNeighbour agent) {
    const auto known =
        std::ranges::find_if(agents, [&agent](const LldpNeighbour& one) { return SameAgent(one, agent); });
    if (known == agents.end()) {
      if (agents.size() < kMostNeighbours) {
        agents.push_back(std::move(agent));
      } else if (!std::exchange(said_more_, true)) {
        Note("more than " + std::to_string(kMostNeighbours) + " agents were heard");
      }
      return;
    }
    const std::uint32_t frames = known->frames + agent.frames;
    const std::uint32_t first_ms = std::min(known->first_ms, agent.first_ms);
    const std::uint32_t last_ms = std::max(known->last_ms, agent.last_ms);
    if (agent.last_ms >= known->last_ms) *known = std::move(agent);
    known->frames = frames;
    known->first_ms = first_ms;
    known->last_ms = last_ms;
  }

  struct Goodbye {
    bool sent_here;
    LldpNeighbour agent;
  };

  LldpHeard heard_{};
  bool said_more_ = false;
  std::vector<Goodbye> goodbyes_{};
};

}  // namespace

void EachLink(std::vector<Port>& ports, Fact<LldpHeard> Netdev::*heard,
              const std::function<void(Netdev&)>& visit) {
  const auto above = [heard](Netdev& own) {
    own.*heard = Missing{Missing::Kind::kUnsupported, "LLDP is heard on the ports under it"};
  };
  EachLink(ports, above, visit);
}

void EachLink(std::vector<Port>& ports, const std::function<void(Netdev&)>& above,
              const std::function<void(Netdev&)>& visit) {
  for (Port& port : ports) {
    if (!port.netdev) continue;
    Netdev own = *port.netdev;
    if (port.lowers && !port.lowers->empty()) {
      above(own);
      std::vector<Netdev> lowers = *port.lowers;
      for (Netdev& lower : lowers) visit(lower);
      port.lowers = std::move(lowers);
    } else {
      visit(own);
    }
    port.netdev = std::move(own);
  }
}

bool HasLink(const Netdev& netdev) { return netdev.admin_up && netdev.carrier; }

LldpHeard DecodeLldp(const LldpFrames& frames) {
  Listener listener(frames);
  for (const LldpFrame& frame : frames.frames) listener.Add(frame);
  LldpHeard heard = listener.Take();
  if (frames.left_out > 0) heard.notes.push_back(fmt::format("{} more frames were left out", frames.left_out));
  return heard;
}

Missing LldpNotListenedFor() { return {Missing::Kind::kNotCollected, "not listened for: use --lldp 35"}; }

std::vector<std::string> LinksToListenOn(const Facts& facts) {
  std::vector<std::string> names;
  if (!facts.ports) return names;
  std::vector<Port> ports = *facts.ports;
  EachLink(ports, &Netdev::lldp, [&](const Netdev& link) {
    if (HasLink(link) && std::ranges::find(names, link.name) == names.end()) names.push_back(link.name);
  });
  return names;
}

LldpByNetdev ListenOnPorts(HostReader& host, const LldpWait& wait, const Facts& facts) {
  LldpByNetdev heard;
  const std::vector<std::string> names = LinksToListenOn(facts);
  if (names.empty()) return heard;
  std::vector<Question> questions;
  for (const std::string& name : names) questions.push_back(LldpQuestion{name, wait});
  const std::vector<Answer> answers = host.AskTogether(questions);
  for (std::size_t i = 0; i < names.size() && i < answers.size(); ++i) {
    const absl::StatusOr<LldpFrames> frames = AnswerTo<LldpQuestion>(answers[i]);
    heard[names[i]] =
        frames.ok() ? Fact<LldpHeard>(DecodeLldp(*frames)) : Fact<LldpHeard>(MissingFrom(frames.status()));
  }
  return heard;
}

void KeepLldp(const LldpByNetdev& heard, Facts& facts) {
  if (!facts.ports) return;
  std::vector<Port> ports = *facts.ports;
  EachLink(ports, &Netdev::lldp, [&heard](Netdev& link) {
    const auto found = heard.find(link.name);
    link.lldp = found != heard.end()
                    ? found->second
                    : Fact<LldpHeard>(Missing{Missing::Kind::kFailed, "no link: nothing can be heard"});
  });
  facts.ports = std::move(ports);
}

void ReadLldp(HostReader& host, const LldpWait& wait, Facts& facts) {
  KeepLldp(ListenOnPorts(host, wait, facts), facts);
}

}  // namespace rdmaready
