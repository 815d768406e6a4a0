import type { ServerResponse } from "node:http";
import { ACCESS_ACTIONS, type AccessAction } from "@mooring/contract";
import type { FastifyReply, FastifyRequest } from "fastify";
import { rowOf, type Accessed, type RowParts } from "./access-row.ts";
import { countedStatus } from "./metrics.ts";

declare module "fastify" {
  interface FastifyRequest {
    accessed: Accessed | null;
    /** Whether the row of the request was begun. */
    isAccessBegun: boolean;
  }
  interface FastifyReply {
    /** Writes the row of a stream at its begin, because its reader gets data long before its end. */
    logStream(): void;
  }
  interface FastifyContextConfig {
    readonly access?: AccessAction | undefined;
  }
}

/** Adds what the operation knows about its data. Costs little, so it is called also when the log is off. */
export function noteAccess(request: FastifyRequest, about: Accessed): void {
  request.accessed = request.accessed === null ? about : { ...request.accessed, ...about };
}

export interface AccessLogOptions {
  /** What an organization's log records. */
  readonly policy: (orgId: string) => { readonly mode: "off" | "sampled" | "all"; readonly sampleRate: number };
  /** Writes a row at once. Never throws. */
  readonly record: (orgId: string, row: string) => void;
  readonly nowMs: () => number;
}

/** Writes the rows of requests. */
export interface AccessLog {
  /** Called once, before the answer begins. The row is written before the last byte of the answer is sent. */
  begin(request: FastifyRequest, reply: FastifyReply, isStream?: boolean): void;
}

export function createAccessLog({ policy, record, nowMs }: AccessLogOptions): AccessLog {
  let random = nowMs() >>> 0;
  // A linear congruential generator. Request ids would let the caller choose which of its requests have rows.
  const isChosen = (rate: number): boolean => {
    random = (Math.imul(random, 1_664_525) + 1_013_904_223) >>> 0;
    return random / 2 ** 32 < 1 / rate;
  };
  return {
    begin: (request, reply, isStream = false) => {
      if (request.isAccessBegun) return;
      request.isAccessBegun = true;
      const about = request.accessed ?? {};
      const action = about.action ?? request.routeOptions.config.access;
      const orgId = about.orgId ?? request.principal?.orgId ?? request.signedIn?.orgId;
      if (action === undefined || orgId === undefined) return;
      const { mode, sampleRate } = policy(orgId);
      if (mode === "off") return;
      const mustStay = mode === "all" || countedStatus(request, reply) >= 400 || ACCESS_ACTIONS[action] === "write";
      if (!mustStay && !isChosen(sampleRate)) return;
      const parts = { request, reply, action, sampleRate: mustStay ? 1 : sampleRate };
      const write = (end: Pick<RowParts, "bytesOut" | "isAborted">): void =>
        record(orgId, rowOf({ ...parts, ...end, about: request.accessed ?? {}, atMs: nowMs() - reply.elapsedTime }));
      if (isStream) write({ bytesOut: null, isAborted: false });
      else watchEnd(reply.raw, Number(reply.getHeader("content-length") ?? Number.NaN), write);
    },
  };
}

/**
 * Calls `ended` before the last byte of the body goes to the connection. So nobody has a whole answer that has no row, even if
 * the process is killed.
 */
function watchEnd(
  raw: ServerResponse,
  length: number,
  ended: (end: Pick<RowParts, "bytesOut" | "isAborted">) => void,
): void {
  let bytesOut = 0;
  let isEnded = false;
  const end = (isAborted: boolean): void => {
    if (isEnded) return;
    isEnded = true;
    ended({ bytesOut, isAborted });
  };
  type Send = (...parts: unknown[]) => unknown;
  const sendPart = raw.write.bind(raw) as Send;
  const sendLast = raw.end.bind(raw) as Send;
  raw.write = ((...parts: unknown[]) => {
    bytesOut += sizeOf(parts);
    if (bytesOut >= length) end(false);
    return sendPart(...parts);
  }) as typeof raw.write;
  raw.end = ((...parts: unknown[]) => {
    bytesOut += sizeOf(parts);
    end(false);
    return sendLast(...parts);
  }) as typeof raw.end;
  raw.once("close", () => end(true));
}

function sizeOf([chunk, encoding]: readonly unknown[]): number {
  if (typeof chunk === "string")
    return Buffer.byteLength(chunk, typeof encoding === "string" ? (encoding as BufferEncoding) : "utf8");
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}
