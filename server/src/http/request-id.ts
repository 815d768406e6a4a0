import type { IncomingMessage } from "node:http";
import { newId } from "#kernel/ids.ts";
import type { Clock } from "#kernel/time.ts";

const WELL_FORMED = /^[A-Za-z0-9][A-Za-z0-9._-]{7,127}$/;

/** Keeps the caller's `Request-Id` if it is well-formed; otherwise creates one. */
export function requestIdOf(clock: Clock): (request: IncomingMessage) => string {
  return (request) => {
    const own = request.headers["request-id"];
    return typeof own === "string" && WELL_FORMED.test(own) ? own : newId("req", clock.nowMs());
  };
}
