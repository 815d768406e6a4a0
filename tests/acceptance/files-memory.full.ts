/**
 * The server's memory during the upload and download of a large file: 1 GiB, or `MOORING_TEST_LARGE_FILE_BYTES`. The
 * temporary directory needs as much space.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, test, type TestContext } from "node:test";
import { downloadUrl, granted, listed } from "../fixtures/files.ts";
import { digestOf, putLarge } from "../fixtures/large-file.ts";
import { makeBucket, s3Server } from "../fixtures/s3-server.ts";
import { startServer, type ServerOptions } from "../fixtures/server.ts";

const BYTES = Number(process.env["MOORING_TEST_LARGE_FILE_BYTES"] ?? 1024 ** 3);
const MIB = 1024 ** 2;
const LOOK_MS = 100;
/** The limit for buffers and a lazy garbage collector; far less than a file in memory would need. */
const GROWTH_BYTES_MAX = 300 * MIB;
const TIMEOUT_MS = 3_600_000;

interface Watch {
  /** Resident memory in bytes, in the order of the samples. */
  readonly seen: number[];
  stop(): void;
}

function watchMemory(pid: number): Watch {
  const seen: number[] = [];
  const look = (): void => {
    const [, kib = "0"] = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    seen.push(Number(kib) * 1024);
  };
  look();
  const timer = setInterval(look, LOOK_MS);
  return { seen, stop: () => clearInterval(timer) };
}

async function watched<T>(context: TestContext, what: string, pid: number, work: () => Promise<T>): Promise<T> {
  const watch = watchMemory(pid);
  const beganMs = performance.now();
  try {
    return await work();
  } finally {
    watch.stop();
    const seconds = (performance.now() - beganMs) / 1000;
    const tenths = Array.from({ length: 10 }, (_, i) => {
      const part = watch.seen.slice((i * watch.seen.length) / 10, ((i + 1) * watch.seen.length) / 10);
      return Math.round(Math.max(0, ...part) / MIB);
    });
    context.diagnostic(`${what} of ${BYTES / MIB} MiB in ${seconds.toFixed(1)} s, MiB resident: ${tenths.join(" ")}`);
    const growth = Math.max(...watch.seen) - (watch.seen[0] ?? 0);
    assert.ok(growth < GROWTH_BYTES_MAX, `${what}: memory grew by ${Math.round(growth / MIB)} MiB`);
  }
}

async function upAndDown(context: TestContext, options: ServerOptions): Promise<void> {
  const settings = { files_size_bytes_max: BYTES, presigned_url_lifetime_s: TIMEOUT_MS / 1000, ...options.settings };
  const server = await startServer({ ...options, settings });
  try {
    const token = await server.token((await server.bootstrap()).credential);
    const type = "application/x-large";
    // A small file first, so that everything is loaded.
    const first = await granted(server, token, { content_type: type });
    await putLarge(first.upload_url, MIB, type);
    await digestOf(await downloadUrl(server, token, first.file_id));
    const grant = await granted(server, token, { content_type: type });
    const sent = await watched(context, "upload", server.pid, () => putLarge(grant.upload_url, BYTES, type));
    const url = await downloadUrl(server, token, grant.file_id);
    const got = await watched(context, "download", server.pid, () => digestOf(url));
    assert.deepEqual(got, { sha256: sent, bytes: BYTES });
    assert.equal((await listed(server, token)).files[0]?.sha256, sent);
  } finally {
    await server.dispose();
  }
}

describe("memory stays flat", { skip: process.platform !== "linux" && "the memory is read from /proc" }, () => {
  test("with content in the data directory", { timeout: TIMEOUT_MS }, (context) => upAndDown(context, {}));

  test("with content on an S3 store, through the server", { timeout: TIMEOUT_MS }, async (context) => {
    await using bucket = await makeBucket(await s3Server());
    const settings = { ...bucket.settings, objects_s3_urls: "proxied" };
    await upAndDown(context, { settings, environment: bucket.environment });
  });
});
