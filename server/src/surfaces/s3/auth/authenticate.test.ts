import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { connect } from "node:net";
import { test } from "node:test";
import { crc32 } from "node:zlib";
import { openGateway, refused, send, succeeded, texts, useGateway, type Answer } from "../testing/gateway.ts";
import { chunkSigner } from "./chunk-signatures.ts";
import { canonicalRequestOf, deriveKey, signatureOf, stringToSignOf } from "./signature-v4.ts";
import { basicDateOf } from "./times.ts";
import { Fields } from "../wire/fields.ts";
import { parseTarget } from "../wire/target.ts";

const shared = useGateway();

interface Presigning {
  readonly expires?: string;
  readonly atMs?: number;
  readonly extra?: string;
  readonly headers?: Record<string, string>;
}

function presigned(
  method: string,
  path: string,
  { expires = "60", atMs, extra = "", headers = {} }: Presigning = {},
): string {
  const { key } = shared.gateway;
  const date = basicDateOf(atMs ?? shared.gateway.nowMs());
  const scope = { day: date.slice(0, 8), region: "us-east-1", service: "s3" };
  const all = { host: shared.gateway.host, ...headers };
  const signedHeaders = Object.keys(all).toSorted();
  const credential = encodeURIComponent(`${key.accessKeyId}/${scope.day}/us-east-1/s3/aws4_request`);
  const target =
    `${path}?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&X-Amz-Date=${date}` +
    `&X-Amz-Expires=${expires}&X-Amz-SignedHeaders=${signedHeaders.join("%3B")}${extra}`;
  const fields = Fields.fromRaw(Object.entries(all).flat());
  const canonical = canonicalRequestOf({
    method,
    target: parseTarget(target),
    fields,
    signedHeaders,
    payload: "UNSIGNED-PAYLOAD",
  });
  return `${target}&X-Amz-Signature=${signatureOf(deriveKey(key.secret, scope), stringToSignOf(date, scope, canonical))}`;
}

const unsigned = (
  method: string,
  target: string,
  more: { body?: string; headers?: Record<string, string> } = {},
): Promise<Answer> => shared.gateway.call(method, target, { ...more, sign: false });

test("accepts presigned URLs for their method, time, host and fields, any number of times", async () => {
  const { bucket, gateway } = shared;
  const path = `/${bucket}/presigned%20%C3%BC`;
  const put = presigned("PUT", path, {
    extra: "&x-amz-meta-a=b&x-amz-checksum-crc32=AAAAAA%3D%3D&x-amz-sdk-checksum-algorithm=CRC32",
  });
  for (const body of ["one", "two"]) succeeded(await unsigned("PUT", put, { body }));
  const get = presigned("GET", path);
  const got = succeeded(await unsigned("GET", get));
  assert.deepEqual([got.text, got.headers["x-amz-meta-a"]], ["two", "b"]);
  refused(await unsigned("HEAD", get), "403");
  refused(await unsigned("PUT", get, { body: "three" }), "SignatureDoesNotMatch", 403);
  refused(await unsigned("GET", get.replace("presigned", "other")), "SignatureDoesNotMatch", 403);
  refused(await unsigned("GET", get.replace("Expires=60", "Expires=600")), "SignatureDoesNotMatch", 403);
  refused(await unsigned("GET", `${get}&response-content-type=text%2Fhtml`), "SignatureDoesNotMatch", 403);
  refused(await unsigned("GET", get, { headers: { host: `${bucket}.s3.test` } }), "SignatureDoesNotMatch", 403);
  // A proxy may have replaced the host. The signature is for our public host.
  succeeded(await unsigned("GET", get, { headers: { host: "inner.test" } }));
  refused(await unsigned("PUT", put, { body: "x", headers: { "x-amz-acl": "public-read" } }), "AccessDenied", 403);
  refused(await unsigned("PUT", put, { body: "x", headers: { "x-amz-meta-a": "c" } }), "AccessDenied", 403);
  const bound = presigned("PUT", path, { headers: { "content-type": "text/x" } });
  refused(
    await unsigned("PUT", bound, { body: "x", headers: { "content-type": "text/y" } }),
    "SignatureDoesNotMatch",
    403,
  );
  refused(await unsigned("PUT", bound, { body: "x" }), "SignatureDoesNotMatch", 403);
  const checked = presigned("PUT", path, { extra: "&x-amz-checksum-crc32=NhCmhg%3D%3D" });
  refused(await unsigned("PUT", checked, { body: "three" }), "BadDigest", 400);
  assert.equal((await gateway.call("GET", path)).text, "two");
});

