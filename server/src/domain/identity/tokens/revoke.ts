import { appendAudit, type AuditEvent } from "#domain/audit/index.ts";
import { appendAuthChange, type ChangeFeed } from "#domain/identity/changes/index.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { AccessTokenClaims } from "./jwt.ts";

export interface RevocationDeps {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly feed: ChangeFeed;
}

export interface RevocationContext {
  readonly actor: AuditEvent["actor"];
  readonly ip?: string | null;
  readonly requestId?: string | null;
}

/** Makes one token void before its expiry, on every node. Resolves to whether all live nodes have applied it. */
export async function revokeToken(
  deps: RevocationDeps,
  claims: AccessTokenClaims,
  context: RevocationContext,
): Promise<{ propagated: boolean }> {
  const seq = await deps.metadata.write(async (tx) => {
    const number = await appendAuthChange(deps, tx, {
      kind: "token",
      subject: claims.jti,
      expiresAtMs: claims.exp * 1000,
    });
    await appendAudit(deps, tx, {
      orgId: claims.org,
      action: "token.revoke",
      target: { kind: "token", id: claims.jti },
      result: "success",
      detail: { credential: claims.sub },
      ...context,
    });
    return number;
  });
  await deps.feed.sync();
  return { propagated: await deps.feed.propagate(seq) };
}
