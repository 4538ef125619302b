// SPDX-License-Identifier: Apache-2.0
// What a notice says, in words and as JSON. Pure.
#pragma once

#include <string>
#include <string_view>

#include "api/convert/document.h"
#include "rdmaready/v1/notice.pb.h"

namespace rdmaready::hub {

inline constexpr std::size_t kMostNoticeBytes = 64 * 1024;  // of a body

// "not-ready", "silent"; "open", "over".
std::string_view NoticeKindWord(v1::NoticeKind kind);
std::string_view NoticeStateWord(v1::NoticeState state);

// "node1 is not ready: pfc.lossless-priority on mlx5_0/1: off"; "320 hosts of storage are silent: node001,
// ...".
std::string NoticeSentence(const v1::Notice& notice);
// Of hosts for which it is over because they were: "node1 of storage was revoked; 2 are left".
std::string RevokedSentence(const v1::Notice& notice);

// One object of the schema rdmaready.v1.Notice, on one line. Hosts are left out, from the last on, until it has
// kMostNoticeBytes at most.
std::string NoticeJson(v1::Notice notice);
const convert::Document& NoticeDocument();

}  // namespace rdmaready::hub
