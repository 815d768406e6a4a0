import type { FastifyReply, FastifyRequest } from "fastify";
import { sha256Hex } from "#kernel/digest.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { answerTexts } from "#kernel/shown-once.ts";
import { principalOf } from "./authentication.ts";

/** The stored answer to a request with an idempotency key. */
export interface RecordedAnswer {
  readonly status: number;
  /** JSON, with null for members that are shown once. */
  readonly body: string;
  /** JSON with these members, while they may still be shown; otherwise null. */
  readonly whole: string | null;
}

/** The right to run the request of an idempotency key, until another request takes it over. */
export interface RecordClaim {
  readonly keyHash: string;
  readonly owner: string;
}

/** Stores idempotency keys; implemented by `domain/idempotency`. */
export interface IdempotencyRecords {
  /**
   * Claims the key for this request, or returns the earlier answer.
   * @throws Problem `idempotency_in_progress` (409), `idempotency_key_reused` (422)
   */
  begin(
    keyHash: string,
    fingerprint: string,
  ): Promise<{ readonly claim: RecordClaim } | { readonly answer: RecordedAnswer }>;
  /** Runs the operation, whose transaction records the answer. */
  during<T>(claim: RecordClaim, status: number, run: () => Promise<T>): Promise<T>;
  /** Records an answer that the transaction did not record, or that changed afterwards. */
  complete(claim: RecordClaim, answer: RecordedAnswer): Promise<void>;
  /** Releases the key after a failure, so that a retry runs. Does nothing when the change was committed. */
  abandon(claim: RecordClaim): Promise<void>;
  /**
   * Call it when an answer is being sent. `left` resolves to true if the answer was sent completely. Then the values
   * that are shown once are deleted.
   */
  leaving(keyHash: string, left: Promise<boolean>): Promise<void>;
}

/** Returns the caller's valid `Idempotency-Key`, or null. */
export function idempotencyKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !/^[\x21-\x7e]+$/.test(key) || key.length > IDEMPOTENCY_KEY_CHARS_MAX) {
    throw new Problem(
      "invalid_request",
      `Idempotency-Key must be 1 to ${IDEMPOTENCY_KEY_CHARS_MAX} visible ASCII characters.`,
    );
  }
  return key;
}

/**
 * Runs an operation once for a principal, route and key. A repetition gets the first answer with `Idempotency-Replayed:
 * true`. Members that are shown once (`kernel/shown-once.ts`) are null in it if the first answer was sent completely.
 * `replayed` may build another answer from it. When the answer can't be recorded after the commit, the failure is only
 * logged, because the change was made.
 */
export async function idempotent(
  host: { readonly idempotency: IdempotencyRecords },
  row: { readonly operationId: string; readonly status: number },
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<unknown>,
  replayed?: (result: unknown) => Promise<unknown>,
): Promise<unknown> {
  const key = idempotencyKeyOf(request);
  if (key === null) return run();
  const { kind, id, orgId } = principalOf(request);
  const caller = kind === "person" ? [id, orgId] : [id]; // A person may be a member of several organizations.
  const keyHash = sha256Hex(JSON.stringify([...caller, row.operationId, key]));
  const fingerprint = sha256Hex(JSON.stringify([request.url, request.body ?? null]));
  const begun = await host.idempotency.begin(keyHash, fingerprint);
  if ("answer" in begun) {
    const { status, body, whole } = begun.answer;
    void reply.code(status).header("idempotency-replayed", "true");
    if (whole !== null) forgetWhenSent(host, keyHash, request, reply);
    const result = JSON.parse(whole ?? body) as unknown;
    return replayed === undefined ? result : replayed(result);
  }
  const { claim } = begun;
  let result: unknown;
  try {
    result = await host.idempotency.during(claim, row.status, run);
  } catch (error) {
    await recorded(request, () => host.idempotency.abandon(claim));
    throw error;
  }
  const status = reply.statusCode === 200 ? row.status : reply.statusCode;
  const answer = { status, ...answerTexts(result) };
  await recorded(request, () => host.idempotency.complete(claim, answer));
  if (answer.whole !== null) forgetWhenSent(host, keyHash, request, reply);
  return result;
}

/**
 * Deletes the recorded secret after the answer was sent completely. After a crash or a broken connection, a repetition
 * still shows it.
 */
function forgetWhenSent(
  host: { readonly idempotency: IdempotencyRecords },
  keyHash: string,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  void reply.header("cache-control", "no-store");
  const { raw } = reply;
  const left = new Promise<boolean>((resolve) => {
    if (raw.closed) resolve(raw.writableFinished);
    else raw.once("close", () => resolve(raw.writableFinished));
  });
  void recorded(request, () => host.idempotency.leaving(keyHash, left));
}

async function recorded(request: FastifyRequest, record: () => Promise<void>): Promise<void> {
  try {
    await record();
  } catch (error) {
    request.log.error({ err: error }, "cannot record the outcome of an idempotency key");
  }
}
