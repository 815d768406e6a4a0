// npm run check: runs every check that does not need the running product. `npm run check -- lint types` runs only
// those.
import { spawnSync } from "node:child_process";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

interface Step {
  readonly name: string;
  /** A binary of an installed package, or a script of this repository. */
  readonly command: string;
  readonly args: readonly string[];
  /** The command that repairs the fault, if there is one. */
  readonly mend?: string;
}

const STEPS: readonly Step[] = [
  { name: "format", command: "oxfmt", args: ["--check", "."], mend: "npx oxfmt FILE ..." },
  { name: "lint", command: "oxlint", args: [] },
  { name: "types", command: "tsc", args: ["-p", "tsconfig.json"] },
  { name: "portal types", command: "tsc", args: ["-p", "portal/tsconfig.json"] },
  { name: "borders", command: "tools/borders.ts", args: [] },
  { name: "unused", command: "knip", args: ["--no-progress"] },
  { name: "tidy", command: "tools/test.ts", args: ["--full", "tools/tidy"] },
  { name: "generated", command: "tools/generate.ts", args: ["--check"], mend: "npm run generate" },
];

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const BIN = join(ROOT, "node_modules/.bin");

function run(step: Step): boolean {
  const startedMs = performance.now();
  const ours = step.command.endsWith(".ts");
  const file = ours ? process.execPath : join(BIN, step.command);
  const args = ours ? [join(ROOT, step.command), ...step.args] : step.args;
  const env = { ...process.env, PATH: [dirname(process.execPath), BIN, process.env["PATH"]].join(delimiter) };
  const result = spawnSync(file, args, { cwd: ROOT, encoding: "utf8", env, maxBuffer: 64 * 1024 * 1024 });
  const passed = result.status === 0;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1).padStart(6);
  console.log(`${passed ? "ok  " : "FAIL"} ${seconds} s  ${step.name}`);
  if (passed) return true;
  console.log(result.error ? String(result.error) : `${result.stdout}${result.stderr}`.trimEnd());
  if (step.mend !== undefined) console.log(`to repair it: ${step.mend}`);
  return false;
}

const names = process.argv.slice(2);
const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
if (unknown.length > 0) {
  console.error(`cannot check ${unknown.join(", ")}: the checks are ${STEPS.map((step) => step.name).join(", ")}`);
  process.exitCode = 2;
} else {
  const chosen = STEPS.filter((step) => names.length === 0 || names.includes(step.name));
  const failed = chosen.filter((step) => !run(step));
  console.log(failed.length === 0 ? "all checks passed" : `failed: ${failed.map((step) => step.name).join(", ")}`);
  process.exitCode = failed.length === 0 ? 0 : 1;
}
