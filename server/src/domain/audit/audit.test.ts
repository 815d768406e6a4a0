import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { after, afterEach, before, describe, test } from "node:test";
import { NOT_SUSPENDED } from "#domain/suspension/index.ts";
import { systemClock as clock } from "#kernel/time.ts";
import { isUniqueViolation, type MetadataStore, type Tables, type Writer } from "#stores/metadata/index.ts";
import { openTestMetadata } from "#stores/metadata/testing.ts";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import { hashOf } from "./event.ts";
import {
  appendAudit,
  exportAudit,
  listAudit,
  repairAudit,
  verifyAudit,
  type AuditEvent,
  type AuditRow,
} from "./index.ts";

const ORG = "org_test";
const ORGANIZATION = {
  id: ORG,
  slug: "test",
  name: "test",
  token_lifetime_s: 900,
  policy: "{}",
  created_at: 0,
  ...NOT_SUSPENDED,
};
const EVENT: AuditEvent = { orgId: ORG, actor: { kind: "system", id: null }, action: "thing.do", result: "success" };

for (const { kind, skip } of DATABASES) {
  describe(`the audit log on ${kind}`, { skip }, () => {
    let dataDir: string;
    let metadata: MetadataStore;

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
        for (const table of ["audit", "audit_head", "organization"] as const) await tx.deleteFrom(table).execute();
      }),
    );

    after(async () => {
      await metadata.close();
      rmSync(dataDir, { recursive: true });
    });

    const append = (event: AuditEvent): Promise<void> =>
      metadata.write((tx) => appendAudit({ metadata, clock }, tx, event));
    const verify = (orgId: string | null = ORG): ReturnType<typeof verifyAudit> => verifyAudit({ metadata }, orgId);
    const fill = async (count: number): Promise<void> => {
      for (let i = 1; i <= count; i++) await append({ ...EVENT, detail: { i } });
    };

    test("chains of organizations and of the installation are separate and complete", async () => {
      await fill(3);
      await append({ ...EVENT, orgId: "org_other" });
      await append({ ...EVENT, orgId: null });
      for (const [orgId, entries] of [
        [ORG, 3],
        ["org_other", 1],
        [null, 1],
        ["org_none", 0],
      ] as const) {
        const verdict = await verify(orgId);
        assert.deepEqual([verdict.ok, verdict.entries], [true, entries]);
      }
    });

    test("an entry exists exactly if its change does", async () => {
      const failed = metadata.write(async (tx) => {
        await appendAudit({ metadata, clock }, tx, EVENT);
        throw new Error("the change failed");
      });
      await assert.rejects(failed, /the change failed/);
      await fill(1);
      const { items } = await listAudit({ metadata }, ORG, {}, { limit: 10 });
      assert.deepEqual(
        items.map((row) => row.seq),
        [1],
      );
    });

    test("entries written at once form one chain", async () => {
      await Promise.all(Array.from({ length: 100 }, (_, i) => append({ ...EVENT, detail: { i } })));
      const headHash = (await rows(metadata)).at(-1)?.hash;
      assert.deepEqual(await verify(), { ok: true, entries: 100, headHash, declared: [], erased: 0, cut: null });
    });

    test("a secret in the detail is cut off", async () => {
      await append({ ...EVENT, detail: { secret: `mrcs_${"a".repeat(49)}` } });
      assert.equal((await rows(metadata))[0]?.detail, '{"secret":"mrcs_…"}');
      assert.equal((await verify()).ok, true);
    });

    test("verifying while events are appended finds no fault", async () => {
      await fill(50);
      let done = false;
      const writing = fill(100).then(() => (done = true));
      while (!done) {
        assert.equal((await verify()).ok, true);
        await nextTurn();
      }
      await writing;
    });

    test("a chain longer than a page is verified completely", async () => {
      await metadata.write(async (tx) => {
        for (let i = 0; i < 1001; i++) await appendAudit({ metadata, clock }, tx, EVENT);
      });
      assert.deepEqual([(await verify()).ok, (await verify()).entries], [true, 1001]);
      const seqs: number[] = [];
      for await (const row of exportAudit({ metadata }, ORG, {}, new AbortController().signal)) seqs.push(row.seq);
      assert.deepEqual(
        seqs,
        Array.from({ length: 1001 }, (_, i) => i + 1),
      );
    });

    test("filters and cursors", async () => {
      await append({ ...EVENT, action: "project.create", target: { kind: "project", id: "proj_1" } });
      await append({ ...EVENT, action: "project.delete", actor: { kind: "person", id: "user_1" } });
      await append({ ...EVENT, action: "projection.make" });
      const actions = async (filters: Parameters<typeof listAudit>[2]): Promise<string[]> =>
        (await listAudit({ metadata }, ORG, filters, { limit: 10 })).items.map((row) => row.action);
      assert.deepEqual(await actions({ action: "project." }), ["project.delete", "project.create"]);
      assert.deepEqual(await actions({ action: "project.create" }), ["project.create"]);
      assert.deepEqual(await actions({ actorId: "user_1" }), ["project.delete"]);
      assert.deepEqual(await actions({ targetId: "proj_1" }), ["project.create"]);
      assert.deepEqual(await actions({ fromMs: clock.nowMs() + 1000 }), []);
      await append({ ...EVENT, action: "token.refuse", result: "denied", requestId: "req_1" });
      await append({ ...EVENT, action: "project.fail", result: "failure", requestId: "req_1" });
      assert.deepEqual(await actions({ result: "denied" }), ["token.refuse"]);
      assert.deepEqual(await actions({ requestId: "req_1" }), ["project.fail", "token.refuse"]);
      assert.deepEqual(await actions({ requestId: "req_1", result: "denied", action: "project." }), []);
      const first = await listAudit({ metadata }, ORG, {}, { limit: 2 });
      const second = await listAudit({ metadata }, ORG, {}, { limit: 3, cursor: first.nextCursor ?? "" });
      assert.deepEqual(
        [...first.items, ...second.items].map((row) => row.seq),
        [5, 4, 3, 2, 1],
      );
      assert.equal(second.nextCursor, null);
    });

    test("a range of times has exactly its rows, though one clock is behind another", async () => {
      const day = 24 * 60 * 60 * 1000;
      const times = [0, 1, 2, 10, 9.9, 10.1, 20, 30].map((days) => days * day);
      for (const at of times)
        await metadata.write((tx) => appendAudit({ metadata, clock: { nowMs: () => at } }, tx, EVENT));
      const seqs = async (filters: { fromMs?: number; toMs?: number }): Promise<number[]> => {
        const listed = (await listAudit({ metadata }, ORG, filters, { limit: 10 })).items.map((row) => row.seq);
        const exported: number[] = [];
        const { signal } = new AbortController();
        for await (const row of exportAudit({ metadata }, ORG, filters, signal)) exported.unshift(row.seq);
        assert.deepEqual(listed, exported);
        return listed;
      };
      assert.deepEqual(await seqs({ fromMs: 10 * day, toMs: 20 * day }), [6, 4]);
      assert.deepEqual(await seqs({ fromMs: 9 * day, toMs: 10 * day }), [5]);
      assert.deepEqual(await seqs({ fromMs: 30 * day }), [8]);
      assert.deepEqual(await seqs({ toMs: day }), [1]);
      assert.deepEqual(await seqs({ fromMs: 3 * day, toMs: 4 * day }), []);
    });

    describe("tampering", () => {
      const CASES: Record<
        string,
        { tamper: (tx: Writer, all: AuditRow[]) => Promise<unknown>; fault: string; seq: number }
      > = {
        "an entry is removed": { tamper: (tx) => remove(tx, [3]), fault: "gap", seq: 4 },
        "the first entry is removed": { tamper: (tx) => remove(tx, [1]), fault: "gap", seq: 2 },
        "the last entries are removed": { tamper: (tx) => remove(tx, [5, 6]), fault: "truncated", seq: 5 },
        "every entry is removed": { tamper: (tx) => remove(tx, [1, 2, 3, 4, 5, 6]), fault: "truncated", seq: 1 },
        "two entries have changed places": {
          tamper: async (tx) => {
            await change(tx, 3, { seq: 99 });
            await change(tx, 4, { seq: 3 });
            await change(tx, 99, { seq: 4 });
          },
          fault: "unlinked",
          seq: 3,
        },
        "an entry is edited and hashed again": {
          tamper: async (tx, all) => {
            const row = all[2];
            assert.ok(row !== undefined);
            const edited = { ...row, action: "thing.other" };
            await change(tx, 3, { action: edited.action, hash: hashOf(edited) });
          },
          fault: "unlinked",
          seq: 4,
        },
        "the last entry is edited and hashed again": {
          tamper: async (tx, all) => {
            const row = all[5];
            assert.ok(row !== undefined);
            await change(tx, 6, { action: "thing.other", hash: hashOf({ ...row, action: "thing.other" }) });
          },
          fault: "edited",
          seq: 6,
        },
        "an entry is added at the end": {
          tamper: (tx, all) => {
            const row = all[5];
            assert.ok(row !== undefined);
            return tx
              .insertInto("audit")
              .values({ ...row, seq: 7, id: "aud_new", prev_hash: row.hash })
              .execute();
          },
          fault: "edited",
          seq: 7,
        },
        "the record of the last entry is removed": {
          tamper: (tx) => tx.deleteFrom("audit_head").execute(),
          fault: "head",
          seq: 6,
        },
        "the record of the last entry is set back": {
          tamper: (tx, all) =>
            tx
              .updateTable("audit_head")
              .set({ seq: 4, hash: all[3]?.hash ?? "" })
              .execute(),
          fault: "head",
          seq: 6,
        },
      };
      const EDITS: Record<string, Partial<Tables["audit"]>> = {
        id: { id: "aud_other" },
        at: { at: 1 },
        actor_kind: { actor_kind: "person" },
        actor_id: { actor_id: "user_other" },
        action: { action: "thing.other" },
        target_kind: { target_kind: "other" },
        target_id: { target_id: "other" },
        result: { result: "denied" },
        ip: { ip: "192.0.2.1" },
        request_id: { request_id: "req_other" },
        detail: { detail: "{}" },
        hash: { hash: "f".repeat(64) },
      };
      for (const [column, edit] of Object.entries(EDITS)) {
        CASES[`${column} edited`] = { tamper: (tx) => change(tx, 3, edit), fault: "edited", seq: 3 };
      }

      for (const [title, { tamper, fault, seq }] of Object.entries(CASES)) {
        test(title, async () => {
          await metadata.write((tx) => tx.insertInto("organization").values(ORGANIZATION).execute());
          await fill(6);
          const all = await rows(metadata);
          await metadata.write((tx) => tamper(tx, all));
          const verdict = await verify();
          assert.ok(!verdict.ok, "the fault was not found");
          assert.deepEqual([verdict.fault, verdict.seq], [fault, seq], verdict.detail);
        });

        test(`${title}, repaired`, async () => {
          await metadata.write((tx) => tx.insertInto("organization").values(ORGANIZATION).execute());
          await fill(6);
          const all = await rows(metadata);
          await metadata.write((tx) => tamper(tx, all));
          const damaged = await rows(metadata);
          const { findings, entries } = await repairAudit({ metadata, clock }, ORG);
          assert.ok(findings.some((finding) => finding.fault === fault));
          const repaired = await rows(metadata);
          assert.deepEqual(repaired.slice(0, damaged.length), damaged, "no entry was changed or removed");
          assert.deepEqual(
            repaired.slice(damaged.length).map(({ action, seq: number }) => [action, number]),
            [["audit.repair", entries[0]]],
          );
          const verdict = await verify();
          assert.ok(verdict.ok, JSON.stringify(verdict));
          const [declared] = verdict.declared.filter((one) => one.fault === fault);
          assert.deepEqual(
            [declared?.entry, declared?.detail],
            [entries[0], findings.find((one) => one.fault === fault)?.detail],
          );
          await fill(2);
          assert.ok((await verify()).ok, "the query continues");
          assert.deepEqual(await repairAudit({ metadata, clock }, ORG), { findings: [], entries: [] });
          // A later change can't hide behind the declared fault.
          await metadata.write((tx) => change(tx, entries[0] ?? 0, { detail: "{}" }));
          assert.ok(!(await verify()).ok);
        });
      }

      test("a change at a declared place is another fault", async () => {
        await fill(6);
        await metadata.write((tx) => change(tx, 3, { action: "thing.other" }));
        await repairAudit({ metadata, clock }, ORG);
        assert.ok((await verify()).ok);
        await metadata.write((tx) => change(tx, 3, { action: "thing.third" }));
        const verdict = await verify();
        assert.deepEqual(verdict.ok ? null : [verdict.fault, verdict.seq], ["edited", 3]);
      });

      test("a head behind its rows makes every append fail until it is repaired", async () => {
        await fill(6);
        const all = await rows(metadata);
        await metadata.write((tx) =>
          tx
            .updateTable("audit_head")
            .set({ seq: 4, hash: all[3]?.hash ?? "" })
            .execute(),
        );
        await assert.rejects(fill(1), (error) => isUniqueViolation(error, "audit", ["org_id", "seq"]));
        const { findings } = await repairAudit({ metadata, clock }, ORG);
        assert.deepEqual(
          findings.map(({ fault, from, to }) => [fault, from, to]),
          [["head", 5, 6]],
        );
        await fill(3);
        const verdict = await verify();
        assert.ok(verdict.ok && verdict.declared.length === 1, JSON.stringify(verdict));
      });

      test("the repair of a log with many faults adds several entries", async () => {
        await fill(250);
        await metadata.write((tx) =>
          tx.updateTable("audit").set({ action: "thing.other" }).where("org_id", "=", ORG).execute(),
        );
        const { findings, entries } = await repairAudit({ metadata, clock }, ORG);
        assert.deepEqual([findings.length, entries], [250, [251, 252, 253]]);
        const verdict = await verify();
        assert.equal(verdict.ok && verdict.declared.length, 250);
      });

      test("a valid log is left alone", async () => {
        await fill(3);
        assert.deepEqual(await repairAudit({ metadata, clock }, ORG), { findings: [], entries: [] });
        assert.equal((await rows(metadata)).length, 3);
      });

      test("a log that is missing together with its head is reported", async () => {
        await fill(2);
        await metadata.write(async (tx) => {
          await tx.insertInto("organization").values(ORGANIZATION).execute();
          await tx.deleteFrom("audit").execute();
          await tx.deleteFrom("audit_head").execute();
        });
        const verdict = await verify();
        assert.deepEqual(verdict.ok ? null : verdict.fault, "truncated");
      });
    });
  });
}

async function rows(metadata: MetadataStore): Promise<AuditRow[]> {
  return metadata.read.selectFrom("audit").selectAll().where("org_id", "=", ORG).orderBy("seq").execute();
}

function remove(tx: Writer, seqs: number[]): Promise<unknown> {
  return tx.deleteFrom("audit").where("org_id", "=", ORG).where("seq", "in", seqs).execute();
}

function change(tx: Writer, seq: number, set: Partial<Tables["audit"]>): Promise<unknown> {
  return tx.updateTable("audit").set(set).where("org_id", "=", ORG).where("seq", "=", seq).execute();
}
