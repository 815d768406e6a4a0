import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { runLoad } from "../lib/load.ts";
import { requestOk } from "./request.ts";
import type { S3Server } from "./servers.ts";
import { signedBytes } from "./sign.ts";

const MIB = 1024 * 1024;
const PIECE = randomBytes(MIB);

/** A stream of bytes that costs the client next to nothing. */
function zeroCost(length: number): Readable {
  let left = length;
  return new Readable({
    highWaterMark: 4 * MIB,
    read() {
      const size = Math.min(left, PIECE.length);
      left -= size;
      this.push(size === 0 ? null : size === PIECE.length ? PIECE : PIECE.subarray(0, size));
    },
  });
}

/** Returns the MiB a second of some work. */
async function rate(bytes: number, work: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  await work();
  return bytes / MIB / ((performance.now() - started) / 1000);
}

/** Puts one large object. @returns MiB a second */
export function putLarge({ access, bucket }: S3Server, bytes: number): Promise<number> {
  const content = { stream: zeroCost(bytes), length: bytes };
  return rate(bytes, () => requestOk(access, { method: "PUT", path: `/${bucket}/large` }, { content }));
}

/** Gets the large object. @returns MiB a second */
export function getLarge({ access, bucket }: S3Server, bytes: number): Promise<number> {
  return rate(bytes, async () => {
    const reply = await requestOk(access, { method: "GET", path: `/${bucket}/large` }, { discard: true });
    if (reply.bytes !== bytes) throw new Error(`${reply.bytes} bytes came, not ${bytes}`);
  });
}

const PART_BYTES = 16 * MIB;
const PARTS_AT_ONCE = 4;

/** Uploads in parts of 16 MiB, four at a time. @returns MiB a second */
export function multipart({ access, bucket }: S3Server, bytes: number): Promise<number> {
  const path = `/${bucket}/parts`;
  const part = Buffer.alloc(PART_BYTES, PIECE);
  return rate(bytes, async () => {
    const begun = await requestOk(access, { method: "POST", path, query: { uploads: "" } });
    const uploadId = /<UploadId>([^<]+)</.exec(begun.text)?.[1] ?? "";
    const count = Math.ceil(bytes / PART_BYTES);
    const etags: string[] = [];
    let next = 1;
    const upload = async (): Promise<void> => {
      for (let number = next++; number <= count; number = next++) {
        const length = Math.min(PART_BYTES, bytes - (number - 1) * PART_BYTES);
        const query = { partNumber: String(number), uploadId };
        const content = { stream: part.subarray(0, length), length };
        etags[number - 1] = String(
          (await requestOk(access, { method: "PUT", path, query }, { content })).headers["etag"],
        );
      }
    };
    await Promise.all(Array.from({ length: PARTS_AT_ONCE }, upload));
    const parts = etags.map((etag, n) => `<Part><PartNumber>${n + 1}</PartNumber><ETag>${etag}</ETag></Part>`);
    const body = Buffer.from(`<CompleteMultipartUpload>${parts.join("")}</CompleteMultipartUpload>`);
    const ended = await requestOk(access, { method: "POST", path, query: { uploadId }, body });
    if (!ended.text.includes("<ETag>")) throw new Error(`the upload did not end: ${ended.text}`);
  });
}

/** The rate and the latency of many small requests in turn. */
export interface Pace {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const CLIENTS = 32;
/** More than any server answers in a round, so that every PUT makes a new object. */
const PREPARED_PER_SECOND = 4000;

/** Puts new 4 KiB objects with 32 clients. */
export async function putSmall(server: S3Server, durationMs: number, round: number): Promise<Pace> {
  const body = PIECE.subarray(0, 4096);
  const count = Math.ceil((PREPARED_PER_SECOND * durationMs) / 1000);
  const requests = Array.from({ length: count }, (_, n) =>
    signedBytes(server.access, { method: "PUT", path: `/${server.bucket}/small/${round}/${n}`, body }),
  );
  return pace(server, requests, durationMs);
}

const READ_OBJECTS = 1000;

/** Puts the objects that `getSmall` reads. */
export async function prepareSmall({ access, bucket }: S3Server): Promise<void> {
  const body = PIECE.subarray(0, 4096);
  for (let n = 0; n < READ_OBJECTS; n++) await requestOk(access, { method: "PUT", path: `/${bucket}/read/${n}`, body });
}

/** Gets a thousand 4 KiB objects, again and again, with 32 clients. */
export async function getSmall(server: S3Server, durationMs: number): Promise<Pace> {
  const requests = Array.from({ length: READ_OBJECTS }, (_, n) =>
    signedBytes(server.access, { method: "GET", path: `/${server.bucket}/read/${n}` }),
  );
  return pace(server, requests, durationMs);
}

async function pace({ access }: S3Server, requests: readonly Buffer[], durationMs: number): Promise<Pace> {
  const { host, port } = access;
  const result = await runLoad({ host, port, requests, connections: CLIENTS, durationMs });
  const refused = Object.keys(result.statuses).filter((status) => status !== "200");
  if (refused.length > 0) throw new Error(`answers other than 200: ${JSON.stringify(result.statuses)}`);
  return { perSecond: result.answered / (result.elapsedMs / 1000), p50Ms: result.p50Ms, p99Ms: result.p99Ms };
}
