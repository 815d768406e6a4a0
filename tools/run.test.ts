import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("..", import.meta.url));
const RUN = join(ROOT, "tools/run.mjs");

test("npm's child ends when npm's shell ends, although the shell forwards no signal", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mooring-run-"));
  const script = join(folder, "script.mjs");
  writeFileSync(
    script,
    'process.on("SIGTERM", () => { console.log("stopped"); process.exit(); }); setInterval(() => {}, 1000); console.log("up");',
  );
  const env = { ...process.env, npm_lifecycle_event: "start" };
  const command = `"${process.execPath}" "${RUN}" "${relative(ROOT, script)}"; true`; // Two commands, so that the shell stays.
  const shell = spawn("sh", ["-c", command], { env, stdio: ["ignore", "pipe", "inherit"] });
  let output = "";
  shell.stdout.on("data", (chunk: Buffer) => {
    output += chunk.toString();
    if (output === "up\n") shell.kill("SIGKILL");
  });
  await once(shell.stdout, "close"); // The script keeps this open while it runs.
  rmSync(folder, { recursive: true });
  assert.equal(output, "up\nstopped\n");
});

test("a script is required, and a failure sets the exit code", async () => {
  const child = spawn(process.execPath, [RUN], { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const [code] = (await once(child, "close")) as [number];
  assert.match(errors, /cannot run a script: name one/);
  assert.equal(code, 1);
});
