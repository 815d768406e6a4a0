import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { request, type IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { after, before, test } from "node:test";
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from "node:zlib";
import Type from "typebox";
import { route } from "@mooring/contract";
import { COMPRESSED_BYTES_MIN, createCompression, preferredCoding } from "./compression.ts";
import { mountRoute, type HttpHost, type Surface } from "./index.ts";
import { startTestServer, type TestServer } from "./testing/host.ts";

const row = { tag: "t", summary: "s", problems: [], status: 200, method: "GET", permission: "public" } as const;
const Large = Type.Object({ items: Type.Array(Type.String()) });
const ROWS = {
  large: route({ ...row, operationId: "large", path: "/large", publicReason: "test", result: Large }),
  small: route({ ...row, operationId: "small", path: "/small", publicReason: "test", result: Large }),
  secret: route({ ...row, operationId: "secret", path: "/secret", publicReason: "test", result: Large, secret: true }),
  stream: route({ ...row, operationId: "stream", path: "/stream", publicReason: "test" }),
  failing: route({ ...row, operationId: "failing", path: "/failing", publicReason: "test" }),
  broken: route({ ...row, operationId: "broken", path: "/broken", publicReason: "test" }),
};

const large = { items: Array.from({ length: 500 }, (_, index) => `item number ${index}`) };
const UNPACK = { gzip: gunzipSync, br: brotliDecompressSync, zstd: zstdDecompressSync };
let server: TestServer;

function surfaceOf(host: HttpHost): Surface {
  return {
    name: "test",
    mount: (app) => {
      mountRoute(app, host, ROWS.large, async (_input, { reply }) => {
        void reply.header("etag", '"version"');
        return large;
      });
      mountRoute(app, host, ROWS.small, async () => ({ items: ["one"] }));
      mountRoute(app, host, ROWS.secret, async () => large);
      mountRoute(app, host, ROWS.stream, async (_input, { request: asked, reply }) => {
        await reply.send(host.compression.stream(asked, reply, Readable.from([JSON.stringify(large)])));
        return undefined;
      });
      mountRoute(app, host, ROWS.failing, async (_input, { request: asked, reply }) => {
        const body = new Readable({ read: (): void => void body.destroy(new Error("failing")) });
        await reply.send(host.compression.stream(asked, reply, body));
        return undefined;
      });
      mountRoute(app, host, ROWS.broken, async (_input, { request: asked, reply }) => {
        const parts = async function* (): AsyncGenerator<string> {
          for (let part = 0; part < 20; part++) yield randomBytes(50_000).toString("hex");
          throw new Error("broken");
        };
        await reply.send(host.compression.stream(asked, reply, Readable.from(parts())));
        return undefined;
      });
    },
  };
}

before(async () => {
  server = await startTestServer({ principals: {}, mount: surfaceOf });
});
after(() => server.stop());

async function get(path: string, accepted?: string): Promise<{ headers: IncomingMessage["headers"]; body: Buffer }> {
  const headers = accepted === undefined ? {} : { "accept-encoding": accepted };
  const [response] = (await once(request(`${server.url}${path}`, { headers }).end(), "response")) as [IncomingMessage];
  return { headers: response.headers, body: await buffer(response) };
}

test("an answer has the accepted coding, a weak tag and Vary, and its text is unchanged", async () => {
  for (const path of ["/large", "/stream"])
    for (const [coding, unpack] of Object.entries(UNPACK)) {
      const { headers, body } = await get(path, coding);
      assert.equal(headers["content-encoding"], coding, path);
      assert.equal(headers["vary"], "accept-encoding");
      assert.ok(body.length < COMPRESSED_BYTES_MIN / 2);
      assert.deepEqual(JSON.parse(unpack(body).toString()), large);
      if (path === "/large") assert.equal(headers["etag"], 'W/"version"');
    }
});

test("without a coding, for small answers and for answers with a secret, nothing is compressed", async () => {
  const plain = await get("/large");
  assert.deepEqual([plain.headers["content-encoding"], plain.headers["etag"]], [undefined, '"version"']);
  assert.equal(plain.headers["vary"], "accept-encoding", "a cache must not give it the compressed answer");
  for (const path of ["/small", "/secret"])
    assert.equal((await get(path, "zstd, gzip, br")).headers["content-encoding"], undefined, path);
});

test("a stream that breaks off ends the answer without its end", async () => {
  await assert.rejects(get("/broken", "gzip"));
});

test("a stream that fails before its first byte gets an error that is not compressed", async () => {
  const { headers, body } = await get("/failing", "gzip");
  assert.equal(headers["content-encoding"], undefined);
  assert.equal((JSON.parse(body.toString()) as { status: number }).status, 500);
});

test("the preferred coding", () => {
  const preferred = (field: string): string | undefined => preferredCoding(field)?.name;
  assert.equal(preferred("gzip, deflate, br, zstd"), "zstd");
  assert.equal(preferred("gzip;q=1.0, zstd;q=0.5"), "gzip");
  assert.equal(preferred("br"), "br");
  assert.equal(preferred("x-gzip"), "gzip");
  assert.equal(preferred("*"), "zstd");
  assert.equal(preferred("*, zstd;q=0"), "gzip");
  for (const field of ["", "identity", "deflate", "gzip;q=0", "identity, gzip;q=0.5"])
    assert.equal(preferred(field), undefined, field);
});

test("more than two at once are sent plain, and the main thread is free meanwhile", async (t) => {
  const compression = createCompression();
  const text = JSON.stringify(
    Array.from({ length: 30_000 }, (_, n) => ({ id: `file_${n * 7919}`, name: `report ${n}.pdf`, bytes: n * 31 })),
  );
  const fields = (): [never, never] => {
    const headers = new Map<string, string>();
    const reply: Record<string, (...given: never[]) => unknown> = {
      getHeader: (name: string) => headers.get(name),
      header: (name: string, value: string) => (headers.set(name, value), reply),
      removeHeader: (name: string) => headers.delete(name),
    };
    return [{ headers: { "accept-encoding": "zstd" } } as never, reply as never];
  };
  const before = performance.eventLoopUtilization();
  const bodies = await Promise.all([1, 2, 3].map(() => compression.text(...fields(), text)));
  const { active } = performance.eventLoopUtilization(before);
  const sizes = bodies.map((body) => body.length);
  assert.deepEqual(
    sizes.map((size) => size < text.length / 4),
    [true, true, false],
  );
  t.diagnostic(`${text.length} bytes to ${sizes[0]}, ${(active / 2).toFixed(1)} ms of the main thread for each`);
});
