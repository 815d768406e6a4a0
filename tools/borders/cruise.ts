import { globSync } from "node:fs";
import { join } from "node:path";
import { cruise, type ICruiseResult } from "dependency-cruiser";
import { RULES } from "./rules.ts";
import { teachUsing } from "./using.ts";

export interface BordersResult {
  /** How many of our modules were read. This must equal the number of source files. */
  readonly modules: number;
  readonly files: number;
  /** `rule: from -> to`, sorted. */
  readonly violations: readonly string[];
}

const SOURCES = "{client,contract,portal,server,tests,tools,benchmarks}/**/*.{ts,tsx}";

/**
 * Reads every source file under the root, which must be the working directory, and checks its imports against the
 * rules. The parser is swc: TypeScript 7 has no compiler API, and without a parser the cruiser reads no module and
 * reports no error.
 */
export async function checkBorders(root: string): Promise<BordersResult> {
  teachUsing();
  const files = globSync(SOURCES, {
    cwd: root,
    exclude: ["**/node_modules/**", "portal/dist*/**", "tests/fixtures/tree/**"],
  });
  const { output } = await cruise(
    [...files],
    {
      baseDir: root,
      parser: "swc",
      tsPreCompilationDeps: true,
      doNotFollow: { path: "node_modules" },
      validate: true,
      ruleSet: { forbidden: RULES },
    },
    {
      exportsFields: ["exports"],
      mainFields: ["module", "main", "types"],
      conditionNames: ["import", "require", "node", "default", "types"],
      alias: { "~": join(root, "portal/src") },
      extensions: [".ts", ".tsx", ".mjs", ".js", ".json"],
      symlinks: true,
    },
  );
  const result = output as ICruiseResult;
  const ours = new Set(files.map((file) => file.replaceAll("\\", "/")));
  const violations = result.summary.violations.map(({ rule, from, to }) => `${rule.name}: ${from} -> ${to}`);
  return {
    modules: result.modules.filter((module) => ours.has(module.source)).length,
    files: ours.size,
    violations: violations.sort(),
  };
}
