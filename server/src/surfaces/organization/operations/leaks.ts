import { findLeak as find, type FoundSecret } from "#domain/leaks/index.ts";
import { callerOf } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { OrganizationOperation } from "../deps.ts";

export const findLeak: OrganizationOperation<"findLeak"> = async (deps, { body }, context) => {
  void context.reply.header("cache-control", "no-store");
  const { kind, found } = await find(deps, callerOf(context), body.secret);
  return { kind, owner: found === null ? null : ownerBody(found) };
};

function ownerBody(found: FoundSecret) {
  const { id, name, projectId, responsible, scopes, reason, lastUsedIp, next } = found;
  return {
    id,
    name,
    project_id: projectId,
    responsible: { ...responsible },
    scopes: [...scopes],
    is_live: reason === null,
    reason,
    created_at: isoOrNull(found.createdAtMs),
    expires_at: isoOrNull(found.expiresAtMs),
    last_used_at: isoOrNull(found.lastUsedAtMs),
    last_used_ip: lastUsedIp,
    next: [...next],
  };
}

function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : isoFromMs(ms);
}
