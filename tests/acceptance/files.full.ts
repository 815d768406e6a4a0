/** Files through presigned URLs: normal use, and every way in which it can fail. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdirSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import {
  askUpload,
  downloadUrl,
  fetched,
  granted,
  listed,
  pathIn,
  put,
  sha256,
  uploaded,
  type FileBody,
} from "../fixtures/files.ts";
import { rawRequest, refused, type Answer, type RawAnswer } from "../fixtures/http.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { startServer, useServer, type Bootstrap, type Client } from "../fixtures/server.ts";

const MIB = 1024 * 1024;
const SIZE_MAX = 3 * MIB;

let other: Bootstrap;
let otherToken: string;
const settings = {
  files_size_bytes_max: SIZE_MAX,
  upload_idle_timeout_ms: 1000,
  object_grace_ms: 200,
  object_collect_ms: 100,
};
const shared = useServer({ settings }, async ({ server }) => {
  other = await server.bootstrap({ org: "globex", project: "plant", app: "reactor" });
  otherToken = await server.token(other.credential);
});

/** In chunks, so that no Content-Length is sent. */
function chunked(bytes: Uint8Array): ReadableStream {
  let at = 0;
  return new ReadableStream({
    pull: (controller) => {
      controller.enqueue(bytes.subarray(at, at + 65_536));
      at += 65_536;
      if (at >= bytes.length) controller.close();
    },
  });
}

async function total(): Promise<number> {
  return (await listed(shared.server, shared.token)).total;
}

