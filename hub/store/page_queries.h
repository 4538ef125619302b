// SPDX-License-Identifier: Apache-2.0
// The questions of hub/store/queries.h about a part of many rows, by its rules: after a place, at most so many.
// A condition that the rest implies says where in an index the part begins. Texts are compared octet by octet
// (PostgreSQL: COLLATE "C").
#pragma once

#include "hub/store/queries.h"

namespace rdmaready::hub::sql {

#define RR_BEHIND(since, time, host_id, number)                                      \
  "last_unix_ns >= " since " AND last_unix_ns <= " time " AND (last_unix_ns < " time \
  " OR (host_id, number) > (" host_id ", " number "))"
#define RR_NEWEST_FIRST " ORDER BY last_unix_ns DESC, host_id, number"

inline constexpr char kNewestChanges[] = "SELECT " RR_CHANGE_COLUMNS " FROM transition WHERE " RR_BEHIND(
    "$1", "$2", "$3", "$4") RR_NEWEST_FIRST " LIMIT $5";

// Of the hosts of a JSON array of ids (PostgreSQL: json_array_elements_text): all their rows are looked at.
inline constexpr char kNewestChangesOf[] =
    "SELECT " RR_CHANGE_COLUMNS
    " FROM (SELECT value AS chosen_id FROM json_each($1)) AS chosen CROSS JOIN transition WHERE host_id = "
    "chosen_id AND " RR_BEHIND("$2", "$3", "$4", "$5") RR_NEWEST_FIRST " LIMIT $6";
// Where the newest are, of all hosts: in the index alone.
inline constexpr char kNewestPlaces[] = "SELECT last_unix_ns, host_id, number FROM transition WHERE " RR_BEHIND(
    "$1", "$2", "$3", "$4") RR_NEWEST_FIRST " LIMIT $5";
inline constexpr char kChangeAt[] =
    "SELECT " RR_CHANGE_COLUMNS " FROM transition WHERE host_id = $1 AND number = $2";

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
