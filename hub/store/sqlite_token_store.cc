// SPDX-License-Identifier: Apache-2.0
// SqliteFleetStore as a TokenStore.
#include <fmt/format.h>

#include <algorithm>

#include "api/base/status.h"
#include "api/base/text.h"
#include "hub/store/rows.h"
#include "hub/store/sqlite_fleet_store.h"
#include "hub/store/token_queries.h"

namespace rdmaready::hub {
namespace {

StoredToken ReadToken(const Statement& row) {
  return {.digest = row.Text(0),
          .name = row.Text(1),
          .note = row.Text(2),
          .made_by = row.Text(3),
          .made_unix_ns = row.Int(4),
          .ends_unix_ns = row.Int(5),
          .withdrawn_by = row.Text(6),
          .withdrawn_unix_ns = row.Int(7),
          .used_unix_ns = row.Int(8),
          .key_digest = row.Text(9),
          .host_id = row.Text(10),
          .hostname = row.Text(11),
          .machine_id = row.Text(12)};
}

absl::Status JudgeUse(const StoredToken& token, const TokenUse& use) {
  const auto refused = [](const std::string& why) { return absl::PermissionDeniedError("the token " + why); };
  if (token.withdrawn_unix_ns != 0) return refused("was withdrawn by " + token.withdrawn_by);
  if (token.used_unix_ns != 0 && token.key_digest != use.key_digest) {
    return refused(fmt::format("was used already by {} (host {}) at {}: if that was not you, revoke that host",
                               token.hostname, token.host_id, TimeText(token.used_unix_ns)));
  }
  if (use.unix_ns >= token.ends_unix_ns) return refused("ended at " + TimeText(token.ends_unix_ns));
  return absl::OkStatus();
}

}  // namespace

absl::Status SqliteFleetStore::PutTokens(std::span<const StoredToken> tokens) {
  return InTransaction([&]() -> absl::Status {
    for (const StoredToken& token : tokens) {
      RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutToken));
      put->Bind(token.digest).Bind(token.name).Bind(token.note).Bind(token.made_by).Bind(token.made_unix_ns);
      RR_RETURN_IF_ERROR(put->Bind(token.ends_unix_ns).Run());
    }
    return absl::OkStatus();
  });
}

absl::Status SqliteFleetStore::Tokens(const TokenPlace& after, std::size_t most,
                                      const std::function<void(StoredToken&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kNewestTokens));
    found->Bind(after.made_unix_ns).Bind(after.digest).Bind(static_cast<std::int64_t>(most));
    return EachRow(*found, [&](const Statement& row) { each(ReadToken(row)); });
  });
}

absl::Status SqliteFleetStore::TokensNamed(const std::string& digits, std::size_t most,
                                           const std::function<void(StoredToken&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const found, connection.Prepared(sql::kTokensBetween));
    found->Bind(digits).Bind(digits + "g").Bind(static_cast<std::int64_t>(most));  // what follows "f"
    return EachRow(*found, [&](const Statement& row) { each(ReadToken(row)); });
  });
}

absl::StatusOr<StoredToken> SqliteFleetStore::UseToken(const TokenUse& use) {
  StoredToken token;
  const absl::Status done = InTransaction([&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const find, writer_.Prepared(sql::kTokenOf));
    find->Bind(use.digest);
    RR_ASSIGN_OR_RETURN(const bool there, find->Step());
    if (!there) return absl::UnauthenticatedError("no token of this hub");
    token = ReadToken(*find);
    find->Reset();
    RR_RETURN_IF_ERROR(JudgeUse(token, use));
    if (token.used_unix_ns != 0) return absl::OkStatus();  // an answer that was lost
    RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kUseToken));
    put->Bind(use.unix_ns).Bind(use.key_digest).Bind(use.host_id).Bind(use.hostname).Bind(use.machine_id);
    RR_RETURN_IF_ERROR(put->Bind(use.digest).Run());
    if (RowsChanged(writer_.database()) != 1) return absl::AbortedError("the token is being used by another");
    token.used_unix_ns = use.unix_ns;
    token.key_digest = use.key_digest;
    token.host_id = use.host_id;
    token.hostname = use.hostname;
    token.machine_id = use.machine_id;
    return absl::OkStatus();
  });
  RR_RETURN_IF_ERROR(done);
  return token;
}

absl::StatusOr<std::uint64_t> SqliteFleetStore::WithdrawTokens(std::span<const std::string> digests,
                                                               const std::string& who,
                                                               std::int64_t now_unix_ns) {
  std::uint64_t withdrawn = 0;
  const absl::Status done = InTransaction([&]() -> absl::Status {
    for (const std::string& digest : digests) {
      RR_ASSIGN_OR_RETURN(Statement* const withdraw, writer_.Prepared(sql::kWithdrawToken));
      RR_RETURN_IF_ERROR(withdraw->Bind(who).Bind(now_unix_ns).Bind(digest).Run());
      withdrawn += RowsChanged(writer_.database());
    }
    return absl::OkStatus();
  });
  RR_RETURN_IF_ERROR(done);
  return withdrawn;
}

absl::Status SqliteFleetStore::PruneTokens(std::int64_t before_unix_ns) {
  return InTransaction([&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const prune, writer_.Prepared(sql::kPruneTokens));
    return prune->Bind(before_unix_ns).Run();
  });
}

absl::Status SqliteFleetStore::PutRevoked(const RevokedHost& host) {
  return InTransaction([&]() -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const put, writer_.Prepared(sql::kPutRevoked));
    RR_RETURN_IF_ERROR(put->Bind(host.host_id).Bind(host.unix_ns).Bind(host.who).Bind(host.why).Run());
    return DropPast(host.host_id);
  });
}

absl::Status SqliteFleetStore::Revoked(const std::function<void(RevokedHost&&)>& each) {
  return Read([&](Connection& connection) -> absl::Status {
    RR_ASSIGN_OR_RETURN(Statement* const all, connection.Prepared(sql::kAllRevoked));
    for (;;) {
      RR_ASSIGN_OR_RETURN(const bool there, all->Step());
      if (!there) return absl::OkStatus();
      each({.host_id = all->Text(0), .unix_ns = all->Int(1), .who = all->Text(2), .why = all->Text(3)});
    }
  });
}

}  // namespace rdmaready::hub
