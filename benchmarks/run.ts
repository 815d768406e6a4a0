import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// npm run bench [-- question… [--option value…]]: runs the named benchmarks, or all of them, one after the other,
// because each needs the whole machine. Options are passed to the named benchmarks.

const QUESTIONS = [
  "ingest",
  "tokens",
  "freshness",
  "fairness",
  "tail",
  "startup",
  "start",
  "files",
  "logs",
  "year",
  "s3",
  "registry",
  "webhooks",
  "keys",
  "change",
  "protocols",
  "access",
];
const words = process.argv.slice(2);
const firstOption = words.findIndex((word) => word.startsWith("--"));
const asked = firstOption === -1 ? words : words.slice(0, firstOption);
const options = firstOption === -1 ? [] : words.slice(firstOption);

for (const question of asked.length === 0 ? QUESTIONS : asked) {
  process.stdout.write(`\n${question}\n`);
  const script = fileURLToPath(new URL(`${question}/run.ts`, import.meta.url));
  const { status } = spawnSync(process.execPath, [script, ...options], { stdio: "inherit" });
  if (status !== 0) process.exitCode = 1;
}
