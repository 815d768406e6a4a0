import { countUnverified, listAccounts as list } from "#domain/accounts/index.ts";
import { OPERATOR_ROWS_COUNTED_MAX } from "#kernel/limits.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalOperation } from "../deps.ts";
import { endCookie } from "../cookie.ts";
import { originOf } from "../origin.ts";

export const listAccounts: PortalOperation<"listAccounts"> = async (deps, { query }, { reply }) => {
  const { read } = deps.metadata;
  const { limit = 50, cursor: after, ...filter } = query;
  const { accounts, next } = await list(read, { ...filter, after, limit });
  // Reads one more than it shows, to find out whether there are more.
  const unverified = await countUnverified(read, OPERATOR_ROWS_COUNTED_MAX + 1);
  void reply.header("cache-control", "no-store");
  return {
    items: accounts.map(({ verified_at, last_seen_at, created_at, instance_admin, ...row }) => ({
      ...row,
      organizations: [...row.organizations],
      instance_admin: instance_admin === 1,
      verified_at: verified_at === null ? null : isoFromMs(verified_at),
      last_seen_at: last_seen_at === null ? null : isoFromMs(last_seen_at),
      created_at: isoFromMs(created_at),
    })),
    next_cursor: next,
    unverified: Math.min(unverified, OPERATOR_ROWS_COUNTED_MAX),
    ...(unverified > OPERATOR_ROWS_COUNTED_MAX ? { unverified_is_lower_bound: true as const } : {}),
  };
};

export const deletePerson: PortalOperation<"deletePerson"> = async (deps, { params }, context) => {
  const { actor } = context.operator;
  await deps.leaving.deletePerson({ userId: params.user_id, actor, origin: originOf(context) });
  if (params.user_id === actor.id) endCookie(context.reply);
};

export const deleteAccount: PortalOperation<"deleteAccount"> = async (deps, _input, context) => {
  const { userId } = context.session;
  await deps.leaving.deletePerson({ userId, actor: { kind: "person", id: userId }, origin: originOf(context) });
  endCookie(context.reply);
};
