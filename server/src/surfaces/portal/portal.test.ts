import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { ADDRESSES, startPortal, type PortalServer } from "./testing/server.ts";

let server: PortalServer;

before(async () => {
  server = await startPortal();
});

after(() => server.close());

async function page(path: string): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${server.url}${path}`);
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("pages run nothing but our own script, and nowhere else", async () => {
  for (const path of ["/", "/setup", "/invitation"]) {
    const { status, headers, text } = await page(path);
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.ok(!/unsafe|\*|https?:|data:/.test(policy), policy);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.ok(
      !/<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=|"javascript:/i.test(text),
      `${path} holds script or style of its own`,
    );
    assert.match(text, /<meta name="viewport" content="width=device-width, initial-scale=1" \/>/);
    assert.match(text, /<html lang="en">/);
    for (const [, asset = ""] of text.matchAll(/(?:src|href)="(\/[^"]+\.[a-z]+)"/g)) {
      assert.equal((await page(asset)).status, 200, asset);
    }
  }
});

test("the first page shows the addresses, as text only", async () => {
  const { text } = await page("/");
  for (const url of [ADDRESSES.identity_url, ADDRESSES.ingest_url]) assert.ok(text.includes(url));
  assert.ok(!text.includes("<script>alert"));
  assert.ok(text.includes("&#60;script&#62;alert(1)"));
  assert.ok(!text.includes("{{"));
});

test("pages are revalidated by their ETag, and take no other method", async () => {
  const { headers } = await page("/setup");
  const again = await fetch(`${server.url}/setup`, {
    headers: { "if-none-match": headers.get("etag") ?? "" },
  });
  assert.equal(again.status, 304);
  const posted = await fetch(`${server.url}/setup`, { method: "POST" });
  assert.equal(posted.status, 405);
  assert.match(posted.headers.get("allow") ?? "", /GET/);
});

test("the script never turns text into markup", async () => {
  const script = await readFile(new URL("./pages/first-run.mjs", import.meta.url), "utf8");
  assert.ok(!/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b|new Function/.test(script));
});
