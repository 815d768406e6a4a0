import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

type Environment = Readonly<Record<string, string | undefined>>;

interface Ports {
  readonly LISTEN_DEFAULTS: Readonly<Record<string, string>>;
  readonly addressesOf: (args: readonly string[], environment: Environment) => Readonly<Record<string, string>>;
  readonly tryPorts: (args: readonly string[], environment: Environment) => Promise<void>;
}

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const { LISTEN_DEFAULTS, addressesOf, tryPorts } = (await import(
  new URL("./ports.mjs", import.meta.url).href
)) as Ports;
const { SETTINGS } = await import("../../server/src/app/settings.ts");

const folder = mkdtempSync(join(tmpdir(), "mooring-ports-"));
const holder = createServer();
let busy = "";

before(async () => {
  await once(holder.listen(0, "127.0.0.1"), "listening");
  busy = `127.0.0.1:${(holder.address() as AddressInfo).port}`;
});

after(() => {
  holder.close();
  rmSync(folder, { recursive: true, force: true });
});

test("the defaults are those of the server", () => {
  for (const [name, address] of Object.entries(LISTEN_DEFAULTS))
    assert.equal(SETTINGS[name as keyof typeof SETTINGS].default, address, name);
});

test("a flag overrides the environment, which overrides the file", () => {
  const config = join(folder, "mooring.json");
  writeFileSync(config, JSON.stringify({ listen: "127.0.0.1:1", s3_listen: "127.0.0.1:1", metrics_listen: "off" }));
  const environment = { MOORING_CONFIG: config, MOORING_S3_LISTEN: "127.0.0.1:2", MOORING_LISTEN: "127.0.0.1:2" };
  assert.deepEqual(addressesOf(["serve", "--listen", "[::1]:3"], environment), {
    listen: "[::1]:3",
    s3_listen: "127.0.0.1:2",
    metrics_listen: "off",
  });
  assert.equal(addressesOf(["serve", "--s3-listen=127.0.0.1:4", "--config", config], {})["s3_listen"], "127.0.0.1:4");
});

test("a busy address is named with its setting; free ones and invalid ones pass", async () => {
  const free = { MOORING_LISTEN: "127.0.0.1:0", MOORING_S3_LISTEN: "nonsense", MOORING_METRICS_LISTEN: "off" };
  await tryPorts(["serve"], free);
  await assert.rejects(tryPorts(["serve", "--s3-listen", busy], free), {
    message: `cannot listen on ${busy}: another process listens there; stop it, or choose another address: npm start -- --s3-listen 127.0.0.1:PORT`,
  });
});

test("a busy port is reported before anything is installed", () => {
  const root = join(folder, "checkout");
  mkdirSync(root);
  for (const path of [
    "tools/run.mjs",
    "tools/setup.mjs",
    "tools/setup",
    "server/bin",
    "package.json",
    "package-lock.json",
  ])
    cpSync(join(ROOT, path), join(root, path), { recursive: true });
  const args = [join(root, "tools/run.mjs"), "server/bin/mooring.mjs", "serve", "--listen", busy];
  const env = { ...process.env, MOORING_S3_LISTEN: "127.0.0.1:0", MOORING_METRICS_LISTEN: "off" };
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: "utf8", env });
  assert.equal(status, 1);
  assert.match(stderr, new RegExp(`^cannot listen on ${busy}: `));
  assert.ok(!existsSync(join(root, "node_modules")), stderr);
});
