import { randomBytes, timingSafeEqual } from "node:crypto";
import type { PersonPrincipal } from "#domain/identity/index.ts";
import { sha256Hex } from "#kernel/digest.ts";
import { LOGIN_TOKEN_LIFETIME_S } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { admitted, NO_MEMBER, type RequestFrom } from "../sessions/admitted.ts";
import { reading } from "../sessions/sessions.ts";
import { loginBy, type LoginRow } from "./store.ts";

export interface AccessToken {
  readonly text: string;
  readonly columns: Pick<LoginRow, "access_hash" | "access_until">;
}

export const LOGIN_TOKEN_PREFIX = "mrlt_";
/** The id of the login without its prefix, and 256 random bits. */
export const LOGIN_TOKEN = /^mrlt_([0-9a-hjkmnp-tv-z]{26})[A-Za-z0-9_-]{43}$/;

export function newAccessToken(loginId: string, nowMs: number): AccessToken {
  const text = LOGIN_TOKEN_PREFIX + loginId.replace("login_", "") + randomBytes(32).toString("base64url");
  return { text, columns: { access_hash: sha256Hex(text), access_until: nowMs + LOGIN_TOKEN_LIFETIME_S * 1000 } };
}

type Deps = { readonly metadata: Pick<MetadataStore, "read">; readonly clock: Clock };

/**
 * Authenticates an access token of a login. The login is read at every request, so it ends at once and on every node.
 * @throws Problem `invalid_token`, `second_factor_required`, `provider_sign_in_required`, `unavailable`
 */
export async function personOfLogin(deps: Deps, token: string, from: RequestFrom): Promise<PersonPrincipal> {
  const row = await loginOfToken(deps, token);
  const person = await admitted(deps, row.org_id, signedInOf(row), from);
  if (person === undefined) throw new Problem("invalid_token", NO_MEMBER);
  return { ...person, via: { kind: "login", id: row.id } };
}

/**
 * Returns the login of a valid access token. Its organization may refuse the person.
 * @throws Problem `invalid_token`, `unavailable`
 */
export async function loginOfToken(deps: Deps, token: string): Promise<LoginRow> {
  const id = LOGIN_TOKEN.exec(token)?.[1];
  const row = id === undefined ? undefined : await reading(loginBy(deps.metadata.read, { id: `login_${id}` }));
  if (row === undefined)
    throw new Problem("invalid_token", "The login of this token has ended. Run mooring login again.");
  const untilMs = endOfToken(row, sha256Hex(token));
  if (untilMs === undefined) throw new Problem("invalid_token", "The access token was not issued by this server.");
  if (deps.clock.nowMs() >= untilMs) throw new Problem("invalid_token", "The access token has expired.");
  return row;
}

/** Returns the end of the newest token or of the one before. Undefined: it is neither. */
export function endOfToken(row: LoginRow, hash: string): number | undefined {
  if (isSame(row.access_hash, hash)) return row.access_until;
  return row.former_hash !== null && isSame(row.former_hash, hash) ? (row.former_until ?? 0) : undefined;
}

function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other));
}

/** Returns how the person of a login had signed in. */
export function signedInOf(row: LoginRow) {
  const { user_id: userId, method, second_factor, confirmed_at: confirmedAtMs, created_at: sinceMs } = row;
  return { userId, method, hasSecondFactor: second_factor === 1, confirmedAtMs, sinceMs };
}
