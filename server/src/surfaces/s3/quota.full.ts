import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { request as httpRequest, type ClientRequest } from "node:http";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, test, type TestContext } from "node:test";
import { usageOf } from "#domain/quotas/index.ts";
import { ORG_ID } from "#domain/s3/testing/ground.ts";
import { formBody, FORM_TYPE, signedFields } from "./testing/forms.ts";
import { openGateway, refused, succeeded, texts, type TestGateway } from "./testing/gateway.ts";

/** Tests that the bytes on disk never exceed the quota, not even during uploads. */

const MIB = 1024 * 1024;
const QUOTA = 10 * MIB;
const DEADLINE_MS = 30_000;
/** The bytes that names and records need in addition to the content. */
const SLACK = 64 * 1024;
const UNSIGNED = { sign: { payload: "UNSIGNED-PAYLOAD" } };
const FRAMED = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";

const KINDS = ["sized", "chunked", "framed", "part", "encrypted", "form"] as const;
type Kind = (typeof KINDS)[number];

interface Place {
  readonly gateway: TestGateway;
  /** The open multipart upload. */
  readonly uploadId: string;
}

interface Sending {
  readonly request: ClientRequest;
  /** The bytes that remain to be sent. */
  readonly rest: Uint8Array;
  /** The code of an error document, or the status; `broken` when the connection broke. */
  readonly answered: Promise<string>;
}

describe("the quota of buckets", { concurrency: false }, () => {
  for (const kind of KINDS) {
    test(`holds on disk for 50 uploads of 1 MiB at once: ${kind}`, async (t) => {
      const place = await newPlace(t);
      const before = onDisk(place);
      let most = 0;
      const watch = setInterval(() => (most = Math.max(most, onDisk(place) - before)), 1);
      const all = Array.from({ length: 50 }, (_, i) => begun(place, kind, i + 1));
      let full = 0;
      for (const { answered } of all) void answered.then((code) => (full += code === "QuotaExceeded" ? 1 : 0));
      await until("all but ten are refused", () => full === 40);
      assert.equal(reserved(place), QUOTA);
      for (const one of all) one.request.end(one.rest);
      const codes = await Promise.all(all.map(({ answered }) => answered));
      clearInterval(watch);
      assert.equal(codes.filter((code) => code === "200").length, 10);
      assert.ok(Math.max(most, onDisk(place) - before) <= QUOTA + SLACK, `${most} bytes were on disk`);
      assert.deepEqual([reserved(place), await used(place)], [0, QUOTA]);
    });
  }

  for (const operation of ["CopyObject", "UploadPartCopy"] as const) {
    test(`holds on disk for 50 concurrent copies that are encrypted again: ${operation}`, async (t) => {
      const place = await newPlace(t, { "x-amz-server-side-encryption": "AES256" });
      const { gateway, uploadId } = place;
      succeeded(await gateway.call("PUT", "/quota/source", { ...UNSIGNED, body: randomBytes(MIB) }));
      const before = onDisk(place);
      let most = 0;
      const watch = setInterval(() => (most = Math.max(most, onDisk(place) - before)), 1);
      const headers = { "x-amz-copy-source": "/quota/source", "x-amz-server-side-encryption": "AES256" };
      const copied = await Promise.all(
        Array.from({ length: 50 }, (_, i) => {
          const target = operation === "CopyObject" ? `/quota/${i}` : partOf(uploadId, i + 1);
          return gateway.call("PUT", target, { headers: operation === "CopyObject" ? headers : sourceOnly(headers) });
        }),
      );
      clearInterval(watch);
      assert.equal(copied.filter(({ status }) => status === 200).length, 9);
      for (const answer of copied) if (answer.status !== 200) refused(answer, "QuotaExceeded", 403);
      assert.ok(most <= QUOTA - MIB + SLACK, `${most} bytes were on disk`);
      assert.deepEqual([reserved(place), await used(place)], [0, QUOTA]);
    });
  }

  test("is free again after uploads that break off, are refused or aborted", async (t) => {
    const place = await newPlace(t);
    const { gateway, uploadId } = place;
    for (const kind of KINDS) {
      const broken = begun(place, kind, 1);
      await until("the upload has begun", () => reserved(place) >= MIB);
      broken.request.destroy();
      assert.equal(await broken.answered, "broken");
      await until("nothing is reserved", () => reserved(place) === 0);
    }
    const wrong = { headers: { "content-md5": randomBytes(16).toString("base64") }, body: randomBytes(MIB) };
    refused(await gateway.call("PUT", "/quota/wrong", { ...UNSIGNED, ...wrong }), "BadDigest", 400);
    assert.equal(reserved(place), 0);
    const late = begun(place, "part", 1);
    await until("the part has begun", () => reserved(place) >= MIB);
    succeeded(await gateway.call("DELETE", `/quota/parts?uploadId=${uploadId}`));
    late.request.end(late.rest);
    assert.equal(await late.answered, "NoSuchUpload");
    assert.deepEqual([reserved(place), await used(place)], [0, 0]);
    succeeded(await gateway.call("PUT", "/quota/all", { ...UNSIGNED, body: randomBytes(QUOTA) }));
  });

  test("releases replaced content once the new content is stored, and needs quota for both until then", async (t) => {
    const place = await newPlace(t);
    const { gateway } = place;
    const put = (bytes: number) => gateway.call("PUT", "/quota/same", { ...UNSIGNED, body: randomBytes(bytes) });
    for (let i = 0; i < 3; i++) {
      succeeded(await put(QUOTA / 2));
      assert.deepEqual([reserved(place), await used(place)], [0, QUOTA / 2]);
    }
    refused(await put(QUOTA / 2 + 1), "QuotaExceeded", 403);
    succeeded(await put(0));
    assert.deepEqual([reserved(place), await used(place)], [0, 0]);
  });

  test("refuses before a waiting sender gets 100 Continue", async (t) => {
    const { gateway } = await newPlace(t);
    const headers = { expect: "100-continue", "content-length": String(QUOTA + 1) };
    const call = { ...UNSIGNED, headers, body: randomBytes(QUOTA + 1) };
    const answer = refused(await gateway.call("PUT", "/quota/k", call), "QuotaExceeded", 403);
    assert.equal(answer.continued, false);
  });
});

