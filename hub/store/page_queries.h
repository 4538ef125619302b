// SPDX-License-Identifier: Apache-2.0
// The questions of hub/store/queries.h about a part of many rows, by its rules: after a place, at most so many.
// A condition that the rest implies says where in an index the part begins. Texts are compared octet by octet
// (PostgreSQL: COLLATE "C").
#pragma once

#include "hub/store/queries.h"

namespace rdmaready::hub::sql {

#define RR_NEWEST_FIRST                                                                      \
  "last_unix_ns >= $1 AND last_unix_ns <= $2 AND (last_unix_ns < $2 OR (host_id, number) > " \
  "($3, $4))"

inline constexpr char kNewestChanges[] = "SELECT " RR_CHANGE_COLUMNS " FROM transition WHERE " RR_NEWEST_FIRST
                                         " ORDER BY last_unix_ns DESC, host_id, number LIMIT $5";
inline constexpr char kNewestChangesOf[] =
    "SELECT " RR_CHANGE_COLUMNS " FROM transition WHERE " RR_NEWEST_FIRST
    " AND host_id = $5 ORDER BY last_unix_ns DESC, host_id, number LIMIT $6";

// The names of columns that two tables have are those of the second one.
#define RR_WITH_NAMES(table)                                                                              \
  " FROM (SELECT host_id AS named_id, name AS host_name FROM host WHERE (name, host_id) >= ($1, $2)) AS " \
  "named "                                                                                                \
  "JOIN " table " ON " table ".host_id = named.named_id "

inline constexpr char kFindingsByName[] =
    "SELECT " RR_FINDING_COLUMNS ", host_name" RR_WITH_NAMES("finding")
    "WHERE (host_name, host_id, check_id, subject, profile) > ($1, $2, $3, $4, $5) ORDER BY host_name, named_id, "
    "check_id, subject, profile LIMIT $6";

inline constexpr char kChangesByName[] =
    "SELECT " RR_CHANGE_COLUMNS ", host_name" RR_WITH_NAMES("transition")
    "WHERE (host_name, host_id, number) > ($1, $2, $3) AND last_unix_ns >= $4 ORDER BY host_name, named_id, number "
    "LIMIT $5";

}  // namespace rdmaready::hub::sql