/** Returns the files on the disk that are content, complete or not. */
function stored(): string[] {
  const root = join(shared.server.dataDir, "objects");
  return ["tmp", "blobs"].flatMap((name) =>
    readdirSync(join(root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => entry.name),
  );
}

async function leavesNothing(before: { readonly total: number; readonly stored: readonly string[] }): Promise<void> {
  assert.equal(await total(), before.total, "a file is listed that never arrived completely");
  await eventually("the rest of a broken upload to be deleted", () => {
    return stored().every((name) => before.stored.includes(name)) ? true : null;
  });
}

async function state(): Promise<{ total: number; stored: string[] }> {
  return { total: await total(), stored: stored() };
}

test("grant, upload, list, download, delete", async () => {
  const content = Buffer.from("name,amount\nrent,700\n");
  const grant = await granted(shared.server, shared.token, { filename: "costs.csv", content_type: "text/csv" });
  assert.match(grant.file_id, /^file_/);
  assert.equal(grant.expires_in, 900);
  assert.ok(grant.upload_url.startsWith(`${shared.server.origin}/`));
  const before = await total();
  const answer = await put(shared.server, grant.upload_url, content, { "content-type": "text/csv" });
  assert.equal(answer.status, 200, answer.text);
  const { id, filename, content_type, size_bytes, created_at, created_by: by, ...more } = answer.body.data;
  assert.deepEqual([id, filename, content_type, size_bytes], [grant.file_id, "costs.csv", "text/csv", content.length]);
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.match(by, /^cred_/);
  assert.deepEqual(more, { sha256: sha256(content), project_id: null });
  assert.equal(answer.headers.get("etag"), `"${sha256(content)}"`);

  const list = await listed(shared.server, shared.token);
  assert.equal(list.total, before + 1);
  assert.deepEqual(list.files[0], answer.body.data);

  const got = await shared.server.call<{ data: Record<string, unknown> }>("GET", `/v1/files/${id}/download`, {
    token: shared.token,
  });
  const { download_url: url, ...facts } = got.body.data;
  assert.deepEqual(facts, {
    filename: "costs.csv",
    content_type: "text/csv",
    size_bytes: content.length,
    sha256: sha256(content),
    expires_in: 900,
  });
  const download = await fetched(String(url));
  assert.equal(download.status, 200);
  assert.deepEqual(download.bytes, content);
  assert.equal(download.headers.get("content-type"), "text/csv");

  const gone = await shared.server.call("DELETE", `/v1/files/${id}`, { token: shared.token });
  assert.equal(`${gone.status} ${gone.text}`, "204 ");
  refused(await shared.server.call("DELETE", `/v1/files/${id}`, { token: shared.token }), 404, "not_found");
  refused(await shared.server.call("GET", `/v1/files/${id}/download`, { token: shared.token }), 404, "not_found");
  refused(await shared.server.call("GET", pathIn(String(url))), 404, "not_found");
  assert.equal(await total(), before);
});

test("content of every size comes back unchanged, with and without Content-Length", async () => {
  for (const size of [0, 1, 32_767, 32_768, 32_769, MIB, MIB + 1, SIZE_MAX]) {
    const content = Buffer.alloc(size, "0123456789");
    for (const body of [content, ...(size === 0 ? [] : [chunked(content)])]) {
      const file = await uploaded(shared.server, shared.token, { filename: `${size}` }, body);
      assert.equal(file.sha256, sha256(content));
      const got = await fetched(await downloadUrl(shared.server, shared.token, file.id));
      assert.equal(got.headers.get("content-length"), String(size));
      assert.equal(sha256(got.bytes), file.sha256);
    }
  }
});

test("a file that is not uploaded yet is not listed", async () => {
  const before = await total();
  const { file_id: id } = await granted(shared.server, shared.token);
  assert.equal(await total(), before);
  refused(await shared.server.call("GET", `/v1/files/${id}/download`, { token: shared.token }), 404, "not_found");
});

test("limit and offset outside of their range are refused with a pointer", async () => {
  const ask = (query: string): Promise<Answer> =>
    shared.server.call("GET", `/v1/files?${query}`, { token: shared.token });
  for (const value of ["0", "101", "-1", "x", "", "1.5", "1e1", "99999999999999999999"])
    refused(await ask(`limit=${value}`), 400, "invalid_parameter", ["/limit"]);
  for (const value of ["-1", "x", "", "1.5"])
    refused(await ask(`offset=${value}`), 400, "invalid_parameter", ["/offset"]);
  for (const value of ["1", "100"]) assert.equal((await ask(`limit=${value}`)).status, 200);
  refused(await ask("limit=1&limit=2"), 400, "invalid_parameter", ["/limit"]);
});

test("an altered URL, or one of another file, is refused", async () => {
  const grant = await granted(shared.server, shared.token);
  const url = new URL(grant.upload_url);
  const changes: Record<string, (copy: URL) => void> = {
    "a later expiry": (copy) => copy.searchParams.set("expires", String(Number(copy.searchParams.get("expires")) + 1)),
    "another type": (copy) => copy.searchParams.set("content_type", "text/html"),
    "a greater limit": (copy) => copy.searchParams.set("bytes_max", "99999999999"),
    "another file": (copy) => (copy.pathname = copy.pathname.slice(0, -1) + (copy.pathname.endsWith("0") ? "1" : "0")),
    "another signature": (copy) => copy.searchParams.set("signature", "A".repeat(43)),
    "an empty signature": (copy) => copy.searchParams.set("signature", ""),
    "a cut signature": (copy) =>
      copy.searchParams.set("signature", String(copy.searchParams.get("signature")).slice(0, -1)),
    "two signatures": (copy) => copy.searchParams.append("signature", "A"),
    "no signature": (copy) => copy.searchParams.delete("signature"),
    "one parameter more": (copy) => copy.searchParams.set("x", "1"),
    "no parameters": (copy) => (copy.search = ""),
    "an expiry in another form": (copy) => copy.searchParams.set("expires", `0${copy.searchParams.get("expires")}`),
  };
  for (const [what, change] of Object.entries(changes)) {
    const copy = new URL(url);
    change(copy);
    const type = copy.searchParams.get("content_type") ?? "text/plain";
    const answer = await put(shared.server, copy.href, "x", { "content-type": type });
    assert.equal(answer.status, 403, `${what}: ${answer.text}`);
    refused(answer, 403, "presigned_url_invalid");
  }
  refused(await shared.server.call("GET", pathIn(url.href)), 403, "presigned_url_invalid");
  const { id } = await uploaded(shared.server, shared.token);
  const download = await downloadUrl(shared.server, shared.token, id);
  refused(await put(shared.server, download, "x"), 403, "presigned_url_invalid");
  const elsewhere = new URL(download);
  elsewhere.searchParams.set("granted_by", "cred_00000000000000000000000000");
  refused(await shared.server.call("GET", pathIn(elsewhere.href)), 403, "presigned_url_invalid");
  assert.equal((await put(shared.server, url.href, "x")).status, 200, "the right URL still works");
});

test("a URL of another deployment is refused", async () => {
  const elsewhere = await startServer();
  try {
    const home = await elsewhere.bootstrap();
    const { upload_url: url } = await granted(elsewhere, await elsewhere.token(home.credential));
    refused(await put(shared.server, url, "x"), 403, "presigned_url_invalid");
  } finally {
    await elsewhere.dispose();
  }
});

test("a URL works once, also with two concurrent uploads, and the content can't be replaced", async () => {
  const grant = await granted(shared.server, shared.token);
  assert.equal((await put(shared.server, grant.upload_url, "first")).status, 200);
  for (const content of ["first", "second", ""])
    refused(await put(shared.server, grant.upload_url, content), 409, "conflict");
  const got = await fetched(await downloadUrl(shared.server, shared.token, grant.file_id));
  assert.equal(got.bytes.toString(), "first");

  for (const size of [10, 2 * MIB]) {
    const { upload_url: url } = await granted(shared.server, shared.token);
    const before = await total();
    const content = Buffer.alloc(size, "x");
    const answers = await Promise.all(Array.from({ length: 8 }, () => put(shared.server, url, content)));
    assert.deepEqual(
      answers.map((answer) => answer.status).toSorted((a, b) => a - b),
      [200, ...Array.from({ length: 7 }, () => 409)],
    );
    assert.equal(await total(), before + 1);
  }
});

test("the PUT must have the declared type", async () => {
  const { upload_url: url } = await granted(shared.server, shared.token, { content_type: "text/plain; charset=utf-8" });
  for (const type of ["text/html", "text/plain", "text/plain; charset=latin1", "application/json", "garbage"])
    refused(await put(shared.server, url, "x", { "content-type": type }), 400, "invalid_request");
  const without = await rawRequest(
    shared.server.origin,
    { method: "PUT", path: pathIn(url), headers: { "content-length": 1 } },
    (request) => request.end("x"),
  );
  assert.equal(without.status, 400, without.text);
  assert.equal((await put(shared.server, url, "x", { "content-type": 'Text/Plain;charset="UTF-8"' })).status, 200);
});

test("encoded or partial content is refused", async () => {
  const { upload_url: url } = await granted(shared.server, shared.token);
  refused(await put(shared.server, url, "x", { "content-encoding": "gzip" }), 415, "unsupported_media_type");
  refused(await put(shared.server, url, "x", { "content-range": "bytes 0-0/2" }), 400, "invalid_request");
  assert.equal((await put(shared.server, url, "x")).status, 200);
});

test("too much content is 413, with Content-Length before a byte and without it during the body, and leaves nothing", async () => {
  const content = Buffer.alloc(SIZE_MAX + 1);
  const before = await state();
  const { upload_url: url } = await granted(shared.server, shared.token);
  refused(await put(shared.server, url, content), 413, "body_too_large");
  refused(await put(shared.server, url, chunked(content)), 413, "body_too_large");
  refused(await askUpload(shared.server, shared.token, { size_bytes: SIZE_MAX + 1 }), 413, "body_too_large");
  await leavesNothing(before);
  assert.equal((await put(shared.server, url, content.subarray(1))).status, 200, "and the URL still works");
});

test("content of another size than announced is refused", async () => {
  const before = await state();
  const { upload_url: url } = await granted(shared.server, shared.token, { size_bytes: 5 });
  refused(await put(shared.server, url, "1234"), 400, "invalid_request");
  refused(await put(shared.server, url, "123456"), 413, "body_too_large");
  refused(await put(shared.server, url, chunked(Buffer.from("1234"))), 400, "invalid_body");
  refused(await put(shared.server, url, chunked(Buffer.from("123456"))), 413, "body_too_large");
  await leavesNothing(before);
  assert.equal((await put(shared.server, url, "12345")).status, 200);
});

test("digests are checked if they are sent or were announced", async () => {
  const content = "hello world";
  const of = (algorithm: string, text: string): string => createHash(algorithm).update(text).digest("base64");
  const fields = (text: string): Record<string, string>[] => [
    { "content-md5": of("md5", text) },
    { "repr-digest": `sha-256=:${of("sha256", text)}:` },
    { "repr-digest": `sha-512=:${of("sha512", text)}:, unknown=:AAAA:` },
    { "content-digest": `sha-256=:${of("sha256", text)}:` },
    { "content-md5": of("md5", text), "repr-digest": `sha-256=:${of("sha256", content)}:` },
  ];
  const before = await state();
  const { upload_url: url } = await granted(shared.server, shared.token);
  for (const wrong of fields("hello worlD"))
    refused(await put(shared.server, url, content, wrong), 400, "invalid_body");
  for (const malformed of [
    { "content-md5": "AAAA" },
    { "content-md5": "not base64!" },
    { "repr-digest": `sha-256=${of("sha256", content)}` },
    { "repr-digest": "sha-256=:AAAA:" },
    { "repr-digest": "x" },
    { "content-digest": `sha-256=:${of("sha256", "a")}:`, "repr-digest": `sha-256=:${of("sha256", content)}:` },
  ])
    refused(await put(shared.server, url, content, malformed), 400, "invalid_request");
  await leavesNothing(before);
  for (const right of fields(content)) {
    const grant = await granted(shared.server, shared.token, { sha256: sha256(content) });
    assert.equal((await put(shared.server, grant.upload_url, content, right)).status, 200);
  }
  const announced = await granted(shared.server, shared.token, { sha256: sha256("other") });
  refused(await put(shared.server, announced.upload_url, content), 400, "invalid_body");
});

/** Sends a request over a socket, for bodies that break off. Resolves with the bytes received until the connection closed. */
function socketRequest(head: string, body: Uint8Array, then: "end" | "destroy" | "wait"): Promise<string> {
  const { hostname, port } = new URL(shared.server.origin);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(port), hostname, () => {
      socket.write(head);
      socket.write(body, () => {
        if (then === "end") socket.end();
        if (then === "destroy") socket.destroy();
      });
    });
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.on("close", () => resolve(text));
    socket.on("error", then === "destroy" ? () => {} : reject);
  });
}

