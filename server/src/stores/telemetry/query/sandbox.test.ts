import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtemp, mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import type { Readable } from "node:stream";
import { after, before, describe, test, type TestContext } from "node:test";
import { probeSandbox, type Sandbox, type SandboxLayer } from "./sandbox.ts";
import { defaultQuerySettings } from "./settings.ts";

/** Tries everything that the layers below the gate must prevent, as a compromised child would. */
const INTRUDER = `
  const fs = require("node:fs"), net = require("node:net"), cp = require("node:child_process");
  const [telemetry, data, port] = process.argv.slice(1);
  const attempt = (work) => { try { return String(work() ?? "done"); } catch (error) { return error.code ?? error.message; } };
  const found = {
    environment: Object.keys(process.env).join(),
    read: attempt(() => fs.readFileSync(telemetry + "/rows.ndjson", "utf8")),
    key: attempt(() => fs.readFileSync(data + "/master.key", "utf8")),
    neighbours: attempt(() => fs.readdirSync(data).join()),
    create: attempt(() => fs.writeFileSync(telemetry + "/evil", "x")),
    overwrite: attempt(() => fs.writeFileSync(telemetry + "/rows.ndjson", "x")),
    remove: attempt(() => fs.unlinkSync(telemetry + "/rows.ndjson")),
    beside: attempt(() => fs.writeFileSync(data + "/evil", "x")),
    remount: attempt(() => cp.execFileSync("mount", ["-o", "remount,bind,rw", telemetry], { stdio: "ignore" })),
    unmount: attempt(() => cp.execFileSync("umount", [data], { stdio: "ignore" })),
    grown: attempt(() => { const name = "/tmp/mooring-sandbox-" + process.pid; try { fs.writeFileSync(name, "x"); } finally { fs.rmSync(name, { force: true }); } }),
    memory: attempt(() => { const held = []; for (let i = 0; i < 64; i++) held.push(Buffer.alloc(64 * 1024 * 1024, 1)); }),
  };
  const done = (network) => fs.writeSync(3, JSON.stringify({ ...found, network }));
  process.on("SIGXFSZ", () => undefined);
  net.connect(Number(port), "127.0.0.1").on("connect", () => { done("connected"); process.exit(); }).on("error", (error) => { done(error.code); });
`;

describe("the sandbox of a query child", () => {
  let data: string;
  let sandbox: Sandbox;
  let found: Record<string, string | number>;
  let listing: string[];

  before(async () => {
    data = await mkdtemp(join(tmpdir(), "mooring-sandbox-"));
    const telemetry = join(data, "telemetry");
    await mkdir(telemetry);
    await writeFile(join(telemetry, "rows.ndjson"), "rows");
    await writeFile(join(data, "master.key"), "secret");
    listing = await readdir(data, { recursive: true });
    sandbox = await probeSandbox({
      ...defaultQuerySettings(telemetry),
      dataDir: data,
      memoryBytesMax: 64 * 1024 * 1024,
    });
    const server = createServer((socket) => socket.end()).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    const prefix = sandbox.args.slice(0, sandbox.args.indexOf(process.execPath) + 1);
    found = await intrude([...prefix, "-e", INTRUDER, telemetry, data, String((server.address() as AddressInfo).port)]);
    server.close();
  });
  after(async () => {
    await rm(data, { recursive: true });
  });

  async function intrude(args: readonly string[]): Promise<Record<string, string | number>> {
    const child = spawn(sandbox.file, args, { env: {}, stdio: ["ignore", "ignore", "inherit", "pipe"] });
    return JSON.parse((await buffer(child.stdio[3] as Readable)).toString()) as Record<string, string | number>;
  }

  function layer(name: SandboxLayer["name"], context: TestContext): boolean {
    const { active, detail } = sandbox.layers.find((each) => each.name === name) ?? assert.fail(name);
    if (!active) context.skip(`this machine does not support this layer: ${detail}`);
    return active;
  }

  test("the child reads the rows and has no environment", () => {
    assert.equal(found["read"], "rows");
    assert.equal(found["environment"], "");
  });

  test("no file can grow", () => {
    assert.notEqual(found["grown"], "done");
  });

  test("memory has a limit", () => {
    assert.notEqual(found["memory"], "done");
  });

  test("the rows can't be changed", (context) => {
    if (!layer("read-only files", context)) return;
    for (const attempt of ["create", "overwrite", "remove"]) assert.equal(found[attempt], "EROFS", attempt);
    assert.equal(found["beside"], "EROFS");
    assert.notEqual(found["remount"], "done");
  });

  test("the rest of the data directory is hidden", (context) => {
    if (!layer("hidden data", context)) return;
    assert.equal(found["key"], "ENOENT");
    assert.equal(found["neighbours"], "telemetry");
    assert.notEqual(found["unmount"], "done");
  });

  test("there is no network, not even loopback", (context) => {
    if (!layer("namespaces", context)) return;
    assert.match(String(found["network"]), /ENETUNREACH|EADDRNOTAVAIL/);
  });

  test("nothing has changed after all attempts", (context) => {
    if (!layer("read-only files", context)) return;
    return readdir(data, { recursive: true }).then((now) => assert.deepEqual(now, listing));
  });

  test("without isolation the limits remain, and the report says so", async () => {
    const plain = await probeSandbox({ ...defaultQuerySettings(join(data, "telemetry")), isolation: "limits" });
    assert.deepEqual(
      plain.layers.filter(({ active }) => active).map(({ name }) => name),
      ["limits", "memory watchdog"],
    );
    assert.ok(!plain.args.includes("unshare"));
  });
});
