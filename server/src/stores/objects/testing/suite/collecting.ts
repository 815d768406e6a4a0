import assert from "node:assert/strict";
import { PassThrough } from "node:stream";
import { contentOf, keep, LIMIT, linkNow, MIB, readAll, unlinkNow } from "../store.ts";
import {
  assertNothingLeft,
  GRACE_MS,
  LARGE,
  problem,
  rowCount,
  storedIds,
  waitUntil,
  type ObjectCases,
} from "./harness.ts";

export const COLLECTING: ObjectCases = {
  "a blob is deleted after its last link was removed and the grace period is over": async (store, place) => {
    for (const size of [10, LARGE]) {
      const id = await keep(store, contentOf(1, size));
      await linkNow(store, id);
      await unlinkNow(store, id);
      store.clock.advance(GRACE_MS + 1);
      assert.equal((await store.objects.collect()).blobs, 0, "one link is left");
      await unlinkNow(store, id);
      assert.deepEqual(await store.objects.collect(), { blobs: 0, bytes: 0 });
      store.clock.advance(GRACE_MS);
      assert.equal((await store.objects.collect()).blobs, 0, "the grace period is not over");
      store.clock.advance(1);
      assert.deepEqual(await store.objects.collect(), { blobs: 1, bytes: size });
      await assertNothingLeft(store, place);
    }
  },

  "the unlinked blobs of one organization are deleted at once, and linked ones are counted": async (store, place) => {
    const [gone, linked] = [await keep(store, contentOf(5, LARGE)), await keep(store, contentOf(6, 10))];
    await unlinkNow(store, gone);
    assert.equal(await store.objects.forgetOrganization("org_b"), 0);
    assert.deepEqual(await rowCount(store), 2, "those of another organization stay");
    assert.equal(await store.objects.forgetOrganization("org_a"), 1, "one is linked");
    await unlinkNow(store, linked);
    assert.equal(await store.objects.forgetOrganization("org_a"), 0);
    await assertNothingLeft(store, place);
  },

  "a blob that is linked again in the grace period is kept": async (store) => {
    const id = await keep(store, contentOf(2, LARGE));
    await unlinkNow(store, id);
    store.clock.advance(GRACE_MS);
    await linkNow(store, id);
    store.clock.advance(GRACE_MS);
    assert.equal((await store.objects.collect()).blobs, 0);
    assert.equal((await readAll(store, id)).length, LARGE);
  },

  "unlinking more often than linking is refused": async (store) => {
    const id = await keep(store, contentOf(3, LARGE));
    await assert.rejects(unlinkNow(store, id, id), /is not linked/);
    await linkNow(store, id);
    await unlinkNow(store, id, id);
    await assert.rejects(unlinkNow(store, id), /is not linked/);
  },

  "a staged blob that is never linked is deleted, and can't be linked any more": async (store, place) => {
    const staged = await store.objects.write("org_a", contentOf(4, LARGE), LIMIT);
    store.clock.advance(GRACE_MS - 1000);
    assert.equal((await store.objects.collect()).blobs, 0);
    assert.deepEqual(await storedIds(store), [staged.id]);
    store.clock.advance(1001);
    assert.equal((await store.objects.collect()).blobs, 1);
    await assertNothingLeft(store, place);
    await assert.rejects(linkNow(store, staged), problem("unavailable"));
  },

  "a write that takes longer than the grace period is not deleted": async (store) => {
    const input = new PassThrough({ highWaterMark: 8 * MIB });
    const writing = store.objects.write("org_a", input, LIMIT);
    input.write(contentOf(5, 2 * MIB));
    await waitUntil(async () => (await rowCount(store)) === 1, "the start of the write");
    for (let hours = 0; hours < 3; hours++) {
      store.clock.advance(GRACE_MS + 1);
      assert.equal((await store.objects.collect()).blobs, 0);
    }
    input.end(contentOf(6, 10));
    const staged = await writing;
    await linkNow(store, staged);
    assert.equal((await readAll(store, staged.id)).length, 2 * MIB + 10);
  },

  "unlinking and linking at the same time leave the right count": async (store) => {
    const id = await keep(store, contentOf(7, LARGE));
    await Promise.all(Array.from({ length: 40 }, () => linkNow(store, id)));
    await Promise.all([
      ...Array.from({ length: 40 }, () => unlinkNow(store, id)),
      ...Array.from({ length: 20 }, () => linkNow(store, id)),
    ]);
    const { refs } = await store.metadata.read.selectFrom("blob").select("refs").executeTakeFirstOrThrow();
    assert.equal(refs, 21);
  },

  "a blob is either linked again or collected, never both": async (store) => {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, i) => keep(store, contentOf(i, LARGE))));
    await unlinkNow(store, ...ids);
    store.clock.advance(GRACE_MS + 1);
    const collecting = store.objects.collect();
    const linked = await Promise.allSettled(ids.map((id) => linkNow(store, id)));
    await collecting;
    for (const [i, id] of ids.entries()) {
      if (linked[i]?.status === "fulfilled") assert.ok((await readAll(store, id)).equals(contentOf(i, LARGE)));
      else await assert.rejects(store.objects.open("org_a", id), problem("not_found"));
    }
    const kept = linked.filter(({ status }) => status === "fulfilled").length;
    assert.equal((await storedIds(store)).length, kept);
  },

  "1,000 blobs are collected in one run": async (store, place) => {
    const ids: string[] = [];
    // No more concurrent changes than the records accept.
    for (let first = 0; first < 1000; first += 50)
      ids.push(
        ...(await Promise.all(
          Array.from({ length: 50 }, (_, i) => keep(store, contentOf(first + i, i % 10 === 0 ? 40_000 : 10))),
        )),
      );
    await unlinkNow(store, ...ids);
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await store.objects.collect()).blobs, 1000);
    await assertNothingLeft(store, place);
  },
};
