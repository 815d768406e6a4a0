import {
  actorSpanOf,
  appendAuthChange,
  APPROVER_SCOPE,
  isWiderRange,
  parseAddresses,
  parsePolicy,
  parseScopes,
  renderAddresses,
  requireAddresses,
  requireMayWiden,
  requirePermission,
  type Acting,
} from "#domain/identity/index.ts";
import { resourceOf } from "#domain/projects/index.ts";
import { Problem } from "#kernel/problem.ts";
import { expectedOf, requireMatch } from "#kernel/versions.ts";
import type { Writer } from "#stores/metadata/index.ts";
import { expiryOf } from "./bounds.ts";
import { audit, found, versionOf, viewOf, type AccessKey, type KeyDeps } from "./keys.ts";
import { setKey, type KeyContext } from "./store.ts";

export interface AccessKeyChange {
  readonly name?: string;
  /** The whole new list; null: from anywhere. */
  readonly allowedAddresses?: readonly string[] | null;
}

/** @throws Problem `invalid_body`, `not_found`, `insufficient_scope`, `forbidden`, `conflict` (it is revoked), `concurrent_update` */
export async function updateAccessKey(
  deps: KeyDeps,
  acting: Acting,
  name: string,
  change: AccessKeyChange,
  ifMatch?: string,
): Promise<AccessKey> {
  const { allowedAddresses: texts } = change;
  const wanted = texts === undefined ? undefined : renderAddresses(requireAddresses(texts));
  const read = (): Promise<KeyContext> => found(deps.metadata.read, acting.actor.orgId, name);
  const expected = await expectedOf(ifMatch, async () => versionOf(await read()));
  return changed(deps, acting, name, async (tx, row, by) => {
    requireMatch(expected, versionOf(row));
    const addresses = wanted === undefined ? row.allowed_addresses : wanted;
    const isElsewhere = isWiderRange(parseAddresses(row.allowed_addresses), parseAddresses(addresses));
    const span = { addresses: [parseAddresses(addresses)], untilMs: expiryOf(row) };
    requireMayWiden(by, { scopes: parseScopes(row.scopes), addresses: isElsewhere, afterApproval: true, span });
    await setKey(tx, row.id, { name: change.name ?? row.name, allowed_addresses: addresses });
    const moved = wanted === undefined ? {} : { before: row.allowed_addresses, allowed_addresses: addresses };
    await audit(deps, tx, acting, "s3_key.update", row.id, { name: change.name, ...moved });
  });
}

/**
 * Lets a key be used that waited for it. To refuse it, revoke it.
 * @throws Problem `not_found`, `insufficient_scope`, `conflict`
 */
export async function approveAccessKey(deps: KeyDeps, acting: Acting, name: string): Promise<AccessKey> {
  return changed(deps, acting, name, async (tx, row, by) => {
    requirePermission(acting.actor, APPROVER_SCOPE, by.resource);
    requireMayWiden(by, { scopes: parseScopes(row.scopes), approval: true });
    if (row.pending === 0) throw new Problem("conflict", "The access key waits for no approval.");
    await setKey(tx, row.id, { pending: 0 });
    const { access_key, scopes, buckets, prefix, allowed_addresses } = row;
    const detail = { name: row.name, access_key, scopes, buckets, prefix, allowed_addresses };
    await audit(deps, tx, acting, "s3_key.approve", row.id, detail);
  });
}

/** One change of a live key, told to every node: it holds from the key's next request on. */
async function changed(
  deps: KeyDeps,
  acting: Acting,
  name: string,
  work: (tx: Writer, row: KeyContext, by: Parameters<typeof requireMayWiden>[0]) => Promise<void>,
): Promise<AccessKey> {
  const { metadata } = deps;
  const { orgId } = acting.actor;
  await metadata.write(async (tx) => {
    const { id } = await found(tx, orgId, name);
    await metadata.lock(tx, `s3_key:${id}`);
    const row = await found(tx, orgId, id);
    const resource = resourceOf(row);
    const held = requirePermission(acting.actor, "credentials:write", resource);
    if (row.revoked_at !== null) throw new Problem("conflict", "The access key is revoked; create another one.");
    await appendAuthChange(deps, tx, { kind: "credential", subject: id });
    const span = await actorSpanOf(tx, acting.actor);
    await work(tx, row, { actor: acting.actor, held, policy: parsePolicy(row.policy), resource, span });
  });
  return viewOf(deps, await found(metadata.read, orgId, name));
}