function headOf(url: string, fields: Record<string, string | number>): string {
  const lines = Object.entries({ Host: new URL(url).host, "Content-Type": "text/plain", ...fields });
  return `PUT ${pathIn(url)} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n`;
}

test("a body that breaks off in any way leaves nothing, and the URL can be used again", async () => {
  const part = Buffer.alloc(1_500_000, "x");
  const chunk = Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from("\r\n")]);
  for (const then of ["end", "destroy"] as const) {
    for (const [fields, bytes] of [
      [{ "Content-Length": 2_000_000 }, part],
      [{ "Content-Length": 20_000 }, part.subarray(0, 10_000)],
      [{ "Transfer-Encoding": "chunked" }, chunk],
    ] as const) {
      const before = await state();
      const { upload_url: url } = await granted(shared.server, shared.token);
      await socketRequest(headOf(url, fields), bytes, then);
      await leavesNothing(before);
      await eventually("the URL to be free again", async () =>
        (await put(shared.server, url, "whole")).status === 200 ? true : null,
      );
    }
  }
});

test("a body without further bytes is ended", async () => {
  const before = await state();
  const { upload_url: url } = await granted(shared.server, shared.token);
  const answer = await socketRequest(headOf(url, { "Content-Length": 2_000_000 }), Buffer.alloc(100_000), "wait");
  assert.match(answer, /^HTTP\/1\.1 408 /);
  assert.match(answer, /"code":"request_timeout"/);
  await leavesNothing(before);
});

