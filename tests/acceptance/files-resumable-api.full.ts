/** Resumable uploads by tus 1.0, with its own client and with raw requests. */
import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { downloadUrl, fetched, listed, sha256 } from "../fixtures/files.ts";
import { rawRequest, refused, type Answer } from "../fixtures/http.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { useServer } from "../fixtures/server.ts";
import { resumeAfterKills } from "../fixtures/tus.ts";

const MIB = 1024 * 1024;
const settings = { object_grace_ms: 300, object_collect_ms: 100, files_size_bytes_max: 400 * MIB };
const shared = useServer({ settings });

const base64 = (text: string): string => Buffer.from(text).toString("base64");

function tus(
  method: string,
  path: string,
  headers: Record<string, string> = {},
  raw?: Uint8Array | string,
): Promise<Answer> {
  return shared.server.call(method, path, {
    token: shared.token,
    headers: {
      "tus-resumable": "1.0.0",
      ...(raw === undefined ? {} : { "content-type": "application/offset+octet-stream" }),
      ...headers,
    },
    ...(raw === undefined ? {} : { raw }),
  });
}

function creating(
  length: number | string,
  name = "a.bin",
  headers: Record<string, string> = {},
  raw?: Uint8Array,
): Promise<Answer> {
  const fields = {
    "upload-length": String(length),
    "upload-metadata": `filename ${base64(name)},filetype ${base64("text/plain")}`,
  };
  return tus("POST", "/v1/uploads", { ...fields, ...headers }, raw);
}

/** Creates an upload. Returns its path. */
async function created(length: number, name?: string): Promise<string> {
  const answer = await creating(length, name);
  assert.equal(answer.status, 201, answer.text);
  return new URL(answer.headers.get("location") ?? "").pathname;
}

async function offsetOf(path: string): Promise<string | null> {
  const answer = await tus("HEAD", path);
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("cache-control") ?? "", /no-store/);
  return answer.headers.get("upload-offset");
}

async function contentOf(path: string): Promise<Buffer> {
  const id = path.slice(path.lastIndexOf("/") + 1);
  return (await fetched(await downloadUrl(shared.server, shared.token, id))).bytes;
}

test("OPTIONS reports the supported versions and extensions", async () => {
  const answer = await shared.server.call("OPTIONS", "/v1/uploads");
  assert.equal(answer.status, 204);
  assert.equal(answer.headers.get("tus-version"), "1.0.0");
  assert.equal(answer.headers.get("tus-extension"), "creation,creation-with-upload,expiration,checksum,termination");
  assert.equal(answer.headers.get("tus-max-size"), String(400 * MIB));
  assert.match(answer.headers.get("tus-checksum-algorithm") ?? "", /^sha1,/);
});

test("an upload in parts becomes a file with its last byte", async () => {
  const content = randomBytes(100_000);
  const path = await created(content.length, "Übersicht.txt");
  const before = (await listed(shared.server, shared.token)).total;
  for (const [start, end] of [
    [0, 10],
    [10, 10],
    [10, 50_000],
    [50_000, 100_000],
  ] as const) {
    assert.equal(await offsetOf(path), String(start));
    assert.equal((await listed(shared.server, shared.token)).total, before);
    const answer = await tus("PATCH", path, { "upload-offset": String(start) }, content.subarray(start, end));
    assert.equal(`${answer.status} ${answer.headers.get("upload-offset")}`, `204 ${end}`, answer.text);
    assert.equal(answer.headers.get("tus-resumable"), "1.0.0");
    assert.ok(Date.parse(answer.headers.get("upload-expires") ?? "") > Date.now() + 80_000_000);
  }
  assert.equal(await offsetOf(path), "100000");
  const { files, total } = await listed(shared.server, shared.token);
  assert.equal(total, before + 1);
  assert.deepEqual(
    [files[0]?.filename, files[0]?.content_type, files[0]?.sha256],
    ["Übersicht.txt", "text/plain", sha256(content)],
  );
  assert.ok((await contentOf(path)).equals(content));
  const range = await fetched(await downloadUrl(shared.server, shared.token, files[0]?.id ?? ""), {
    range: "bytes=5-50010",
  });
  assert.ok(range.bytes.equals(content.subarray(5, 50_011)));
});

