/** Every surface refuses ambiguous requests, in the form of its errors (RFC 9112, RFC 3986, RFC 3629, RFC 4648). */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { test } from "node:test";
import { s3UrlOf } from "../fixtures/s3.ts";
import { useSharedServer, type Bootstrap, type Server } from "../fixtures/server.ts";

let server: Server;
let home: Bootstrap;
let token: string;
let s3: string;
useSharedServer(async (shared) => {
  ({ server, home, token } = shared);
  s3 = await s3UrlOf(server);
});

interface Raw {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends these bytes. Returns the server's answer. */
async function raw(origin: string, head: readonly string[], body: Buffer | string = ""): Promise<Raw> {
  const { hostname, port } = new URL(origin);
  const socket = connect({ host: hostname, port: Number(port) });
  const bytes = Buffer.from(body);
  const lines = [...head, "Connection: close", `Content-Length: ${bytes.length}`];
  socket.write(Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`, "latin1"), bytes]));
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const type = /^content-type: *([^;\r]+)/im.exec(text)?.[1] ?? "";
  return { status: Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1]), type, text };
}

const bearer = (): string => `Authorization: Bearer ${token}`;
const PROBLEM = "application/problem+json";

/** Returns one request of each surface, and the form of its errors. */
function doors(): readonly (readonly [origin: string, method: string, path: string, form: RegExp])[] {
  return [
    [server.origin, "GET", "/v1/files", /problem\+json/],
    [server.origin, "GET", "/v1/projects", /problem\+json/],
    [server.origin, "POST", "/v1/ingest/logs", /problem\+json/],
    [server.origin, "POST", "/v1/query", /problem\+json/],
    [server.origin, "POST", "/otlp/v1/logs", /application\/json[^]*"code":3/],
    [server.origin, "POST", "/v1/logs", /application\/json[^]*"code":3/],
    [server.origin, "POST", "/prometheus/api/v1/write", /text\/plain/],
    [server.origin, "POST", "/loki/api/v1/push", /text\/plain/],
    [server.origin, "POST", "/elasticsearch/_bulk", /"root_cause"/],
    [server.origin, "POST", "/splunk/services/collector", /"code":6/],
    [server.origin, "POST", "/raw/logs", /problem\+json/],
    [server.origin, "POST", "/oauth/token", /"error":"invalid_request"/],
    [server.origin, "POST", new URL(home.webhook.url).pathname, /problem\+json/],
    [server.origin, "GET", "/v2/", /"errors":/],
    [server.origin, "GET", "/health", /problem\+json/],
    [server.origin, "GET", "/none", /problem\+json/],
    [server.origin, "GET", "/", /problem\+json/],
    [s3, "GET", "/", /<Code>InvalidRequest/],
    [s3, "PUT", `/${home.s3.bucket}/key`, /<Code>InvalidRequest/],
  ];
}

test("two Host fields, or an invalid one: 400 on every surface", async () => {
  for (const [origin, method, path, form] of doors()) {
    for (const fields of [["Host: a", "Host: b"], ["Host: a", "HOST: a"], ["Host: a/b"], ["Host: a b"]]) {
      const answer = await raw(origin, [`${method} ${path} HTTP/1.1`, ...fields, bearer()]);
      assert.equal(answer.status, 400, `${method} ${path} ${fields.join()}: ${answer.text}`);
      assert.match(answer.text, form, path);
    }
  }
});

test("a query or a path with invalid percent-encoding: 400 on every surface", async () => {
  for (const [origin, method, path, form] of doors()) {
    if (path.startsWith("/v2")) continue;
    for (const bad of ["%zz", "%", "%ff", "%c0%80"]) {
      const answer = await raw(origin, [`${method} ${path}?prefix=${bad} HTTP/1.1`, "Host: x", bearer()]);
      assert.equal(answer.status, 400, `${path}?prefix=${bad}: ${answer.text}`);
      assert.match(answer.text, origin === s3 ? /<Code>InvalidURI/ : form, answer.text);
    }
  }
  for (const bad of ["%zz", "%ff", "%"]) {
    for (const path of [
      `/v1/files/${bad}`,
      `/v1/projects/${bad}`,
      `/none/${bad}`,
      `/hooks/${bad}`,
      `/v1/content/${bad}`,
    ]) {
      const answer = await raw(server.origin, [`GET ${path} HTTP/1.1`, "Host: x", bearer()]);
      assert.deepEqual([answer.status, answer.type], [400, PROBLEM], answer.text);
    }
    assert.equal((await raw(s3, [`GET /${home.s3.bucket}/${bad} HTTP/1.1`, "Host: x"])).status, 400);
  }
});

test("bodies that are not UTF-8: 400 on every surface, in its form", async () => {
  const bad = (text: string): Buffer => Buffer.from(text, "latin1");
  const json = "application/json";
  const form = "application/x-www-form-urlencoded";
  const grant = `grant_type=client_credentials&client_id=${home.credential.client_id}&client_secret=${home.credential.client_secret}`;
  const cases: readonly (readonly [method: string, path: string, type: string, body: Buffer, form: RegExp])[] = [
    ["POST", "/v1/projects", json, bad('{"slug":"strict","name":"J\xfcrgen"}'), /problem\+json/],
    ["POST", "/v1/upload", json, bad('{"filename":"\xff","content_type":"text/plain"}'), /problem\+json/],
    ["POST", "/v1/query", json, bad('{"sql":"SELECT \'\xff\'"}'), /problem\+json/],
    ["POST", "/v1/webhooks", json, bad(`{"project_id":"${home.project.id}","name":"\xff"}`), /problem\+json/],
    [
      "POST",
      "/v1/ingest/logs",
      json,
      bad('{"entries":[{"timestamp":"2026-01-01T00:00:00Z","level":"a","message":"\xff"}]}'),
      /problem\+json/,
    ],
    ["POST", "/otlp/v1/logs", json, bad('{"resourceLogs":[],"a":"\xff"}'), /"code":3/],
    ["POST", "/oauth/token", form, bad(`${grant}&scope=\xff`), /"error":"invalid_request"/],
    ["POST", "/oauth/token", form, bad(`${grant}&scope=%ff`), /"error":"invalid_request"/],
    ["POST", "/oauth/token", form, bad(`${grant}&scope=%zz`), /"error":"invalid_request"/],
    ["POST", "/api/reset/request", json, bad('{"email":"\xff@a.test","password":"a"}'), /problem\+json/],
  ];
  for (const [method, path, type, body, expected] of cases) {
    const origin = `Origin: ${server.origin}`;
    const answer = await raw(
      server.origin,
      [
        `${method} ${path} HTTP/1.1`,
        "Host: x",
        `Content-Type: ${type}`,
        origin,
        ...(path.startsWith("/oauth") ? [] : [bearer()]),
      ],
      body,
    );
    assert.equal(answer.status, 400, `${path}: ${answer.text}`);
    assert.match(answer.text, expected, path);
    assert.doesNotMatch(answer.text, /�/);
  }
});

test("header fields that are decoded and are not UTF-8: 400", async () => {
  const basic = Buffer.from("\xff:secret", "latin1").toString("base64");
  const form = ["Host: x", "Content-Type: application/x-www-form-urlencoded"];
  const answer = await raw(
    server.origin,
    ["POST /oauth/token HTTP/1.1", ...form, `Authorization: Basic ${basic}`],
    "grant_type=client_credentials",
  );
  assert.equal(answer.status, 400, answer.text);
  assert.match(answer.text, /"error":"invalid_request"/);
  const name = Buffer.from("\xff", "latin1").toString("base64");
  const tus = ["Host: x", "Tus-Resumable: 1.0.0", "Upload-Length: 1", `Upload-Metadata: filename ${name}`, bearer()];
  const upload = await raw(server.origin, ["POST /v1/uploads HTTP/1.1", ...tus]);
  assert.deepEqual([upload.status, upload.type], [400, PROBLEM], upload.text);
});

/** Texts that lenient readers of base64url decode to the same bytes. Without unused bits none changes the last character. */
function otherSpellings(text: string): string[] {
  return [`${text}=`, `${text}A`, `${text} `, ...(text.length % 4 === 0 ? [] : [respelt(text)])];
}

/** Spells the same bytes differently: the last character has unused bits. */
function respelt(text: string): string {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  const last = letters.indexOf(text.at(-1) ?? "");
  const other = text.slice(0, -1) + letters.charAt(last ^ 1);
  assert.deepEqual(
    Buffer.from(other, "base64url"),
    Buffer.from(text, "base64url"),
    "the last character has no free bits",
  );
  return other;
}

test("a token with another last character of its signature is another token", async () => {
  assert.equal((await server.call("GET", "/v1/me", { token })).status, 200);
  const dot = token.lastIndexOf(".") + 1;
  const [signed, signature] = [token.slice(0, dot), token.slice(dot)];
  const answer = await server.call<{ code: string }>("GET", "/v1/me", { token: signed + respelt(signature) });
  assert.deepEqual([answer.status, answer.body.code], [401, "invalid_token"]);
  for (const altered of [`${token}=`, token.replace(".", "=."), `${token}.`]) {
    assert.equal((await server.call("GET", "/v1/me", { token: altered })).status, 401, altered);
  }
});

test("a cursor with another last character is refused", async () => {
  for (const slug of ["aa", "bb", "cc"]) {
    assert.equal((await server.call("POST", "/v1/projects", { token, json: { slug, name: slug } })).status, 201);
  }
  const page = await server.call<{ next_cursor: string }>("GET", "/v1/projects?limit=1", { token });
  const cursor = page.body.next_cursor;
  assert.equal((await server.call("GET", `/v1/projects?limit=1&cursor=${cursor}`, { token })).status, 200);
  for (const other of otherSpellings(cursor)) {
    const address = `/v1/projects?limit=1&cursor=${encodeURIComponent(other)}`;
    assert.equal((await server.call("GET", address, { token })).status, 400, other);
  }
});

test("a presigned URL with another spelling of its signature is refused", async () => {
  const upload = await server.call<{ data: { upload_url: string } }>("POST", "/v1/upload", {
    token,
    json: { filename: "a", content_type: "text/plain" },
  });
  const url = new URL(upload.body.data.upload_url);
  const signature = url.searchParams.get("signature") ?? assert.fail("the URL has no signature");
  const put = async (): Promise<number> =>
    (await fetch(url, { method: "PUT", headers: { "content-type": "text/plain" }, body: "a" })).status;
  for (const other of otherSpellings(signature)) {
    url.searchParams.set("signature", other);
    assert.equal(await put(), 403, other);
  }
  url.searchParams.set("signature", signature);
  assert.equal(await put(), 200);
});

test("a webhook's address names POST, for every other method", async () => {
  for (const method of ["HEAD", "GET", "PUT", "PATCH", "DELETE", "TRACE", "PROPFIND"]) {
    const answer = await raw(server.origin, [`${method} ${new URL(home.webhook.url).pathname} HTTP/1.1`, "Host: x"]);
    assert.equal(answer.status, 405, `${method}: ${answer.text}`);
    assert.match(answer.text, /^allow: POST\r$/im, method);
  }
});
