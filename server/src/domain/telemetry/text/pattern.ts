import { attributesOf, levelOf, UNSPECIFIED } from "./entry.ts";
import { findLevel } from "./levels.ts";
import type { Parser } from "./parse.ts";
import type { TimeFinder } from "./times/index.ts";

/** A pattern that can't be used; the message says why. */
export class PatternError extends Error {}

const KNOWN = ["time", "level", "message", "service"];

/**
 * Reads lines by a regular expression with the named groups `time`, `level`, `message` and `service`. Other groups
 * become attributes. Fields without a group are found as in lines without a pattern. Python's notation of groups,
 * `(?P<time>…)`, is accepted.
 * @throws PatternError
 */
export function createPatternParser(pattern: string, find: TimeFinder): Parser {
  const expression = compiled(pattern);
  const names = groupNames(expression);
  if (!names.some((name) => name === "time" || name === "message"))
    throw new PatternError("it has neither a group (?<time>…) nor a group (?<message>…)");
  const others = names.filter((name) => !KNOWN.includes(name));
  return (line) => {
    const groups = expression.exec(line)?.groups;
    if (groups === undefined) return { timestamp: null, level: UNSPECIFIED, message: line, attributes: {} };
    const message = groups["message"] ?? line;
    const level = names.includes("level") ? groups["level"] : findLevel(message)?.level;
    const service = groups["service"]?.trim();
    return {
      timestamp: find(names.includes("time") ? (groups["time"] ?? "").trim() : line)?.timestamp ?? null,
      level: levelOf(level),
      message,
      ...(service === undefined || service === "" ? {} : { service }),
      attributes: attributesOf(groups, others),
    };
  };
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern.replaceAll("(?P<", "(?<"), "s");
  } catch (error) {
    throw new PatternError((error as Error).message);
  }
}

/** An empty alternative matches any text, so the match lists the names of all groups. */
function groupNames(expression: RegExp): string[] {
  return Object.keys(new RegExp(`${expression.source}|`, expression.flags).exec("")?.groups ?? {});
}
