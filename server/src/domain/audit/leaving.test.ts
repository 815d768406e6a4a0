import assert from "node:assert/strict";
import { generateKeyPairSync, sign as signBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, before, describe, test } from "node:test";
import type { Cutoff } from "#kernel/deletions.ts";
import { systemClock as clock } from "#kernel/time.ts";
import type { MetadataStore, Tables } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { hashOf } from "./event.ts";
import {
  appendAudit,
  cutAudit,
  eraseFromAudit,
  exportAudit,
  listAudit,
  verifyAudit,
  type AuditEvent,
  type AuditRow,
  type AuditSigner,
} from "./index.ts";

const ORG = "org_test";
const ADA = "user_ada";
const BOB = "user_bob";
const IP = "198.51.100.7";
const EMAIL = "ada@example.com";
const BY_BOB = { orgId: ORG, actor: { kind: "person", id: BOB }, result: "success", ip: "192.0.2.2" } as const;
const INVITE: AuditEvent = {
  ...BY_BOB,
  action: "invitation.create",
  target: { kind: "invitation", id: "inv_1" },
  detail: { email: EMAIL, role: "viewer" },
};
const BY_ADA: AuditEvent = { ...BY_BOB, actor: { kind: "person", id: ADA }, ip: IP, action: "project.create" };
const RENAME: AuditEvent = { ...BY_ADA, action: "person.update", detail: { name: "Ada Lovelace" } };
const WHOLE = { userId: ADA, targets: ["inv_1"], instanceSeqs: [] };

function newSigner(kid: string): AuditSigner {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return {
    sign: async (text) => ({
      kid,
      alg: "ES256",
      publicJwk: JSON.stringify(publicKey.export({ format: "jwk" })),
      signature: signBytes("sha256", Buffer.from(text), { key: privateKey, dsaEncoding: "ieee-p1363" }).toString(
        "base64url",
      ),
    }),
  };
}

