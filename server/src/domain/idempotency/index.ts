import { randomUUID } from "node:crypto";
import { IDEMPOTENCY_WINDOW_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { completeClaim, deleteClaim, deleteOlder, findRecord, insertClaim, takeOver, type ClaimRow } from "./store.ts";

/** The answer that the first request with a key was given. */
export interface IdempotentAnswer {
  readonly status: number;
  /** JSON, without anything that is shown once. */
  readonly body: string;
}

/** The right to run the request of a key, until another takes it over: then `complete` and `abandon` of this one do nothing. */
export interface IdempotencyClaim {
  readonly keyHash: string;
  /** Random, so that a claim is told from its successor. */
  readonly owner: string;
}

/** Remembers for 24 hours what a request with an `Idempotency-Key` was answered. */
export interface Idempotency {
  /**
   * Claims the key for this request, or returns the answer that was given before.
   * @throws Problem `idempotency_in_progress` (409), `idempotency_key_reused` (422)
   */
  begin(
    keyHash: string,
    fingerprint: string,
  ): Promise<{ readonly claim: IdempotencyClaim } | { readonly answer: IdempotentAnswer }>;
  complete(claim: IdempotencyClaim, answer: IdempotentAnswer): Promise<void>;
  /** Gives the key back after a failure, so that a retry runs. */
  abandon(claim: IdempotencyClaim): Promise<void>;
}

/** A claim that old is of a process that died, or could not record its answer: a retry runs. */
const CLAIM_MS = 60_000;
const PRUNE_EVERY_MS = 60_000;

export function createIdempotency(deps: {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
}): Idempotency {
  const { metadata, clock } = deps;
  let prunedAtMs = Number.NEGATIVE_INFINITY;

  async function prune(tx: Writer, nowMs: number): Promise<void> {
    if (nowMs - prunedAtMs < PRUNE_EVERY_MS) return;
    const dueMs = clock.deletionTime("idempotency_keys");
    if (dueMs !== null) await deleteOlder(tx, earlier(dueMs, IDEMPOTENCY_WINDOW_MS));
    prunedAtMs = nowMs;
  }

  return {
    begin: (keyHash, fingerprint) =>
      metadata.write(async (tx) => {
        const nowMs = clock.nowMs();
        await prune(tx, nowMs);
        const claim = { keyHash, owner: randomUUID() };
        const row = { key_hash: keyHash, owner: claim.owner, fingerprint, created_at: nowMs };
        const answer = await claimOrAnswer(tx, row);
        return answer === null ? { claim } : { answer };
      }),
    complete: (claim, answer) => metadata.write((tx) => completeClaim(tx, claim, answer)),
    abandon: (claim) => metadata.write((tx) => deleteClaim(tx, claim)),
  };
}

/** Null when the key is this claim's. */
async function claimOrAnswer(tx: Writer, claim: ClaimRow): Promise<IdempotentAnswer | null> {
  if (await insertClaim(tx, claim)) return null;
  const record = await findRecord(tx, claim.key_hash);
  if (record === undefined) throw inProgress(); // given back between the two statements: the retry will run
  const ageMs = claim.created_at - record.created_at;
  if (ageMs >= IDEMPOTENCY_WINDOW_MS) {
    if (await takeOver(tx, record, claim)) return null;
    throw inProgress();
  }
  if (record.fingerprint !== claim.fingerprint) {
    throw new Problem(
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request; use a new key for a new request.",
    );
  }
  if (record.status !== 0) return { status: record.status, body: record.body };
  if (ageMs >= CLAIM_MS && (await takeOver(tx, record, claim))) return null;
  throw inProgress();
}

function inProgress(): Problem {
  return new Problem(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running; try again shortly.",
    {
      headers: { "retry-after": "1" },
    },
  );
}
