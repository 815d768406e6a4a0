import { sha256Hex } from "#kernel/digest.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Reader } from "#stores/metadata/index.ts";
import { invitationHash } from "./invitations/accept.ts";
import { statusOf } from "./invitations/invitations.ts";
import { invitationByToken } from "./invitations/store.ts";
import { setupLinkByToken } from "./setup/store.ts";

/** A link that makes somebody a member, or sets up an account. */
export interface LinkSecret {
  readonly kind: "invitation" | "setup_link";
  readonly id: string;
  readonly name: string | null;
  readonly orgId: string;
  readonly createdBy: string;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  /** Null: it works now. */
  readonly reason: string | null;
}

/** Finds the invitation or set-up link of a token. Undefined: there is none. */
export async function linkSecretOf(db: Reader, token: string, nowMs: number): Promise<LinkSecret | undefined> {
  return isWellFormedSecret("mrst", token) ? setupLink(db, token, nowMs) : invitation(db, token, nowMs);
}

async function invitation(db: Reader, token: string, nowMs: number): Promise<LinkSecret | undefined> {
  const hash = invitationHash(token);
  const row = hash === null ? undefined : await invitationByToken(db, hash);
  if (row === undefined) return undefined;
  const status = statusOf(row, nowMs);
  return {
    kind: "invitation",
    id: row.id,
    name: row.email,
    orgId: row.org_id,
    createdBy: row.invited_by,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    reason: status === "pending" ? null : `it is ${status}`,
  };
}

async function setupLink(db: Reader, token: string, nowMs: number): Promise<LinkSecret | undefined> {
  const row = await setupLinkByToken(db, sha256Hex(token));
  if (row === undefined) return undefined;
  const expired = row.expires_at <= nowMs ? "it has expired" : null;
  return {
    kind: "setup_link",
    id: row.id,
    name: null,
    orgId: row.org_id,
    createdBy: row.user_id,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    reason: row.used_at === null ? expired : "it was used",
  };
}
