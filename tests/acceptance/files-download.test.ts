/** The presigned GET: ranges, conditional requests, names in any script, and content that browsers can't run. */
import assert from "node:assert/strict";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { test } from "node:test";
import { downloadUrl, fetched, pathIn, sha256, uploaded, type Fetched } from "../fixtures/files.ts";
import { refused } from "../fixtures/http.ts";
import { useSharedServer } from "../fixtures/server.ts";

const MIB = 1024 * 1024;
const SMALL = Buffer.from("0123456789");
const LARGE = Buffer.alloc(5 * MIB + 7, "abcdefghijklmnopqrstuvwxyz0123456789+");

const urls = { small: "", large: "", empty: "" };
const shared = useSharedServer(async ({ server, token }) => {
  for (const [name, content] of [
    ["small", SMALL],
    ["large", LARGE],
    ["empty", Buffer.alloc(0)],
  ] as const) {
    const { id } = await uploaded(server, token, { filename: `${name}.txt` }, content);
    urls[name] = await downloadUrl(server, token, id);
  }
});

test("one range is answered with 206, at any position", async () => {
  for (const [url, content] of [
    [urls.small, SMALL],
    [urls.large, LARGE],
  ] as const) {
    const { length } = content;
    const cases: [string, number, number][] = [
      ["0-0", 0, 1],
      ["2-4", 2, 5],
      ["2-", 2, length],
      ["-3", length - 3, length],
      [`-${length + 1}`, 0, length],
      [`0-${length + 100}`, 0, length],
      [`${length - 1}-`, length - 1, length],
      ["0-99999999999999999999", 0, length],
    ];
    for (const [range, start, end] of cases) {
      const got = await fetched(url, { range: `bytes=${range}` });
      assert.equal(got.status, 206, range);
      assert.equal(got.headers.get("content-range"), `bytes ${start}-${end - 1}/${length}`, range);
      assert.equal(got.headers.get("content-length"), String(end - start), range);
      assert.ok(got.bytes.equals(content.subarray(start, end)), range);
    }
  }
  const middle = await fetched(urls.large, { range: `bytes=${MIB - 1}-${2 * MIB + 1}` });
  assert.ok(middle.bytes.equals(LARGE.subarray(MIB - 1, 2 * MIB + 2)));
});

test("a range outside of the content is 416 with its size", async () => {
  for (const [url, range, size] of [
    [urls.small, "10-", 10],
    [urls.small, "10-20", 10],
    [urls.small, "-0", 10],
    [urls.empty, "0-", 0],
    [urls.empty, "-5", 0],
  ] as const) {
    const answer = await shared.server.call("GET", pathIn(url), { headers: { range: `bytes=${range}` } });
    refused(answer, 416, "range_not_satisfiable");
    assert.equal(answer.headers.get("content-range"), `bytes */${size}`);
  }
});

test("several ranges, other units and invalid ranges are answered with the whole content", async () => {
  for (const range of ["bytes=0-1,3-4", "items=0-1", "bytes=4-2", "bytes=", "bytes=-", "bytes=a-b", "0-1"]) {
    const got = await fetched(urls.small, { range });
    assert.equal(`${got.status} ${got.bytes.toString()}`, "200 0123456789", range);
  }
});

test("HEAD returns the same header without the content", async () => {
  for (const url of Object.values(urls)) {
    const [get, head] = [await fetched(url), await fetched(url, {}, "HEAD")];
    assert.equal(head.status, 200);
    assert.equal(head.bytes.length, 0);
    const facts = ({ headers }: Fetched): unknown[] =>
      ["content-length", "content-type", "etag", "last-modified", "accept-ranges", "content-disposition"].map((name) =>
        headers.get(name),
      );
    assert.deepEqual(facts(head), facts(get));
    assert.equal(head.headers.get("accept-ranges"), "bytes");
    assert.match(head.headers.get("cache-control") ?? "", /\bprivate\b/);
  }
});

test("conditional requests", async () => {
  const { headers } = await fetched(urls.small);
  const etag = headers.get("etag") ?? "";
  assert.equal(etag, `"${sha256(SMALL)}"`);
  const at = headers.get("last-modified") ?? "";
  const earlier = new Date(Date.parse(at) - 1000).toUTCString();
  const later = new Date(Date.parse(at) + 1000).toUTCString();
  const cases: [Record<string, string>, number][] = [
    [{ "if-none-match": etag }, 304],
    [{ "if-none-match": `W/${etag}` }, 304],
    [{ "if-none-match": `"a, b", ${etag}` }, 304],
    [{ "if-none-match": "*" }, 304],
    [{ "if-none-match": '"other"' }, 200],
    [{ "if-none-match": '"other"', "if-modified-since": later }, 200],
    [{ "if-modified-since": at }, 304],
    [{ "if-modified-since": earlier }, 200],
    [{ "if-modified-since": "yesterday" }, 200],
    [{ "if-match": etag }, 200],
    [{ "if-match": "*" }, 200],
    [{ "if-match": `W/${etag}` }, 412],
    [{ "if-match": '"other"' }, 412],
    [{ "if-match": etag, "if-unmodified-since": earlier }, 200],
    [{ "if-unmodified-since": at }, 200],
    [{ "if-unmodified-since": earlier }, 412],
    [{ range: "bytes=0-1", "if-range": etag }, 206],
    [{ range: "bytes=0-1", "if-range": at }, 206],
    [{ range: "bytes=0-1", "if-range": '"other"' }, 200],
    [{ range: "bytes=0-1", "if-range": `W/${etag}` }, 200],
    [{ range: "bytes=0-1", "if-range": earlier }, 200],
    [{ range: "bytes=0-1", "if-none-match": etag }, 304],
    [{ range: "bytes=99-", "if-match": '"other"' }, 412],
  ];
  for (const [fields, status] of cases) {
    const got = await fetched(urls.small, fields);
    assert.equal(got.status, status, JSON.stringify(fields));
    if (status === 304) {
      assert.equal(got.headers.get("etag"), etag);
      assert.equal(got.bytes.length, 0);
    }
  }
});

