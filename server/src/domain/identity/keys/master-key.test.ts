import assert from "node:assert/strict";
import { chmod, copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import {
  discardNewKeyFile,
  masterKeyPath,
  newMasterKey,
  openMasterKeys,
  writeKeyFile,
  type MasterKey,
  type MasterKeyOptions,
} from "./master-key.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-key-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

async function openOne(options: Partial<MasterKeyOptions>): Promise<MasterKey> {
  const [key, ...more] = await openMasterKeys({ dataDir, referencedId: undefined, ...options });
  assert.ok(key !== undefined && more.length === 0);
  return key;
}
const first = (): Promise<MasterKey> => openOne({});

test("the first start creates a key that only the owner can read, and later starts find it", async () => {
  const made = await first();
  assert.equal(made.origin, "new file");
  assert.equal(made.bytes.length, 32);
  assert.equal((await stat(masterKeyPath(dataDir))).mode & 0o777, 0o600);
  const found = await openOne({ referencedId: made.id });
  assert.equal(found.origin, "file");
  assert.deepEqual(found.bytes, made.bytes);
});

test("ten concurrent first starts end with one key", async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, first));
  assert.equal(new Set(keys.map((key) => key.bytes.toString("hex"))).size, 1);
});

test("without the key file, a sealed database is refused with a remedy, and no new key is created", async () => {
  await assert.rejects(
    openOne({ referencedId: "00112233aabbccdd" }),
    /sealed under key 00112233aabbccdd, but .*master\.key does not exist.*backup.*MOORING_MASTER_KEY/s,
  );
  await assert.rejects(stat(masterKeyPath(dataDir)), { code: "ENOENT" });
});

test("the key of another database is refused", async () => {
  const made = await first();
  await assert.rejects(
    openOne({ referencedId: "00112233aabbccdd" }),
    new RegExp(`is key ${made.id}.*belongs to this database`, "s"),
  );
});

test("a damaged key file, or one that others can read, is refused", async () => {
  await first();
  const path = masterKeyPath(dataDir);
  const text = await readFile(path, "utf8");
  await chmod(path, 0o640);
  await assert.rejects(first(), /chmod 600/);
  await chmod(path, 0o600);
  const [heading = "", id = "", encoded = ""] = text.trim().split(" ");
  const swapped = encoded.startsWith("A") ? "B" : "A";
  await writeFile(path, `${heading} ${id} ${swapped}${encoded.slice(1)}\n`);
  await assert.rejects(
    first(),
    (error: Error) => /damaged/.test(error.message) && !error.message.includes(encoded.slice(1)),
  );
  await writeFile(path, "");
  await assert.rejects(first(), /damaged/);
});

test("a configured key is hexadecimal or base64, overrides the file, and never appears in an error", async () => {
  const file = await first();
  const bytes = Buffer.alloc(32, 7);
  const hex = await openOne({ configured: bytes.toString("hex"), referencedId: undefined });
  const base64 = await openOne({ configured: `${bytes.toString("base64")}\n`, referencedId: hex.id });
  assert.deepEqual([hex.bytes, base64.bytes], [bytes, bytes]);
  assert.notEqual(hex.id, file.id);
  await assert.rejects(
    openOne({ configured: "c2hvcnQ=", referencedId: undefined }),
    (error: Error) => /32 bytes/.test(error.message) && !error.message.includes("c2hvcnQ="),
  );
});

test("a key file that this start created is removed, an older one stays", async () => {
  const made = await first();
  const kept = await first();
  await discardNewKeyFile(dataDir, [kept]);
  await stat(masterKeyPath(dataDir));
  await copyFile(masterKeyPath(dataDir), join(dataDir, "copy"));
  await discardNewKeyFile(dataDir, [made]);
  await assert.rejects(stat(masterKeyPath(dataDir)), { code: "ENOENT" });
});

test("during a rotation the file has two keys, the new one first; a start needs the one that is referenced", async () => {
  const old = await first();
  const made = newMasterKey();
  await writeKeyFile(dataDir, [made, old]);
  assert.equal((await stat(masterKeyPath(dataDir))).mode & 0o777, 0o600);
  for (const referencedId of [old.id, made.id]) {
    const keys = await openMasterKeys({ dataDir, referencedId });
    assert.deepEqual(
      keys.map((key) => key.id),
      [made.id, old.id],
    );
  }
  await assert.rejects(openMasterKeys({ dataDir, referencedId: "00112233aabbccdd" }), /is key .* and /);
  await writeKeyFile(dataDir, [made]);
  await assert.rejects(openMasterKeys({ dataDir, referencedId: old.id }), new RegExp(`sealed under key ${old.id}`));
});

test("the setting of the former key is used beside the setting of the new one", async () => {
  const [made, old] = [Buffer.alloc(32, 1).toString("hex"), Buffer.alloc(32, 2).toString("hex")];
  const keys = await openMasterKeys({ dataDir, configured: made, previous: old, referencedId: undefined });
  assert.deepEqual(
    keys.map((key) => key.bytes.toString("hex")),
    [made, old],
  );
  await assert.rejects(stat(masterKeyPath(dataDir)), { code: "ENOENT" });
});
