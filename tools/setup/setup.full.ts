import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";

const SETUP = new URL("../setup.mjs", import.meta.url).href;
const LOCK = new URL("./lock.mjs", import.meta.url).href;
const roots: string[] = [];

interface Entry {
  readonly version?: string;
  readonly integrity?: string;
  readonly optional?: boolean;
  readonly os?: string | readonly string[];
  readonly cpu?: readonly string[];
  readonly libc?: readonly string[];
}

type Packages = Readonly<Record<string, Entry>>;

interface Installed {
  readonly missingPackages: (
    root: string,
    lock: { packages: Packages },
    platform: { readonly os: string; readonly cpu: string; readonly libc: string },
  ) => string[];
  readonly stampOf: (lockText: string, platform: string) => string;
}

const { missingPackages, stampOf } = (await import(new URL("./installed.mjs", import.meta.url).href)) as Installed;

after(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true });
});

function tree(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "mooring-setup-"));
  roots.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** A project whose one package is its own workspace, so that npm installs it without a network. */
function localProject(): string {
  const about = { name: "local", version: "1.0.0", workspaces: ["w"] };
  const packages = { "": about, "node_modules/w": { resolved: "w", link: true }, w: { version: "1.0.0" } };
  return tree({
    "package.json": JSON.stringify(about),
    "package-lock.json": JSON.stringify({ name: "local", version: "1.0.0", lockfileVersion: 3, packages }),
    "w/package.json": JSON.stringify({ name: "w", version: "1.0.0" }),
  });
}

async function runModule(
  code: string,
): Promise<{ readonly status: number; readonly stdout: string; readonly stderr: string }> {
  const child = spawn(process.execPath, ["--input-type=module", "-e", code], { stdio: ["ignore", "pipe", "pipe"] });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (chunk: Buffer) => (output.stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (output.stderr += chunk.toString()));
  const [status] = (await once(child, "close")) as [number];
  return { status, ...output };
}

const setUp = (root: string): ReturnType<typeof runModule> =>
  runModule(`import { setUp } from ${JSON.stringify(SETUP)}; await setUp(${JSON.stringify(root)});`);

test("the first start installs, the second does nothing", async () => {
  const root = localProject();
  const first = await setUp(root);
  assert.match(first.stderr, /Installing/);
  assert.equal(first.status, 0, first.stderr);
  const second = await setUp(root);
  assert.deepEqual(second, { status: 0, stdout: "", stderr: "" });
});

test("a lock file whose packages are installed is not installed again", async () => {
  const root = localProject();
  await setUp(root);
  const path = join(root, "package-lock.json");
  writeFileSync(path, `${readFileSync(path, "utf8")}\n`);
  assert.deepEqual(await setUp(root), { status: 0, stdout: "", stderr: "" });
});

test("deleted packages are installed again", async () => {
  const root = localProject();
  await setUp(root);
  rmSync(join(root, "node_modules"), { recursive: true });
  assert.match((await setUp(root)).stderr, /Installing/);
  assert.ok(existsSync(join(root, "node_modules/w/package.json")));
});

test("one of three concurrent starts installs, and the others wait for it", async () => {
  const root = localProject();
  const all = await Promise.all([setUp(root), setUp(root), setUp(root)]);
  assert.deepEqual(
    all.map(({ status }) => status),
    [0, 0, 0],
  );
  assert.equal(all.filter(({ stderr }) => stderr.includes("Installing")).length, 1);
  assert.equal(existsSync(join(root, ".setup.lock")), false);
});

test("a failed installation reports it, leaves no stamp and no lock, and is retried", async () => {
  const root = localProject();
  writeFileSync(join(root, "package.json"), "{");
  for (const attempt of [await setUp(root), await setUp(root)]) {
    assert.match(attempt.stderr, /cannot install packages: "npm ci" ended with status \d+/);
    assert.equal(attempt.status, 1);
  }
  assert.equal(existsSync(join(root, ".setup.lock")), false);
  assert.equal(existsSync(join(root, "node_modules/.mooring-setup")), false);
});

test("a missing lock file is an error with a remedy", async () => {
  assert.match((await setUp(tree({}))).stderr, /cannot read package-lock\.json: .*complete clone/);
});

test("the lock allows one process at a time", async () => {
  const root = tree({ log: "" });
  const code = `
    import { appendFileSync } from "node:fs";
    import { setTimeout as sleep } from "node:timers/promises";
    import { withLock } from ${JSON.stringify(LOCK)};
    await withLock(${JSON.stringify(join(root, "lock"))}, async () => {
      appendFileSync(${JSON.stringify(join(root, "log"))}, "in ");
      await sleep(20);
      appendFileSync(${JSON.stringify(join(root, "log"))}, "out ");
    });`;
  await Promise.all([runModule(code), runModule(code), runModule(code), runModule(code)]);
  assert.equal(readFileSync(join(root, "log"), "utf8"), "in out ".repeat(4));
});

test("the lock of a dead process is taken over", async () => {
  const gone = spawn(process.execPath, ["-e", ""]);
  await once(gone, "exit");
  const root = tree({ lock: String(gone.pid) });
  const code = `import { withLock } from ${JSON.stringify(LOCK)};
    await withLock(${JSON.stringify(join(root, "lock"))}, () => console.log("in"));`;
  assert.equal((await runModule(code)).stdout, "in\n");
});

const LOCKED: Packages = {
  "": {},
  "node_modules/a": { version: "1.0.0", integrity: "sha512-a" },
  "node_modules/b": { version: "1.0.0", integrity: "sha512-b", optional: true },
  "node_modules/linux": { version: "1.0.0", integrity: "sha512-l", optional: true, os: ["linux"], cpu: ["x64"] },
  "node_modules/musl": { version: "1.0.0", optional: true, os: ["linux"], cpu: ["x64"], libc: ["musl"] },
  "node_modules/mac": { version: "1.0.0", optional: true, os: "darwin" },
};

function missing(packages: Packages): string[] {
  const root = tree({ "node_modules/.package-lock.json": JSON.stringify({ packages }) });
  return missingPackages(root, { packages: LOCKED }, { os: "linux", cpu: "x64", libc: "glibc" });
}

test("npm's own record of an installation is trusted if it equals the lock file", () => {
  const a = { "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } };
  const linux = { "node_modules/linux": { version: "1.0.0", integrity: "sha512-l" } };
  assert.deepEqual(missing({ ...a, ...linux }), []);
  assert.deepEqual(missing({ ...linux }), ["a"]);
  assert.deepEqual(missing({ ...a }), ["linux"], "a binding for this platform was left out");
  assert.deepEqual(missing({ ...a, ...linux, "node_modules/a": { version: "1.0.1", integrity: "sha512-a" } }), ["a"]);
  assert.deepEqual(missing({ ...a, ...linux, "node_modules/a": { version: "1.0.0", integrity: "sha512-x" } }), ["a"]);
  assert.deepEqual(missing({ ...a, ...linux, "node_modules/a/node_modules/c": { version: "1.0.0" } }), ["c"]);
});

test("without npm's record everything is missing", () => {
  const platform = { os: "linux", cpu: "x64", libc: "musl" };
  assert.deepEqual(missingPackages(tree({}), { packages: LOCKED }, platform), ["a", "linux", "musl"]);
});

test("the stamp distinguishes lock files and platforms", () => {
  assert.notEqual(stampOf("a", "linux-x64"), stampOf("b", "linux-x64"));
  assert.notEqual(stampOf("a", "linux-x64"), stampOf("a", "darwin-x64"));
});
