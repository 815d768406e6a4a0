/** Runs every black-box file again, with its records in PostgreSQL. Only the environment differs. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { DATABASES } from "../fixtures/databases.ts";

/**
 * They run on SQLite with the long tests too, and take long because they start many processes. `nodes` and `full-disk`
 * choose their databases themselves.
 */
const SLOW =
  "allowed-addresses audit cli cli-files cli-ingest cli-query demo fatal files-resumable-api own-telemetry proxies query query-sandbox " +
  "registry-login registry-manifests registry-quota retention start stop tail tenancy webhooks webhooks-cli";
const SLOW_FILES = SLOW.split(" ").map((name) => `${name}.full.ts`);
const FILES = readdirSync(import.meta.dirname).filter((name) => name.endsWith(".test.ts") || SLOW_FILES.includes(name));
const OUTPUT_CHARS = 8_000;
const skip = DATABASES.find(({ kind }) => kind === "postgres")?.skip ?? false;

for (const file of FILES) {
  test(`${file} on PostgreSQL`, { skip, timeout: 300_000 }, async () => {
    const { NODE_TEST_CONTEXT: _outer, ...environment } = process.env;
    const run = spawn(process.execPath, ["--test", "--test-reporter=spec", join(import.meta.dirname, file)], {
      env: { ...environment, MOORING_TEST_DATABASE: "postgres" },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let output = "";
    for (const stream of [run.stdout, run.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => (output += text));
    const [code] = (await once(run, "close")) as [number | null];
    assert.equal(code, 0, whatFailed(output).slice(0, OUTPUT_CHARS));
    assert.match(output, /^ℹ pass [1-9]/m, "it ran tests");
  });
}

/** Returns the failures, which the reporter repeats at its end, before the rest of the output. */
function whatFailed(output: string): string {
  const reasons = output.lastIndexOf("failing tests:");
  return reasons < 0
    ? output.slice(-OUTPUT_CHARS)
    : `${output.slice(reasons)}\n--- all of it ---\n${output.slice(0, reasons)}`;
}
