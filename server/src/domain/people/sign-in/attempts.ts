import { randomBytes } from "node:crypto";
import { sha256Hex } from "#kernel/digest.ts";
import { SIGN_IN_ATTEMPT_MS, SIGN_IN_ATTEMPT_TRIES_MAX } from "#kernel/limits.ts";
import type { Writer } from "#stores/metadata/index.ts";
import type { PeopleDeps } from "../deps.ts";
import { countTry, deleteAttempt, hasAttempt, insertAttempt, type Attempt } from "./store.ts";

type Deps = Pick<PeopleDeps, "metadata" | "clock">;

/** An attempt whose first step is done and whose second step has to follow. */
export interface OpenAttempt {
  readonly ticketHash: string;
  readonly userId: string | null;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Stores the first step of an attempt for five minutes. Returns its ticket. Only the ticket's hash is stored. */
export async function beginAttempt(
  deps: Deps,
  attempt: { kind: Attempt["kind"]; userId: string | null; data?: Readonly<Record<string, unknown>> },
): Promise<string> {
  const ticket = randomBytes(32).toString("base64url");
  const nowMs = deps.clock.nowMs();
  await deps.metadata.write((tx) =>
    insertAttempt(tx, {
      ticket_hash: sha256Hex(ticket),
      kind: attempt.kind,
      user_id: attempt.userId,
      data: JSON.stringify(attempt.data ?? {}),
      tries: 0,
      created_at: nowMs,
      expires_at: nowMs + SIGN_IN_ATTEMPT_MS,
    }),
  );
  return ticket;
}

/**
 * Returns the attempt of a ticket. The try is counted first, in a separate transaction, so that a failure does not undo
 * the count. Undefined: the ticket is unknown, has ended, or was tried too often.
 */
export async function tryAttempt(deps: Deps, kind: Attempt["kind"], ticket: string): Promise<OpenAttempt | undefined> {
  const ticketHash = sha256Hex(ticket);
  const nowMs = deps.clock.nowMs();
  // An unknown ticket costs only a read, because a write waits for the disk and for other writers.
  if (!(await hasAttempt(deps.metadata.read, ticketHash))) return undefined;
  const row = await deps.metadata.write((tx) =>
    countTry(tx, { ticketHash, kind, nowMs, triesMax: SIGN_IN_ATTEMPT_TRIES_MAX }),
  );
  if (row === undefined) return undefined;
  return { ticketHash, userId: row.user_id, data: JSON.parse(row.data) as Record<string, unknown> };
}

/** Uses up the attempt, in the transaction of its result. Returns false if another request was first. */
export function finishAttempt(tx: Writer, attempt: OpenAttempt): Promise<boolean> {
  return deleteAttempt(tx, attempt.ticketHash);
}
