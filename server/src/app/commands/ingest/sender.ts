import { randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import type { Clock } from "#kernel/time.ts";
import { ApiError, retryDelayMs, type Client } from "@mooring/client";
import type { BadLine, ReadyEntry, TelemetryKind } from "./entries.ts";

export interface Batch {
  readonly entries: readonly ReadyEntry[];
}

export interface SenderOptions {
  readonly client: Client;
  readonly kind: TelemetryKind;
  /** Slug or id. Undefined: the entries belong to the organization, or to the project of the credential. */
  readonly project: string | undefined;
  /** True: the first bad entry stops everything. False: bad entries are reported and left out. */
  readonly strict: boolean;
  /** The number of concurrent requests. */
  readonly parallel: number;
  /** How long one batch is retried before the command fails. */
  readonly retryForMs: number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  accepted(count: number): void;
  refused(count: number, lines: readonly BadLine[]): void;
  retrying(reason: string, waitMs: number): void;
}

/** Sends batches concurrently, in the order of `submit`. After the first failure, `submit` and `finish` reject with it. */
export interface Sender {
  /** Resolves when the batch can be sent, not when it has an answer. */
  submit(batch: Batch): Promise<void>;
  /** Resolves when every submitted batch has an answer, including those that still wait to be sent. */
  finish(): Promise<void>;
}

const ATTEMPT_TIMEOUT_MS = 60_000;
const RETRY = { firstMs: 250, maxMs: 10_000 };

export function createSender(options: SenderOptions): Sender {
  const running = new Set<Promise<void>>();
  let failure: Error | null = null;
  const failed = (): void => {
    if (failure !== null) throw failure;
  };
  let lastTurn: Promise<void> = Promise.resolve();
  const start = async (batch: Batch): Promise<void> => {
    while (running.size >= options.parallel) await Promise.race(running);
    failed();
    const sent = sendBatch(options, batch).catch((error: unknown) => {
      failure ??= error instanceof Error ? error : new Error(String(error));
    });
    running.add(sent);
    void sent.finally(() => running.delete(sent));
  };
  return {
    submit: (batch) => {
      lastTurn = lastTurn.then(() => start(batch));
      return lastTurn;
    },
    finish: async () => {
      await lastTurn.catch(() => {});
      await Promise.all(running);
      failed();
    },
  };
}

interface IngestAnswer {
  readonly accepted: number;
  readonly rejected?: number;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

/** All attempts use one idempotency key, so that a broken attempt stores nothing twice. */
async function sendBatch(options: SenderOptions, batch: Batch): Promise<void> {
  const headers = {
    "idempotency-key": randomUUID(),
    ...(options.project === undefined ? {} : { "x-mooring-project": options.project }),
    ...(options.strict ? {} : { prefer: "handling=lenient" }),
  };
  const body = `{"entries":[${batch.entries.map((entry) => entry.json).join(",")}]}`;
  const url = `${options.client.addresses.ingest_url}/v1/ingest/${options.kind}`;
  const giveUpAtMs = options.clock.nowMs() + options.retryForMs;
  for (let failed = 1; ; failed++) {
    try {
      const signal = AbortSignal.any([options.signal, AbortSignal.timeout(ATTEMPT_TIMEOUT_MS)]);
      const request = { purpose: `send ${options.kind}`, method: "POST", url, headers, body, signal } as const;
      return settled(options, batch, await options.client.json<IngestAnswer>(request));
    } catch (error) {
      const waitMs = retryDelayMs(error, failed, RETRY);
      if (waitMs === null || options.clock.nowMs() + waitMs > giveUpAtMs) throw withLines(error, batch);
      options.retrying((error as Error).message.split("\n")[0] ?? "", waitMs);
      await delay(waitMs, undefined, { signal: options.signal });
    }
  }
}

function settled(options: SenderOptions, batch: Batch, answer: IngestAnswer): void {
  options.accepted(answer.accepted);
  const { rejected = 0, errors = [] } = answer;
  if (rejected > 0)
    options.refused(
      rejected,
      errors.map((place) => badLineOf(place, batch)),
    );
}

/** `/entries/3/level` → the line of the fourth entry. */
function badLineOf(place: { pointer: string; detail: string }, batch: Batch): BadLine {
  const [, , index = "", ...rest] = place.pointer.split("/");
  const line = batch.entries[Number(index)]?.line ?? 0;
  const reason = rest.length === 0 ? place.detail : `${rest.join("/")} ${place.detail}`;
  return { line, why: "refused_by_server", reason };
}

/** Errors name entries by their index in the batch; people need line numbers. */
function withLines(error: unknown, batch: Batch): unknown {
  if (!(error instanceof ApiError) || error.places.length === 0) return error;
  const lines = error.places.map((place) => badLineOf(place, batch));
  error.message += `\nThe lines are: ${lines.map(({ line, reason }) => `${line} (${reason})`).join(", ")}`;
  return error;
}
