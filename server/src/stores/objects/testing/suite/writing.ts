import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { DIGEST_ALGORITHMS } from "../../digests.ts";
import { DigestMismatch, SizeMismatch, TooLarge } from "../../errors.ts";
import type { WriteOptions } from "../../types.ts";
import { contentOf, keep, KIB, LIMIT, linkNow, MIB, piecesOf, readAll, type OpenObjects, nth } from "../store.ts";
import { assertNothingLeft, LARGE, problem, rowCount, storedIds, waitUntil, type ObjectCases } from "./harness.ts";

/** Sizes around the limits: inline or not, one gathered write or two. */
const SIZES = [0, 1, 32 * KIB, 32 * KIB + 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 5];

function sha256(content: Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

async function refused(store: OpenObjects, size: number, options: Partial<WriteOptions>): Promise<unknown> {
  const content = contentOf(size, size);
  return store.objects.write("org_a", Readable.from(piecesOf(content)), { ...LIMIT, ...options }).then(
    () => assert.fail(`${size} bytes were accepted`),
    (error: unknown) => error,
  );
}

export const WRITING: ObjectCases = {
  "content of every size is read as it was written, from each kind of input": async (store) => {
    for (const size of SIZES) {
      const content = contentOf(size, size);
      for (const input of [content, Readable.from(piecesOf(content)), piecesOf(content, 9)]) {
        if (!(input instanceof Uint8Array) && !(input instanceof Readable) && size > MIB) continue; // small pieces take long for this content
        const staged = await store.objects.write("org_a", input, { ...LIMIT, size });
        assert.equal(staged.size, size);
        assert.equal(staged.sha256, sha256(content));
        await linkNow(store, staged);
        assert.ok((await readAll(store, staged.id)).equals(content), `${size} bytes differ`);
      }
    }
  },

  "every digest is computed as asked, and verified as expected": async (store) => {
    const expected = {
      md5: "25f9e794323b453885f5181f1b624d0b",
      sha1: "f7c3bc1d808e04732adf679965ccc34ca7ae3441",
      sha256: "15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225",
      crc32: "cbf43926",
      crc32c: "e3069283",
      crc64nvme: "ae8b14860a799888",
    };
    const input = Readable.from([Buffer.from("12345"), Buffer.from("6789")]);
    const staged = await store.objects.write("org_a", input, { ...LIMIT, digests: DIGEST_ALGORITHMS, expected });
    const { sha512, ...others } = { ...staged.digests, sha256: staged.sha256 };
    assert.deepEqual(others, expected);
    assert.match(sha512 ?? "", /^d9e6762dd1c8eaf6d61b3c6192fc408d4d6d5f1176d0c29169bc24e71c3f274a/);
  },

  "large content waits after each piece as its pace says, and an abort ends the wait": async (store) => {
    const taken: number[] = [];
    const size = 3 * MIB + 5;
    const pace = { waitMs: (bytes: number) => taken.push(bytes) };
    const content = contentOf(size, size);
    const staged = await store.objects.write("org_a", Readable.from(piecesOf(content)), { ...LIMIT, size, pace });
    assert.equal(staged.sha256, sha256(content));
    const waited = taken.reduce((sum, bytes) => sum + bytes, 0);
    assert.ok(taken.length >= 2 && waited < size, "the first piece is written before the first wait");
    await store.objects.discard(staged);
    const controller = new AbortController();
    const reason = new Error("went away");
    const forever = {
      waitMs: () => {
        controller.abort(reason);
        return 3_600_000;
      },
    };
    assert.equal(await refused(store, size, { pace: forever, signal: controller.signal }), reason);
  },

  "a wrong digest of any kind, for small and large content, is refused and leaves nothing": async (store, place) => {
    for (const algorithm of DIGEST_ALGORITHMS) {
      for (const size of [10, LARGE]) {
        const error = await refused(store, size, { expected: { [algorithm]: "00" } });
        assert.ok(error instanceof DigestMismatch && error.algorithm === algorithm, String(error));
      }
    }
    await assertNothingLeft(store, place);
  },

  "the size limit is exact to the byte, with and without an announced size": async (store, place) => {
    for (const limit of [0, 1, 32 * KIB, LARGE, 2 * MIB]) {
      const over = await refused(store, limit + 1, { bytesMax: limit });
      assert.ok(over instanceof TooLarge && over.code === "body_too_large" && over.bytesMax === limit, String(over));
      assert.ok((await refused(store, 0, { bytesMax: limit, size: limit + 1 })) instanceof TooLarge);
      await assertNothingLeft(store, place);
    }
    const staged = await store.objects.write("org_a", contentOf(1, LARGE), { bytesMax: LARGE });
    assert.equal(staged.size, LARGE);
  },

  "content that is too large is refused before the rest of it has arrived": async (store, place) => {
    const input = new PassThrough();
    const writing = store.objects.write("org_a", input, { bytesMax: LARGE });
    input.write(contentOf(1, LARGE + 1));
    await assert.rejects(writing, TooLarge);
    assert.equal(input.destroyed, false, "the sender can still get an answer");
    input.destroy(new Error("the connection broke"));
    await assertNothingLeft(store, place);
  },

  "one byte more or less than announced is refused": async (store, place) => {
    for (const size of [1, 32 * KIB, LARGE, MIB]) {
      for (const announced of [size - 1, size + 1]) {
        assert.ok(
          (await refused(store, size, { size: announced })) instanceof SizeMismatch,
          `${size} for ${announced}`,
        );
      }
    }
    await assertNothingLeft(store, place);
  },

  "an aborted write rejects with the signal's reason and leaves nothing": async (store, place) => {
    for (const sent of [0, 10, LARGE, 3 * MIB]) {
      const input = new PassThrough({ highWaterMark: 8 * MIB });
      const abort = new AbortController();
      const writing = store.objects.write("org_a", input, { ...LIMIT, signal: abort.signal });
      input.write(contentOf(2, sent));
      if (sent > 2 * MIB) await waitUntil(async () => (await rowCount(store)) === 1, "the start of the write");
      const reason = new Error("enough");
      abort.abort(reason);
      await assert.rejects(writing, reason);
      await assertNothingLeft(store, place);
    }
    await assert.rejects(store.objects.write("org_a", contentOf(1, 9), { ...LIMIT, signal: AbortSignal.abort() }));
  },

  "broken input rejects with its error, and input that ends early is refused": async (store, place) => {
    for (const sent of [10, 2 * MIB]) {
      const broken = new PassThrough({ highWaterMark: 8 * MIB });
      const writing = store.objects.write("org_a", broken, LIMIT);
      broken.write(contentOf(3, sent));
      broken.destroy(new Error("the connection broke"));
      await assert.rejects(writing, /the connection broke/);
      const closed = new PassThrough();
      const second = store.objects.write("org_a", closed, LIMIT);
      closed.destroy();
      await assert.rejects(second, { code: "ERR_STREAM_PREMATURE_CLOSE" });
    }
    const failing = async function* (): AsyncGenerator<Uint8Array> {
      yield contentOf(1, LARGE);
      throw new Error("the source failed");
    };
    await assert.rejects(store.objects.write("org_a", failing(), LIMIT), /the source failed/);
    await assertNothingLeft(store, place);
  },

  "a staged blob can't be read, and counts when the caller's transaction commits": async (store) => {
    for (const size of [10, LARGE]) {
      const staged = await store.objects.write("org_a", contentOf(4, size), LIMIT);
      await assert.rejects(store.objects.open("org_a", staged.id), problem("not_found"));
      const rolledBack = store.metadata.write(async (tx) => {
        await store.objects.link(tx, "org_a", staged);
        throw new Error("undo");
      });
      await assert.rejects(rolledBack, /undo/);
      await assert.rejects(store.objects.open("org_a", staged.id), problem("not_found"));
      await linkNow(store, staged);
      assert.equal((await readAll(store, staged.id)).length, size);
    }
  },

  "discard deletes a staged blob, and not a linked one": async (store, place) => {
    for (const size of [10, LARGE]) {
      await store.objects.discard(await store.objects.write("org_a", contentOf(5, size), LIMIT));
      await assertNothingLeft(store, place);
    }
    const staged = await store.objects.write("org_a", contentOf(6, LARGE), LIMIT);
    await linkNow(store, staged);
    await store.objects.discard(staged);
    assert.equal((await readAll(store, staged.id)).length, LARGE);
    assert.deepEqual(await storedIds(store), [staged.id]);
  },

  "another organization cannot use this one's blobs": async (store) => {
    const { objects, metadata } = store;
    for (const size of [10, LARGE]) {
      const staged = await objects.write("org_a", contentOf(7, size), LIMIT);
      await assert.rejects(
        metadata.write((tx) => objects.link(tx, "org_b", staged)),
        problem("not_found"),
      );
      await linkNow(store, staged);
      const id = staged.id;
      await assert.rejects(objects.open("org_b", id), problem("not_found"));
      await assert.rejects(objects.parts("org_b", id), problem("not_found"));
      await assert.rejects(
        metadata.write((tx) => objects.link(tx, "org_b", id)),
        problem("not_found"),
      );
      await assert.rejects(
        metadata.write((tx) => objects.unlink(tx, "org_b", [id])),
        /is not linked/,
      );
      const parts = [{ blobId: id }, { blobId: id }];
      await assert.rejects(
        metadata.write((tx) => objects.compose(tx, "org_b", parts)),
        problem("not_found"),
      );
      assert.equal((await readAll(store, id)).length, size);
    }
  },

  "chunks that the store owns are written before their memory is freed": async (store) => {
    const content = contentOf(8, 20 * MIB);
    const pieces = async function* (): AsyncGenerator<Uint8Array> {
      for await (const piece of piecesOf(content, 700_000)) yield Uint8Array.from(piece);
    };
    const staged = await store.objects.write("org_a", pieces(), { ...LIMIT, ownsChunks: true });
    await linkNow(store, staged);
    assert.ok((await readAll(store, staged.id)).equals(content));
  },

  "100 writes at once, some of them refused": async (store) => {
    const writes = Array.from({ length: 100 }, async (_, i) => {
      const content = contentOf(i, (i * 7919) % 200_000);
      const options = i % 5 === 0 ? { ...LIMIT, expected: { md5: "00" } } : LIMIT;
      const staged = await store.objects.write("org_a", Readable.from(piecesOf(content)), options);
      await linkNow(store, staged);
      return { id: staged.id, content };
    });
    const kept = (await Promise.allSettled(writes)).flatMap((result) =>
      result.status === "fulfilled" ? [result.value] : [],
    );
    assert.equal(kept.length, 80);
    for (const { id, content } of kept) assert.ok((await readAll(store, id)).equals(content));
    assert.equal(await rowCount(store), 80);
    assert.equal((await storedIds(store)).length, kept.filter(({ content }) => content.length > 32 * KIB).length);
  },

  "blobs can be read after the store was closed and opened again": async (store, place) => {
    const content = [contentOf(8, 100), contentOf(9, LARGE)];
    const ids = [await keep(store, nth(content, 0)), await keep(store, nth(content, 1))];
    await store.close();
    const again = await place.open();
    for (const [i, id] of ids.entries()) assert.ok((await readAll(again, id)).equals(nth(content, i)));
    await again.close();
  },
};