test("a creation accepts the first bytes, all bytes, or no bytes for an empty file", async () => {
  const content = randomBytes(50_000);
  for (const first of [20_000, 50_000]) {
    const answer = await creating(content.length, "a", {}, content.subarray(0, first));
    assert.equal(`${answer.status} ${answer.headers.get("upload-offset")}`, `201 ${first}`, answer.text);
    const path = new URL(answer.headers.get("location") ?? "").pathname;
    if (first < content.length) await tus("PATCH", path, { "upload-offset": String(first) }, content.subarray(first));
    assert.ok((await contentOf(path)).equals(content));
  }
  assert.equal((await contentOf(await created(0))).length, 0);
});

test("invalid requests are refused", async () => {
  const path = await created(10);
  const refusals: [Promise<Answer>, number, string][] = [
    [tus("PATCH", path, { "upload-offset": "0", "tus-resumable": "2.0.0" }, "x"), 412, "precondition_failed"],
    [tus("PATCH", path, { "upload-offset": "1" }, "x"), 409, "conflict"],
    [tus("PATCH", path, { "upload-offset": "-1" }, "x"), 400, "invalid_request"],
    [tus("PATCH", path, {}, "x"), 400, "invalid_request"],
    [tus("PATCH", path, { "upload-offset": "0", "content-type": "text/plain" }, "x"), 415, "unsupported_media_type"],
    [tus("PATCH", path, { "upload-offset": "0" }, "01234567890"), 413, "body_too_large"],
    [tus("PATCH", path, { "upload-offset": "0", "upload-checksum": "crc99 AAAA" }, "x"), 400, "invalid_request"],
    [tus("PATCH", `/v1/uploads/file_${"0".repeat(26)}`, { "upload-offset": "0" }, "x"), 404, "not_found"],
    [creating(400 * MIB + 1), 413, "body_too_large"],
    [creating("x"), 400, "invalid_request"],
    [creating(1, "a\nb"), 400, "invalid_request"],
    [creating(1, "a", { "upload-metadata": "" }), 400, "invalid_request"],
    [creating(1, "a", { "upload-metadata": "filename !!!" }), 400, "invalid_request"],
    [creating(1, "a", { "upload-defer-length": "1" }), 400, "invalid_request"],
  ];
  for (const [asked, status, code] of refusals) {
    const answer = await asked;
    refused(answer, status, code);
    assert.equal(answer.headers.get("tus-resumable"), "1.0.0");
  }
  refused(await shared.server.call("PATCH", path, { headers: { "tus-resumable": "1.0.0" } }), 401, "unauthorized");
  const reading = await shared.server.token(shared.home.credential, "files:read");
  refused(
    await shared.server.call("DELETE", path, { token: reading, headers: { "tus-resumable": "1.0.0" } }),
    403,
    "insufficient_scope",
  );
  assert.equal(await offsetOf(path), "0", "and no byte of it was kept");
});

test("another organization's upload gets the same answer as one that never existed", async () => {
  const other = await shared.server.bootstrap({ org: "globex", project: "plant", app: "reactor" });
  const token = await shared.server.token(other.credential);
  const path = await created(5);
  for (const method of ["PATCH", "DELETE"])
    refused(
      await shared.server.call(method, path, {
        token,
        headers: { "tus-resumable": "1.0.0", "upload-offset": "0", "content-type": "application/offset+octet-stream" },
        ...(method === "PATCH" ? { raw: "x" } : {}),
      }),
      404,
      "not_found",
    );
  assert.equal(await offsetOf(path), "0");
});

