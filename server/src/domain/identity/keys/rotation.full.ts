import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Identity } from "#domain/identity/index.ts";
import { credentialOf, openGround, ORG_ID, PROJECT_ID, tokenOf, type Ground } from "#domain/identity/testing.ts";
import { DATABASES, postgresUrl } from "../../../../../tests/fixtures/databases.ts";
import { masterKeysIn, newMasterKey, presentMasterKeys, writeKeyFile } from "./master-key.ts";
import { rotateData, type DataRotationDeps } from "./rotate-data.ts";
import { cancelRotation, rotateMaster, RotationHeld } from "./rotate-master.ts";
import { SEALED_COLUMNS, sealedAgain } from "./sealed/columns.ts";
import { oldValues, replaceValue } from "./sealed/store.ts";
import { forgetMasterKey, keyStatus } from "./status.ts";

for (const { kind, skip } of DATABASES) {
  describe(`rotations of keys on ${kind}`, { skip }, () => {
    let ground: Ground;
    let urls: string;
    beforeEach(async () => {
      urls = mkdtempSync(join(tmpdir(), "mooring-rotation-"));
      ground = await openGround(kind === "sqlite" ? {} : { url: await postgresUrl(urls) });
    });
    afterEach(async () => {
      await ground.close();
      rmSync(urls, { recursive: true, force: true });
    });

    /** The dependencies of a command beside the nodes. */
    function depsOf(identity: Identity, more: Partial<DataRotationDeps> = {}): DataRotationDeps {
      const { metadata, clock, dataDir } = ground;
      const { ring, envelope } = identity;
      const actor = { kind: "system", id: "test" } as const;
      const fixed = { metadata, clock, dataDir, ring, envelope, actor, isExternal: false, leaked: false };
      return { ...fixed, waitMs: 20_000, settleMs: 50, say: () => undefined, ...more };
    }
    const keyRows = () => ground.metadata.read.selectFrom("key").selectAll().orderBy("id").execute();
    const masterIds = async (): Promise<string[]> => [...new Set((await keyRows()).map((row) => row.master_id))];
    const sealedKeys = async (): Promise<string[]> => {
      const rows = await ground.metadata.read.selectFrom("signing_key").select("private_key").execute();
      return [...new Set(rows.map((row) => Buffer.from(row.private_key.subarray(1, 9)).toString("hex")))];
    };
    const actions = async (): Promise<string[]> =>
      (await ground.metadata.read.selectFrom("audit").select("action").orderBy("seq").execute()).map(
        (row) => row.action,
      );

    test("a new master key wraps every key while nodes run, and they start again with it", async () => {
      const running = await ground.node();
      await running.start();
      const client = await credentialOf(running);
      const token = await tokenOf(running, client);
      const command = await ground.node();
      const [before] = await masterIds();
      const { from, to } = await rotateMaster(depsOf(command));
      assert.equal(from, before);
      assert.deepEqual(await masterIds(), [to]);
      assert.deepEqual(await masterKeysIn(ground.dataDir), [to, from]);
      await running.authenticator.authenticate(token);
      await tokenOf(running, client);
      const later = await ground.node();
      await tokenOf(later, client);
      assert.equal(later.envelope.masterKeyId, to);
      assert.ok((await actions()).includes("master_key.rotate"));

      const again = await rotateMaster(depsOf(later));
      assert.equal(again.from, to, "the next rotation makes another key, and does not go back to the old one");
      assert.notEqual(again.to, from);
    });

    test("a node without the new key stops the rotation, and the next try continues with the same key", async () => {
      const elsewhere = mkdtempSync(join(tmpdir(), "mooring-elsewhere-"));
      try {
        const command = await ground.node();
        await writeKeyFile(elsewhere, await presentMasterKeys({ dataDir: ground.dataDir }));
        const other = await ground.node({ dataDir: elsewhere });
        await other.start();
        const before = await keyRows();
        await assert.rejects(
          rotateMaster(depsOf(command, { waitMs: 2_000 })),
          (error) => error instanceof RotationHeld && error.message.includes(other.feed.nodeId),
        );
        assert.deepEqual(await keyRows(), before, "nothing was changed");
        const [to, from] = await masterKeysIn(ground.dataDir);
        await assert.rejects(rotateData(depsOf(command)), /to its end first/);
        await writeKeyFile(elsewhere, await presentMasterKeys({ dataDir: ground.dataDir }));
        assert.deepEqual(await rotateMaster(depsOf(command)), { from, to });
        assert.deepEqual(await masterIds(), [to]);
      } finally {
        await ground.close();
        rmSync(elsewhere, { recursive: true, force: true });
        ground = await openGround();
      }
    });

    test("a key that was put first into the file is used, and cancel removes one that was not", async () => {
      const command = await ground.node();
      const [old] = await presentMasterKeys({ dataDir: ground.dataDir });
      assert.ok(old !== undefined);
      const blocked = { ...depsOf(command), waitMs: 0 };
      await ground.metadata.write((tx) =>
        tx
          .insertInto("node")
          .values({
            id: "node_old",
            applied_seq: 0,
            started_at: 0,
            seen_at: ground.clock.nowMs(),
            master_ids: null,
            key_ring: null,
          })
          .execute(),
      );
      await assert.rejects(rotateMaster(blocked), /node_old did not report/);
      assert.equal((await masterKeysIn(ground.dataDir)).length, 2);
      assert.equal(await cancelRotation(blocked), true);
      assert.deepEqual(await masterKeysIn(ground.dataDir), [old.id]);
      assert.equal(await cancelRotation(blocked), false);

      await ground.metadata.write((tx) => tx.deleteFrom("node").execute());
      const prepared = newMasterKey();
      await writeKeyFile(ground.dataDir, [prepared, old]);
      assert.equal((await rotateMaster(depsOf(command))).to, prepared.id);
    });

    test("two rotations at the same time end with one key that is in the file", async () => {
      const [a, b] = await Promise.all([ground.node(), ground.node()]);
      const outcomes = await Promise.allSettled([rotateMaster(depsOf(a)), rotateMaster(depsOf(b))]);
      assert.ok(outcomes.some((outcome) => outcome.status === "fulfilled"));
      for (const outcome of outcomes)
        if (outcome.status === "rejected") assert.ok(outcome.reason instanceof RotationHeld, String(outcome.reason));
      const [wrapping, ...others] = await masterIds();
      assert.equal(others.length, 0);
      assert.equal((await masterKeysIn(ground.dataDir)).length, 2);
      assert.equal((await masterKeysIn(ground.dataDir))[0], wrapping);
    });

    test("all keys are replaced and every value is sealed again, and what exists stays valid", async () => {
      const running = await ground.node();
      await running.start();
      const client = await credentialOf(running);
      const token = await tokenOf(running, client);
      const code = running.envelope.sign("content-url", "text");
      const command = await ground.node();
      const before = await keyRows();
      const done = await rotateData(depsOf(command));
      assert.deepEqual(done, { sealed: 2, damaged: [] }, "the two signing keys");
      assert.deepEqual(await sealedKeys(), [command.ring.shelf("wrap", "signing-key").current.id]);
      for (const row of await keyRows())
        assert.equal(
          row.state === "current",
          !before.some((old) => old.id === row.id) ||
            row.purpose === "webhook-field" ||
            row.purpose === "telemetry-erasure",
          `${row.use} ${row.purpose} ${row.state}`,
        );
      for (const node of [running, await ground.node()]) {
        await node.authenticator.authenticate(token);
        await tokenOf(node, client);
        assert.ok(await node.envelope.verify("content-url", "text", code));
      }
      ground.clock.advance(8 * 24 * 60 * 60 * 1000);
      assert.equal(await running.envelope.verify("content-url", "text", code), false, "its longest time has passed");
      assert.ok((await actions()).includes("key_ring.rotate"));
    });

    test("after a leak the old codes are void at once, also if the rotation is already under way", async () => {
      const command = await ground.node();
      const older = command.envelope.sign("person-token", "text");
      await rotateData(depsOf(command));
      const code = command.envelope.sign("person-token", "text");
      assert.ok(await command.envelope.verify("person-token", "text", older));
      await rotateData(depsOf(command, { leaked: true }));
      for (const former of [older, code])
        assert.equal(await command.envelope.verify("person-token", "text", former), false);
      const later = command.envelope.sign("person-token", "text");
      await assert.rejects(rotateData(depsOf(command, { say: stopping })), /the test stops here/);
      await rotateData(depsOf(command, { leaked: true }));
      assert.equal(await command.envelope.verify("person-token", "text", later), false);
    });

    test("a rotation that stopped continues, and others wait for its end", async () => {
      const command = await ground.node();
      await assert.rejects(rotateData(depsOf(command, { say: stopping })), /the test stops here/);
      assert.equal((await keyStatus(depsOf(command))).rotation?.step, "current");
      await assert.rejects(rotateMaster(depsOf(command)), /--data to its end first/);
      await assert.rejects(cancelRotation(depsOf(command)), /Run mooring master-key rotate --data again/);
      assert.equal((await rotateData(depsOf(command))).sealed, 2);
      assert.equal((await keyStatus(depsOf(command))).rotation, null);
      assert.deepEqual((await keyStatus(depsOf(command))).oldValues, {});
    });

    test("the hash of a secret is renewed when the secret is used", async () => {
      const node = await ground.node();
      const client = await credentialOf(node);
      const hashKey = async (): Promise<string | null | undefined> =>
        (await ground.metadata.read.selectFrom("credential_secret").select("hash_key").executeTakeFirst())?.hash_key;
      const former = await hashKey();
      await rotateData(depsOf(node));
      assert.equal(await hashKey(), former);
      assert.deepEqual((await keyStatus(depsOf(node))).oldHashes, { "client-secret": 1 });
      await tokenOf(node, client);
      const deadline = Date.now() + 20_000;
      while ((await hashKey()) === former && Date.now() < deadline)
        await new Promise((resolve) => setImmediate(resolve));
      assert.equal(await hashKey(), node.ring.shelf("lookup", "client-secret").current.id);
      await tokenOf(await ground.node(), client);
      await rotateData(depsOf(node));
      assert.equal((await keyRows()).find((row) => row.id === former)?.state, "retired", "no row names it any more");
    });

    test("a damaged value is reported, and does not stop the rotation", async () => {
      const node = await ground.node();
      await ground.metadata.write((tx) =>
        tx
          .insertInto("s3_destination")
          .values({
            id: "dest_1",
            org_id: ORG_ID,
            name: "d",
            url: "https://a.example",
            secret: Buffer.alloc(120, 2),
            created_at: 1,
          })
          .execute(),
      );
      const done = await rotateData(depsOf(node));
      assert.deepEqual(done, { sealed: 2, damaged: ["s3_destination.secret dest_1"] });
    });

    test("a node with an old ring seals late: the value opens, and the next rotation seals it again", async () => {
      const [node, sleeper] = [await ground.node(), await ground.node()];
      await rotateData(depsOf(node));
      const place = { table: "s3_destination", id: "dest_1", purpose: "webhook-secret", version: 1 } as const;
      const secret = sleeper.envelope.seal(place, Buffer.from("late"));
      await ground.metadata.write((tx) =>
        tx
          .insertInto("s3_destination")
          .values({ id: "dest_1", org_id: ORG_ID, name: "d", url: "https://a.example", secret, created_at: 1 })
          .execute(),
      );
      assert.equal(node.envelope.open(place, secret).toString(), "late");
      assert.deepEqual((await keyStatus(depsOf(node))).oldValues, { "s3_destination.secret": 1 });
      assert.deepEqual(await rotateData(depsOf(node)), { sealed: 3, damaged: [] });
      const row = await ground.metadata.read.selectFrom("s3_destination").select("secret").executeTakeFirstOrThrow();
      assert.equal(node.envelope.open(place, row.secret).toString(), "late");
    });

    test("a value that a writer replaces meanwhile keeps the writer's content", async () => {
      const node = await ground.node();
      const column = SEALED_COLUMNS.find((each) => each.table === "s3_upload");
      assert.ok(column !== undefined);
      const detail = (nonce: string): string => {
        const place = { table: "s3_objects", id: nonce, purpose: "s3-object-key", version: 1 } as const;
        const sealedKey = Buffer.from(node.envelope.seal(place, Buffer.alloc(32, 1))).toString("base64");
        return JSON.stringify({
          headers: { sealedKey: "x" },
          sse: { kind: "AES256", nonce, sealedKey },
          legalHold: true,
        });
      };
      const upload = {
        bucket: "app_1",
        org_id: ORG_ID,
        key: Buffer.from("k"),
        created_at: 1,
        owner: "",
        completed_at: null,
        result: null,
      };
      await ground.metadata.write(async (tx) => {
        const app = { id: "app_1", org_id: ORG_ID, project_id: PROJECT_ID, slug: "a", name: "a", created_at: 1 };
        await tx.insertInto("app").values(app).execute();
        const bucket = { id: "app_1", org_id: ORG_ID, versioning: "unversioned", config: "{}", revision: 1 } as const;
        await tx.insertInto("s3_bucket").values(bucket).execute();
      });
      await ground.metadata.write((tx) =>
        tx
          .insertInto("s3_upload")
          .values(["u1", "u2"].map((id) => ({ ...upload, id, detail: detail(id) })))
          .execute(),
      );
      const [read, other] = await oldValues(ground.metadata, column, "00112233aabbccdd", {
        after: undefined,
        limit: 10,
      });
      assert.ok(read !== undefined && other !== undefined);
      const written = detail("u1");
      await ground.metadata.write((tx) =>
        tx.updateTable("s3_upload").set({ detail: written }).where("id", "=", "u1").execute(),
      );
      const replaced = await ground.metadata.write(async (tx) => [
        await replaceValue(tx, column, read, sealedAgain(node.envelope, column, read)),
        await replaceValue(tx, column, other, sealedAgain(node.envelope, column, other)),
      ]);
      assert.deepEqual(replaced, [false, true]);
      const rows = await ground.metadata.read.selectFrom("s3_upload").select(["id", "detail"]).orderBy("id").execute();
      assert.equal(rows[0]?.detail, written);
      const { sse, ...rest } = JSON.parse(rows[1]?.detail ?? "") as { sse: Record<string, string> };
      assert.deepEqual(rest, { headers: { sealedKey: "x" }, legalHold: true });
      assert.deepEqual([sse["kind"], sse["nonce"]], ["AES256", "u2"]);
      assert.equal((await rotateData(depsOf(node))).sealed, 4, "both uploads and both signing keys");
    });

    test("forget keeps a key that is in use, and removes an old one", async () => {
      const node = await ground.node();
      const { from, to } = await rotateMaster(depsOf(node));
      await assert.rejects(forgetMasterKey(depsOf(node), to), /it wraps the keys/);
      await assert.rejects(forgetMasterKey(depsOf(node), "00112233aabbccdd"), /not in master.key/);
      await forgetMasterKey(depsOf(node), from);
      assert.deepEqual(await masterKeysIn(ground.dataDir), [to]);
      assert.equal(readFileSync(join(ground.dataDir, "master.key"), "utf8").trim().split("\n").length, 1);
      await ground.node();
    });
  });
}

/** Fails when the new keys are in use, as if the process died there. */
function stopping(line: string): void {
  if (line.includes("in use")) throw new Error("the test stops here");
}