/** Returns the name as a client that follows RFC 6266 reads it. */
function nameIn(disposition: string): string {
  const extended = /filename\*=UTF-8''([^;]*)/.exec(disposition)?.[1];
  return extended === undefined ? (/filename="([^"]*)"/.exec(disposition)?.[1] ?? "") : decodeURIComponent(extended);
}

test("names in any script come back unchanged, and never as a path or a header field", async () => {
  const names = [
    "plain.txt",
    "with space.txt",
    'quote".txt',
    "semi;colon=1.txt",
    "back\\slash.txt",
    "100%25.txt",
    "star*'().txt",
    "Übersicht.pdf",
    "e\u0301.txt",
    "данные.csv",
    "資料.txt",
    "데이터.bin",
    "ملف.txt",
    "קובץ.doc",
    "ไฟล์.txt",
    "👩‍👩‍👧.png",
    "\u202egnp.exe",
    "../../../etc/passwd",
    "..",
    "C:\\Windows\\system.ini",
    "/",
    "a".repeat(255),
    `${"é".repeat(127)}x`,
    " leading and trailing ",
    "constructor",
    "__proto__",
  ];
  for (const filename of names) {
    const file = await uploaded(shared.server, shared.token, { filename, content_type: "application/x-y" }, filename);
    assert.equal(file.filename, filename);
    const got = await fetched(await downloadUrl(shared.server, shared.token, file.id));
    const disposition = got.headers.get("content-disposition") ?? "";
    assert.match(
      disposition,
      /^attachment; filename="[ -~]*"(; filename\*=UTF-8''[A-Za-z0-9!#$&+.^_`|~%-]+)?$/,
      filename,
    );
    const plain = /filename="([^"]*)"/.exec(disposition)?.[1] ?? "";
    assert.doesNotMatch(plain, /[/\\:"%]/, filename);
    assert.equal(nameIn(disposition), filename);
    assert.equal(got.bytes.toString(), filename);
  }
});

test("active content is downloaded and not shown, and a browser runs nothing in either case", async () => {
  const types: [string, "inline" | "attachment"][] = [
    ["text/html", "attachment"],
    ["Text/HTML; charset=utf-8", "attachment"],
    ["image/svg+xml", "attachment"],
    ["application/xhtml+xml", "attachment"],
    ["text/xml", "attachment"],
    ["application/pdf", "attachment"],
    ["application/javascript", "attachment"],
    ["application/octet-stream", "attachment"],
    ["image/png", "inline"],
    ["text/plain; charset=utf-8", "inline"],
    ["video/mp4", "inline"],
  ];
  for (const [content_type, kind] of types) {
    const { id } = await uploaded(
      shared.server,
      shared.token,
      { filename: "x", content_type },
      "<script>alert(1)</script>",
    );
    const { headers } = await fetched(await downloadUrl(shared.server, shared.token, id));
    assert.equal(headers.get("content-type"), content_type);
    assert.match(headers.get("content-disposition") ?? "", new RegExp(`^${kind};`), content_type);
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.match(headers.get("content-security-policy") ?? "", /\bsandbox\b/);
    assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'/);
  }
});

test("a reader that disconnects or reads slowly affects nobody else", async () => {
  const { hostname, port } = new URL(urls.large);
  const request = `GET ${pathIn(urls.large)} HTTP/1.1\r\nHost: ${hostname}:${port}\r\n\r\n`;
  for (let i = 0; i < 20; i++) {
    await new Promise<void>((resolve) => {
      const socket = connect(Number(port), hostname, () => socket.write(request));
      socket.once("data", () => socket.destroy());
      socket.on("error", () => {});
      socket.on("close", () => resolve());
    });
  }
  const slow = await fetch(urls.large);
  let bytes = 0;
  for await (const chunk of slow.body ?? []) {
    bytes += chunk.length;
    if (bytes < MIB) await delay(5);
  }
  assert.equal(bytes, LARGE.length);
  const logged = shared.server.stderr();
  assert.doesNotMatch(logged, /cannot send a file/, logged.slice(-2000));
});
