// Prints the groups of the long tests with their seconds, one a line, in the order in which continuous integration runs them:
// node tools/run.mjs tools/groups.ts [--since COMMIT]. Those that always run are first.
import { execFileSync } from "node:child_process";
import { parseArgs } from "node:util";
import { ALWAYS, inTurn } from "./test-runner/groups.ts";

const { values } = parseArgs({ options: { since: { type: "string", default: "HEAD~1" } } });

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }).trim();
}

/** Returns the changed files. A clone without history has none, so no group comes first. */
function changedSince(commit: string): string[] {
  try {
    return git("diff", "--name-only", commit, "HEAD").split("\n");
  } catch {
    return [];
  }
}

const turn = Number(git("rev-list", "--count", "HEAD"));
for (const { name, seconds } of [...ALWAYS, ...inTurn(changedSince(values.since), turn)]) {
  console.log(`${name} ${seconds}`);
}
