import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";

// npm run bench [question…]: all of them, or those that are named, one after the other: they need the machine for themselves.

const QUESTIONS = ["ingest", "tokens", "freshness", "startup"];
const asked = process.argv.slice(2);

for (const question of asked.length === 0 ? QUESTIONS : asked) {
  process.stdout.write(`\n${question}\n`);
  const { status } = spawnSync(process.execPath, [fileURLToPath(new URL(`${question}/run.ts`, import.meta.url))], {
    stdio: "inherit",
  });
  if (status !== 0) process.exitCode = 1;
}
