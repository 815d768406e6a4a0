import { globSync } from "node:fs";
import { sep } from "node:path";

/** `test` is what every change runs; `full` takes longer: kills, races, conformance suites. */
export type Tier = "test" | "full";

const PLACES: Record<Tier, readonly string[]> = {
  test: [
    "{contract,server,client,portal}/src/**/*.test.ts",
    "server/bin/**/*.test.ts",
    "tools/**/*.test.ts",
    "tests/acceptance/**/*.test.ts",
  ],
  // The clients of others and the browser first: where time ends before the tests do, these are missed most.
  full: ["tests/clients/**/*.full.ts", "tests/portal/**/*.full.ts", "tests/**/*.full.ts", "server/src/**/*.full.ts"],
};

/** Test files of a tier, relative to the root, place by place and sorted there; with filters, those whose path contains one of them. */
export function discover(root: string, tier: Tier, filters: readonly string[]): string[] {
  const found = PLACES[tier].map((place) =>
    globSync(place, { cwd: root, exclude: ["**/node_modules/**"] })
      .map((path) => path.split(sep).join("/"))
      .sort(),
  );
  const paths = [...new Set(found.flat())];
  return filters.length === 0 ? paths : paths.filter((path) => filters.some((filter) => path.includes(filter)));
}

/** Their tests are short and alike: a process for each would take longer to start than to run. */
const SHARING = /^(.*\/operations)\/[^/]+\.test\.ts$/;
const TOGETHER_MAX = 4;

/** The files that run in one process: those of operations by their directory, four at most; each other by itself. */
export function inProcesses(paths: readonly string[]): string[][] {
  const groups: string[][] = [];
  const open = new Map<string, string[]>();
  for (const path of paths) {
    const directory = SHARING.exec(path)?.[1];
    const group = directory === undefined ? undefined : open.get(directory);
    if (group !== undefined && group.length < TOGETHER_MAX) {
      group.push(path);
      continue;
    }
    const made = [path];
    groups.push(made);
    if (directory !== undefined) open.set(directory, made);
  }
  return groups;
}