test("Expect: 100-continue is refused before the body", async () => {
  const expecting = (url: string, type: string, length: number): Promise<RawAnswer> =>
    rawRequest(
      shared.server.origin,
      {
        method: "PUT",
        path: pathIn(url),
        headers: { "content-type": type, "content-length": length, expect: "100-continue" },
      },
      (request) => {
        request.flushHeaders();
        request.on("continue", () => void request.end(Buffer.alloc(length)));
      },
    );
  const { upload_url: url } = await granted(shared.server, shared.token);
  const refusals: [string, string, number, number][] = [
    [`${url}x`, "text/plain", 5, 403],
    [url, "text/html", 5, 400],
    [url, "text/plain", SIZE_MAX + 1, 413],
  ];
  for (const [at, type, length, status] of refusals) {
    const answer = await expecting(at, type, length);
    assert.equal(`${answer.status} ${answer.continued}`, `${status} false`, answer.text);
  }
  const good = await expecting(url, "text/plain", 5);
  assert.equal(`${good.status} ${good.continued}`, "200 true", good.text);
  const again = await expecting(url, "text/plain", 5);
  assert.equal(`${again.status} ${again.continued}`, "409 false", again.text);
});

test("an expired URL is refused", async () => {
  const quick = await startServer({ settings: { presigned_url_lifetime_s: 1 } });
  try {
    const token = await quick.token((await quick.bootstrap()).credential);
    const { id } = await uploaded(quick, token);
    const [up, down] = [(await granted(quick, token)).upload_url, await downloadUrl(quick, token, id)];
    for (const attempt of [
      () => put(quick, up, "late", { "content-type": "text/html" }),
      () => quick.call("GET", pathIn(down)),
    ]) {
      const refusal = await eventually("the URL to expire", async () => {
        const answer = await attempt();
        return answer.status === 403 ? answer : null;
      });
      refused(refusal, 403, "presigned_url_expired");
    }
  } finally {
    await quick.dispose();
  }
});

