import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, test } from "node:test";
import { fileURLToPath } from "node:url";

const RUNNER = fileURLToPath(new URL("../test.ts", import.meta.url));

interface Ran {
  readonly status: number | null;
  readonly lines: readonly string[];
  readonly last: string | undefined;
}

/** Runs the runner over a temporary tree: file names (in server/src), with the text after the imports. */
async function run(files: Readonly<Record<string, string>>, ...args: readonly string[]): Promise<Ran> {
  const root = mkdtempSync(join(tmpdir(), "mooring-runner-"));
  for (const [name, body] of Object.entries(files)) {
    const path = join(root, "server/src", name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import { before, describe, it, test } from "node:test";\n${body}\n`);
  }
  const env: NodeJS.ProcessEnv = { ...process.env, CI: "true" };
  delete env["NODE_TEST_CONTEXT"]; // It would make node:test ignore a run within a run.
  const child = spawn(process.execPath, [RUNNER, "--root", root, ...args], {
    env,
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [output, [status]] = await Promise.all([text(child.stdout), once(child, "close") as Promise<[number | null]>]);
  rmSync(root, { recursive: true });
  const lines = output.trimEnd().split("\n");
  return { status, lines, last: lines.at(-1) };
}

/** The expected last line for one file, and a part of its text. */
const FILES: Readonly<Record<string, readonly [body: string, last: string, says?: RegExp]>> = {
  "leaf tests are counted, parents and suites are not": [
    'test("a", async (t) => { await t.test("b", () => {}); await t.test("c", () => {}); });\n' +
      'describe("d", () => { it("e", () => {}); describe("f", () => { it("g", () => {}); }); });',
    "4 passed, 0 failed, 0 skipped",
  ],
  "a failed test is shown with its error": [
    'test("a", () => { throw new Error("the cause"); }); test("b", () => {});',
    "1 passed, 1 failed, 0 skipped",
    /^ {4}Error: the cause$/m,
  ],
  "a failed subtest counts once": [
    'test("a", async (t) => { await t.test("b", () => { throw new Error("x"); }); });',
    "0 passed, 1 failed, 0 skipped",
  ],
  "a parent that fails by itself counts": [
    'test("a", async (t) => { await t.test("b", () => {}); throw new Error("x"); });',
    "1 passed, 1 failed, 0 skipped",
  ],
  "a hook that fails": [
    'describe("a", () => { before(() => { throw new Error("x"); }); it("b", () => {}); });',
    "0 passed, 2 failed, 0 skipped",
  ],
  "a skip is shown with its reason": [
    'test("a", { skip: "no database" }, () => {}); test("b", (t) => t.skip("too slow"));',
    "0 passed, 0 failed, 2 skipped",
    /^skipped: server\/src\/x\.test\.ts: a: no database$/m,
  ],
  "a figure is shown, other output of a passing file is not": [
    'test("a", () => { console.log("figure: 3 of 4 run"); console.log("noise"); });',
    "1 passed, 0 failed, 0 skipped",
    /x\.test\.ts\n {8}3 of 4 run\n(?![\s\S]*noise)/,
  ],
  "a file without a test": ['console.log("nothing");', "0 passed, 1 failed, 0 skipped", /ran no test/],
  "a file that does not parse": ["test(", "0 passed, 1 failed, 0 skipped", /SyntaxError/],
  "a file that throws at its end": [
    'test("a", () => {}); throw new Error("late");',
    "0 passed, 1 failed, 0 skipped",
    /Error: late/,
  ],
  "a file that exits early with 0": [
    'test("a", () => process.exit(0));',
    "0 passed, 1 failed, 0 skipped",
    /process\.exit was called/,
  ],
  "a file that exits early with 0, after a test": [
    'test("a", () => {}); test("b", async () => { await new Promise((done) => setTimeout(done, 200)); process.exit(0); });',
    "1 passed, 1 failed, 0 skipped",
    /ended before its tests were done/,
  ],
  "a file that exits with 3": ['test("a", () => process.exit(3));', "0 passed, 1 failed, 0 skipped"],
  "a file that leaves a timer": [
    'test("a", () => {}); setInterval(() => {}, 1000);',
    "1 passed, 1 failed, 0 skipped",
    /left open/,
  ],
  "a test that hangs": [
    'test("a", () => {}); test("b", () => new Promise(() => { setInterval(() => {}, 1000); }));',
    "1 passed, 2 failed, 0 skipped",
    /timed out/,
  ],
};

// Most of them wait for other processes.
describe("the runner", { concurrency: 4 }, () => {
  for (const [name, [body, last, says]] of Object.entries(FILES)) {
    test(name, async () => {
      const hangs = /left open|timed out/.test(says?.source ?? "");
      const ran = await run({ "x.test.ts": body }, "--timeout-ms", hangs ? "4000" : "60000");
      assert.equal(ran.last, last);
      assert.equal(ran.status, last.includes(" 0 failed") ? 0 : 1);
      if (says !== undefined) assert.match(ran.lines.join("\n"), says);
    });
  }

  const PASSES = 'test("a", () => {});';

  test("files add up, and the summary is one line at the end", async () => {
    const ran = await run({
      "a.test.ts": PASSES,
      "b.test.ts": PASSES,
      "c/d.test.ts": "throw new Error();",
      "e.ts": "throw new Error();",
    });
    assert.equal(ran.last, "2 passed, 1 failed, 0 skipped");
    assert.equal(ran.lines.filter((line) => /\d+ passed, \d+ failed, \d+ skipped/.test(line)).length, 1);
  });

  test("files share a process; each has its line, its failures by its name, and must have a test", async () => {
    const ran = await run({
      "a.test.ts": 'test("in", () => console.log("pid", process.pid)); test("b", () => { throw new Error("shown"); });',
      "b.test.ts": 'before(() => {}); describe("b", () => { it("c", () => {}); it("d", () => {}); });',
      "c.test.ts": "export {};",
      "d.test.ts": 'test("e", () => { console.log("pid", process.pid); throw new Error("end"); });',
    });
    assert.equal(ran.last, "3 passed, 3 failed, 0 skipped");
    const text = ran.lines.join("\n");
    assert.match(text, /^ok .* 2 passed {2}server\/src\/b\.test\.ts$/m);
    assert.match(text, /^failed: server\/src\/a\.test\.ts: b: Error: shown$/m);
    assert.match(text, /^failed: server\/src\/c\.test\.ts: the file itself: ran no test/m);
    assert.match(text, /^failed: server\/src\/d\.test\.ts: e: Error: end$/m);
    const pids = ran.lines.filter((line) => line.includes("pid ")).map((line) => line.trim());
    assert.deepEqual([pids.length, new Set(pids).size], [2, 1], text);
  });

  test("a file that ends the process of several files fails, and later files still run", async () => {
    const ran = await run({
      "a.test.ts": PASSES,
      "b.test.ts":
        'test("b", () => {}); test("c", async () => { await new Promise((done) => setTimeout(done, 500)); process.exit(0); });',
      "c.test.ts": PASSES,
      "d.test.ts": "throw new Error();",
      "e.test.ts": PASSES,
    });
    assert.match(ran.lines.join("\n"), /^failed: server\/src\/b\.test\.ts: the file itself: ended before its tests/m);
    assert.equal(ran.last, "4 passed, 2 failed, 0 skipped");
  });

  test("an open handle of one of several files fails, and the message says that it is one of them", async () => {
    const files = { "a.test.ts": PASSES, "b.test.ts": `${PASSES} setInterval(() => {}, 1000);` };
    const ran = await run(files, "--timeout-ms", "4000");
    assert.equal(ran.last, "2 passed, 1 failed, 0 skipped");
    assert.match(ran.lines.join("\n"), /^failed: server\/src\/a\.test\.ts and 1 others in its process: .*left open/m);
  });

  test("an uncaught error fails a process of several files, and its stack is shown", async () => {
    const lost =
      'test("b", async () => { await null; void lose(); await new Promise((done) => setTimeout(done, 200)); });\n' +
      'async function lose() { throw new Error("lost"); }';
    const ran = await run({ "a.test.ts": PASSES, "b.test.ts": lost });
    assert.equal(ran.last, "2 passed, 1 failed, 0 skipped");
    assert.match(ran.lines.join("\n"), /Error: lost\n.*at lose .*b\.test\.ts/);
  });

  test("--shuffle runs the files in another order", async () => {
    const names = Array.from({ length: 9 }, (_, i) => `${i}.test.ts`);
    const files = Object.fromEntries(names.map((name) => [name, PASSES]));
    const order = async (...args: string[]): Promise<string[]> =>
      (await run(files, ...args)).lines.flatMap((line) => /\d\.test\.ts/.exec(line) ?? []);
    assert.deepEqual(await order(), names);
    const other = await order("--shuffle", "1");
    assert.notDeepEqual(other, names);
    assert.deepEqual(other.toSorted(), names);
  });

  test("arguments choose files by a part of their path", async () => {
    const ran = await run({ "a.test.ts": PASSES, "b.test.ts": "throw new Error();" }, "src/a");
    assert.equal(ran.last, "1 passed, 0 failed, 0 skipped");
  });

  test("a filter that matches nothing fails", async () => {
    const ran = await run({ "a.test.ts": PASSES }, "typing-mistake");
    assert.equal(ran.last, "0 passed, 1 failed, 0 skipped");
    assert.equal(ran.status, 1);
  });

  test("--full runs the other tier", async () => {
    const ran = await run({ "a.test.ts": "throw new Error();", "b.full.ts": PASSES }, "--full");
    assert.equal(ran.last, "1 passed, 0 failed, 0 skipped");
  });

  test("a file that is ended when the time is over is not a failure, but earlier failures count", async () => {
    const endless = 'test("c", async () => { await new Promise((done) => setTimeout(done, 60_000)); });';
    const ran = await run(
      { "a.test.ts": `${PASSES}\ntest("b", () => { throw new Error("b"); });\n${endless}` },
      "--budget-ms",
      "4000",
    );
    assert.equal(ran.last, "1 passed, 1 failed, 1 skipped");
    assert.match(ran.lines.join("\n"), /the rest of it: no time was left/);
  });

  test("a failed file does not run again, so that a single failure fails the run", async () => {
    const once = `import { existsSync, writeFileSync } from "node:fs";
    const mark = new URL("./mark", import.meta.url);
    test("a", () => { if (existsSync(mark)) return; writeFileSync(mark, ""); throw new Error("busy"); });`;
    const files = { "once.test.ts": once, "always.test.ts": 'test("b", () => { throw new Error("broken"); });' };
    const { last, lines, status } = await run(files);
    assert.deepEqual([last, status], ["0 passed, 2 failed, 0 skipped", 1]);
    assert.ok(lines.includes("failed: server/src/once.test.ts: a: Error: busy"), lines.join("\n"));
    assert.ok(lines.includes("failed: server/src/always.test.ts: b: Error: broken"));
  });

  test("files without time in the budget are skipped and reported", async () => {
    const ran = await run({ "a.test.ts": PASSES }, "--budget-ms", "0");
    assert.equal(ran.last, "0 passed, 0 failed, 1 skipped");
    assert.match(ran.lines.join("\n"), /no time was left/);
  });
});
