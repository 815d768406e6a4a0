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
  full: ["tests/**/*.full.ts", "server/src/**/*.full.ts"],
};

/** Test files of a tier, relative to the root, sorted; with filters, those whose path contains one of them. */
export function discover(root: string, tier: Tier, filters: readonly string[]): string[] {
  const found = globSync([...PLACES[tier]], { cwd: root, exclude: ["**/node_modules/**"] });
  const paths = found.map((path) => path.split(sep).join("/")).sort();
  return filters.length === 0 ? paths : paths.filter((path) => filters.some((filter) => path.includes(filter)));
}
