// SPDX-License-Identifier: Apache-2.0
// The questions of hub/store/queries.h about tokens and revoked hosts, by its rules.
#pragma once

namespace rdmaready::hub::sql {

#define RR_TOKEN_COLUMNS                                                                                     \
  "digest, name, note, made_by, made_unix_ns, ends_unix_ns, withdrawn_by, withdrawn_unix_ns, used_unix_ns, " \
  "key_digest, host_id, hostname, machine_id"

inline constexpr char kPutToken[] =
    "INSERT INTO enrolment_token (digest, name, note, made_by, made_unix_ns, ends_unix_ns) VALUES ($1, $2, $3, "
    "$4, $5, $6)";
inline constexpr char kNewestTokens[] = "SELECT " RR_TOKEN_COLUMNS
                                        " FROM enrolment_token WHERE made_unix_ns <= $1 AND (made_unix_ns < $1 "
                                        "OR digest > $2) ORDER BY made_unix_ns "
                                        "DESC, digest LIMIT $3";
inline constexpr char kTokensBetween[] =
    "SELECT " RR_TOKEN_COLUMNS
    " FROM enrolment_token WHERE digest >= $1 AND digest < $2 ORDER BY digest LIMIT $3";
inline constexpr char kTokenOf[] = "SELECT " RR_TOKEN_COLUMNS " FROM enrolment_token WHERE digest = $1";
// The conditions are judged before, in the same transaction; they stand here too, so that no engine whose
// transactions see less of each other gives one token to two.
inline constexpr char kUseToken[] =
    "UPDATE enrolment_token SET used_unix_ns = $1, key_digest = $2, host_id = $3, hostname = $4, machine_id = "
    "$5 "
    "WHERE digest = $6 AND used_unix_ns = 0 AND withdrawn_unix_ns = 0";
inline constexpr char kWithdrawToken[] =
    "UPDATE enrolment_token SET withdrawn_by = $1, withdrawn_unix_ns = $2 WHERE digest = $3 AND used_unix_ns = "
    "0 "
    "AND withdrawn_unix_ns = 0";
inline constexpr char kPruneTokens[] = "DELETE FROM enrolment_token WHERE ends_unix_ns < $1";

inline constexpr char kPutRevoked[] =
    "INSERT INTO revoked_host (host_id, unix_ns, who, why) VALUES ($1, $2, $3, $4) ON CONFLICT (host_id) DO "
    "NOTHING";
inline constexpr char kAllRevoked[] = "SELECT host_id, unix_ns, who, why FROM revoked_host ORDER BY host_id";

}  // namespace rdmaready::hub::sql
