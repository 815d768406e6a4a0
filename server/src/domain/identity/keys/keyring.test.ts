import assert from "node:assert/strict";
import { createCipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, beforeEach, describe, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { createEnvelope, splitSigned, type Envelope, type SealedPlace } from "./envelope.ts";
import { RING_NEWS_MS, type KeyRing } from "./keyring.ts";
import { openMasterKeys } from "./master-key.ts";
import { KEY_PLACES } from "./purposes.ts";
import { openTestRing } from "./testing.ts";

const MASTER = "07".repeat(32);
const OTHER = "08".repeat(32);
const PLACE: SealedPlace = { table: "signing_key", id: "k1", purpose: "signing-key", version: 1 };
const unavailable = (error: unknown): boolean => error instanceof Problem && error.code === "unavailable";

for (const { kind, skip } of DATABASES) {
  describe(`the key ring on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    let nowMs = 1_000_000_000_000;
    const clock = { nowMs: () => nowMs };
    const ringOf = (options: { configured?: string; previous?: string; derivedFrom?: string } = {}): Promise<KeyRing> =>
      openTestRing({ metadata, clock, dataDir, configured: MASTER, ...options });
    const envelopeOf = (ring: KeyRing): Envelope => createEnvelope({ ring, nowMs: clock.nowMs });
    const rows = () => metadata.read.selectFrom("key").selectAll().orderBy("id").execute();
    const setState = (
      id: string,
      state: "current" | "previous" | "next" | "retired",
      retire_at: number | null = null,
    ) => metadata.write((tx) => tx.updateTable("key").set({ state, retire_at }).where("id", "=", id).execute());

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-ring-"));
      const url = kind === "sqlite" ? undefined : await postgresUrl(dataDir);
      metadata = await openTestMetadata({ url, dataDir, clock });
    });
    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    beforeEach(async () => {
      await metadata.write((tx) => tx.deleteFrom("key").execute());
    });

    /** Adds a key and makes it current, as a rotation does. Returns the id of the former key. */
    async function rotated(ring: KeyRing, place: (typeof KEY_PLACES)[number]): Promise<string> {
      const former = ring.shelf(place.use, place.purpose).current.id;
      const made = await ring.make([place], "current");
      await metadata.write((tx) => tx.insertInto("key").values(made).execute());
      await setState(former, "previous");
      return former;
    }

    test("first starts at the same time create one key for each purpose", async () => {
      const rings = await Promise.all([ringOf(), ringOf(), ringOf()]);
      assert.equal((await rows()).length, KEY_PLACES.length);
      assert.equal(new Set(rings.map((ring) => ring.digest)).size, 1);
      assert.equal(new Set(rings.map((ring) => ring.shelf("mac", "person-token").current.id)).size, 1);
      assert.ok((await rows()).every((row) => row.derived_from === null && row.state === "current"));
    });

    test("the first start after the upgrade stores the keys that were derived from the master key", async () => {
      const [master] = await openMasterKeys({ dataDir, configured: MASTER, referencedId: undefined });
      assert.ok(master !== undefined);
      const sealed = sealedBefore(master.bytes, master.id, PLACE, "secret");
      const hash = derivedMac(master.bytes, "client-secret", "x");
      const mac = derivedMac(master.bytes, "content-url", "text");

      const envelope = envelopeOf(await ringOf({ derivedFrom: master.id }));
      assert.equal(envelope.open(PLACE, sealed).toString(), "secret");
      assert.deepEqual(envelope.hasher("client-secret", "x").under(null).hash, hash);
      assert.ok(await envelope.verify("content-url", "text", mac));
      assert.ok((await rows()).every((row) => row.derived_from === master.id));

      const other = envelopeOf(await ringOf({ configured: OTHER, previous: MASTER, derivedFrom: master.id }));
      assert.equal(other.open(PLACE, sealed).toString(), "secret", "also while a new master key is prepared");
    });

    test("values from before the upgrade open after two rotations, and a forged master key id does not", async () => {
      const [master] = await openMasterKeys({ dataDir, configured: MASTER, referencedId: undefined });
      assert.ok(master !== undefined);
      const ring = await ringOf({ derivedFrom: master.id });
      for (let i = 0; i < 2; i++) {
        await rotated(ring, { use: "wrap", purpose: "signing-key" });
        await ring.renew();
      }
      const envelope = envelopeOf(ring);
      const sealed = sealedBefore(master.bytes, master.id, PLACE, "secret");
      assert.equal(envelope.open(PLACE, sealed).toString(), "secret");
      const forged = Buffer.from(sealed);
      forged.write("00112233aabbccdd", 1, "hex");
      assert.throws(() => envelope.open(PLACE, forged), unavailable);
    });

    test("a sealed value opens only in its place, with its key, and unaltered", async () => {
      const envelope = envelopeOf(await ringOf());
      const sealed = envelope.seal(PLACE, Buffer.from("secret"));
      assert.equal(envelope.open(PLACE, sealed).toString(), "secret");
      assert.equal(Buffer.from(sealed).includes("secret"), false);
      const places = [{ table: "t" }, { id: "k2" }, { version: 2 }, { purpose: "s3-secret-key" as const }];
      for (const other of places) assert.throws(() => envelope.open({ ...PLACE, ...other }, sealed));
      for (const at of [0, 1, 12, 40, 80, sealed.length - 1]) {
        const altered = Buffer.from(sealed);
        altered.writeUInt8((altered[at] ?? 0) ^ 1, at);
        assert.throws(() => envelope.open(PLACE, altered), /cannot open|not known/, `byte ${at}`);
        assert.throws(() => envelope.sealAgain(PLACE, altered), /cannot open|not known/, `byte ${at}`);
      }
      assert.throws(() => envelope.open(PLACE, sealed.subarray(0, 20)), /format/);
    });

    test("a value that is sealed again keeps its content, and names the current key", async () => {
      const ring = await ringOf();
      const envelope = envelopeOf(ring);
      const sealed = envelope.seal(PLACE, Buffer.from("secret"));
      const former = await rotated(ring, { use: "wrap", purpose: "signing-key" });
      await ring.renew();
      const again = envelope.sealAgain(PLACE, sealed);
      assert.equal(Buffer.from(again.subarray(1, 9)).toString("hex"), ring.shelf("wrap", "signing-key").current.id);
      assert.equal(Buffer.from(sealed.subarray(1, 9)).toString("hex"), former);
      assert.deepEqual(again.subarray(69), sealed.subarray(69), "the content keeps its bytes");
      for (const value of [sealed, again]) assert.equal(envelope.open(PLACE, value).toString(), "secret");
      assert.throws(() => envelope.sealAgain({ ...PLACE, id: "k2" }, sealed));
    });

    test("the rows of two keys can't be swapped", async () => {
      await ringOf();
      const [a, b] = await rows();
      assert.ok(a !== undefined && b !== undefined);
      await metadata.write((tx) => tx.updateTable("key").set({ wrapped: b.wrapped }).where("id", "=", a.id).execute());
      await assert.rejects(ringOf(), new RegExp(`cannot unwrap key ${a.id}`));
    });

    test("a key of one use does not open a value of another", async () => {
      const ring = await ringOf();
      const envelope = envelopeOf(ring);
      const sealed = Buffer.from(envelope.seal(PLACE, Buffer.from("secret")));
      sealed.write(ring.shelf("mac", "person-token").current.id, 1, "hex");
      assert.throws(() => envelope.open(PLACE, sealed), unavailable);
      assert.notDeepEqual(
        envelope.lookupHash("client-secret", "x").hash,
        envelope.lookupHash("recovery-code", "x").hash,
        "each purpose has its own key",
      );
    });

    test("another master key is refused, and a foreign one beside the right one changes nothing", async () => {
      await ringOf();
      await assert.rejects(ringOf({ configured: OTHER }), /wrapped by master key [0-9a-f]{16}, and this node has key/);
      await ringOf({ configured: OTHER, previous: MASTER });
    });

    test("a former mac key verifies until its time, a retired one does not", async () => {
      const ring = await ringOf();
      const envelope = envelopeOf(ring);
      const code = envelope.sign("person-token", "text");
      assert.ok(await envelope.verify("person-token", "text", code));
      assert.equal(await envelope.verify("person-token", "other", code), false);
      assert.equal(await envelope.verify("device-cookie", "text", code), false);
      const former = await rotated(ring, { use: "mac", purpose: "person-token" });
      await setState(former, "previous", nowMs + 300_000);
      await ring.renew();
      assert.notDeepEqual(envelope.sign("person-token", "text"), code);
      assert.ok(await envelope.verify("person-token", "text", code));
      nowMs += 300_000;
      assert.equal(await envelope.verify("person-token", "text", code), false);
      assert.equal(envelope.verifyKnown("person-token", "text", code), false);
      assert.equal(await envelope.secretOf("s3-grant", "a", "00112233"), undefined);
    });

    test("a code of a key that this node has not read yet is verified after one read, and refused if it is forged", async () => {
      const ring = await ringOf();
      const [here, there] = [envelopeOf(ring), envelopeOf(await ringOf())];
      const other = await ringOf();
      await rotated(other, { use: "mac", purpose: "content-url" });
      await other.renew();
      const code = envelopeOf(other).sign("content-url", "text");
      assert.equal(here.verifyKnown("content-url", "text", code), false);
      await waited(RING_NEWS_MS);
      assert.ok(await here.verify("content-url", "text", code), "it reads the keys once");
      const forged = Buffer.from(code);
      forged.writeUInt8((forged[0] ?? 0) ^ 1, 0);
      assert.equal(await there.verify("content-url", "text", forged), false);
    });

    test("a lookup finds rows of both keys, the current one first", async () => {
      const ring = await ringOf();
      const envelope = envelopeOf(ring);
      const before_ = envelope.lookupHash("client-secret", "x");
      await rotated(ring, { use: "lookup", purpose: "client-secret" });
      await ring.renew();
      const hashes = envelope.lookupHashes("client-secret", "x");
      assert.deepEqual(hashes[0], envelope.lookupHash("client-secret", "x"));
      assert.deepEqual(hashes[1], before_);
      const hasher = envelope.hasher("client-secret", "x");
      assert.deepEqual(hasher.under(before_.key), before_);
      assert.throws(() => hasher.under("00112233aabbccdd"), unavailable);
      assert.throws(() => hasher.under(null), unavailable, "there are no keys from before the ring");
    });

    test("the text after a code is found behind both lengths of codes", async () => {
      const envelope = envelopeOf(await ringOf());
      const text = JSON.stringify({ session: "x" });
      const code = envelope.sign("person-token", text);
      assert.deepEqual(splitSigned("person-token", Buffer.concat([code, Buffer.from(text)])), { code, text });
      const former = randomBytes(32).fill(0x7b);
      assert.equal(splitSigned("person-token", Buffer.concat([former, Buffer.from(text)]))?.text, text);
      assert.equal(splitSigned("person-token", Buffer.from(text)), undefined);
    });
  });
}

/** Waits until a node's ring is older than this. */
function waited(ms: number): Promise<void> {
  const until = performance.now() + ms;
  return new Promise((resolve) => {
    const look = (): void => void (performance.now() > until ? resolve() : setTimeout(look, 20));
    look();
  });
}

function derivedMac(master: Buffer, purpose: string, text: string): Buffer {
  const key = Buffer.from(hkdfSync("sha256", master, "", `mooring/v1/hash/${purpose}`, 32));
  return createHmac("sha256", key).update(text).digest();
}

/** Seals as the versions before the key ring did. */
function sealedBefore(master: Buffer, masterId: string, place: SealedPlace, text: string): Buffer {
  const wrapKey = Buffer.from(hkdfSync("sha256", master, "", `mooring/v1/envelope/${place.purpose}`, 32));
  const bound = Buffer.from([place.table, place.id, place.purpose, String(place.version)].join("|"));
  const encrypt = (key: Buffer, bytes: Uint8Array): Buffer => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", key, nonce, { authTagLength: 16 }).setAAD(bound);
    return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()]);
  };
  const dataKey = randomBytes(32);
  const head = Buffer.concat([Buffer.of(1), Buffer.from(masterId, "hex")]);
  return Buffer.concat([head, encrypt(wrapKey, dataKey), encrypt(dataKey, Buffer.from(text))]);
}
