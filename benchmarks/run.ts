import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// npm run bench [-- question… [--option value…]]: all of them, or those that are named, one after the other: they need the
// machine for themselves. Options are for the questions that are named.

const QUESTIONS = [
  "ingest",
  "tokens",
  "freshness",
  "fairness",
  "tail",
  "startup",
  "files",
  "logs",
  "year",
  "s3",
  "registry",
  "webhooks",
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
