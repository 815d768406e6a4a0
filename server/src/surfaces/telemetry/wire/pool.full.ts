import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { test } from "node:test";
import { pathToFileURL } from "node:url";
import { INGEST_BODY_BYTES_MAX } from "#kernel/limits.ts";
import { Problem } from "#kernel/problem.ts";
import { encodeEntries } from "./entries.ts";
import { createEncoderPool, INLINE_BYTES_MAX } from "./pool.ts";

const options = { projectId: null, lenient: false };

function bodyOf(entries: number, messageChars: number): Buffer {
  const list = Array.from({ length: entries }, (_, i) => ({
    timestamp: "2026-11-20T08:00:00Z",
    level: "info",
    message: `${i} ${"é".repeat(messageChars)}`,
  }));
  return Buffer.from(JSON.stringify({ entries: list }));
}

test("a body is encoded the same here and in a thread, also as a part of a larger buffer", async () => {
  const pool = createEncoderPool({ workers: 2 });
  for (const body of [bodyOf(3, 10), bodyOf(1000, 300)]) {
    const expected = encodeEntries("logs", body, options);
    const larger = Buffer.concat([Buffer.from("before"), body, Buffer.from("after")]);
    const part = larger.subarray(6, 6 + body.length);
    const encoded = await pool.encode("logs", part, options);
    assert.ok(Buffer.isBuffer(encoded.rows));
    assert.ok(encoded.rows.equals(expected.rows));
    assert.deepEqual([encoded.count, encoded.rejected, encoded.errors], [expected.count, 0, []]);
    assert.equal(larger.toString("latin1", 0, 6), "before", "the rest of the buffer was not transferred");
  }
  await pool.close();
});

test("a problem in a thread is the same problem here", async () => {
  const pool = createEncoderPool({ workers: 1 });
  const body = bodyOf(1000, 300);
  body.write("xxxx", 28);
  const copy = Buffer.from(body);
  await assert.rejects(pool.encode("logs", body, options), (error) => {
    assert.ok(error instanceof Problem);
    assert.throws(() => encodeEntries("logs", copy, options), { code: error.code, message: error.message });
    assert.equal(error.options.errors?.[0]?.pointer, "/entries/0/timestamp");
    return true;
  });
  await pool.close();
});

test("more large bodies than threads, at once", async () => {
  const pool = createEncoderPool({ workers: 2 });
  const encoded = await Promise.all(
    Array.from({ length: 20 }, (_, i) => pool.encode("logs", bodyOf(500 + i, 600), options)),
  );
  assert.deepEqual(
    encoded.map(({ count }) => count),
    Array.from({ length: 20 }, (_, i) => 500 + i),
  );
  await pool.close();
});

test("the queue for threads has a limit: more is refused, and accepted again once there is space", async () => {
  const large = (): Buffer => bodyOf(1000, 300);
  const bytes = large().length;
  const pool = createEncoderPool({ workers: 1, waitingBytesMax: 2 * bytes });
  const taken = [1, 2, 3].map(() => pool.encode("logs", large(), options)); // One in the thread, two in the queue.
  await assert.rejects(pool.encode("logs", large(), options), { code: "unavailable" });
  for (const each of await Promise.all(taken)) assert.equal(each.count, 1000);
  assert.equal((await pool.encode("logs", large(), options)).count, 1000);
  await pool.close();
});

test("bodies of 10 MiB do not hold the event loop", async () => {
  const pool = createEncoderPool({ workers: 1 });
  await pool.encode("logs", bodyOf(1000, 300), options);
  const bodies = Array.from({ length: 3 }, () => bodyOf(1000, 5200));
  for (const body of bodies)
    assert.ok(body.length > INGEST_BODY_BYTES_MAX * 0.9 && body.length <= INGEST_BODY_BYTES_MAX);
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  const encoded = await Promise.all(bodies.map((body) => pool.encode("logs", body, options)));
  delay.disable();
  assert.deepEqual(
    encoded.map(({ count }) => count),
    [1000, 1000, 1000],
  );
  assert.ok(delay.percentile(90) < 20e6, `nine of ten turns took up to ${delay.percentile(90) / 1e6} ms`);
  await pool.close();
});

test("a thread that dies fails only its request and is replaced", async () => {
  const dir = await mkdtemp(join(tmpdir(), "mooring-pool-"));
  const script = join(dir, "dies.mjs");
  const real = new URL("./pool.worker.ts", import.meta.url).href;
  await writeFile(
    script,
    `import { parentPort } from "node:worker_threads";
     parentPort.on("message", ({ type }) => { if (type === "traces") process.exit(3); });
     await import(${JSON.stringify(real)});`,
  );
  const pool = createEncoderPool({ workers: 1, script: pathToFileURL(script) });
  const large = (): Buffer => bodyOf(1000, 300);
  assert.ok(large().length >= INLINE_BYTES_MAX);
  const died = pool.encode("traces", large(), options);
  const behind = pool.encode("logs", large(), options);
  await assert.rejects(died, (error) => error instanceof Error && !(error instanceof Problem));
  assert.equal((await behind).count, 1000);
  await assert.rejects(pool.encode("traces", large(), options));
  assert.equal((await pool.encode("logs", large(), options)).count, 1000);
  await pool.close();
  await rm(dir, { recursive: true });
});

test("closing refuses waiting and new work", async () => {
  const pool = createEncoderPool({ workers: 1 });
  const waiting = Array.from({ length: 5 }, () => pool.encode("logs", bodyOf(1000, 300), options));
  const settled = Promise.allSettled(waiting);
  await pool.close();
  for (const result of await settled) assert.equal(result.status, "rejected");
  await assert.rejects(
    pool.encode("logs", bodyOf(1000, 300), options),
    (error) => error instanceof Problem && error.code === "unavailable",
  );
});
