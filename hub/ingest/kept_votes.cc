// SPDX-License-Identifier: Apache-2.0
#include "hub/ingest/kept_votes.h"

#include <utility>

#include "checks/catalog.h"
#include "rdmaready/v1/hub_votes.pb.h"

namespace rdmaready::hub {

std::string WriteVotes(std::span<const ProfileVotes> votes) {
  v1::HostVotes message;
  for (const ProfileVotes& one : votes) {
    v1::HostVotes::UnderProfile& under = *message.add_profiles();
    under.set_profile(one.profile);
    for (const VotingPort& port : one.ports) {
      v1::HostVotes::Port& to = *under.add_ports();
      to.set_subject(port.subject);
      to.set_subnet(port.subnet);
      to.set_board(port.board);
      for (const PortVote& vote : port.votes) {
        v1::HostVotes::Vote& put = *to.add_votes();
        put.set_check(std::string(vote.check->id));
        put.set_known(vote.kind == PortVote::Kind::kHas);
        put.set_value(vote.value);
      }
    }
  }
  return message.SerializeAsString();
}

std::optional<std::vector<ProfileVotes>> ReadVotes(std::string_view octets) {
  v1::HostVotes message;
  if (!message.ParseFromArray(octets.data(), static_cast<int>(octets.size()))) return std::nullopt;
  std::vector<ProfileVotes> votes;
  for (const v1::HostVotes::UnderProfile& under : message.profiles()) {
    ProfileVotes& one = votes.emplace_back(ProfileVotes{.profile = under.profile()});
    for (const v1::HostVotes::Port& from : under.ports()) {
      VotingPort& port = one.ports.emplace_back(
          VotingPort{.subject = from.subject(), .subnet = from.subnet(), .board = from.board()});
      for (const v1::HostVotes::Vote& vote : from.votes()) {
        const Check* check = FindCheck(vote.check());
        if (check == nullptr || !IsOfFleet(vote.check())) return std::nullopt;
        port.votes.push_back({.check = check,
                              .kind = vote.known() ? PortVote::Kind::kHas : PortVote::Kind::kUnknown,
                              .value = vote.value()});
      }
    }
  }
  return votes;
}

}  // namespace rdmaready::hub
