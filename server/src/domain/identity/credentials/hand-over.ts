import { appendAuthChange } from "#domain/identity/changes/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { creatorScopes, parseScopes, renderScopes } from "./bounds.ts";
import {
  contextsOf,
  findMemberRole,
  credentialsCreatedBy,
  idsOfProject,
  personalOf,
  revokeCredentialRow,
  setCreator,
  updateCredential,
} from "./store.ts";

export interface HandOverDeps {
  readonly metadata: Pick<MetadataStore, "lock" | "notify">;
  readonly clock: Clock;
}

/**
 * Makes `to` the one whose role bounds the credentials that `from` created, in the caller's transaction. They keep what they
 * can do at this moment and gain nothing, since `from` still knows their secrets. Tokens of the person's own end. Returns their ids, for the audit log.
 */
export async function transferCredentials(
  deps: HandOverDeps,
  tx: Writer,
  options: { orgId: string; from: string; to: string },
): Promise<string[]> {
  const ids = await credentialsCreatedBy(tx, options.orgId, options.from);
  const becomesOwners = (await findMemberRole(tx, options.orgId, options.to)) === "owner";
  for (const context of await contextsOf(tx, ids)) {
    const held = creatorScopes(context, undefined);
    // With an owner behind it, `members:write` alone could make and remove owners.
    const grows = becomesOwners && context.creator_role !== "owner";
    const kept = [...parseScopes(context.scopes)].filter(
      (scope) => held.has(scope) && !(grows && scope === "members:write"),
    );
    await updateCredential(tx, context.id, { scopes: renderScopes(new Set(kept)) });
  }
  await setCreator(tx, options);
  await revoke(deps, tx, await personalOf(tx, { orgId: options.orgId, userId: options.from }));
  await appendAuthChange(deps, tx, { kind: "organization", subject: options.orgId });
  return ids;
}

/** Revokes every credential of a project that goes away, in the caller's transaction. Returns their ids, for the audit log. */
export async function revokeCredentialsOfProject(
  deps: HandOverDeps,
  tx: Writer,
  options: { orgId: string; projectId: string },
): Promise<string[]> {
  const rows = await idsOfProject(tx, options);
  await revoke(deps, tx, rows);
  return rows.map(({ id }) => id);
}

/** Ends a person's own tokens in every organization, in the caller's transaction. Returns how many there were. */
export async function revokePersonalTokens(deps: HandOverDeps, tx: Writer, userId: string): Promise<number> {
  const rows = await personalOf(tx, { userId });
  await revoke(deps, tx, rows);
  return rows.length;
}

/** Every node reads anew how the person of these tokens is called and can sign in, in the transaction that changes it. */
export async function announcePersonalTokens(deps: HandOverDeps, tx: Writer, userId: string): Promise<void> {
  for (const { id, epoch } of await personalOf(tx, { userId }))
    await appendAuthChange(deps, tx, { kind: "credential", subject: id, epoch });
}

async function revoke(
  deps: HandOverDeps,
  tx: Writer,
  rows: readonly { readonly id: string; readonly epoch: number }[],
): Promise<void> {
  // All rows before the feed: who changes a credential at the same time takes the row first and the feed's lock second, too.
  for (const { id, epoch } of rows) await revokeCredentialRow(tx, id, { atMs: deps.clock.nowMs(), epoch: epoch + 1 });
  for (const { id, epoch } of rows)
    await appendAuthChange(deps, tx, { kind: "credential", subject: id, epoch: epoch + 1 });
}
