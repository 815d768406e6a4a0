import type { FastifyReply, FastifyRequest } from "fastify";
import {
  RefusedRequests,
  scheduleRequestTidying,
  tidyRequestsHandler,
  type RequestRecord,
} from "#domain/requests/index.ts";
import { refusedRequestOf, type HttpHostOptions } from "#http/index.ts";
import type { GuardedClock } from "#kernel/deletions.ts";
import type { Metrics, SURFACES } from "#kernel/metrics/index.ts";
import type { RefusedRequest } from "#kernel/refusal.ts";
import type { Jobs, Schedule } from "#stores/jobs/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { Config } from "./config.ts";
import type { Phases } from "./phases.ts";

interface RequestParts {
  readonly metadata: MetadataStore;
  readonly clock: GuardedClock;
  readonly log: { warn(fields: object, message: string): void };
  readonly schedule: Schedule;
  readonly jobs: Jobs;
  readonly phases: Phases;
  readonly metrics: Metrics;
}

/** Keeps refused requests and logs them. */
export interface RequestsPart {
  readonly refusals: RefusedRequests;
  /** Observes the refusals of a server. */
  readonly refused: (request: FastifyRequest, reply: FastifyReply) => void;
  start(): Promise<void>;
}

export function createRequests(parts: RequestParts): RequestsPart {
  const { clock, jobs, phases, metrics } = parts;
  const counter = metrics.counter("mooring_http_refused_total");
  const refusals = phases.started("refused requests", new RefusedRequests(parts), (part) => part.stop());
  const lines = new LineBudget();
  return {
    refusals,
    refused: (request, reply) => {
      const refused = refusedRequestOf(request, reply, clock);
      const record = refusals.note(refused);
      counter.inc({ surface: refused.surface as (typeof SURFACES)[number], reason: record.rule });
      logRefusal(request, refused, record, lines);
    },
    start: async () => {
      jobs.start([tidyRequestsHandler(parts)]);
      await scheduleRequestTidying(parts);
    },
  };
}

export function rateLimitOf(config: Config): HttpHostOptions["rateLimit"] {
  return { perSecond: config.rate_limit_per_second, burst: config.rate_limit_burst };
}

/** Writes one line for a refusal. A bug has a line already, with its cause. */
function logRefusal(request: FastifyRequest, refused: RefusedRequest, record: RequestRecord, lines: LineBudget): void {
  const { refusal, status, id } = refused;
  const { code, rule, actor, method, operation } = record;
  if (rule === "internal" && refusal !== null) return;
  const left = lines.take(performance.now());
  if (left === undefined) return;
  const fields = {
    code,
    rule,
    status,
    method,
    operation,
    ...(actor === null ? {} : { actor: actor.id, organization: actor.orgId }),
    ...(id === request.id ? {} : { server_request_id: id }),
    ...(left === 0 ? {} : { lines_left_out: left }),
    ...(refusal?.options.cause === undefined || status < 500 ? {} : { err: refusal.options.cause }),
  };
  request.log[status >= 500 ? "warn" : "info"](fields, "request refused");
}

const LINES_PER_SECOND = 200;

/** Limits the lines of a second, so that a flood can't fill the disk with the log. */
class LineBudget {
  #sinceMs = 0;
  #lines = 0;
  #leftOut = 0;

  /** Returns the number of lines that were left out before this one. Undefined: this one is left out too. */
  take(nowMs: number): number | undefined {
    if (nowMs - this.#sinceMs >= 1_000) {
      this.#sinceMs = nowMs;
      this.#lines = 0;
    }
    if (this.#lines >= LINES_PER_SECOND) {
      this.#leftOut += 1;
      return undefined;
    }
    this.#lines += 1;
    const left = this.#leftOut;
    this.#leftOut = 0;
    return left;
  }
}
