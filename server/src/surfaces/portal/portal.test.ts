import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { brotliCompressSync } from "node:zlib";
import { createPages } from "./pages.ts";
import { startPortal, type PortalServer } from "./testing/server.ts";

const HTML = `<!doctype html><html lang="en"><meta name="style-nonce" content="{{nonce}}"><script type="module" src="/portal/assets/a.js"></script></html>`;
const SCRIPT = "export const a = 1;\n";

let server: PortalServer;
let directory: string;

before(async () => {
  directory = mkdtempSync(join(tmpdir(), "mooring-pages-"));
  mkdirSync(join(directory, "portal/assets"), { recursive: true });
  writeFileSync(join(directory, "index.html"), HTML);
  writeFileSync(join(directory, "favicon.svg"), "<svg/>");
  writeFileSync(join(directory, "portal/assets/a.js"), SCRIPT);
  writeFileSync(join(directory, "portal/assets/a.js.br"), brotliCompressSync(SCRIPT));
  writeFileSync(join(directory, "portal/assets/notes.txt"), "no page");
  writeFileSync(join(directory, "portal/third-party-notices.txt"), "# Third-party notices\n");
  server = await startPortal({ portalDir: directory });
});

after(async () => {
  await server.close();
  rmSync(directory, { recursive: true });
});

async function page(
  path: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; headers: Headers; text: string }> {
  const response = await fetch(`${server.url}${path}`, { headers });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

test("every address of a page has the same document, with a policy that allows only our own script", async () => {
  for (const path of [
    "/",
    "/sign-in",
    "/setup",
    "/invitation",
    "/account",
    "/instance",
    "/o/acme/-",
    "/o/acme/shop/webhooks/hook_1?tab=events",
  ]) {
    const { status, headers, text } = await page(path);
    assert.equal(status, 200, path);
    assert.equal(headers.get("content-type"), "text/html; charset=utf-8");
    const policy = headers.get("content-security-policy") ?? "";
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[A-Za-z0-9+/=]+';/);
    assert.match(policy, /frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'$/);
    assert.ok(!/unsafe|\*|https?:|data:|blob:/.test(policy), policy);
    assert.equal(headers.get("referrer-policy"), "no-referrer");
    assert.equal(headers.get("x-content-type-options"), "nosniff");
    assert.equal(headers.get("cache-control"), "no-store");
    const [, nonce = ""] = /'nonce-([^']+)'/.exec(policy) ?? [];
    assert.ok(text.includes(`content="${nonce}"`), "the page has its nonce");
  }
});

test("each answer has a new nonce", async () => {
  const nonces = await Promise.all([1, 2, 3].map(async () => (await page("/")).headers.get("content-security-policy")));
  assert.equal(new Set(nonces).size, 3);
});

test("files of the build are cached forever, compressed if the client accepts that, and revalidated by their ETag", async () => {
  const plain = await page("/portal/assets/a.js", { "accept-encoding": "identity" });
  assert.equal(plain.text, SCRIPT);
  assert.equal(plain.headers.get("content-encoding"), null);
  assert.equal(plain.headers.get("cache-control"), "public, max-age=31536000, immutable");
  assert.equal(plain.headers.get("vary"), "accept-encoding");
  const small = await page("/portal/assets/a.js", { "accept-encoding": "gzip, br" });
  assert.equal(small.headers.get("content-encoding"), "br");
  assert.equal(small.text, SCRIPT);
  assert.notEqual(small.headers.get("etag"), plain.headers.get("etag"));
  const again = await page("/portal/assets/a.js", {
    "accept-encoding": "identity",
    "if-none-match": plain.headers.get("etag") ?? "",
  });
  assert.equal(again.status, 304);
  assert.equal((await page("/favicon.svg")).headers.get("cache-control"), "no-cache");
});

test("the licences of third-party code are a plain text", async () => {
  const { status, headers, text } = await page("/portal/third-party-notices.txt");
  assert.equal(`${status} ${headers.get("content-type")}`, "200 text/plain; charset=utf-8");
  assert.equal(text, "# Third-party notices\n");
});

test("nothing else is served, and no other method is allowed", async () => {
  const absent = [
    "/portal/assets/b.js",
    "/portal/assets/notes.txt",
    "/portal/assets/a.js.br",
    "/portal/assets/%2e%2e/index.html",
    "/portal/assets/..%2f..%2findex.html",
    "/portal",
    "/x",
  ];
  for (const path of absent) assert.equal((await page(path)).status, 404, path);
  const posted = await fetch(`${server.url}/sign-in`, { method: "POST" });
  assert.equal(posted.status, 405);
  assert.match(posted.headers.get("allow") ?? "", /GET/);
});

test("without a build the page says how to make one", async () => {
  const pages = createPages(join(directory, "absent"));
  assert.match(String((await pages.document()).body), /npm run build/);
  assert.equal(await pages.asset("portal/assets/a.js", ""), undefined);
});
