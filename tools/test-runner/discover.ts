import { globSync } from "node:fs";
import { sep } from "node:path";

/** `test` is what every change runs; `full` takes longer: kills, races, conformance suites. */
export type Tier = "test" | "full";

const PLACES: Record<Tier, readonly string[]> = {
  test: [
    // What takes longest first: at the end all processors have something to do.
    "tests/acceptance/**/*.test.ts",
    "tools/**/*.test.ts",
    "{contract,server,client,portal}/src/**/*.test.ts",
    "server/bin/**/*.test.ts",
  ],
  // The clients of others and the browser first: where time ends before the tests do, these are missed most.
  full: [
    "tests/clients/**/*.full.ts",
    "tests/portal/**/*.full.ts",
    "tests/**/*.full.ts",
    "server/src/**/*.full.ts",
    "tools/*.full.ts",
  ],
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
