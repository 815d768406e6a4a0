/**
 * The commands of docs/start.md, in order, in one shell, in an empty folder with an empty home. There is only the
 * package. One text is replaced: `npm install mooring` installs the tarball of this commit. The ports are free ones,
 * by variables: the page takes every address from the server.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { emptyFolder, npmSettings, packages } from "../fixtures/package.ts";
import { patternOf, readPage, START, type Block } from "../fixtures/page.ts";
import { groupAlive, killGroup } from "../fixtures/process.ts";

const INSTALL = "npm install mooring";
const MARK = "--- block";
const TEN_MINUTES_MS = 600_000;

const page = readPage(START);
const folder = emptyFolder();
let printed: readonly Printed[] = [];

interface Printed {
  readonly text: string;
  readonly elapsedMs: number;
}

before(async () => {
  printed = await run(page.blocks);
});

after(() => folder.remove());

test("every command runs, prints what the page shows, and the page takes at most ten minutes", () => {
  for (const [i, { line, output, heading }] of page.blocks.entries()) {
    const { text = "", elapsedMs = 0 } = printed[i] ?? {};
    if (output !== undefined) assert.match(text, patternOf(output), `line ${line} printed ${text}`);
    console.log(`figure: ${(elapsedMs / 1000).toFixed(1).padStart(6)} s  ${heading} (line ${line})`);
  }
  const totalMs = printed.reduce((sum, { elapsedMs }) => sum + elapsedMs, 0);
  console.log(`figure: ${(totalMs / 1000).toFixed(1).padStart(6)} s  in all`);
  assert.ok(totalMs < TEN_MINUTES_MS, `${totalMs} ms`);
});

test("the page ends with a token, a log line found by SQL, a file, an image and an object", () => {
  const all = printed.map(({ text }) => text).join("");
  assert.match(all, /\/setup#mrst_/, "the link to set up the account");
  assert.match(all, /^error,card refused,8$/m, "the log line");
  assert.match(all, /^file_\w+ +notes\.txt /m, "the file");
  assert.match(all, /^orgs\/acme\/shop,.*v1/m, "the image");
  assert.match(all, /^Hello from Mooring$/m, "the object");
});

test("the server that the page starts has stopped, in order", () => {
  assert.match(readFileSync(join(folder.path, "mooring/mooring.log"), "utf8"), /\nstopped\n$/);
  assert.ok(!existsSync(join(folder.path, "mooring/data/server.json")));
});

/** Runs all blocks in one shell. Returns the output and the time of each. */
async function run(blocks: readonly Block[]): Promise<Printed[]> {
  assert.ok(
    blocks.every(({ notRun }) => notRun === undefined),
    "no command of this page is left out",
  );
  const text = blocks.map(({ script }, i) => `echo "\n${MARK} ${i} $EPOCHREALTIME"\n${script}`).join("");
  assert.equal(text.split(INSTALL).length, 2, `the page has one "${INSTALL}"`);
  const script = `${text.replace(INSTALL, `npm install ${packages().server}`)}\necho "\n${MARK} end $EPOCHREALTIME"\n`;
  const file = join(folder.path, "page.sh");
  writeFileSync(file, script);
  const { code, stdout, stderr } = await runShell(file);
  const starts = [...stdout.matchAll(new RegExp(`^${MARK} (?:\\d+|end) (\\d+)[.,](\\d{6})\n`, "gm"))];
  assert.equal(code, 0, `line ${blocks[starts.length - 1]?.line} failed: ${stdout.slice(-2000)}${stderr.slice(-2000)}`);
  return blocks.map((_, i) => {
    const [start, end] = [starts[i], starts[i + 1]];
    const elapsedMs = microseconds(end) / 1000 - microseconds(start) / 1000;
    return { text: stdout.slice((start?.index ?? 0) + (start?.[0].length ?? 0), end?.index), elapsedMs };
  });
}

function microseconds(mark: RegExpExecArray | undefined): number {
  return Number(`${mark?.[1]}${mark?.[2]}`);
}

async function runShell(file: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn("bash", ["-euo", "pipefail", file], {
    cwd: folder.path,
    env: { ...folder.environment, ...npmSettings(), ...freePorts(), ...storage() },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
  const timer = setTimeout(() => killGroup(child.pid ?? 0), TEN_MINUTES_MS);
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text.replaceAll("\r\n", "\n")));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const [code] = (await once(child, "exit")) as [number | null];
  clearTimeout(timer);
  if (child.pid !== undefined && groupAlive(child.pid)) killGroup(child.pid);
  return { code, stdout, stderr };
}

function freePorts(): Readonly<Record<string, string>> {
  return {
    MOORING_LISTEN: "127.0.0.1:0",
    MOORING_S3_LISTEN: "127.0.0.1:0",
    MOORING_METRICS_LISTEN: "off",
    MOORING_OTLP_GRPC_LISTEN: "off",
  };
}

/** Keeps podman's images in the folder, with a driver that works in every file system. */
function storage(): Readonly<Record<string, string>> {
  const file = join(folder.path, "storage.conf");
  const at = (name: string): string => JSON.stringify(join(folder.path, name));
  writeFileSync(file, `[storage]\ndriver = "vfs"\ngraphroot = ${at("images")}\nrunroot = ${at("images-run")}\n`);
  return { CONTAINERS_STORAGE_CONF: file, XDG_RUNTIME_DIR: folder.home };
}
