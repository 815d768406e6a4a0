import type { FastifyReply, FastifyRequest } from "fastify";
import { sha256Hex } from "#kernel/digest.ts";
import { IDEMPOTENCY_KEY_CHARS_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { principalOf } from "./authentication.ts";
import type { HttpHost } from "./host.ts";

/** A remembered answer. */
export interface RecordedAnswer {
  readonly status: number;
  readonly body: string;
}

/** The right to run the request of a key, until another takes it over. */
export interface RecordClaim {
  readonly keyHash: string;
  readonly owner: string;
}

/** Where idempotency keys are kept; implemented by `domain/idempotency`. */
export interface IdempotencyRecords {
  /**
   * Claims the key for this request, or returns the answer that was given before.
   * @throws Problem `idempotency_in_progress` (409), `idempotency_key_reused` (422)
   */
  begin(
    keyHash: string,
    fingerprint: string,
  ): Promise<{ readonly claim: RecordClaim } | { readonly answer: RecordedAnswer }>;
  complete(claim: RecordClaim, answer: RecordedAnswer): Promise<void>;
  /** Gives the key back after a failure, so that a retry runs. */
  abandon(claim: RecordClaim): Promise<void>;
}

/** The caller's `Idempotency-Key`, checked, or null. */
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
 * Runs an operation once for a principal, route and key. A repetition gets the first answer with `Idempotency-Replayed: true`.
 * Members that are shown once (`secret`, `client_secret`, `secret_access_key`, `link`, `webhook_url`) are null in it. `replayed` may make another answer of it.
 * What can't be recorded afterwards is logged, not thrown: the change is made, and only its own answer says so truly. The key
 * then stays claimed, so that a repetition is told to wait (409) until the claim runs out.
 */
export async function idempotent(
  host: HttpHost,
  row: { readonly operationId: string; readonly status: number },
  request: FastifyRequest,
  reply: FastifyReply,
  run: () => Promise<unknown>,
  replayed?: (result: unknown) => Promise<unknown>,
): Promise<unknown> {
  const key = idempotencyKeyOf(request);
  if (key === null) return run();
  const { kind, id, orgId } = principalOf(request);
  const caller = kind === "person" ? [id, orgId] : [id]; // a person may be in several organizations
  const keyHash = sha256Hex(JSON.stringify([...caller, row.operationId, key]));
  const fingerprint = sha256Hex(JSON.stringify([request.url, request.body ?? null]));
  const begun = await host.idempotency.begin(keyHash, fingerprint);
  if ("answer" in begun) {
    void reply.code(begun.answer.status).header("idempotency-replayed", "true");
    const result = JSON.parse(begun.answer.body) as unknown;
    return replayed === undefined ? result : replayed(result);
  }
  const { claim } = begun;
  let result: unknown;
  try {
    result = await run();
  } catch (error) {
    await recorded(request, () => host.idempotency.abandon(claim));
    throw error;
  }
  const status = reply.statusCode === 200 ? row.status : reply.statusCode;
  const body = JSON.stringify(withoutSecrets(result));
  await recorded(request, () => host.idempotency.complete(claim, { status, body }));
  return result;
}

async function recorded(request: FastifyRequest, record: () => Promise<void>): Promise<void> {
  try {
    await record();
  } catch (error) {
    request.log.error({ err: error }, "cannot record the outcome of an idempotency key");
  }
}

const SHOWN_ONCE = new Set([
  "secret",
  "client_secret",
  "secret_access_key",
  "link",
  "setup_url",
  "token",
  "webhook_url",
]);

function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value).map(([name, member]) => [
    name,
    SHOWN_ONCE.has(name) && typeof member === "string" ? null : withoutSecrets(member),
  ]);
  return {
    ...(Object.fromEntries(entries) as Record<string, unknown>),
    ...(hasSecret(value) ? { replayed: true } : {}),
  };
}

function hasSecret(value: object): boolean {
  return Object.entries(value).some(([name, member]) => SHOWN_ONCE.has(name) && typeof member === "string");
}
