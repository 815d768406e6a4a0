/** The tests that pass, and those that fail with the reason. */
import { readFileSync, writeFileSync } from "node:fs";

/** Returns one test for each line. Lines that begin with # are comments. */
export function passes(): string[] {
  return linesOf("passes.txt").filter((line) => line !== "" && !line.startsWith("#"));
}

/** Returns the reasons of `failures.md` by test: a heading for each reason, followed by its tests, one on a line. */
export function failures(): Map<string, string> {
  const reasons = new Map<string, string>();
  let reason = "";
  for (const line of linesOf("failures.md")) {
    reason = /^## (.+)$/.exec(line)?.[1] ?? reason;
    const test = /^- `(.+)`$/.exec(line)?.[1];
    if (test !== undefined) reasons.set(test, reason);
  }
  return reasons;
}

/** Returns the tests that are in neither list. */
export function unlisted(names: readonly string[]): string[] {
  const known = new Set([...passes(), ...failures().keys()]);
  return names.filter((name) => !known.has(name));
}

/** Adds the new names. */
export function addPasses(names: readonly string[]): void {
  const remarks = linesOf("passes.txt").filter((line) => line.startsWith("#"));
  const all = [...new Set([...passes(), ...names])].toSorted();
  writeFileSync(new URL("passes.txt", import.meta.url), `${[...remarks, ...all].join("\n")}\n`);
}

function linesOf(name: string): string[] {
  return readFileSync(new URL(name, import.meta.url), "utf8").split("\n");
}
