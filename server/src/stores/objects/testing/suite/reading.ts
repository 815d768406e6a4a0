import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, get, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { BlobDamaged } from "../../errors.ts";
import type { ByteRange } from "../../types.ts";
import { collected, contentOf, keep, KIB, MIB, readAll, unlinkNow, type OpenObjects, nth } from "../store.ts";
import { GRACE_MS, LARGE, problem, waitUntil, type ObjectCases } from "./harness.ts";

/** Returns ranges near the edges, and some in between that are the same in each run. */
export function rangesOf(size: number): ByteRange[] {
  const edges = [0, 1, 2, Math.floor(size / 2), size - 1, size].filter((at) => at >= 0 && at <= size);
  const pairs = edges.flatMap((start) => edges.filter((end) => end >= start).map((end) => ({ start, end })));
  const others = Array.from({ length: 20 }, (_, i) => {
    const start = (i * 104_729) % (size + 1);
    return { start, end: start + ((i * 15_485_863) % (size - start + 1)) };
  });
  return [...pairs, ...others];
}

/** Serves one blob, and returns the result of `pipeTo`. */
async function serving(
  store: OpenObjects,
  id: string,
): Promise<AsyncDisposable & { url: string; piped: Promise<void> }> {
  const piped = Promise.withResolvers<void>();
  piped.promise.catch(() => {});
  const answer = async (response: ServerResponse): Promise<void> => {
    const reader = await store.objects.open("org_a", id);
    response.writeHead(200, { "content-length": reader.length });
    await reader.pipeTo(response);
  };
  const server = createServer((_request, response) => void answer(response).then(piped.resolve, piped.reject));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const dispose = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { url, piped: piped.promise, [Symbol.asyncDispose]: dispose };
}

async function fetched(url: string): Promise<IncomingMessage> {
  const [response] = (await once(get(url), "response")) as [IncomingMessage];
  return response;
}

export const READING: ObjectCases = {
  "every range returns the bytes of that range": async (store) => {
    for (const size of [0, 1, 5000, LARGE, 2 * MIB + 7]) {
      const content = contentOf(size, size);
      const id = await keep(store, content);
      for (const range of rangesOf(size)) {
        const read = await readAll(store, id, range);
        assert.ok(read.equals(content.subarray(range.start, range.end)), `${range.start}-${range.end} of ${size}`);
      }
    }
  },

  "a range outside of the blob is a RangeError": async (store) => {
    const id = await keep(store, contentOf(1, LARGE));
    const outside = [
      { start: -1, end: 5 },
      { start: 0, end: LARGE + 1 },
      { start: 5, end: 4 },
      { start: 0.5, end: 4 },
      { start: 0, end: Number.NaN },
    ];
    for (const range of outside) await assert.rejects(store.objects.open("org_a", id, { range }), RangeError);
  },

  "an absent blob is not found": async (store) => {
    await assert.rejects(store.objects.open("org_a", "blob_01jd0000000000000000000000"), problem("not_found"));
    await assert.rejects(store.objects.open("org_a", "../../etc/passwd"), problem("not_found"));
  },

  "a response gets all bytes, small and large": async (store) => {
    for (const size of [0, 10, 32 * KIB, LARGE, 5 * MIB + 3]) {
      const content = contentOf(size, size);
      await using served = await serving(store, await keep(store, content));
      const body = Buffer.concat(await collected(await fetched(served.url)));
      assert.ok(body.equals(content), `${size} bytes differ`);
      await served.piped;
    }
  },

  "when the client disconnects, reading stops and the blob's pin is removed": async (store) => {
    const id = await keep(store, contentOf(2, 24 * MIB));
    await using served = await serving(store, id);
    const response = await fetched(served.url);
    await once(response, "readable");
    response.destroy();
    await assert.rejects(served.piped, { code: "ERR_STREAM_PREMATURE_CLOSE" });
    await unlinkNow(store, id);
    store.clock.advance(GRACE_MS + 1);
    assert.equal((await store.objects.collect()).blobs, 1);
  },

  "a signal stops reading, and a slow stream slows it down": async (store) => {
    const reader = await store.objects.open("org_a", await keep(store, contentOf(3, 24 * MIB)));
    let taken = 0;
    let hold: (() => void) | undefined;
    const slow = new Writable({
      highWaterMark: 1,
      write: (chunk: Buffer, _encoding, done) => {
        taken += chunk.length;
        hold = done;
      },
    });
    const abort = new AbortController();
    const piping = reader.pipeTo(slow, { signal: abort.signal });
    await waitUntil(() => hold !== undefined, "the first chunk");
    assert.ok(taken <= MIB);
    assert.ok(slow.writableLength <= 3 * MIB, `${slow.writableLength} bytes wait`);
    abort.abort(new Error("enough"));
    await assert.rejects(piping, /enough/);
    assert.ok(slow.destroyed);
  },

  "an open reader continues after its blob was collected, and new readers are refused": async (store) => {
    const content = contentOf(4, 3 * MIB);
    for (const bytes of [content.subarray(0, 100), content]) {
      const id = await keep(store, bytes);
      const reader = await store.objects.open("org_a", id);
      const first = Buffer.alloc(50);
      const read = await reader.read(first);
      await unlinkNow(store, id);
      store.clock.advance(GRACE_MS + 1);
      await store.objects.collect();
      store.clock.advance(GRACE_MS + 1);
      await store.objects.collect();
      const rest = Buffer.concat(await collected(reader.chunks()));
      assert.ok(Buffer.concat([first.subarray(0, read), rest]).equals(bytes));
      store.clock.advance(GRACE_MS + 1);
      await store.objects.collect();
      await assert.rejects(store.objects.open("org_a", id), problem("not_found"));
    }
  },

  "missing, cut and lengthened blobs are errors before the first byte": async (store, place) => {
    for (const how of ["remove", "cut"] as const) {
      const id = await keep(store, contentOf(5, LARGE));
      await place.damage(id, how);
      await assert.rejects(store.objects.open("org_a", id), BlobDamaged);
      await assert.rejects(store.objects.open("org_a", id, { range: { start: 0, end: 0 } }), BlobDamaged);
    }
  },

  "a missing part cuts the response, so that the client notices": async (store, place) => {
    const { objects, metadata } = store;
    const ids = [
      await keep(store, contentOf(6, MIB)),
      await keep(store, contentOf(7, LARGE)),
      await keep(store, contentOf(8, LARGE)),
    ];
    const { id } = await metadata.write((tx) =>
      objects.compose(
        tx,
        "org_a",
        ids.map((blobId) => ({ blobId })),
      ),
    );
    await place.damage(nth(ids, 2), "remove");
    await using served = await serving(store, id);
    const response = await fetched(served.url);
    await assert.rejects(collected(response), { code: "ECONNRESET" });
    await assert.rejects(served.piped, BlobDamaged);
  },

  "reading after the end returns no bytes, and after close an error": async (store) => {
    const reader = await store.objects.open("org_a", await keep(store, contentOf(9, LARGE)));
    await collected(reader.chunks());
    await assert.rejects(reader.read(Buffer.alloc(1)), /is closed/);
    await using other = await store.objects.open("org_a", await keep(store, contentOf(9, 5)));
    assert.equal(await other.read(Buffer.alloc(10)), 5);
    assert.equal(await other.read(Buffer.alloc(10)), 0);
  },
};
