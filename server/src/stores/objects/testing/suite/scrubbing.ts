import { timeToDelete } from "#kernel/testing.ts";
import assert from "node:assert/strict";
import { sql } from "kysely";
import { newId } from "#kernel/ids.ts";
import { scrub } from "../../scrub/index.ts";
import { contentOf, keep, LIMIT, linkNow, MIB, readAll, unlinkNow, nth } from "../store.ts";
import {
  dropThing,
  findings,
  GRACE_MS,
  keepThing,
  LARGE,
  makeThings,
  named,
  readThing,
  THINGS,
  type ObjectCases,
} from "./harness.ts";

export const SCRUBBING: ObjectCases = {
  "an intact store has no findings, also with staged and idle blobs": async (store) => {
    await makeThings(store);
    const large = await keepThing(store, "large", contentOf(1, 2 * MIB));
    const small = await keepThing(store, "small", contentOf(2, 100));
    await keepThing(store, "empty", contentOf(2, 0));
    await keepThing(store, "gone", contentOf(3, LARGE));
    await dropThing(store, "gone");
    await store.objects.write("org_a", contentOf(4, LARGE), { bytesMax: LARGE });
    await store.metadata.write(async (tx) => {
      const { id } = await store.objects.compose(tx, "org_a", [
        { blobId: large },
        { blobId: small },
        { blobId: large },
      ]);
      await sql`insert into thing values ('parts', 'org_a', ${id})`.execute(tx);
    });
    assert.deepEqual(await findings(store), []);
    store.clock.advance(GRACE_MS + 1);
    await store.objects.collect();
    assert.deepEqual(await findings(store), []);
  },

  "every missing, cut and altered blob is found, and nothing else": async (store, place) => {
    await makeThings(store);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await keepThing(store, `thing_${i}`, contentOf(i, LARGE)));
    const inline: string[] = [];
    for (let i = 0; i < 3; i++) inline.push(await keepThing(store, `small_${i}`, contentOf(i, 100)));
    await place.damage(nth(ids, 0), "remove");
    await place.damage(nth(ids, 1), "cut");
    await place.damage(nth(ids, 2), "alter");
    await store.metadata.write(async (tx) => {
      await tx.deleteFrom("blob_data").where("id", "=", nth(inline, 0)).execute();
      await tx
        .updateTable("blob_data")
        .set({ data: Buffer.alloc(100) })
        .where("id", "=", nth(inline, 1))
        .execute();
    });
    const expected = [`missing ${ids[0]}`, `missing ${ids[1]}`, `missing ${inline[0]}`, `altered ${inline[1]}`];
    assert.deepEqual(await named(store), [...expected, `altered ${ids[2]}`].toSorted());
    assert.deepEqual(await named(store, true), expected.toSorted(), "sizes only");
  },

  "stored content without a record is found": async (store, place) => {
    await makeThings(store);
    const id = newId("blob", store.clock.nowMs());
    await place.plant(id);
    await keepThing(store, "thing", contentOf(1, LARGE));
    assert.deepEqual(await named(store), [`orphan ${id}`]);
  },

  "orphans past the grace period are deleted on request, and nothing else": async (store, place) => {
    await makeThings(store);
    await keepThing(store, "thing", contentOf(1, LARGE));
    const nowMs = store.clock.nowMs();
    const [old, young] = [newId("blob", nowMs - GRACE_MS - 1), newId("blob", nowMs - GRACE_MS)];
    await place.plant(old);
    await place.plant(young);
    const staged = await store.objects.write("org_a", contentOf(2, LARGE), LIMIT);
    const deleted: string[] = [];
    const left: string[] = [];
    const totals = await scrub({
      metadata: store.metadata,
      driver: store.driver,
      references: [THINGS],
      quick: false,
      deleteOrphansBefore: timeToDelete(nowMs - GRACE_MS),
      deleted: (id) => deleted.push(id),
      found: ({ kind, what }) => left.push(`${kind} ${what}`),
    });
    assert.deepEqual([deleted, left, totals.deleted, totals.findings], [[old], [`orphan ${young}`], 1, 1]);
    await linkNow(store, staged);
    assert.equal((await readThing(store, "thing")).length, LARGE);
    assert.equal((await readAll(store, staged.id)).length, LARGE);
  },

  "rows that reference absent blobs, and blobs with a reference count that is too high, are found": async (store) => {
    await makeThings(store);
    const kept = await keepThing(store, "thing", contentOf(1, LARGE));
    const unheld = await keep(store, contentOf(2, LARGE));
    const foreign = await keep(store, contentOf(3, LARGE), "org_b");
    const gone = await keep(store, contentOf(4, 10));
    await unlinkNow(store, gone);
    store.clock.advance(GRACE_MS + 1);
    await store.objects.collect();
    await store.metadata.write(async (tx) => {
      await sql`insert into thing values ('second', 'org_a', ${kept})`.execute(tx);
      await sql`insert into thing values ('third', 'org_a', ${gone})`.execute(tx);
      await sql`insert into thing values ('fourth', 'org_a', ${foreign})`.execute(tx);
      await sql`insert into thing values ('none', 'org_a', null)`.execute(tx);
    });
    assert.deepEqual(
      await named(store),
      [`count ${kept}`, `count ${unheld}`, `dangling ${gone}`, `dangling ${foreign}`].toSorted(),
    );
  },

  "parts that do not fit their blob are found": async (store) => {
    await makeThings(store);
    const part = await keepThing(store, "part", contentOf(1, LARGE));
    const ids: string[] = [];
    for (let i = 0; i < 4; i++) {
      await store.metadata.write(async (tx) => {
        const { id } = await store.objects.compose(tx, "org_a", [{ blobId: part }, { blobId: part }]);
        await sql`insert into thing values (${`parts_${i}`}, 'org_a', ${id})`.execute(tx);
        ids.push(id);
      });
    }
    await store.metadata.write(async (tx) => {
      await tx.deleteFrom("blob_part").where("blob_id", "=", nth(ids, 0)).where("seq", "=", 1).execute();
      await tx
        .updateTable("blob_part")
        .set({ start: 1 })
        .where("blob_id", "=", nth(ids, 1))
        .where("seq", "=", 0)
        .execute();
      await tx
        .updateTable("blob_part")
        .set({ position: 9 })
        .where("blob_id", "=", nth(ids, 2))
        .where("seq", "=", 1)
        .execute();
    });
    assert.deepEqual(
      await named(store),
      ids
        .slice(0, 3)
        .map((id) => `parts ${id}`)
        .toSorted(),
    );
  },

  "a blob that is written, linked or deleted during the scrub is not a finding": async (store) => {
    await makeThings(store);
    let isScrubbing = true;
    const work = async (worker: number): Promise<void> => {
      for (let n = 0; isScrubbing; n++) {
        const name = `${worker}-${n}`;
        await keepThing(store, name, contentOf(n, n % 2 === 0 ? 40_000 : 10));
        if (n % 3 !== 0) await dropThing(store, name);
        store.clock.advance(GRACE_MS / 50);
        if (n % 5 === 0) await store.objects.collect();
      }
    };
    const working = [0, 1, 2, 3].map(work);
    for (let round = 0; round < 5; round++) assert.deepEqual(await findings(store), []);
    isScrubbing = false;
    await Promise.all(working);
    assert.deepEqual(await findings(store), []);
  },
};