test("a wrong checksum refuses its whole part", async () => {
  const content = randomBytes(200_000);
  const path = await created(content.length);
  const digest = (algorithm: string, bytes: Uint8Array): string =>
    `${algorithm} ${createHash(algorithm).update(bytes).digest("base64")}`;
  const first = content.subarray(0, 150_000);
  const wrong = await tus("PATCH", path, { "upload-offset": "0", "upload-checksum": digest("sha1", content) }, first);
  refused(wrong, 460, "checksum_mismatch");
  assert.equal(await offsetOf(path), "0");
  for (const [algorithm, start, end] of [
    ["sha1", 0, 150_000],
    ["sha256", 150_000, 200_000],
  ] as const) {
    const piece = content.subarray(start, end);
    const answer = await tus(
      "PATCH",
      path,
      { "upload-offset": String(start), "upload-checksum": digest(algorithm, piece) },
      piece,
    );
    assert.equal(answer.status, 204, answer.text);
  }
  assert.ok((await contentOf(path)).equals(content));
});

test("an upload is aborted by DELETE, or by a method in the header", async () => {
  for (const override of [false, true]) {
    const path = await created(100_000);
    assert.equal((await tus("PATCH", path, { "upload-offset": "0" }, randomBytes(90_000))).status, 204);
    const answer = override
      ? await tus("POST", path, { "x-http-method-override": "DELETE" })
      : await tus("DELETE", path);
    assert.equal(answer.status, 204, answer.text);
    refused(await tus("PATCH", path, { "upload-offset": "90000" }, "x"), 404, "not_found");
  }
  await eventually("scrub to find nothing", async () => {
    const outcome = await mooring(["scrub", "--data-dir", shared.server.dataDir], {
      environment: shared.server.environment,
    });
    return outcome.code === 0 ? true : null;
  });
});

/** Sends a part of a PATCH and then breaks the connection, or leaves it open. */
function broken(
  path: string,
  at: number,
  length: number,
  part: Uint8Array,
  then: "destroy" | "wait",
): { close(): void; done: Promise<unknown> } {
  let close = (): void => {};
  const headers = {
    authorization: `Bearer ${shared.token}`,
    "tus-resumable": "1.0.0",
    "upload-offset": String(at),
    "content-type": "application/offset+octet-stream",
    "content-length": length,
  };
  const done = rawRequest(shared.server.origin, { method: "PATCH", path, headers }, (request) => {
    close = () => void request.destroy();
    request.write(part, () => {
      if (then === "destroy") setTimeout(close, 100);
    });
  }).catch(() => undefined);
  return { close: () => close(), done };
}

test("bytes before a broken connection are kept, and a new request ends a hanging one", async () => {
  const content = randomBytes(3 * MIB);
  for (const then of ["destroy", "wait"] as const) {
    const path = await created(content.length);
    const sending = broken(path, 0, content.length, content.subarray(0, MIB), then);
    const at = await eventually("the received bytes to be kept", async () => {
      const offset = Number(await offsetOf(path));
      return offset > 0 ? offset : null;
    });
    assert.ok(at <= MIB);
    const answer = await tus("PATCH", path, { "upload-offset": String(at) }, content.subarray(at));
    assert.equal(answer.status, 204, answer.text);
    assert.ok((await contentOf(path)).equals(content), then);
    sending.close();
    await sending.done;
  }
});

test("the content of two concurrent requests at one position is that of one of them, never a mixture", async () => {
  const size = 40 * MIB;
  const path = await created(size);
  const contents = ["a", "b", "c"].map((char) => Buffer.alloc(size, char));
  await Promise.all(
    contents.map((content) => tus("PATCH", path, { "upload-offset": "0" }, content).catch(() => undefined)),
  );
  const at = Number(await offsetOf(path));
  if (at < size) await tus("PATCH", path, { "upload-offset": String(at) }, Buffer.alloc(size - at, "d"));
  const got = await contentOf(path);
  const [first = 0] = got;
  const last = Buffer.alloc(size - Math.min(at, size), "d");
  assert.ok(got.equals(Buffer.concat([Buffer.alloc(at, first), last])), `a mixture; ${at} bytes were taken`);
});

test("tus-js-client continues after the server was killed", { timeout: 240_000 }, async () => {
  await resumeAfterKills(128 * MIB, 2);
});