test("refuses presigned URLs that are not valid yet, have expired, or have no expiry", async () => {
  const { bucket, gateway } = shared;
  const now = gateway.nowMs();
  const get = (options: Presigning): Promise<Answer> => unsigned("GET", presigned("GET", `/${bucket}`, options));
  succeeded(await get({ expires: "604800" }));
  succeeded(await get({ atMs: now - 59_000 }));
  for (const options of [
    { atMs: now - 60_000 },
    { atMs: now + 16 * 60_000 },
    { expires: "0" },
    { expires: "-5" },
    { expires: "604801" },
  ])
    refused(await get(options), "AccessDenied", 403);
  for (const expires of ["", "x", "1e3", "60&X-Amz-Expires=60"])
    refused(await get({ expires }), "AuthorizationQueryParametersError", 400);
  refused(
    await unsigned("GET", presigned("GET", `/${bucket}`).replace(/&X-Amz-Date=[^&]+/, "")),
    "AuthorizationQueryParametersError",
    400,
  );
});

test("shows the server's string to sign when a signature does not match", async () => {
  const { gateway, bucket } = shared;
  const answer = await gateway.call("GET", `/${bucket}?prefix=a%20b`, {
    sign: { key: { ...gateway.key, secret: "x" } },
  });
  refused(answer, "SignatureDoesNotMatch", 403);
  const [canonical = ""] = texts(answer, "CanonicalRequest");
  assert.ok(canonical.startsWith(`GET&#x0A;/${bucket}&#x0A;prefix=a%20b&#x0A;host:`), canonical);
  assert.deepEqual(texts(answer, "AWSAccessKeyId"), [gateway.key.accessKeyId]);
  assert.match(texts(answer, "StringToSign")[0] ?? "", /^AWS4-HMAC-SHA256&#x0A;\d{8}T\d{6}Z&#x0A;/);
  const region = await gateway.call("GET", "/", { sign: { region: "mars-1" } });
  assert.deepEqual(texts(refused(region, "AuthorizationHeaderMalformed", 400), "Region"), ["us-east-1"]);
  for (const other of ["auto", "us-east-1"]) succeeded(await gateway.call("GET", "/", { sign: { region: other } }));
});

test("refuses ambiguous credentials", async () => {
  const { gateway, bucket } = shared;
  const { headers } = gateway.signed("GET", `/${bucket}`);
  const { authorization = "" } = headers;
  const get = presigned("GET", `/${bucket}`);
  refused(await unsigned("GET", get, { headers }), "InvalidArgument", 400);
  refused(await unsigned("GET", `${get}&AWSAccessKeyId=x&Signature=y&Expires=1`), "InvalidArgument", 400);
  refused(await unsigned("GET", `${get}&X-Amz-Signature=${"0".repeat(64)}`), "AuthorizationQueryParametersError", 400);
  for (const wrong of ["", "Bearer x", "Basic eDp5", "AWS4-HMAC-SHA512 x"])
    refused(
      await unsigned("GET", `/${bucket}`, { headers: { ...headers, authorization: wrong } }),
      "InvalidArgument",
      400,
    );
  for (const wrong of [
    authorization.replace("SignedHeaders=", "SignedHeaders=x;"),
    authorization.replace(/Signature=.*/, ""),
    `${authorization}, Signature=${"0".repeat(64)}`,
    authorization.replace("aws4_request", "aws4_response"),
  ])
    assert.match(
      (await unsigned("GET", `/${bucket}`, { headers: { ...headers, authorization: wrong } })).code,
      /AuthorizationHeaderMalformed|SignatureDoesNotMatch/,
    );
  refused(
    await unsigned("GET", `/${bucket}`, { headers: { authorization: "AWS4-ECDSA-P256-SHA256 x" } }),
    "NotImplemented",
    501,
  );
});

/** Sends one request as bytes. */
function sendRaw(lines: readonly string[], body = ""): Promise<string> {
  const [name = "", port] = shared.gateway.host.split(":");
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), name, () => socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`, "latin1"));
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("end", () => resolve(text));
    socket.on("error", reject);
  });
}

test("refuses ambiguous requests", async () => {
  const { bucket, gateway } = shared;
  const host = `Host: ${gateway.host}`;
  const end = "Connection: close";
  const { authorization = "" } = gateway.signed("GET", `/${bucket}`).headers;
  for (const [lines, body] of [
    [["GET http://evil.test/ HTTP/1.1", host, end]],
    [[`GET /${bucket} HTTP/1.1`, host, host, end]],
    [[`GET /${bucket} HTTP/1.1`, host, `Authorization: ${authorization}`, `Authorization: ${authorization}`, end]],
    [
      [`PUT /${bucket}/a HTTP/1.1`, host, "Content-Length: 1", "Transfer-Encoding: chunked", end],
      "1\r\na\r\n0\r\n\r\n",
    ],
    [[`PUT /${bucket}/a HTTP/1.1`, host, "Content-Length: -1", end]],
    [[`GET /${bucket} HTTP/1.1`, host, "X-Folded: a", " b", end]],
    [[`GET /${bucket}/%zz HTTP/1.1`, host, end]],
    [[`GET /${bucket}/\xff HTTP/1.1`, host, end]],
    [["nonsense"]],
  ] as const)
    assert.match(
      await sendRaw(lines, body),
      /^HTTP\/1\.1 400 [^]*<Code>(BadRequest|InvalidRequest|InvalidURI|InvalidArgument)</,
      lines[0],
    );
  assert.match(await sendRaw([`GET /${bucket} HTTP/1.1`, end]), /^HTTP\/1\.1 400 /);
  assert.match(
    await sendRaw([`GET /${bucket} HTTP/1.1`, host, `X-Large: ${"x".repeat(20_000)}`, end]),
    /RequestHeaderSectionTooLarge/,
  );
});

interface Streamed {
  readonly chunks: readonly string[];
  readonly trailer?: string;
  readonly payload: string;
  readonly headers?: Record<string, string>;
  /** Changes the body after it was signed. */
  readonly change?: (body: string) => string;
}

function streamed(
  path: string,
  { chunks, trailer, payload, headers = {}, change = (body) => body }: Streamed,
): Promise<Answer> {
  const { gateway } = shared;
  const length = chunks.join("").length;
  const all = { "x-amz-decoded-content-length": String(length), "content-encoding": "aws-chunked", ...headers };
  const {
    headers: sent,
    signature: seed,
    scope,
    date,
  } = gateway.signed("PUT", path, { headers: all, sign: { payload } });
  const isSigned = payload.startsWith("STREAMING-AWS4");
  const key = deriveKey(gateway.key.secret, scope);
  const next = signingChain({ key, seed, scope, date });
  const framed = [...chunks, ""].map((chunk) => {
    const mark = isSigned ? `;chunk-signature=${next("PAYLOAD", chunk)}` : "";
    return `${chunk.length.toString(16)}${mark}\r\n${chunk}${chunk === "" ? "" : "\r\n"}`;
  });
  const signature =
    trailer !== undefined && isSigned ? `x-amz-trailer-signature:${next("TRAILER", `${trailer}\n`)}\r\n` : "";
  const body = `${framed.join("")}${trailer === undefined ? "" : `${trailer}\r\n`}${signature}\r\n`;
  return send(gateway.host, "PUT", path, sent, Buffer.from(change(body), "latin1"));
}

/** Computes signatures by the published rule, independently of the code under test. */
function signingChain({
  key,
  seed,
  scope,
  date,
}: {
  key: Buffer;
  seed: string;
  scope: { day: string; region: string };
  date: string;
}) {
  let previous = seed;
  const empty = createHash("sha256").digest("hex");
  return (kind: "PAYLOAD" | "TRAILER", text: string): string => {
    const digest = createHash("sha256").update(text).digest("hex");
    const hashes = kind === "PAYLOAD" ? [empty, digest] : [digest];
    const lines = [
      `AWS4-HMAC-SHA256-${kind}`,
      date,
      `${scope.day}/${scope.region}/s3/aws4_request`,
      previous,
      ...hashes,
    ];
    previous = createHmac("sha256", key).update(lines.join("\n")).digest("hex");
    return previous;
  };
}

const SIGNED = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
const CHUNKS = ["a".repeat(9000), "b".repeat(100)];
const base64 = (text: string): string => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return bytes.toString("base64");
};

test("accepts streaming bodies of each kind", async () => {
  const { gateway, bucket } = shared;
  const trailer = `x-amz-checksum-crc32:${base64(CHUNKS.join(""))}`;
  const headers = { "x-amz-trailer": "x-amz-checksum-crc32" };
  for (const [name, options] of Object.entries({
    signed: { chunks: CHUNKS, payload: SIGNED },
    trailer: { chunks: CHUNKS, payload: `${SIGNED}-TRAILER`, trailer, headers },
    unsigned: { chunks: CHUNKS, payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER", trailer, headers },
    "no-trailer": { chunks: CHUNKS, payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER" },
    empty: { chunks: [], payload: SIGNED },
  } satisfies Record<string, Streamed>)) {
    const put = succeeded(await streamed(`/${bucket}/${name}`, options));
    assert.equal(put.headers["x-amz-checksum-crc32"], "trailer" in options ? trailer.split(":")[1] : undefined, name);
    const got = await gateway.call("GET", `/${bucket}/${name}`);
    assert.deepEqual([got.text, got.headers["content-encoding"]], [options.chunks.join(""), undefined], name);
  }
});

test("stores nothing when a streaming body differs from the signed one", async () => {
  const { gateway, bucket } = shared;
  const path = `/${bucket}/streamed`;
  succeeded(await gateway.call("PUT", path, { body: "kept" }));
  const trailer = `x-amz-checksum-crc32:${base64(CHUNKS.join(""))}`;
  const headers = { "x-amz-trailer": "x-amz-checksum-crc32" };
  const signed = { chunks: CHUNKS, payload: SIGNED };
  const trailed = { chunks: CHUNKS, payload: `${SIGNED}-TRAILER`, trailer, headers };
  const cases: Record<string, [Streamed, string]> = {
    "another byte": [{ ...signed, change: (body) => body.replace("bbb", "bcb") }, "SignatureDoesNotMatch"],
    "a chunk again": [
      { ...signed, change: (body) => body.replace(/^[^]*?\r\n[^]*?\r\n/, (first) => first + first) },
      "IncompleteBody",
    ],
    "without the end": [{ ...signed, change: (body) => body.replace(/0;chunk[^]*$/, "") }, "IncompleteBody"],
    "bytes after the end": [{ ...signed, change: (body) => `${body}more` }, "InvalidRequest"],
    "fewer bytes than declared": [{ ...signed, headers: { "x-amz-decoded-content-length": "9999" } }, "IncompleteBody"],
    "more bytes than declared": [{ ...signed, headers: { "x-amz-decoded-content-length": "5" } }, "IncompleteBody"],
    "no declared length": [{ ...signed, headers: { "x-amz-decoded-content-length": "x" } }, "InvalidArgument"],
    "another trailer": [
      { ...trailed, change: (body) => body.replace(trailer, "x-amz-checksum-crc32:AAAAAA==") },
      "SignatureDoesNotMatch",
    ],
    "without a trailer": [
      { ...trailed, change: (body) => body.replace(/x-amz-checksum-crc32:[^]*?\r\n/, "") },
      "MalformedTrailerError",
    ],
    "another field in the trailer": [{ ...trailed, trailer: "x-amz-checksum-crc32:AAAAAA==" }, "BadDigest"],
    "unsigned chunks": [
      { ...signed, change: (body) => body.replace(/;chunk-signature=[0-9a-f]+/g, "") },
      "InvalidRequest",
    ],
    "an unknown kind of streaming": [
      { ...signed, payload: "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD" },
      "NotImplemented",
    ],
    "a wrong checksum without signatures": [
      { ...trailed, payload: "STREAMING-UNSIGNED-PAYLOAD-TRAILER", trailer: "x-amz-checksum-crc32:AAAAAA==" },
      "BadDigest",
    ],
  };
  for (const [name, [options, code]] of Object.entries(cases))
    assert.equal((await streamed(path, options)).code, code, name);
  assert.equal((await gateway.call("GET", path)).text, "kept");
});

test("accepts Signature V2 of headers and URLs if the setting allows it", async () => {
  const { gateway, bucket } = shared;
  const { accessKeyId, secret } = gateway.key;
  const date = new Date(gateway.nowMs()).toUTCString();
  const hmac = (text: string): string => createHmac("sha1", secret).update(text).digest("base64");
  const signature = hmac(`PUT\n\ntext/plain\n${date}\nx-amz-meta-a:b\n/${bucket}/v2`);
  const headers = {
    date,
    "content-type": "text/plain",
    "x-amz-meta-a": "b",
    authorization: `AWS ${accessKeyId}:${signature}`,
  };
  succeeded(await unsigned("PUT", `/${bucket}/v2`, { headers, body: "v2" }));
  refused(
    await unsigned("PUT", `/${bucket}/v2`, { headers: { ...headers, "x-amz-meta-a": "c" }, body: "x" }),
    "SignatureDoesNotMatch",
    403,
  );
  refused(await unsigned("PUT", `/${bucket}/v2?acl`, { headers, body: "x" }), "SignatureDoesNotMatch", 403);
  const url = (expires: number, path = `/${bucket}/v2`): string =>
    `/${bucket}/v2?AWSAccessKeyId=${accessKeyId}&Expires=${expires}&Signature=${encodeURIComponent(hmac(`GET\n\n\n${expires}\n${path}`))}`;
  const soon = Math.floor(gateway.nowMs() / 1000) + 60;
  assert.equal(succeeded(await unsigned("GET", url(soon))).text, "v2");
  refused(await unsigned("GET", url(soon - 61)), "AccessDenied", 403);
  refused(
    await unsigned("GET", url(soon).replace(`Expires=${soon}`, `Expires=${soon + 1}`)),
    "SignatureDoesNotMatch",
    403,
  );
  refused(await unsigned("GET", url(soon, `/${bucket}/other`)), "SignatureDoesNotMatch", 403);
});

test("verifies chunks by the chain that began with the request", () => {
  const scope = { day: "20130524", region: "us-east-1", service: "s3" };
  const context = { key: Buffer.from("k"), date: "20130524T000000Z", scope, seed: "0".repeat(64) };
  assert.equal(chunkSigner(context).chunk("x", "y"), false);
});

test("a caller with too many wrong signatures gets SlowDown, and the right secret is accepted after any failures of its key", async (t) => {
  const gateway = await openGateway({ failedSignaturesMax: 20 });
  t.after(() => gateway.close());
  const key = await gateway.newKey();
  const wrong = { ...key, secret: `${key.secret.slice(1)}x` };
  const unknown = { ...key, accessKeyId: `${key.accessKeyId.slice(0, -1)}0` };
  const ask = (as: typeof key): Promise<Answer> => gateway.call("GET", "/", { sign: { key: as } });
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(wrong)));
  for (const answer of answers) refused(answer, "SignatureDoesNotMatch", 403);
  for (let i = 0; i < 100; i++) {
    const answer = await ask(wrong);
    refused(answer, "SlowDown", 503);
    assert.ok(Number(answer.headers["retry-after"]) > 0);
  }
  succeeded(await ask(key));
  refused(await ask(unknown), "InvalidAccessKeyId", 403);
  gateway.ground.ground.clock.advance(30_000);
  refused(await ask(wrong), "SignatureDoesNotMatch", 403);
});
