import { personById } from "#domain/accounts/index.ts";
import { absent } from "#domain/identity/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { Problem } from "#kernel/problem.ts";
import { isWellFormedSecret, newSecret } from "#kernel/secrets.ts";
import { hasPassed } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { auditOperator, type OperatorCaller, type OperatorDeps } from "./caller.ts";
import {
  deleteToken,
  insertToken,
  isOperator,
  OPERATOR_TOKENS_MAX,
  tokenByHash,
  tokenRows,
  touchToken,
  type OperatorToken,
} from "./store.ts";

const PREFIX = "mrop";
/** The creator of tokens that a command on the machine created. */
const BY_SYSTEM = "system";
const TOUCH_EVERY_MS = 60_000;

export const OPERATOR_TOKEN_PREFIX = `${PREFIX}_`;

/** Lists the tokens that have not been revoked, newest first. */
export function listOperatorTokens({ metadata }: { readonly metadata: Pick<MetadataStore, "read"> }) {
  return tokenRows(metadata.read);
}

/**
 * Creates a token with which a program acts as the operator. Only its hash is stored. It ends when the operator who
 * created it loses the role.
 * @throws Problem `invalid_body` (the end has passed), `conflict` (too many)
 */
export async function createOperatorToken(
  deps: OperatorDeps,
  by: OperatorCaller,
  { name, expiresAtMs }: { readonly name: string; readonly expiresAtMs: number | null },
): Promise<{ readonly token: OperatorToken; readonly secret: string }> {
  const { metadata, clock } = deps;
  const nowMs = clock.nowMs();
  if (hasPassed(expiresAtMs, nowMs))
    throw new Problem("invalid_body", "The end has passed.", {
      errors: [{ pointer: "/expires_at", detail: "must be in the future" }],
    });
  const secret = newSecret(PREFIX);
  const row: OperatorToken = {
    id: newId("otok", nowMs),
    name,
    hash: sha256Hex(secret),
    created_by: by.actor.id ?? BY_SYSTEM,
    created_at: nowMs,
    expires_at: expiresAtMs,
    last_used_at: null,
  };
  await metadata.write(async (tx) => {
    await metadata.lock(tx, "operator_token");
    if ((await tokenRows(tx)).length >= OPERATOR_TOKENS_MAX)
      throw new Problem("conflict", `There are ${OPERATOR_TOKENS_MAX} operator tokens. Revoke one first.`);
    await insertToken(tx, row);
    const target = { kind: "operator_token", id: row.id };
    await auditOperator(deps, tx, by, { action: "operator_token.create", target, detail: { name } });
  });
  return { token: row, secret };
}

/** Revokes a token. It is read at every request, so it ends at once and on every node. @throws Problem `not_found` */
export async function revokeOperatorToken(deps: OperatorDeps, by: OperatorCaller, id: string): Promise<void> {
  await deps.metadata.write(async (tx) => {
    const row = await deleteToken(tx, id);
    if (row === undefined) throw absent();
    const target = { kind: "operator_token", id };
    await auditOperator(deps, tx, by, { action: "operator_token.revoke", target, detail: { name: row.name } });
  });
}

/**
 * Returns the token of a secret, if it is valid and its creator is still an operator.
 * @throws Problem `invalid_token`
 */
export async function operatorTokenOf(deps: OperatorDeps, secret: string): Promise<OperatorToken> {
  const { metadata, clock } = deps;
  const row = isWellFormedSecret(PREFIX, secret) ? await tokenByHash(metadata.read, sha256Hex(secret)) : undefined;
  const nowMs = clock.nowMs();
  if (row === undefined)
    throw new Problem("invalid_token", "The operator token was revoked, or this server did not create it.");
  if (hasPassed(row.expires_at, nowMs)) throw new Problem("invalid_token", "The operator token has expired.");
  if (row.created_by !== BY_SYSTEM && !(await isOperator(metadata.read, row.created_by)))
    throw new Problem("invalid_token", "The person who created this operator token is not an operator any more.");
  // A full disk must not lock out an operator who wants to free space.
  if (row.last_used_at === null || nowMs - row.last_used_at >= TOUCH_EVERY_MS)
    await metadata.write((tx) => touchToken(tx, row.id, nowMs)).catch(() => undefined);
  return row;
}

/** Returns the e-mail address of the creator. Null: a command created the token. */
export async function creatorOf(
  { metadata }: { readonly metadata: Pick<MetadataStore, "read"> },
  { created_by: id }: Pick<OperatorToken, "created_by">,
): Promise<string | null> {
  return id === BY_SYSTEM ? null : ((await personById(metadata.read, id))?.email ?? id);
}
