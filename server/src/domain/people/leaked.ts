import { sha256Hex } from "#kernel/digest.ts";
import { isWellFormedSecret } from "#kernel/secrets.ts";
import type { Clock } from "#kernel/time.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { accountLinkOf } from "#domain/accounts/index.ts";
import { loginOfRefreshToken } from "./logins/grants.ts";
import { endOfLogin } from "./logins/logins.ts";
import { loginBy, requestBy } from "./logins/store.ts";
import { endOfToken, LOGIN_TOKEN, LOGIN_TOKEN_PREFIX } from "./logins/tokens.ts";
import type { PeopleDeps } from "./deps.ts";
import { endOf } from "./sessions/sessions.ts";
import { sessionBy, type FoundSession } from "./sessions/store.ts";
import { SESSION_TOKEN_PREFIX, sessionIdOfToken } from "./sessions/tokens.ts";

/** A secret of a person: how they sign in, or a link for them. */
export interface PersonSecret {
  readonly kind: "session" | "session_token" | "login_token" | "login_refresh_token" | "login_code" | "reset_link";
  readonly id: string;
  readonly name: string | null;
  readonly userId: string;
  /** The only organization that it opens. Null: every one of the person. */
  readonly orgId: string | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number;
  readonly lastUsedAtMs: number | null;
  readonly lastUsedIp: string | null;
  /** Null: it works now. */
  readonly reason: string | null;
}

interface Deps {
  readonly metadata: Pick<MetadataStore, "read">;
  readonly clock: Clock;
  readonly envelope: PeopleDeps["envelope"];
}

/** Finds the owner of a secret of a person. Undefined: it is none, or it is forgotten. */
export async function personSecretOf(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  if (text.startsWith(SESSION_TOKEN_PREFIX)) return sessionToken(deps, text);
  if (text.startsWith(LOGIN_TOKEN_PREFIX)) return loginToken(deps, text);
  if (text.startsWith("mrac_") || text.startsWith("mrdc_")) return loginCode(deps, text);
  if (text.startsWith("mrrl_")) return resetLink(deps, text);
  return (await refreshToken(deps, text)) ?? (await sessionCookie(deps, text));
}

async function sessionToken(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  const claims = await sessionIdOfToken(deps, text);
  const found = claims === undefined ? undefined : await sessionBy(deps.metadata.read, { id: claims.id });
  if (claims === undefined || found === undefined) return undefined;
  const secret = sessionSecret(deps, found);
  const expiresAtMs = Math.min(claims.expiresAtMs, secret.expiresAtMs);
  const reason = expiredReason(deps, expiresAtMs) ?? secret.reason;
  return { ...secret, kind: "session_token", orgId: claims.orgId, expiresAtMs, reason };
}

/** The value of the cookie. */
async function sessionCookie(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  const found = await sessionBy(deps.metadata.read, { secretHash: sha256Hex(text) });
  return found === undefined ? undefined : sessionSecret(deps, found);
}

function sessionSecret(deps: Deps, { session, person }: FoundSession): PersonSecret {
  const expiresAtMs = endOf(session);
  return {
    kind: "session",
    id: session.id,
    name: person.name,
    userId: session.user_id,
    orgId: null,
    createdAtMs: session.created_at,
    expiresAtMs,
    lastUsedAtMs: session.last_seen_at,
    lastUsedIp: session.ip,
    reason: expiredReason(deps, expiresAtMs),
  };
}

async function loginToken(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  const id = LOGIN_TOKEN.exec(text)?.[1];
  const row = id === undefined ? undefined : await loginBy(deps.metadata.read, { id: `login_${id}` });
  const untilMs = row === undefined ? undefined : endOfToken(row, sha256Hex(text));
  if (row === undefined || untilMs === undefined) return undefined;
  return { ...loginSecret(deps, row), kind: "login_token", expiresAtMs: untilMs, reason: expiredReason(deps, untilMs) };
}

async function refreshToken(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  const row = await loginOfRefreshToken(deps, text);
  return row === undefined ? undefined : loginSecret(deps, row);
}

function loginSecret(deps: Deps, row: NonNullable<Awaited<ReturnType<typeof loginBy>>>): PersonSecret {
  const expiresAtMs = endOfLogin(row);
  return {
    kind: "login_refresh_token",
    id: row.id,
    name: row.name,
    userId: row.user_id,
    orgId: row.org_id,
    createdAtMs: row.created_at,
    expiresAtMs,
    lastUsedAtMs: row.last_used_at,
    lastUsedIp: row.ip,
    reason: expiredReason(deps, expiresAtMs),
  };
}

async function loginCode(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  const row = await requestBy(deps.metadata.read, { secretHash: sha256Hex(text) });
  if (row === undefined || row.user_id === null) return undefined;
  const isOpen = row.state === "approved" || row.state === "pending";
  return {
    kind: "login_code",
    id: row.login_id ?? row.user_id,
    name: row.name,
    userId: row.user_id,
    orgId: row.org_id,
    createdAtMs: row.created_at,
    expiresAtMs: row.expires_at,
    lastUsedAtMs: null,
    lastUsedIp: row.ip,
    reason: isOpen ? expiredReason(deps, row.expires_at) : `it is ${row.state}`,
  };
}

async function resetLink(deps: Deps, text: string): Promise<PersonSecret | undefined> {
  const link = isWellFormedSecret("mrrl", text) ? await accountLinkOf(deps.metadata.read, text) : undefined;
  if (link === undefined) return undefined;
  return {
    kind: "reset_link",
    id: link.id,
    name: null,
    userId: link.user_id,
    orgId: null,
    createdAtMs: link.created_at,
    expiresAtMs: link.expires_at,
    lastUsedAtMs: link.used_at,
    lastUsedIp: null,
    reason: link.used_at === null ? expiredReason(deps, link.expires_at) : "it was used",
  };
}

function expiredReason({ clock }: Pick<Deps, "clock">, endMs: number): string | null {
  return endMs <= clock.nowMs() ? "it has expired" : null;
}