async function newCredential(name: string, extra: object = {}): Promise<Client & { id: string }> {
  const scopes = ["files:read", "files:write", "files:delete"];
  const answer = await shared.server.call("POST", "/v1/credentials", {
    token: shared.token,
    json: { name, scopes, ...extra },
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body as unknown as Client & { id: string };
}

test("URLs end with the credential that requested them", async () => {
  const credential = await newCredential("to be revoked");
  const token = await shared.server.token(credential);
  const file = await uploaded(shared.server, token);
  const [up, down] = [
    (await granted(shared.server, token)).upload_url,
    await downloadUrl(shared.server, token, file.id),
  ];
  assert.equal((await fetched(down)).status, 200);
  const revoked = await shared.server.call("DELETE", `/v1/credentials/${credential.id}`, { token: shared.token });
  assert.equal(revoked.status, 200, revoked.text);
  refused(await put(shared.server, up, "x"), 403, "forbidden");
  refused(await shared.server.call("GET", pathIn(down)), 403, "forbidden");
});

test("another organization's file gets the same answer as one that never existed", async () => {
  const theirs = await uploaded(shared.server, otherToken, { filename: "theirs.txt" });
  const absent = `file_${"0".repeat(26)}`;
  for (const [method, path] of [
    ["GET", (id: string) => `/v1/files/${id}/download`],
    ["DELETE", (id: string) => `/v1/files/${id}`],
  ] as const) {
    const headers = { "request-id": "one-and-the-same" };
    const [real, none] = await Promise.all(
      [theirs.id, absent].map((id) => shared.server.call(method, path(id), { token: shared.token, headers })),
    );
    assert.ok(real !== undefined && none !== undefined);
    refused(real, 404, "not_found");
    assert.equal(real.text.replaceAll(theirs.id, "ID"), none.text.replaceAll(absent, "ID"));
  }
  const ours = await listed(shared.server, shared.token, "?limit=100");
  assert.ok(!ours.files.some((file) => file.id === theirs.id));
  assert.equal((await listed(shared.server, otherToken)).files[0]?.id, theirs.id);
});

test("a project's credential creates and sees files of its project only", async () => {
  const project = await shared.server.call("POST", "/v1/projects", { token: shared.token, json: { slug: "bound" } });
  const token = await shared.server.token(await newCredential("bound", { project: project.body["id"] }));
  const own = await uploaded(shared.server, token, { filename: "own.txt" });
  assert.equal(own.project_id, project.body["id"]);
  assert.deepEqual(await listed(shared.server, token), { files: [own], total: 1 });
  const ours = await uploaded(shared.server, shared.token, { filename: "ours.txt" });
  refused(await shared.server.call("GET", `/v1/files/${ours.id}/download`, { token }), 404, "not_found");
  refused(await askUpload(shared.server, token, { project: shared.home.project.id }), 404, "not_found");
  const seen = (await listed(shared.server, shared.token, "?prefix=own.")).files.map((file: FileBody) => file.id);
  assert.deepEqual(seen, [own.id]);
  const path = `/v1/projects/${String(project.body["id"])}`;
  assert.equal((await shared.server.call("DELETE", path, { token: shared.token })).status, 204);
  assert.deepEqual(await listed(shared.server, shared.token, "?prefix=own."), { files: [], total: 0 });
  refused(await shared.server.call("GET", `/v1/files/${own.id}/download`, { token: shared.token }), 404, "not_found");
});

test("pages of other origins may use a presigned URL, and nothing else", async () => {
  const { upload_url: url } = await granted(shared.server, shared.token);
  const preflight = await shared.server.call("OPTIONS", pathIn(url), {
    headers: {
      origin: "https://app.example",
      "access-control-request-method": "PUT",
      "access-control-request-headers": "content-type,repr-digest",
    },
  });
  assert.equal(preflight.status, 204);
  assert.equal(preflight.headers.get("access-control-allow-origin"), "*");
  assert.match(preflight.headers.get("access-control-allow-methods") ?? "", /\bPUT\b/);
  assert.equal(preflight.headers.get("access-control-allow-headers"), "content-type,repr-digest");
  for (const path of [pathIn(url), `${pathIn(url)}x`]) {
    const answer = await put(shared.server, shared.server.origin + path, "x", { origin: "https://app.example" });
    assert.equal(
      answer.headers.get("access-control-allow-origin"),
      "*",
      "also on refusals, so that a page can read them",
    );
    assert.equal(answer.headers.get("access-control-allow-credentials"), null);
  }
  const list = await shared.server.call("GET", "/v1/files", {
    token: shared.token,
    headers: { origin: "https://app.example" },
  });
  assert.equal(list.headers.get("access-control-allow-origin"), null);
});

test("an address is rate limited on presigned URLs, also on invalid ones", async () => {
  const server = await startServer({ settings: { rate_limit_per_second: 1, rate_limit_burst: 50 } });
  try {
    const { credential } = await server.bootstrap();
    const { upload_url: url } = await granted(server, await server.token(credential));
    const answers = await Promise.all(
      Array.from({ length: 120 }, (_, n) =>
        n % 2 === 0 ? put(server, `${url}x`, "x") : server.call("GET", `${pathIn(url)}x`),
      ),
    );
    assert.ok(answers.some((answer) => answer.status === 403));
    const limited = answers.find((answer) => answer.status === 429) ?? assert.fail("no request was rate limited");
    refused(limited, 429, "rate_limited");
    assert.match(limited.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  } finally {
    await server.dispose();
  }
});

test("the operator sets a quota of files beside the server, and removes it", async () => {
  const { server } = shared;
  const org = await server.bootstrap({ org: "bounded", project: "p-1", app: "bounded-app" });
  const token = await server.token(org.credential);
  const quota = async (...words: string[]): Promise<unknown> => {
    const outcome = await mooring(["quota", ...words, "--data-dir", server.dataDir, "--json"], {
      environment: server.environment,
    });
    assert.equal(outcome.code, 0, outcome.stderr);
    return (JSON.parse(outcome.stdout) as { organization: string; files_stored_bytes_max: number | null }[])
      .filter(({ organization }) => organization === "bounded")
      .map((line) => line.files_stored_bytes_max);
  };
  assert.deepEqual(await quota("bounded", "--files", "1KiB"), [1024]);
  assert.deepEqual(await quota(), [1024]);
  refused(await askUpload(server, token, { size_bytes: 1025 }), 413, "storage_quota_exceeded");
  const { upload_url: url } = await granted(server, token);
  refused(await put(server, url, "x".repeat(1025)), 413, "storage_quota_exceeded");
  await uploaded(server, token, {}, "x".repeat(1024));
  refused(await askUpload(server, token), 413, "storage_quota_exceeded");
  assert.deepEqual(await quota("bounded", "--files", "none"), [Number.MAX_SAFE_INTEGER]);
  await uploaded(server, token, {}, "x".repeat(2000));
});
