import type { ServerResponse } from "node:http";
import { cursorOf, readEvents, type EventFeed } from "#domain/webhooks/index.ts";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { eventText, listedEvent } from "../model.ts";
import type { StreamRequest, Streams } from "./types.ts";

export interface StreamsOptions {
  readonly metadata: MetadataStore;
  readonly feed: EventFeed;
  readonly log: { error(fields: object, message: string): void };
  /** The most streams of one organization at the same time. */
  readonly organizationMax: number;
}

const PAGE = 100;
/** How often the caller's permissions are read, so that a change takes effect well within a second. */
const LOOK_MS = 250;
const BEAT_MS = 15_000;
const RETRY_MS = 2000;
const LAST_WORDS_MS = 1000;

export function createStreams(options: StreamsOptions): Streams {
  const running = new Map<AbortController, string>();
  let stopped = false;
  const countOf = (orgId: string): number => [...running.values()].filter((each) => each === orgId).length;
  return {
    admit: (orgId) => {
      if (stopped) throw stopping();
      if (countOf(orgId) >= options.organizationMax) throw tooMany(options.organizationMax);
    },
    open: (response, request) => {
      if (response.destroyed) return; // A response that is closed emits `close` only once.
      const control = new AbortController();
      running.set(control, request.orgId);
      response.on("error", () => response.destroy()); // A reader that disconnects is not an error of the server.
      response.once("close", () => control.abort());
      response.writeHead(200, request.headers);
      run(options, response, request, control)
        .catch((error: unknown) => {
          if (!(error instanceof Problem)) options.log.error({ err: error }, "a live stream of a webhook failed");
          endWith(response, error);
        })
        .finally(() => running.delete(control))
        .catch(() => undefined);
    },
    stop: () => {
      stopped = true;
      for (const control of running.keys()) control.abort(stopping());
    },
  };
}

/** Writes new events, then waits for more. The position is that of the last written event. */
async function run(
  { metadata, feed }: StreamsOptions,
  response: ServerResponse,
  request: StreamRequest,
  control: AbortController,
): Promise<void> {
  const { signal } = control;
  const stopLooking = keepLooking(request.look, control);
  try {
    let { afterSeq } = request;
    response.write(`retry: ${RETRY_MS}\n\n: \n\n`);
    while (!signal.aborted) {
      const rows = await readEvents({ metadata, feed }, request.webhookId, {
        afterSeq,
        limit: PAGE,
        waitMs: BEAT_MS,
        signal,
      });
      if (signal.aborted) break;
      const text = rows
        .map((row) => `id: ${cursorOf(row.seq)}\nevent: event\ndata: ${lineOf(eventText(listedEvent(row)))}\n\n`)
        .join("");
      afterSeq = rows.at(-1)?.seq ?? afterSeq;
      if (!response.write(text === "" ? ": \n\n" : text)) await drained(response, signal);
    }
    if (signal.reason instanceof Problem) throw signal.reason;
  } finally {
    stopLooking();
  }
}

/**
 * A line break would end the field of the event. In JSON text a line break is only white space, since strings escape
 * it.
 */
function lineOf(json: string): string {
  return json.replace(/[\r\n]/g, " ");
}

/** Ends the stream when its caller may no longer see it, or when that is unknown. */
function keepLooking(look: () => Promise<void>, control: AbortController): () => void {
  let looking = false;
  const timer = setInterval(() => {
    if (looking) return;
    looking = true;
    look().then(
      () => (looking = false),
      (error: unknown) => control.abort(error),
    );
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    response.once("drain", resolve);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

/** Sends the reason in the last event. An error that is not a `Problem` is internal, so its text is not sent. */
function endWith(response: ServerResponse, error: unknown): void {
  if (response.destroyed || response.writableEnded) return;
  const { code, message } =
    error instanceof Problem ? error : new Problem("internal", "The server had an internal error.");
  response.end(`event: end\ndata: ${JSON.stringify({ code, detail: message })}\n\n`);
  const deadline = setTimeout(() => response.destroy(), LAST_WORDS_MS).unref();
  response.once("close", () => clearTimeout(deadline));
}

function stopping(): Problem {
  return new Problem("unavailable", "The server is stopping. Reconnect with the last event's id.", { retryAfterS: 2 });
}

function tooMany(max: number): Problem {
  const detail = `An organization may have ${max} live streams at the same time. End one of them first.`;
  return new Problem("quota_exceeded", detail, { retryAfterS: 5 });
}
