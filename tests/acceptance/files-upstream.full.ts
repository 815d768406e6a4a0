/** Files of a server that keeps content in an S3 store: presigned URLs lead to that store. */
import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { downloadUrl, fetched, granted, listed, sha256, type FileBody, type NewFile } from "../fixtures/files.ts";
import { refused } from "../fixtures/http.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { makeBucket, s3Server, type Bucket } from "../fixtures/s3-server.ts";
import { showLogs, startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

const KIB = 1024;

/** Sends the request of any S3 client: no token, one header field. */
async function put(
  url: string,
  content: string | Uint8Array,
  type = "text/plain",
): Promise<{ status: number; text: string }> {
  const answer = await fetch(url, { method: "PUT", body: content, headers: { "content-type": type } });
  return { status: answer.status, text: await answer.text() };
}

describe("files on an upstream store", () => {
  let bucket: Bucket;
  let server: Server;
  let home: Bootstrap;
  let token: string;

  before(async () => {
    bucket = await makeBucket(await s3Server());
    const settings = { ...bucket.settings, object_grace_ms: 300, object_collect_ms: 100, upload_cleanup_ms: 500 };
    server = await startServer({ settings, environment: bucket.environment });
    home = await server.bootstrap();
    token = await server.token(home.credential);
  });
  showLogs(() => [server]);
  after(async () => {
    await server?.dispose();
    await bucket?.[Symbol.asyncDispose]();
  });

  async function upload(file: NewFile, content: string | Uint8Array): Promise<string> {
    const grant = await granted(server, token, file);
    const answer = await put(grant.upload_url, content, file.content_type);
    assert.equal(answer.status, 200, answer.text);
    return grant.file_id;
  }

  async function fileIn(id: string): Promise<FileBody | undefined> {
    return (await listed(server, token)).files.find((file) => file.id === id);
  }

  /** Waits until nothing is in the place for arriving uploads. */
  async function nothingWaits(): Promise<void> {
    await eventually("arrivals to be gone", async () => ((await bucket.keys("incoming/")).size === 0 ? true : null));
  }

  test("content of any size is stored in and read from the store, and the server knows its digest", async () => {
    for (const size of [0, 5, 32 * KIB, 6_000_000]) {
      const content = Buffer.alloc(size, "0123456789");
      const grant = await granted(server, token, { filename: `ü ${size}.txt` });
      assert.ok(grant.upload_url.startsWith(bucket.settings["objects_s3_endpoint"] ?? "?"), grant.upload_url);
      assert.equal(await fileIn(grant.file_id), undefined);
      const answer = await put(grant.upload_url, content);
      assert.equal(answer.status, 200, answer.text);
      const file = await fileIn(grant.file_id);
      assert.deepEqual([file?.size_bytes, file?.sha256, file?.filename], [size, sha256(content), `ü ${size}.txt`]);
      const url = await downloadUrl(server, token, grant.file_id);
      assert.ok(url.startsWith(bucket.settings["objects_s3_endpoint"] ?? "?"), url);
      const got = await fetched(url);
      assert.equal(got.status, 200, got.bytes.toString());
      assert.equal(sha256(got.bytes), sha256(content));
      assert.equal(got.headers.get("content-type"), "text/plain");
      assert.equal(
        got.headers.get("content-disposition"),
        `attachment; filename="u ${size}.txt"; filename*=UTF-8''%C3%BC%20${size}.txt`,
      );
      if (size < 10) continue;
      const part = await fetched(url, { range: "bytes=10-14" });
      assert.equal(`${part.status} ${part.bytes.toString()}`, "206 01234");
    }
    await nothingWaits();
  });

  test("the type is fixed, and an announced size too", async () => {
    const grant = await granted(server, token, { content_type: "text/csv", size_bytes: 5 });
    assert.equal((await put(grant.upload_url, "12345", "text/html")).status, 403);
    assert.equal((await put(grant.upload_url, "123456", "text/csv")).status, 403);
    assert.equal((await put(grant.upload_url.replace(/Expires=\d+/, "Expires=9999"), "12345", "text/csv")).status, 403);
    assert.equal(await fileIn(grant.file_id), undefined);
    assert.equal((await put(grant.upload_url, "12345", "text/csv")).status, 200);
    assert.equal((await fileIn(grant.file_id))?.content_type, "text/csv");
  });

  test("a download may be requested at once, and its error says why an upload became no file", async () => {
    const content = "told at once";
    const id = await upload({ sha256: sha256(content) }, content);
    assert.equal((await fetched(await downloadUrl(server, token, id))).bytes.toString(), content);
    const other = await upload({ sha256: sha256(content) }, "something else");
    const answer = await server.call("GET", `/v1/files/${other}/download`, { token });
    refused(answer, 404, "not_found");
    assert.equal(await fileIn(other), undefined);
    await nothingWaits();
  });

  test("content can't be replaced: later content by the same URL is deleted", async () => {
    const grant = await granted(server, token);
    await put(grant.upload_url, "first");
    assert.equal((await fileIn(grant.file_id))?.sha256, sha256("first"));
    const again = await put(grant.upload_url, "second");
    assert.equal(again.status, 200, "S3 has no one-time URLs");
    await nothingWaits();
    assert.equal((await fileIn(grant.file_id))?.sha256, sha256("first"));
    assert.equal((await fetched(await downloadUrl(server, token, grant.file_id))).bytes.toString(), "first");
  });

  test("an upload becomes a file without further requests", async () => {
    const id = await upload({ filename: "unasked" }, "x");
    await nothingWaits();
    assert.equal((await fileIn(id))?.filename, "unasked");
  });

  test("many concurrent uploads are all in the next list, each once", async () => {
    const { total } = await listed(server, token);
    const ids = await Promise.all(Array.from({ length: 30 }, (_, n) => upload({ filename: `many ${n}` }, `${n}`)));
    const lists = await Promise.all([listed(server, token), listed(server, token), listed(server, token)]);
    for (const list of lists) {
      assert.equal(list.total, total + ids.length);
      assert.deepEqual(
        ids.filter((id) => !list.files.some((file) => file.id === id)),
        [],
      );
    }
  });

  test("a deleted file's content is deleted, and an upload of a deleted grant becomes no file", async () => {
    const id = await upload({}, "to be deleted, and large enough to be seen");
    assert.equal((await server.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    assert.equal(await fileIn(id), undefined);
    const audit = await server.call<{ items: { action: string; target: { id: string } }[] }>("GET", "/v1/audit", {
      token,
    });
    assert.ok(audit.text.includes(id), "the deletion is in the audit log though nobody had listed the file");
    const grant = await granted(server, token);
    assert.equal((await server.call("DELETE", `/v1/files/${grant.file_id}`, { token })).status, 204);
    assert.equal((await put(grant.upload_url, "too late")).status, 200);
    await nothingWaits();
    assert.equal(await fileIn(grant.file_id), undefined);
  });

  test("a link with a chosen lifetime leads through the server, and ends with the file", async () => {
    const id = await upload({ filename: "shared.txt" }, "for all who have the link");
    await listed(server, token);
    const path = `/v1/files/${id}/download?expires_in=3600`;
    const grant = await server.call<{ data: { download_url: string; expires_in: number } }>("GET", path, { token });
    const { download_url: url, expires_in: seconds } = grant.body.data;
    assert.equal(seconds, 3600);
    assert.equal(new URL(url).origin, server.origin);
    assert.equal((await fetched(url)).bytes.toString(), "for all who have the link");
    assert.equal((await server.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    assert.equal((await fetched(url)).status, 404);
    const restored = await server.call("POST", `/v1/files/${id}/restore`, { token });
    assert.equal(restored.status, 200, restored.text);
    assert.equal((await fetched(await downloadUrl(server, token, id))).bytes.toString(), "for all who have the link");
  });

  test("an upload that arrives after the loss of the permission becomes no file", async () => {
    const made = await server.call<{ id: string; client_id: string; client_secret: string }>(
      "POST",
      "/v1/credentials",
      {
        token,
        json: { name: "to be revoked", scopes: ["files:write"] },
      },
    );
    assert.equal(made.status, 201, made.text);
    const grant = await granted(server, await server.token(made.body));
    await server.call("DELETE", `/v1/credentials/${made.body.id}`, { token });
    assert.equal((await put(grant.upload_url, "x")).status, 200);
    assert.equal(await fileIn(grant.file_id), undefined);
    await nothingWaits();
  });

  test("a quota applies to arrived content", async () => {
    const org = await server.bootstrap({ org: "small", project: "p-1", app: "app-1" });
    const own = await server.token(org.credential);
    const quota = ["quota", "small", "--files", "10", "--data-dir", server.dataDir];
    const set = await mooring(quota, { environment: server.environment });
    assert.equal(set.code, 0, set.stderr);
    const grant = await granted(server, own);
    assert.equal((await put(grant.upload_url, "more than ten bytes")).status, 200);
    assert.equal((await listed(server, own)).total, 0);
    await nothingWaits();
    assert.equal((await put(grant.upload_url, "ten bytes!")).status, 200, "the URL can be used again");
    assert.equal((await listed(server, own)).total, 1);
  });

  test("the command line stores and reads files there", async () => {
    const credentials = join(server.dataDir, "credentials.json");
    writeFileSync(credentials, JSON.stringify(home), { mode: 0o600 });
    const path = join(server.dataDir, "sent.bin");
    const content = Buffer.alloc(100_000, "abc");
    writeFileSync(path, content);
    const put = await mooring(["files", "put", path, "--json", "--credentials", credentials]);
    assert.equal(put.code, 0, put.stderr);
    const { id, sha256: digest } = JSON.parse(put.stdout) as FileBody;
    assert.equal(digest, sha256(content));
    const got = await mooring(["files", "get", id, "--output", "-", "--credentials", credentials]);
    assert.equal(got.code, 0, got.stderr);
    assert.equal(got.stdout, content.toString());
  });

  test("doctor checks the store, and scrub finds nothing", async () => {
    const flags = Object.entries(bucket.settings).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value]);
    const doctor = await mooring(["doctor", "--data-dir", server.dataDir, ...flags], {
      environment: server.environment,
    });
    assert.match(
      doctor.stdout,
      /ok\s+content\s+the bucket \S+ at \S+ can be written, read, copied, listed and deleted/,
    );
    const wrong = { ...server.environment, MOORING_OBJECTS_S3_SECRET_ACCESS_KEY: "wrong" };
    const refusedKey = await mooring(["doctor", "--data-dir", server.dataDir, ...flags], { environment: wrong });
    assert.match(refusedKey.stdout, /fail\s+content\s+.*can't be written: SignatureDoesNotMatch/);
    await eventually("scrub to find nothing", async () => {
      const scrub = await mooring(["scrub", "--data-dir", server.dataDir, ...flags], {
        environment: server.environment,
      });
      assert.ok(scrub.code === 0 || scrub.code === 1, scrub.stderr);
      return scrub.code === 0 ? true : null;
    });
  });
});

test("a bucket without its key is refused at the start", async () => {
  const outcome = await mooring(["serve", "--objects-s3-bucket", "some-bucket"]);
  assert.equal(outcome.code, 2, outcome.stderr);
  assert.match(outcome.stderr, /objects_s3_secret_access_key: must be set/);
});