for (const { kind, skip } of DATABASES) {
  describe(`erasures and cuts of the audit log on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;
    const signer = newSigner("k1");

    before(async () => {
      dataDir = mkdtempSync(join(tmpdir(), "mooring-audit-"));
      metadata = await openTestMetadata({
        url: kind === "sqlite" ? undefined : await postgresUrl(dataDir),
        dataDir,
        clock,
      });
    });

    afterEach(() =>
      metadata.write(async (tx) => {
        for (const table of ["audit", "audit_head", "audit_key"] as const) await tx.deleteFrom(table).execute();
      }),
    );

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    const append = (event: AuditEvent): Promise<void> =>
      metadata.write((tx) => appendAudit({ metadata, clock }, tx, event));
    const verify = (): ReturnType<typeof verifyAudit> => verifyAudit({ metadata }, ORG);
    const rows = (): Promise<AuditRow[]> =>
      metadata.read.selectFrom("audit").selectAll().where("org_id", "=", ORG).orderBy("seq").execute();
    const change = (seq: number, set: Partial<Tables["audit"]>): Promise<unknown> =>
      metadata.write((tx) =>
        tx.updateTable("audit").set(set).where("org_id", "=", ORG).where("seq", "=", seq).execute(),
      );
    const erase = (): Promise<number> => eraseFromAudit({ metadata, clock }, ORG, WHOLE);
    const cut = (beforeMs: number): ReturnType<typeof cutAudit> =>
      cutAudit({ metadata, clock, signer }, ORG, beforeMs as Cutoff);
    const fault = async (): Promise<unknown> => {
      const verdict = await verify();
      return verdict.ok ? null : [verdict.fault, verdict.seq];
    };
    /** Rewrites the chain in the form of an older version: every field is hashed. */
    const toOldForm = async (): Promise<void> => {
      const shown: AuditRow[] = [];
      for await (const row of exportAudit({ metadata }, ORG, {}, undefined)) shown.push(row);
      let prev = "0".repeat(64);
      for (const each of shown) {
        const row = { ...each, commitments: null, personal: null, prev_hash: prev };
        prev = hashOf(row);
        await change(row.seq, { ...row, hash: prev });
      }
      await metadata.write((tx) =>
        tx.updateTable("audit_head").set({ hash: prev }).where("org_id", "=", ORG).execute(),
      );
    };

    test("readers see the personal parts, and the hashed fields do not have them", async () => {
      await append(INVITE);
      await append(RENAME);
      const [invited, renamed] = await rows();
      assert.deepEqual([invited?.ip, invited?.detail], [null, '{"role":"viewer"}']);
      assert.deepEqual([renamed?.ip, renamed?.detail], [null, "{}"]);
      const { items } = await listAudit({ metadata }, ORG, {}, { limit: 10 });
      assert.deepEqual(
        items.map(({ ip, detail }) => [ip, JSON.parse(detail)]),
        [
          [IP, { name: "Ada Lovelace" }],
          ["192.0.2.2", { role: "viewer", email: EMAIL }],
        ],
      );
      assert.equal((await verify()).ok, true);
    });

    for (const form of ["this version", "an older version"]) {
      test(`an erasure leaves nothing of the person in entries of ${form}, and the log verifies`, async () => {
        for (const event of [INVITE, BY_ADA, RENAME, { ...BY_BOB, action: "thing.do" } as const]) await append(event);
        if (form === "an older version") await toOldForm();
        assert.equal(await erase(), 3);
        const text = JSON.stringify(await rows());
        for (const secret of [EMAIL, IP, "Lovelace"]) assert.ok(!text.includes(secret), secret);
        assert.ok(text.includes("192.0.2.2"), "other people keep their parts");
        const verdict = await verify();
        assert.deepEqual(verdict.ok && [verdict.entries, verdict.erased], [5, 3]);
        assert.equal(await erase(), 0, "again there is nothing to do");
        await append(BY_ADA);
        assert.equal((await verify()).ok, true);
      });

      test(`no content of ${form} is erased without an entry`, async () => {
        await append(RENAME);
        await append(BY_ADA);
        if (form === "an older version") await toOldForm();
        const [row] = await rows();
        await change(1, form === "this version" ? { personal: "[null,null]" } : { ip: null, detail: "{}" });
        assert.deepEqual(await fault(), ["edited", 1]);
        await change(1, { ip: row?.ip ?? null, detail: row?.detail ?? "", personal: row?.personal ?? null });
        assert.equal(await fault(), null);
      });

      test(`an erased part of ${form} can't be put back or replaced`, async () => {
        await append(RENAME);
        if (form === "an older version") await toOldForm();
        const [before] = await rows();
        await erase();
        if (before === undefined) assert.fail("no row");
        const { ip, detail, personal } = before;
        await change(1, { ip, detail, personal });
        // The hash of an entry of an older version still shows that it is the true content.
        assert.deepEqual(await fault(), form === "this version" ? ["edited", 1] : null);
        await change(1, form === "this version" ? { personal: "[]" } : { ip: "203.0.113.9" });
        assert.deepEqual(await fault(), ["edited", 1]);
      });
    }

    test("a changed part is found", async () => {
      await append(RENAME);
      const [row] = await rows();
      await change(1, { personal: (row?.personal ?? "").replace("Lovelace", "Byron") });
      assert.deepEqual(await fault(), ["edited", 1]);
    });

    test("a cut deletes old entries, and the rest verifies from there", async () => {
      for (let i = 0; i < 4; i++) await append({ ...BY_BOB, action: "thing.do", detail: { i } });
      const last = (await rows())[2]?.hash;
      assert.deepEqual(await cut(Number.MAX_SAFE_INTEGER), { deleted: 3 });
      assert.deepEqual(
        (await rows()).map(({ seq, action }) => [seq, action]),
        [
          [4, "thing.do"],
          [5, "audit.cut"],
        ],
      );
      const verdict = await verify();
      assert.ok(verdict.ok, JSON.stringify(verdict));
      const { fromSeq, toSeq, count, total, hash, entry } = verdict.cut ?? assert.fail("no cut");
      assert.deepEqual([fromSeq, toSeq, count, total, hash, entry], [1, 3, 3, 3, last, 5]);
      assert.deepEqual(await cut(0), { deleted: 0 });
    });

    test("a second cut continues the first, and a log with cuts only is not cut again", async () => {
      for (let i = 0; i < 3; i++) await append({ ...BY_BOB, action: "thing.do", detail: { i } });
      await cut(Number.MAX_SAFE_INTEGER);
      await append({ ...BY_BOB, action: "thing.do" });
      assert.deepEqual(await cut(Number.MAX_SAFE_INTEGER), { deleted: 2 });
      const verdict = await verify();
      assert.deepEqual(verdict.ok && [verdict.cut?.fromSeq, verdict.cut?.toSeq, verdict.cut?.total], [3, 4, 4]);
      assert.deepEqual(await cut(Number.MAX_SAFE_INTEGER), { deleted: 1 });
      assert.deepEqual(await cut(Number.MAX_SAFE_INTEGER), { deleted: 0 });
      assert.equal((await verify()).ok, true);
    });

    test("a run that ended between the record and the deletion is continued", async () => {
      for (let i = 0; i < 3; i++) await append({ ...BY_BOB, action: "thing.do", detail: { i } });
      const all = await rows();
      await cut(Number.MAX_SAFE_INTEGER);
      const first = all.slice(0, 2);
      await metadata.write((tx) => tx.insertInto("audit").values(first.slice(1)).execute());
      assert.equal(await fault(), null, "the rest of the old entries does not count");
      assert.deepEqual(await cut(0), { deleted: 1 });
    });

    test("a broken log is not cut", async () => {
      for (let i = 0; i < 3; i++) await append({ ...BY_BOB, action: "thing.do", detail: { i } });
      await change(2, { action: "thing.other" });
      const outcome = await cut(Number.MAX_SAFE_INTEGER);
      assert.equal("fault" in outcome && outcome.fault.fault, "edited");
      assert.equal((await rows()).length, 3);
    });

    test("a cut by an unknown key, or with other numbers, hides nothing", async () => {
      for (let i = 0; i < 4; i++) await append({ ...BY_BOB, action: "thing.do", detail: { i } });
      await cut(Number.MAX_SAFE_INTEGER);
      const key = await metadata.read.selectFrom("audit_key").selectAll().executeTakeFirstOrThrow();
      await metadata.write((tx) => tx.updateTable("audit_key").set({ kid: "other" }).execute());
      assert.deepEqual(await fault(), ["gap", 4]);
      await metadata.write((tx) => tx.updateTable("audit_key").set({ kid: key.kid }).execute());
      assert.equal(await fault(), null);
      // Hashed and linked again, as somebody with all tables can do, but without the server's key.
      const entry = (await rows()).at(-1) ?? assert.fail("no entry");
      const forged = { ...entry, detail: entry.detail.replace('"to_seq":3', '"to_seq":4') };
      const hash = hashOf(forged);
      await change(entry.seq, { detail: forged.detail, hash });
      await metadata.write((tx) => tx.updateTable("audit_head").set({ hash }).where("org_id", "=", ORG).execute());
      assert.deepEqual(await fault(), ["gap", 4]);
    });
  });
}
