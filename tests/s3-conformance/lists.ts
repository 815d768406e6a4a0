/** The tests that pass, and those that don't with the reason. */
import { readFileSync } from "node:fs";

/** One test a line; lines that begin with # are remarks. */
export function passes(): string[] {
  return linesOf("passes.txt").filter((line) => line !== "" && !line.startsWith("#"));
}

/** The reasons of `failures.md` by the test: a heading each, and under it the tests, one a line. */
export function failures(): Map<string, string> {
  const reasons = new Map<string, string>();
  let reason = "";
  for (const line of linesOf("failures.md")) {
    reason = /^## (.+)$/.exec(line)?.[1] ?? reason;
    const test = /^- `(\S+)`$/.exec(line)?.[1];
    if (test !== undefined) reasons.set(test, reason);
  }
  return reasons;
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(name, import.meta.url), "utf8").split("\n");
}
