import assert from "node:assert/strict";
import { sql } from "kysely";
import type { StoreCases } from "./harness.ts";
import { ROWS } from "./rows.ts";

/** Values as written and as read. */
export const VALUES: StoreCases = {
  "a read returns the written values": async (store) => {
    const bytes = Uint8Array.from({ length: 1024 }, (_, index) => index % 256);
    const texts = ["", "ünïcödé 漢字 🚢", "line\nquote ' \" \\ $1 ?", "x".repeat(1024 * 1024)];
    const integers = [0, -1, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER];
    for (const [index, text] of texts.entries()) {
      const row = {
        ...ROWS.signing_key,
        kid: `kid_${index}`,
        public_jwk: text,
        private_key: bytes,
        created_at: integers[index] ?? 0,
        retired_at: null,
      };
      await store.write((tx) => tx.insertInto("signing_key").values(row).execute());
      assert.deepEqual(
        await store.read.selectFrom("signing_key").selectAll().where("kid", "=", row.kid).executeTakeFirst(),
        row,
      );
      await store.write(async (tx) => {
        assert.deepEqual(
          await tx.selectFrom("signing_key").selectAll().where("kid", "=", row.kid).executeTakeFirst(),
          row,
        );
      });
    }
  },

  "text is sorted by bytes, and counts and sums are numbers": async (store) => {
    const ids = ["Z", "a", "B", "é", "a-b", "aa", "_"];
    await store.write(async (tx) => {
      for (const id of ids)
        await tx
          .insertInto("node")
          .values({ ...ROWS.node, id, applied_seq: 2 })
          .execute();
    });
    const rows = await store.read.selectFrom("node").select("id").orderBy("id").execute();
    assert.deepEqual(
      rows.map((row) => row.id),
      ["B", "Z", "_", "a", "a-b", "aa", "é"],
    );
    const { rows: totals } = await sql`select count(*) as n, sum(applied_seq) as total from node`.execute(store.read);
    assert.deepEqual(totals, [{ n: 7, total: 14 }]);
  },

  "a text with NUL, which a client can send, matches nothing and causes no error": async (store) => {
    const named = { ...ROWS.node, id: "a\0b" };
    assert.deepEqual(await store.read.selectFrom("node").selectAll().where("id", "=", named.id).execute(), []);
    await store.write(async (tx) => {
      await tx.insertInto("node").values(named).execute();
      assert.equal((await tx.selectFrom("node").select("id").where("id", "=", named.id).execute()).length, 1);
    });
  },

  "a value of another type is refused": async (store) => {
    const row = { ...ROWS.node, applied_seq: "many" as unknown as number };
    await assert.rejects(store.write((tx) => tx.insertInto("node").values(row).execute()));
  },
};
