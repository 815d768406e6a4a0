import { globSync } from "node:fs";
import { sep } from "node:path";

/** `test` runs with every change. `full` takes longer: kills, races, conformance suites. */
export type Tier = "test" | "full";

const PLACES: Record<Tier, readonly string[]> = {
  test: [
    // Long files come first, so that both processors are busy until the end.
    "tests/acceptance/**/*.test.ts",
    "tools/**/*.test.ts",
    "{contract,server,client,portal}/src/**/*.test.ts",
    "server/bin/**/*.test.ts",
  ],
  // Tests with real clients and the browser come first: they are the most important ones if the time runs out.
  full: [
    "tests/clients/**/*.full.ts",
    "tests/portal/**/*.full.ts",
    "tests/**/*.full.ts",
    "server/src/**/*.full.ts",
    "tools/**/*.full.ts",
  ],
};

/**
 * Returns the test files of a tier, relative to the root, in the order of the patterns and sorted within each. Filters
 * select the paths that contain one of them.
 */
export function discover(root: string, tier: Tier, filters: readonly string[]): string[] {
  const found = PLACES[tier].map((place) =>
    globSync(place, { cwd: root, exclude: ["**/node_modules/**"] })
      .map((path) => path.split(sep).join("/"))
      .sort(),
  );
  const paths = [...new Set(found.flat())];
  return filters.length === 0 ? paths : paths.filter((path) => filters.some((filter) => path.includes(filter)));
}
