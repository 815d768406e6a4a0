import type { FastifyBaseLogger } from "fastify";
import type { Config } from "../config.ts";

export type LogLevel = Config["log_level"];

/**
 * Changes the level of the server's log, without a restart. Requests that are under way keep the old one. Returns the
 * level from before.
 */
export function changeLogLevel(log: Pick<FastifyBaseLogger, "level">, level: LogLevel): LogLevel {
  const before = log.level as LogLevel;
  log.level = level;
  return before;
}
