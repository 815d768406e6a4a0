import assert from "node:assert/strict";
import { chmod, copyFile, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { createEnvelope } from "./envelope.ts";
import { discardNewKeyFile, masterKeyPath, openMasterKey } from "./master-key.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), "mooring-key-"));
});
afterEach(() => rm(dataDir, { recursive: true, force: true }));

const PLACE = { table: "signing_key", id: "k1", purpose: "signing-key", version: 1 };
const first = (): ReturnType<typeof openMasterKey> => openMasterKey({ dataDir, referencedId: undefined });

test("the first start creates a key that only the owner can read, and later starts find it", async () => {
  const made = await first();
  assert.equal(made.origin, "new file");
  assert.equal(made.bytes.length, 32);
  assert.equal((await stat(masterKeyPath(dataDir))).mode & 0o777, 0o600);
  const found = await openMasterKey({ dataDir, referencedId: made.id });
  assert.equal(found.origin, "file");
  assert.deepEqual(found.bytes, made.bytes);
});

test("ten concurrent first starts end with one key", async () => {
  const keys = await Promise.all(Array.from({ length: 10 }, first));
  assert.equal(new Set(keys.map((key) => key.bytes.toString("hex"))).size, 1);
});

test("without the key file, a sealed database is refused with a remedy, and no new key is created", async () => {
  await assert.rejects(
    openMasterKey({ dataDir, referencedId: "00112233aabbccdd" }),
    /sealed under key 00112233aabbccdd, but .*master\.key does not exist.*backup.*MOORING_MASTER_KEY/s,
  );
  await assert.rejects(stat(masterKeyPath(dataDir)), { code: "ENOENT" });
});

test("the key of another database is refused", async () => {
  const made = await first();
  await assert.rejects(
    openMasterKey({ dataDir, referencedId: "00112233aabbccdd" }),
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
  const hex = await openMasterKey({ dataDir, configured: bytes.toString("hex"), referencedId: undefined });
  const base64 = await openMasterKey({ dataDir, configured: `${bytes.toString("base64")}\n`, referencedId: hex.id });
  assert.deepEqual([hex.bytes, base64.bytes], [bytes, bytes]);
  assert.notEqual(hex.id, file.id);
  await assert.rejects(
    openMasterKey({ dataDir, configured: "c2hvcnQ=", referencedId: undefined }),
    (error: Error) => /32 bytes/.test(error.message) && !error.message.includes("c2hvcnQ="),
  );
});

test("a key file that this start created is removed, an older one stays", async () => {
  const made = await first();
  const kept = await first();
  await discardNewKeyFile(dataDir, kept);
  await stat(masterKeyPath(dataDir));
  await copyFile(masterKeyPath(dataDir), join(dataDir, "copy"));
  await discardNewKeyFile(dataDir, made);
  await assert.rejects(stat(masterKeyPath(dataDir)), { code: "ENOENT" });
});

test("a sealed value opens only in its place, with its key, and unaltered", async () => {
  const envelope = createEnvelope(await first());
  const sealed = envelope.seal(PLACE, Buffer.from("secret"));
  assert.equal(envelope.open(PLACE, sealed).toString(), "secret");
  assert.equal(Buffer.from(sealed).includes("secret"), false);
  for (const place of [
    { ...PLACE, table: "t" },
    { ...PLACE, id: "k2" },
    { ...PLACE, version: 2 },
    { ...PLACE, purpose: "s3-secret" },
  ]) {
    assert.throws(() => envelope.open(place, sealed), /cannot open a sealed value/);
  }
  for (const at of [0, 1, 12, 40, sealed.length - 1]) {
    const altered = Buffer.from(sealed);
    altered.writeUInt8((altered[at] ?? 0) ^ 1, at);
    assert.throws(() => envelope.open(PLACE, altered), /cannot open a sealed value/, `byte ${at}`);
  }
  assert.throws(() => envelope.open(PLACE, sealed.subarray(0, 20)), /format/);
  const other = createEnvelope(await openMasterKey({ dataDir, configured: "00".repeat(32), referencedId: undefined }));
  assert.throws(() => other.open(PLACE, sealed), new RegExp(`needs master key ${envelope.masterKeyId}`));
});

test("two sealed forms of one value differ, and so do its hashes for two purposes", async () => {
  const envelope = createEnvelope(await first());
  assert.notDeepEqual(envelope.seal(PLACE, Buffer.from("x")), envelope.seal(PLACE, Buffer.from("x")));
  assert.deepEqual(envelope.keyedHash("a", "x"), envelope.keyedHash("a", "x"));
  assert.notDeepEqual(envelope.keyedHash("a", "x"), envelope.keyedHash("b", "x"));
});