async function newPlace(t: TestContext, headers: Record<string, string> = {}): Promise<Place> {
  const gateway = await openGateway({}, {}, { storedBytesMax: QUOTA });
  t.after(() => gateway.close());
  succeeded(await gateway.call("PUT", "/quota"));
  const [uploadId = ""] = texts(succeeded(await gateway.call("POST", "/quota/parts?uploads", { headers })), "UploadId");
  return { gateway, uploadId };
}

const reserved = ({ gateway }: Place): number => gateway.ground.deps.reservations.reservedBy(ORG_ID);

async function used({ gateway }: Place): Promise<number> {
  return (await usageOf(gateway.ground.deps.metadata.read, "objects", { org_id: ORG_ID })).bytes;
}

/** Begins to send content of 1 MiB, without its end. */
function begun(place: Place, kind: Kind, number: number): Sending {
  const { method, target, headers, body } = kind === "form" ? formOf(place, number) : putOf(place, kind, number);
  const [host, port] = place.gateway.host.split(":");
  const length = kind === "chunked" ? { "transfer-encoding": "chunked" } : { "content-length": String(body.length) };
  const options = { host, port, method, path: target, agent: false, headers: { ...headers, ...length } };
  const request = httpRequest(options);
  const answered = new Promise<string>((resolve) => {
    request.on("error", () => resolve("broken"));
    request.on("response", (response) => {
      let text = "";
      response.on("data", (chunk: Buffer) => (text += chunk.toString()));
      response.on("end", () => resolve(/<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? String(response.statusCode)));
    });
  });
  request.write(body.subarray(0, -20));
  return { request, rest: body.subarray(-20), answered };
}

interface Upload {
  readonly method: "PUT" | "POST";
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

function putOf({ gateway, uploadId }: Place, kind: Exclude<Kind, "form">, number: number): Upload {
  const content = randomBytes(MIB);
  const isFramed = kind === "framed";
  const body = isFramed
    ? Buffer.concat([Buffer.from(`${MIB.toString(16)}\r\n`), content, Buffer.from("\r\n0\r\n\r\n")])
    : content;
  const target = kind === "part" ? partOf(uploadId, number) : `/quota/${kind}-${number}`;
  const { headers } = gateway.signed("PUT", target, {
    headers: {
      ...(isFramed ? { "x-amz-decoded-content-length": String(MIB), "content-encoding": "aws-chunked" } : {}),
      ...(kind === "encrypted" ? { "x-amz-server-side-encryption": "AES256" } : {}),
    },
    sign: { payload: isFramed ? FRAMED : "UNSIGNED-PAYLOAD" },
  });
  return { method: "PUT", target, headers, body };
}

function formOf({ gateway }: Place, number: number): Upload {
  const conditions = [["starts-with", "$key", ""], { success_action_status: "200" }];
  const fields = signedFields(gateway, "quota", {
    conditions,
    more: { key: `form-${number}`, success_action_status: "200" },
  });
  const body = formBody(fields, randomBytes(MIB));
  return { method: "POST", target: "/quota", headers: { "content-type": FORM_TYPE }, body };
}

function partOf(uploadId: string, number: number): string {
  return `/quota/parts?partNumber=${number}&uploadId=${uploadId}`;
}

function sourceOnly(headers: { readonly "x-amz-copy-source": string }): Record<string, string> {
  return { "x-amz-copy-source": headers["x-amz-copy-source"] };
}

/** Returns the bytes of content on disk, staged or kept. */
function onDisk({ gateway }: Place): number {
  return bytesIn(join(gateway.ground.ground.dataDir, "objects"));
}

function bytesIn(directory: string): number {
  let bytes = 0;
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name);
    bytes += entry.isDirectory() ? bytesIn(path) : (statSync(path, { throwIfNoEntry: false })?.size ?? 0);
  }
  return bytes;
}

async function until(what: string, isSo: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + DEADLINE_MS;
  while (!isSo()) {
    assert.ok(performance.now() < deadlineMs, `never: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
