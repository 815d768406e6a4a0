import assert from "node:assert/strict";
import type { PartRange } from "../../types.ts";
import { contentOf, keep, LIMIT, linkNow, MIB, readAll, unlinkNow, type OpenObjects, nth } from "../store.ts";
import { GRACE_MS, LARGE, makeThings, named, problem, rowCount, type ObjectCases } from "./harness.ts";
import { rangesOf } from "./reading.ts";

async function compose({ objects, metadata }: OpenObjects, parts: readonly PartRange[]): Promise<string> {
  return (await metadata.write((tx) => objects.compose(tx, "org_a", parts))).id;
}

/** Creates a blob for each place, and returns their content in one piece. */
async function threeParts(store: OpenObjects): Promise<{ ids: [string, string, string]; whole: Buffer }> {
  const contents = [contentOf(1, LARGE), contentOf(2, 1000), contentOf(3, MIB + 1)] as const;
  const ids: [string, string, string] = [
    await keep(store, contents[0]),
    await keep(store, contents[1]),
    await keep(store, contents[2]),
  ];
  return { ids, whole: Buffer.concat(contents) };
}

export const PARTS: ObjectCases = {
  "a blob of parts reads as one, and so does each range of it": async (store) => {
    const { ids, whole } = await threeParts(store);
    const id = await compose(
      store,
      ids.map((blobId) => ({ blobId })),
    );
    assert.ok((await readAll(store, id)).equals(whole));
    const borders = [LARGE - 1, LARGE, LARGE + 1, LARGE + 999, LARGE + 1000, LARGE + 1001];
    const across = borders
      .flatMap((start) => borders.map((end) => ({ start, end })))
      .filter(({ start, end }) => start <= end);
    for (const range of [...rangesOf(whole.length), ...across]) {
      const read = await readAll(store, id, range);
      assert.ok(read.equals(whole.subarray(range.start, range.end)), `${range.start}-${range.end}`);
    }
  },

  "parts are ranges of blobs or of composed blobs, and keep their numbers": async (store) => {
    const { ids, whole } = await threeParts(store);
    const inner = await compose(
      store,
      ids.map((blobId) => ({ blobId })),
    );
    const outer = await compose(store, [
      { blobId: inner, range: { start: LARGE - 10, end: LARGE + 1010 }, number: 3 },
      { blobId: ids[1], range: { start: 5, end: 5 }, number: 5 },
      { blobId: ids[2], range: { start: 7, end: 20 }, number: 9 },
      { blobId: inner, number: 10 },
    ]);
    const expected = Buffer.concat([
      whole.subarray(LARGE - 10, LARGE + 1010),
      whole.subarray(LARGE + 1000 + 7, LARGE + 1000 + 20),
      whole,
    ]);
    assert.ok((await readAll(store, outer)).equals(expected));
    assert.deepEqual(await store.objects.parts("org_a", outer), [
      { number: 3, position: 0, length: 1020 },
      { number: 5, position: 1020, length: 0 },
      { number: 9, position: 1020, length: 13 },
      { number: 10, position: 1033, length: whole.length },
    ]);
    assert.deepEqual(await store.objects.parts("org_a", ids[0]), []);
  },

  "composing one whole blob returns that blob, and composing no parts an empty blob": async (store) => {
    const id = await keep(store, contentOf(1, LARGE));
    assert.equal(await compose(store, [{ blobId: id }]), id);
    const part = await compose(store, [{ blobId: id, range: { start: 0, end: LARGE - 1 } }]);
    assert.notEqual(part, id);
    const empty = await compose(store, []);
    assert.equal((await readAll(store, empty)).length, 0);
    assert.equal((await store.objects.open("org_a", empty)).size, 0);
  },

  "a part outside of its blob, a staged part and a missing part are refused": async (store) => {
    const id = await keep(store, contentOf(1, LARGE));
    const range = { start: 0, end: LARGE + 1 };
    await assert.rejects(compose(store, [{ blobId: id, range }]), RangeError);
    const staged = await store.objects.write("org_a", contentOf(2, LARGE), LIMIT);
    await assert.rejects(compose(store, [{ blobId: id }, { blobId: staged.id }]), problem("not_found"));
    await assert.rejects(compose(store, [{ blobId: id }, { blobId: "blob_none" }]), problem("not_found"));
    assert.equal(await rowCount(store), 2);
  },

  "parts are kept as long as the composed blob, and deleted after it": async (store) => {
    const { ids, whole } = await threeParts(store);
    const outer = await compose(
      store,
      [...ids, ...ids].map((blobId) => ({ blobId })),
    );
    await unlinkNow(store, ...ids);
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await store.objects.collect()).blobs, 0);
    assert.ok((await readAll(store, outer)).equals(Buffer.concat([whole, whole])));
    await unlinkNow(store, outer);
    assert.equal((await store.objects.collect()).blobs, 0);
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await store.objects.collect()).blobs, 4);
    assert.equal(await rowCount(store), 0);
  },

  "a part with other references is kept": async (store) => {
    const { ids, whole } = await threeParts(store);
    const inner = await compose(
      store,
      ids.map((blobId) => ({ blobId })),
    );
    const outer = await compose(store, [{ blobId: inner }, { blobId: ids[0] }]);
    await unlinkNow(store, ids[1], ids[2], inner);
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await store.objects.collect()).blobs, 1, "only the inner list");
    await unlinkNow(store, outer);
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await store.objects.collect()).blobs, 3);
    assert.ok((await readAll(store, ids[0])).equals(whole.subarray(0, LARGE)));
  },

  "10,000 parts: composed in one transaction, read in ranges, unlinked": async (store) => {
    const { objects, metadata } = store;
    await makeThings(store);
    const count = 10_000;
    const blob = contentOf(5, count);
    const small = await Promise.all(
      Array.from({ length: 100 }, (_, i) => objects.write("org_a", blob.subarray(i * 100, i * 100 + 100), LIMIT)),
    );
    for (const staged of small) await linkNow(store, staged);
    const parts = Array.from({ length: count }, (_, i) => ({
      blobId: nth(small, Math.floor(i / 100)).id,
      range: { start: i % 100, end: (i % 100) + 1 },
    }));
    const { id, size } = await metadata.write((tx) => objects.compose(tx, "org_a", parts));
    assert.equal(size, count);
    assert.ok((await readAll(store, id)).equals(blob));
    for (const range of rangesOf(count).slice(-5)) {
      assert.ok((await readAll(store, id, range)).equals(blob.subarray(range.start, range.end)));
    }
    assert.equal((await objects.parts("org_a", id)).length, count);
    await unlinkNow(store, id, ...small.map((staged) => staged.id));
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await objects.collect()).blobs, 101);
    assert.deepEqual(await named(store), []);
  },

  "ranges of a blob of 1,000 parts, and one part more than a blob may have": async (store) => {
    const id = await keep(store, contentOf(6, 1000));
    const bytes = Array.from({ length: 1000 }, (_, i) => ({ blobId: id, range: { start: i, end: i + 1 } }));
    const inner = await compose(store, bytes);
    // Each range begins and ends in the middle of its part.
    const ranges = Array.from({ length: 20 }, (_, i) => ({ blobId: inner, range: { start: 40 * i, end: 41 * i } }));
    const outer = await compose(store, ranges);
    const whole = await readAll(store, id);
    const expected = Buffer.concat(ranges.map(({ range }) => whole.subarray(range.start, range.end)));
    assert.ok((await readAll(store, outer)).equals(expected));
    const most = Array.from({ length: 200 }, () => ({ blobId: inner }));
    const before = await rowCount(store);
    await assert.rejects(compose(store, [...most, { blobId: inner }]), problem("invalid_request"));
    assert.equal(await rowCount(store), before);
    const { size } = await store.objects.open("org_a", await compose(store, most));
    assert.equal(size, 200_000);
  },
};
