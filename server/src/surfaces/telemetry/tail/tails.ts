import type { ServerResponse } from "node:http";
import { Problem } from "#kernel/problem.ts";
import type { Clock } from "#kernel/time.ts";
import type { TableName, TelemetryFeed } from "#stores/telemetry/index.ts";
import type { Filter } from "./filter.ts";
import { Hub } from "./hub.ts";
import { createOutput, type Output } from "./output.ts";
import type { Position } from "./position.ts";
import { eventText } from "./render.ts";
import type { Seen } from "./seen.ts";
import { Tail } from "./tail.ts";
import { createWork, type Work } from "./work.ts";

export interface TailsOptions {
  readonly feed: TelemetryFeed;
  readonly clock: Clock;
  readonly log: { error(fields: object, message: string): void };
  /** The most tails of one organization at the same time. */
  readonly organizationMax: number;
}

export interface TailRequest {
  readonly orgId: string;
  readonly filter: Filter;
  readonly seen: Seen;
  /**
   * Checks the caller again and returns the rows that may be shown.
   * @throws Problem when the caller has lost the permission
   */
  readonly look: (fresh: boolean) => Promise<Seen>;
  readonly since?: Position | undefined;
  readonly headers: Readonly<Record<string, string | string[] | number | undefined>>;
}

/** The live tails of all organizations. */
export interface Tails {
  /** @throws Problem `unavailable`, `quota_exceeded` when no other tail can be opened */
  admit(orgId: string): void;
  /** Takes over the response and writes to it until the caller or the server ends it. */
  open(response: ServerResponse, request: TailRequest): void;
  /** Ends all tails with a reason, and refuses new ones. */
  stop(): void;
}

/**
 * How often a caller's permissions are read. With the delay of the feed of changes, a revoked caller's tail ends well
 * within a second.
 */
const LOOK_MS = 250;
/** A read of permissions that takes longer than this is ignored. */
const LOOK_MS_MAX = 500;
const BEAT_MS = 15_000;
const RETRY_MS = 2000;
/** The share of the event loop for all tails together: their searches must not delay requests. */
const WORK = { share: 0.15, burstMs: 60 };

export function createTails(options: TailsOptions): Tails {
  const work = createWork(WORK);
  const hubs = new Map<string, SharedHub>();
  const running = new Set<() => void>();
  let stopped = false;
  return {
    admit: (orgId) => {
      if (stopped) throw stopping();
      if ((hubs.get(orgId)?.users ?? 0) >= options.organizationMax) throw tooMany(options.organizationMax);
    },
    open: (response, request) => {
      // If the client disconnected while its token was checked, `close` was emitted already and will not be emitted
      // again.
      if (response.destroyed) return;
      const out = createOutput(response);
      response.writeHead(200, request.headers);
      out.write(`retry: ${RETRY_MS}\n\n`);
      const shared = sharedHub(hubs, options.feed, request.orgId, work);
      const tail = new Tail({ ...options, ...request, table: shared.table, hub: shared.hub, work, out });
      const stop = (): void => endWith(out, stopping());
      running.add(stop);
      const stopLooking = keepLooking(tail, out, () => request.look(false));
      const beats = setInterval(() => tail.beat(), BEAT_MS).unref();
      out.onClose(() => {
        running.delete(stop);
        stopLooking();
        clearInterval(beats);
        shared.hub.leave(tail);
        tail.wake();
        shared.release();
      });
      tail.run().catch((error: unknown) => {
        if (!(error instanceof Problem)) options.log.error({ err: error }, "a live tail failed");
        endWith(out, error);
      });
    },
    stop: () => {
      stopped = true;
      for (const stop of running) stop();
    },
  };
}

interface SharedHub {
  readonly hub: Hub;
  readonly table: TableName;
  users: number;
  release(): void;
}

/** Returns the organization's hub, which exists while a tail uses it. */
function sharedHub(hubs: Map<string, SharedHub>, feed: TelemetryFeed, orgId: string, work: Work): SharedHub {
  const known = hubs.get(orgId);
  if (known !== undefined) {
    known.users += 1;
    return known;
  }
  const table = { orgId, type: "logs" } as const;
  const hub = new Hub(feed, table, work);
  const shared: SharedHub = {
    hub,
    table,
    users: 1,
    release: () => {
      shared.users -= 1;
      if (shared.users > 0) return;
      hubs.delete(orgId);
      hub.close();
    },
  };
  hubs.set(orgId, shared);
  return shared;
}

/** Checks repeatedly whether the caller may still see the rows. Ends the tail if not, or if that is unknown. */
function keepLooking(tail: Tail, out: Output, look: () => Promise<Seen>): () => void {
  let sinceMs: number | undefined;
  const timer = setInterval(() => {
    const nowMs = performance.now();
    if (sinceMs !== undefined) {
      if (nowMs - sinceMs > LOOK_MS_MAX) endWith(out, unknowable());
      return;
    }
    sinceMs = nowMs;
    look().then(
      (seen) => {
        sinceMs = undefined;
        tail.sees(seen);
      },
      (error: unknown) => endWith(out, error),
    );
  }, LOOK_MS).unref();
  return () => clearInterval(timer);
}

/** Sends the reason in the last event. An error that is not a `Problem` is internal, so its text is not sent. */
function endWith(out: Output, error: unknown): void {
  const { code, message } = error instanceof Problem ? error : unexpected();
  out.end(eventText("end", JSON.stringify({ code, detail: message })));
}

function unexpected(): Problem {
  return new Problem("internal", "The server had an internal error. Reconnect with the last event's id.");
}

function stopping(): Problem {
  return new Problem("unavailable", "The server is stopping. Reconnect with the last event's id.", { retryAfterS: 2 });
}

function unknowable(): Problem {
  return new Problem("unavailable", "The server can't check your permissions now. Reconnect with the last event's id.");
}

function tooMany(max: number): Problem {
  const detail = `An organization may have ${max} live tails at the same time. End one of them first.`;
  return new Problem("quota_exceeded", detail, { retryAfterS: 5 });
}
