import { auditPerson, type Ended } from "#domain/accounts/index.ts";
import { earlier } from "#kernel/deletions.ts";
import { randomBytes } from "node:crypto";
import { sha256Hex } from "#kernel/digest.ts";
import { newId } from "#kernel/ids.ts";
import { SESSION_IDLE_MS, SESSION_LIFETIME_MS, USER_AGENT_CHARS_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { Origin, PeopleDeps } from "../deps.ts";
import {
  deleteEndedSessions,
  deleteSessions,
  insertSession,
  recordSeen,
  sessionBy,
  sessionsOf,
  updateSession,
  type FoundSession,
  type SessionRow,
} from "./store.ts";

/** A signed-in person, read from the records now. */
export interface Session {
  readonly id: string;
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly instanceAdmin: boolean;
  readonly method: SessionRow["method"];
  readonly hasSecondFactor: boolean;
  readonly confirmedAtMs: number;
  /** When it began. */
  readonly sinceMs: number;
  readonly expiresAtMs: number;
}

type Deps = Pick<PeopleDeps, "metadata" | "clock">;

/** The shortest interval between two writes of `last_seen_at`: a read is cheap, a write waits for the disk. */
const SEEN_EVERY_MS = 60_000;
/** Ways to sign in that require more than a password. The provider decides what it requires. */
const STRONG: ReadonlySet<string> = new Set(["password_totp", "recovery_code", "passkey", "oidc"]);
const SECRET = /^[A-Za-z0-9_-]{43}$/;

/** Signs a person in, in the caller's transaction. Returns the value of the cookie. Only its hash is stored. */
export async function beginSession(
  deps: Deps,
  tx: Writer,
  userId: string,
  options: { method: SessionRow["method"]; origin: Origin; ended?: Ended | null },
): Promise<string> {
  const { method, origin, ended = null } = options;
  const nowMs = deps.clock.nowMs();
  const secret = newSecret();
  const id = newId("ses", nowMs);
  const dueMs = deps.clock.deletionTime("sessions");
  if (dueMs !== null) await deleteEndedSessions(tx, { nowMs: dueMs, seenBeforeMs: earlier(dueMs, SESSION_IDLE_MS) });
  await insertSession(tx, {
    id,
    user_id: userId,
    secret_hash: sha256Hex(secret),
    method,
    created_at: nowMs,
    confirmed_at: nowMs,
    last_seen_at: nowMs,
    expires_at: nowMs + SESSION_LIFETIME_MS,
    ip: origin.ip,
    user_agent: origin.userAgent?.slice(0, USER_AGENT_CHARS_MAX) ?? null,
    second_factor: STRONG.has(method) ? 1 : 0,
    ended: ended === null ? null : JSON.stringify(ended),
  });
  await recordSeen(tx, { id, userId, atMs: nowMs });
  await auditPerson(deps, tx, userId, { action: "session.create", origin, detail: { session: id, method } });
  return secret;
}

/** Returns the session of a cookie. @throws Problem `unavailable` if the records can't be read */
export async function sessionOfSecret(deps: Deps, secret: string): Promise<Session | undefined> {
  if (!SECRET.test(secret)) return undefined;
  return present(deps, await reading(sessionBy(deps.metadata.read, { secretHash: sha256Hex(secret) })));
}

/** Returns a session by its id, if it has not ended. @throws Problem `unavailable` */
export async function sessionById(deps: Deps, id: string): Promise<Session | undefined> {
  return present(deps, await reading(sessionBy(deps.metadata.read, { id })));
}

/** Lists the sessions that have not ended, newest first. */
export async function listSessions(deps: Deps, userId: string): Promise<SessionRow[]> {
  const nowMs = deps.clock.nowMs();
  return sessionsOf(deps.metadata.read, userId, { nowMs, seenAfterMs: nowMs - SESSION_IDLE_MS });
}

/** Returns when the session ends without further use. */
export function endOf(row: SessionRow): number {
  return Math.min(row.expires_at, row.last_seen_at + SESSION_IDLE_MS);
}

/** Returns what the first verification of the person's address ended, until they confirm that they read it. */
export async function noticeOf(deps: Deps, session: Pick<Session, "id">): Promise<Ended | null> {
  const ended = (await sessionBy(deps.metadata.read, { id: session.id }))?.session.ended ?? null;
  return ended === null ? null : (JSON.parse(ended) as Ended);
}

export async function dismissNotice(deps: Deps, session: Pick<Session, "id">): Promise<void> {
  await deps.metadata.write((tx) => updateSession(tx, session.id, { ended: null }));
}

/** Marks the session as stronger, because the person set up a second factor in it and proved it. */
export async function strengthenSession(tx: Writer, session: Pick<Session, "id">): Promise<void> {
  await updateSession(tx, session.id, { second_factor: 1 });
}

/** Ends one session with its access tokens. Returns false if the person has no such session. */
export async function endSession(
  deps: Deps,
  session: { readonly id: string; readonly userId: string },
  act: { readonly origin: Origin; readonly action: "session.sign_out" | "session.end" },
): Promise<boolean> {
  const { id, userId } = session;
  return deps.metadata.write(async (tx) => {
    if ((await deleteSessions(tx, userId, { id })) === 0) return false;
    await auditPerson(deps, tx, userId, { action: act.action, origin: act.origin, detail: { session: id } });
    return true;
  });
}

/** Ends every other session of the person. Returns their number. */
export async function endOtherSessions(deps: Deps, session: Session, origin: Origin): Promise<number> {
  return deps.metadata.write(async (tx) => {
    const ended = await deleteSessions(tx, session.userId, { allBut: session.id });
    if (ended > 0)
      await auditPerson(deps, tx, session.userId, { action: "session.end_others", origin, detail: { ended } });
    return ended;
  });
}

/**
 * Marks the session as confirmed after a new proof, and gives it another secret. So a cookie that was stolen before
 * stays without the confirmation.
 */
export async function confirmSession(
  deps: Deps,
  tx: Writer,
  session: Session,
  act: { readonly origin: Origin; readonly method: string },
): Promise<{ secret: string; confirmedAtMs: number }> {
  const secret = newSecret();
  const confirmedAtMs = deps.clock.nowMs();
  const strong = STRONG.has(act.method) ? { second_factor: 1 } : {};
  await updateSession(tx, session.id, { secret_hash: sha256Hex(secret), confirmed_at: confirmedAtMs, ...strong });
  await auditPerson(deps, tx, session.userId, {
    action: "session.confirm",
    origin: act.origin,
    detail: { session: session.id, method: act.method },
  });
  return { secret, confirmedAtMs };
}

async function present(deps: Deps, found: FoundSession | undefined): Promise<Session | undefined> {
  if (found === undefined) return undefined;
  const { session, person } = found;
  const nowMs = deps.clock.nowMs();
  if (nowMs >= endOf(session)) return undefined;
  if (nowMs - session.last_seen_at >= SEEN_EVERY_MS) {
    const seen = { id: session.id, userId: session.user_id, atMs: nowMs };
    // A full disk must not lock out an operator who wants to free space.
    await deps.metadata.write((tx) => recordSeen(tx, seen)).catch(() => undefined);
  }
  return {
    id: session.id,
    userId: session.user_id,
    email: person.email,
    name: person.name,
    instanceAdmin: person.instance_admin === 1,
    method: session.method,
    hasSecondFactor: session.second_factor === 1,
    confirmedAtMs: session.confirmed_at,
    sinceMs: session.created_at,
    expiresAtMs: Math.min(session.expires_at, nowMs + SESSION_IDLE_MS),
  };
}

/** Makes an unreachable database the server's error, never a 401. */
export async function reading<T>(rows: Promise<T>): Promise<T> {
  try {
    return await rows;
  } catch (cause) {
    throw new Problem(
      "unavailable",
      "This node can't check your session now, because it can't reach its database. Try again shortly.",
      { cause },
    );
  }
}

function newSecret(): string {
  return randomBytes(32).toString("base64url");
}
