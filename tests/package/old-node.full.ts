/** The package under an older Node and under a new one, with and without npm's optional packages, and its size. */
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { fileURLToPath } from "node:url";
import { installOldNode, OLD_NODE } from "../fixtures/old-node.ts";
import { emptyFolder, packages, type Folder } from "../fixtures/package.ts";
import { eventually, killGroup } from "../fixtures/process.ts";

const PAGE = fileURLToPath(new URL("../../docs/reference/platforms.md", import.meta.url));
const LISTEN = ["--listen", "127.0.0.1:0", "--s3-listen", "127.0.0.1:0", "--metrics-listen", "off"];
const MB = 1e6;
/** As the page has them, with room for the next versions of Node and the engine. */
const SIZES_MAX_MB = { all: 320, withoutNode: 100, withoutOptional: 20 };

const tools = mkdtempSync(join(tmpdir(), "mooring-old-node-"));
const folders: Folder[] = [];
let old: string | undefined;

before(() => {
  old = installOldNode(join(tools, "old"));
});
after(() => {
  for (const folder of folders) folder.remove();
  rmSync(tools, { recursive: true, force: true });
});

function installed(node: string, ...words: string[]): Folder {
  const folder = emptyFolder(node);
  folders.push(folder);
  const { status, stderr } = folder.install([packages().server], ...words);
  assert.equal(status, 0, stderr);
  return folder;
}

function mooring(
  { path, environment }: Folder,
  ...words: string[]
): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(join(path, "node_modules/.bin/mooring"), words, {
    cwd: path,
    env: environment,
    encoding: "utf8",
    timeout: 120_000,
  });
}

function sizeOf({ path }: Folder): { mb: number; count: number } {
  const modules = join(path, "node_modules");
  const files = readdirSync(modules, { recursive: true, encoding: "utf8" }).map((name) =>
    lstatSync(join(modules, name)),
  );
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const lock = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as { packages: object };
  return { mb: bytes / MB, count: Object.keys(lock.packages).length };
}

/** Starts the server, checks its health, and stops it. */
async function runsServer({ path, environment }: Folder): Promise<void> {
  const words = ["serve", "--data-dir", "data", ...LISTEN];
  const child = spawn(join(path, "node_modules/.bin/mooring"), words, { cwd: path, env: environment, detached: true });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  try {
    await eventually("the server to be ready", () => {
      assert.equal(child.exitCode, null, `${stdout}${stderr}`);
      return /^\s*portal\s+http/m.exec(stdout);
    });
    const health = mooring({ path, environment } as Folder, "healthcheck", "--data-dir", "data");
    assert.equal(health.status, 0, health.stderr);
    const exited = once(child, "exit");
    process.kill(-(child.pid ?? 0), "SIGINT"); // as Ctrl-C in a terminal
    await exited;
    assert.match(stdout, /\nstopped\n$/, stderr);
  } finally {
    killGroup(child.pid ?? 0);
  }
}

describe("with the optional packages", () => {
  test("an older Node starts the Node of the package", async (context) => {
    if (old === undefined) return context.skip(`${OLD_NODE} CANNOT BE INSTALLED: an older Node was not tried`);
    const folder = installed(old);
    assert.match(execFileSync("node", ["--version"], { env: folder.environment, encoding: "utf8" }), /^v18\./);
    assert.match(mooring(folder, "version").stdout, /^mooring \S+ \(Node 24\./);
    await runsServer(folder);
    const { mb, count } = sizeOf(folder);
    context.diagnostic(`${count} packages, ${mb.toFixed(0)} MB`);
    assert.ok(mb < SIZES_MAX_MB.all, `${mb} MB`);
  });
});

describe("without the optional packages", () => {
  test("an older Node gets one sentence", (context) => {
    if (old === undefined) return context.skip(`${OLD_NODE} CANNOT BE INSTALLED: an older Node was not tried`);
    const { status, stdout, stderr } = mooring(installed(old, "--omit=optional"), "serve");
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(
      stderr,
      /^cannot start Node 24: this is Node 18\.\S+, and the package \S+ is not installed; install Node 24 .*\n$/,
    );
  });

  test("with Node 24 the commands for a server elsewhere run, and the server is refused in one sentence", (context) => {
    const folder = installed(dirname(process.execPath), "--omit=optional");
    assert.match(mooring(folder, "version").stdout, /^mooring \S+ \(Node 24\./);
    const { status, stdout, stderr } = mooring(folder, "serve", "--data-dir", "data", ...LISTEN);
    assert.deepEqual([status, stdout], [1, ""]);
    assert.match(
      stderr,
      /^mooring serve: cannot run: the build of its query engine \(DuckDB\) .* is not installed; install again .*\n$/,
    );
    const { mb, count } = sizeOf(folder);
    context.diagnostic(`${count} packages, ${mb.toFixed(0)} MB`);
    assert.ok(mb < SIZES_MAX_MB.withoutOptional, `${mb} MB`);
  });

  test("with Node 24 and the engine's package as on the page, the server runs", async (context) => {
    const [engine = ""] = /@duckdb\/node-bindings-linux-x64@[\w.-]+/.exec(readFileSync(PAGE, "utf8")) ?? [];
    if (process.platform !== "linux" || process.arch !== "x64")
      return context.skip(`${engine} IS NOT TRIED: it is for Linux x64`);
    const folder = emptyFolder(dirname(process.execPath));
    folders.push(folder);
    const done = folder.install([packages().server, engine], "--omit=optional");
    assert.equal(done.status, 0, done.stderr);
    await runsServer(folder);
    const bindings = JSON.parse(
      readFileSync(join(folder.path, "node_modules/@duckdb/node-bindings/package.json"), "utf8"),
    ) as {
      optionalDependencies: Record<string, string>;
    };
    const [, name = "", version] = /^(.+)@(.+)$/.exec(engine) ?? [];
    assert.equal(version, bindings.optionalDependencies[name], "the version on the page is the package's");
    const { mb, count } = sizeOf(folder);
    context.diagnostic(`${count} packages, ${mb.toFixed(0)} MB`);
    assert.ok(mb < SIZES_MAX_MB.withoutNode, `${mb} MB`);
  });
});
