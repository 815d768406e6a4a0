import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
// Not from the domain's index: `domain/identity` imports this module.
import type { Envelope, SealedPlace } from "#domain/identity/keys/index.ts";
import { IDEMPOTENCY_WINDOW_MS } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { earlier, type GuardedClock } from "#kernel/deletions.ts";
import { answerTexts } from "#kernel/shown-once.ts";
import type { MetadataStore, Writer } from "#stores/metadata/index.ts";
import { recording } from "./answer.ts";
import {
  completeClaim,
  deleteClaim,
  deleteOlder,
  findRecord,
  forgetSealed,
  insertClaim,
  keepAnswer,
  takeOver,
  type ClaimRow,
  type StoredAnswer,
} from "./store.ts";

export { answering, kept } from "./answer.ts";

/** The answer to the first request with a key. */
export interface IdempotentAnswer {
  readonly status: number;
  /** The answer as JSON, with null for values that are shown once. */
  readonly body: string;
  /** The answer as JSON with those values, until it was sent completely. Null: it has no such values. */
  readonly whole: string | null;
}

/**
 * The right to run the request of a key. After another request takes it over, this one can neither commit nor record
 * anything.
 */
export interface IdempotencyClaim {
  readonly keyHash: string;
  /** A random value that distinguishes a claim from its successor. */
  readonly owner: string;
}

/** Stores the answers to requests with an `Idempotency-Key` for 24 hours. */
export interface Idempotency {
  /**
   * Claims the key for this request, or returns the earlier answer.
   * @throws Problem `idempotency_in_progress` (409), `idempotency_key_reused` (422)
   */
  begin(
    keyHash: string,
    fingerprint: string,
  ): Promise<{ readonly claim: IdempotencyClaim } | { readonly answer: IdempotentAnswer }>;
  /**
   * Runs the operation. Its answer (`kept`) is committed in the same transaction under the claim, or nothing is
   * committed.
   */
  during<T>(claim: IdempotencyClaim, status: number, run: () => Promise<T>): Promise<T>;
  /** Records the answer if the operation kept none, or if the answer changed after the commit. */
  complete(claim: IdempotencyClaim, answer: IdempotentAnswer): Promise<void>;
  /** Releases the key after a failure, so that a retry runs. Does nothing if the change was committed. */
  abandon(claim: IdempotencyClaim): Promise<void>;
  /**
   * Tells the store that an answer is being sent. `left` resolves to whether it was sent completely. If it was, the
   * values that are shown once are deleted.
   */
  leaving(keyHash: string, left: Promise<boolean>): Promise<void>;
}

export interface IdempotencyDeps {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly envelope: Pick<Envelope, "seal" | "open">;
  /**
   * A claim of this age without an answer belongs to a process that died before its commit, so a retry runs. Default:
   * 60 s.
   */
  readonly claimMs?: number;
}

const CLAIM_MS = 60_000;
const PRUNE_EVERY_MS = 60_000;
/** How long a repeated request waits until the first answer was sent. Otherwise it would show the secret as well. */
const LEAVING_MS_MAX = 1_000;

export function createIdempotency(deps: IdempotencyDeps): Idempotency {
  const { metadata, clock, envelope, claimMs = CLAIM_MS } = deps;
  const keptFor = new WeakMap<IdempotencyClaim, IdempotentAnswer>();
  const leaving = new Map<string, Promise<void>>();
  let prunedAtMs = Number.NEGATIVE_INFINITY;

  async function prune(tx: Writer, nowMs: number): Promise<void> {
    if (nowMs - prunedAtMs < PRUNE_EVERY_MS) return;
    const dueMs = clock.deletionTime("idempotency_keys");
    if (dueMs !== null) await deleteOlder(tx, earlier(dueMs, IDEMPOTENCY_WINDOW_MS));
    prunedAtMs = nowMs;
  }

  function stored({ keyHash }: IdempotencyClaim, { status, body, whole }: IdempotentAnswer): StoredAnswer {
    const sealed = whole === null ? null : envelope.seal(placeOf(keyHash), Buffer.from(whole));
    return { status, body, sealed };
  }

  return {
    begin: async (keyHash, fingerprint) => {
      await Promise.race([leaving.get(keyHash), ...(leaving.has(keyHash) ? [delay(LEAVING_MS_MAX)] : [])]);
      return metadata.write(async (tx) => {
        const nowMs = clock.nowMs();
        await prune(tx, nowMs);
        const claim = { keyHash, owner: randomUUID() };
        const row = { key_hash: keyHash, owner: claim.owner, fingerprint, created_at: nowMs };
        const answer = await claimOrAnswer(tx, row, claimMs);
        if (answer === null) return { claim };
        const { status, body, sealed } = answer;
        const whole = sealed === null ? null : envelope.open(placeOf(keyHash), sealed).toString();
        return { answer: { status, body, whole } };
      });
    },
    during: (claim, status, run) =>
      recording((tx, given) => {
        const answer = { status, ...answerTexts(given) };
        keptFor.set(claim, answer);
        keepAnswer(tx, claim, stored(claim, answer), inProgress);
      }, run),
    complete: async (claim, answer) => {
      if (isDeepStrictEqual(keptFor.get(claim), answer)) return;
      await metadata.write((tx) => completeClaim(tx, claim, stored(claim, answer)));
    },
    abandon: (claim) => metadata.write((tx) => deleteClaim(tx, claim)),
    leaving: async (keyHash, left) => {
      const forgotten = left.then(async (whole) => {
        if (whole) await metadata.write((tx) => forgetSealed(tx, keyHash));
      });
      leaving.set(keyHash, forgotten);
      await forgotten.finally(() => {
        if (leaving.get(keyHash) === forgotten) leaving.delete(keyHash);
      });
    },
  };
}

function placeOf(keyHash: string): SealedPlace {
  return { table: "idempotency", id: keyHash, purpose: "answer", version: 0 };
}

/** Returns null if this claim has the key. */
async function claimOrAnswer(tx: Writer, claim: ClaimRow, claimMs: number): Promise<StoredAnswer | null> {
  if (await insertClaim(tx, claim)) return null;
  const record = await findRecord(tx, claim.key_hash);
  if (record === undefined) throw inProgress(); // the key was released between the two statements, so the retry will run
  const ageMs = claim.created_at - record.created_at;
  if (ageMs >= IDEMPOTENCY_WINDOW_MS) {
    if (await takeOver(tx, record, claim)) return null;
    throw inProgress();
  }
  if (record.fingerprint !== claim.fingerprint) {
    throw new Problem(
      "idempotency_key_reused",
      "This Idempotency-Key was used for another request. Use a new key for a new request.",
    );
  }
  if (record.status !== 0) return record;
  if (ageMs >= claimMs && (await takeOver(tx, record, claim))) return null;
  throw inProgress();
}

function inProgress(): Problem {
  return new Problem(
    "idempotency_in_progress",
    "The first request with this Idempotency-Key is still running. Try again shortly.",
    { retryAfterS: 1 },
  );
}
