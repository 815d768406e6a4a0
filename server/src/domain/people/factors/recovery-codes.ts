import type { KeyedHash } from "#domain/identity/index.ts";
import { auditPerson } from "#domain/accounts/index.ts";
import { randomBytes } from "node:crypto";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import type { Session } from "../sessions/sessions.ts";
import { confirmedTotp, replaceRecoveryCodes, useRecoveryCodeRow } from "./store.ts";

const PURPOSE = "recovery-code";
const CODES = 10;
const CHARS = 16;
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"; // Crockford base 32: no two letters that look alike

/** Replaces all recovery codes with ten new ones, in the caller's transaction. They are shown only now. */
export async function newRecoveryCodes(deps: PeopleDeps, tx: Writer, userId: string): Promise<string[]> {
  const created_at = deps.clock.nowMs();
  const codes = Array.from({ length: CODES }, newCode);
  const rows = codes.map((code) => ({
    user_id: userId,
    ...columnsOf(deps.envelope.lookupHash(PURPOSE, textOf(userId, code))),
    created_at,
  }));
  await replaceRecoveryCodes(tx, userId, rows);
  return codes;
}

/** @throws Problem `conflict` if no authenticator app is set up */
export async function createRecoveryCodes(deps: PeopleDeps, session: Session, origin: Origin): Promise<string[]> {
  return deps.metadata.write(async (tx) => {
    if ((await confirmedTotp(tx, session.userId)) === undefined)
      throw new Problem("conflict", "Recovery codes replace an authenticator app. Set one up first.");
    const codes = await newRecoveryCodes(deps, tx, session.userId);
    await auditPerson(deps, tx, session.userId, { action: "recovery_codes.create", origin });
    return codes;
  });
}

/** Uses up a code, in the caller's transaction. Returns false if the code does not exist. */
export function useRecoveryCode(deps: PeopleDeps, tx: Writer, userId: string, code: string): Promise<boolean> {
  const hashes = deps.envelope.lookupHashes(PURPOSE, textOf(userId, code)).map(columnsOf);
  return useRecoveryCodeRow(
    tx,
    userId,
    hashes.map((columns) => columns.code_hash),
  );
}

/** Creates four groups of four characters, with 80 random bits. */
function newCode(): string {
  const text = [...randomBytes(CHARS)].map((byte) => ALPHABET.charAt(byte & 31)).join("");
  return (text.match(/.{4}/g) ?? []).join("-");
}

/** Ignores hyphens, spaces and case, because people copy codes from paper. */
function textOf(userId: string, code: string): string {
  return `${userId} ${code.toLowerCase().replace(/[\s-]/g, "")}`;
}

function columnsOf({ hash, key }: KeyedHash): { code_hash: string; hash_key: string } {
  return { code_hash: hash.toString("hex"), hash_key: key };
}
