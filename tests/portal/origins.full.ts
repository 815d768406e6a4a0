/** The programs of docs/how-to/uploads-from-a-page.md in a real browser, on a page of another origin: tus-js-client and Uppy. */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { rolldown } from "rolldown";
import { pageFiles } from "../fixtures/page-files.ts";
import { NO_CHROMIUM, usePortal, type Tab } from "./browser.ts";

const LARGE_BYTES = 192 * 1024 * 1024;
const PACKAGES = fileURLToPath(new URL("../../node_modules", import.meta.url));

const portal = usePortal();
const folder = mkdtempSync(join(tmpdir(), "mooring-page-"));
const apps: Server[] = [];
/** Origins of the same application: of our organization, of another one, and of none. */
const origins = { ours: "", rivals: "", none: "" };
let script = "";

/** A page that chooses one file and uploads it with the program that it is asked for. */
const MAIN = `
  import { upload } from "./tus.mjs";
  import { resumable, single } from "./uppy.mjs";

  const options = { mooring: new URLSearchParams(location.search).get("mooring"), getToken: async () => (await fetch("/token")).text() };
  const [input] = document.getElementsByTagName("input");

  window.tus = async (stopsAt = Infinity) => {
    const onProgress = (sent, size) => {
      if (sent < size && sent > stopsAt) location.reload();
    };
    return upload(input.files[0], { ...options, onProgress });
  };
  window.uppy = async (kind) => {
    const uppy = { resumable, single }[kind](options);
    const [file] = input.files;
    uppy.addFile({ name: file.name, type: file.type, data: file });
    const errors = new Set();
    uppy.on("error", ({ message }) => errors.add(message));
    const { successful } = await uppy.upload().catch(() => ({ successful: [] }));
    return { successful: successful.length, errors: [...errors] };
  };
  document.title = "ready";`;

before(async () => {
  for (const [name, text] of pageFiles("docs/how-to/uploads-from-a-page.md")) writeFileSync(join(folder, name), text);
  writeFileSync(join(folder, "main.mjs"), MAIN);
  const modules = ["node_modules", PACKAGES];
  const build = await rolldown({ input: join(folder, "main.mjs"), platform: "browser", resolve: { modules } });
  const { output } = await build.generate({ format: "es" });
  await build.close();
  script = output[0].code;
  for (const name of ["ours", "rivals", "none"] as const) origins[name] = await serveApp();
});
after(async () => {
  for (const app of apps) {
    app.closeAllConnections();
    app.close();
    await once(app, "close");
  }
  rmSync(folder, { recursive: true, force: true });
});

/** The application of a reader: a page, and a server that gives it a token. */
async function serveApp(): Promise<string> {
  const app = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://app.example");
    const answers: Readonly<Record<string, readonly [type: string, text: () => string]>> = {
      "/": ["text/html", () => '<!doctype html><input type="file"><script type="module" src="/main.js"></script>'],
      "/main.js": ["text/javascript", () => script],
      "/token": ["text/plain", uploadToken],
    };
    const [type, text] = answers[pathname] ?? ["text/plain", () => ""];
    response.writeHead(200, { "content-type": type }).end(text());
  });
  apps.push(app);
  app.listen(0, "127.0.0.1");
  await once(app, "listening");
  return `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
}

function uploadToken(): string {
  const { client_id: id, client_secret: secret } = portal.shared.home.credential;
  const env = {
    PATH: process.env["PATH"],
    MOORING_URL: portal.shared.server.origin,
    MOORING_CLIENT_ID: id,
    MOORING_CLIENT_SECRET: secret,
  };
  const code = `const { uploadToken } = await import(${JSON.stringify(pathToFileURL(join(folder, "token.mjs")).href)});
    process.stdout.write(await uploadToken());`;
  return execFileSync(process.execPath, ["--input-type=module", "--eval", code], { env, encoding: "utf8" });
}

async function allow(token: string, allowed: readonly string[]): Promise<void> {
  const json = { allowed_origins: allowed };
  const answer = await portal.shared.server.call("PATCH", "/v1/files/settings", { token, json });
  assert.equal(answer.status, 200, answer.text);
}

interface Chosen {
  readonly tab: Tab;
  readonly page: Page;
}

/** Opens the application's page, with a file that its visitor chose. */
async function choose(origin: string, file: string): Promise<Chosen> {
  const tab = await portal.openEmpty();
  const { page } = tab;
  await page.goto(`${origin}/?mooring=${encodeURIComponent(portal.shared.server.origin)}`);
  await chosen(page, file);
  return { tab, page };
}

async function chosen(page: Page, file: string): Promise<void> {
  await page.waitForFunction('document.title === "ready"');
  await page.locator("input").setInputFiles(file);
}

function fileOf(name: string, content: Buffer | string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** Returns the SHA-256 of the newest file of this name, and how many there are. */
async function stored(name: string): Promise<{ readonly count: number; readonly sha256: string | undefined }> {
  const { server, token } = portal.shared;
  const answer = await server.call("GET", `/v1/files?prefix=${name}`, { token });
  const { files } = answer.body["data"] as { files: { sha256: string }[] };
  return { count: files.length, sha256: files[0]?.sha256 };
}

const sha256 = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex");

test("an origin of an organization is allowed", { skip: NO_CHROMIUM }, async () => {
  const { server, token } = portal.shared;
  await allow(token, [origins.ours]);
  const rival = await server.bootstrap({ org: "rival", project: "rivals", app: "rival-app" });
  await allow(await server.token(rival.credential), [origins.rivals]);
});

test("tus-js-client uploads a file", { skip: NO_CHROMIUM }, async () => {
  const { tab, page } = await choose(origins.ours, fileOf("small.txt", "by tus"));
  assert.match(await page.evaluate<string>("tus()"), /^file_/);
  assert.deepEqual(await stored("small.txt"), { count: 1, sha256: sha256("by tus") });
  await tab.close();
});

test("tus-js-client resumes an upload after the page was loaded again", { skip: NO_CHROMIUM }, async () => {
  const content = randomBytes(LARGE_BYTES);
  const path = fileOf("large.bin", content);
  const { tab, page } = await choose(origins.ours, path);
  const offsets: number[] = [];
  page.on("request", (request) => {
    if (request.method() === "PATCH") offsets.push(Number(request.headers()["upload-offset"]));
  });
  const again = page.waitForEvent("load");
  await page.evaluate("void tus(1_000_000).catch(() => undefined)");
  await again;
  assert.equal((await stored("large.bin")).count, 0, "the first upload was interrupted");
  await chosen(page, path);
  assert.match(await page.evaluate<string>("tus()"), /^file_/);
  const last = offsets.at(-1) ?? 0;
  assert.ok(last > 0 && last < LARGE_BYTES, `resumed at ${offsets.join(", ")}`);
  assert.deepEqual(await stored("large.bin"), { count: 1, sha256: sha256(content) });
  await tab.close();
});

for (const kind of ["resumable", "single"] as const) {
  test(`Uppy uploads a file, ${kind}`, { skip: NO_CHROMIUM }, async () => {
    const { tab, page } = await choose(origins.ours, fileOf(`${kind}.txt`, `by Uppy, ${kind}`));
    assert.deepEqual(await page.evaluate(`uppy("${kind}")`), { successful: 1, errors: [] });
    assert.deepEqual(await stored(`${kind}.txt`), { count: 1, sha256: sha256(`by Uppy, ${kind}`) });
    await tab.close();
  });
}

test("a page of another origin uploads nothing", { skip: NO_CHROMIUM }, async () => {
  const { tab, page } = await choose(origins.none, fileOf("refused.txt", "never sent"));
  const statuses: number[] = [];
  page.on("response", (response) => {
    if (response.url().startsWith(portal.shared.server.origin)) statuses.push(response.status());
  });
  assert.match(await page.evaluate<string>("tus().catch(String)"), /failed to create upload/);
  assert.deepEqual(await page.evaluate('uppy("single")'), { successful: 0, errors: ["Failed to fetch"] });
  assert.deepEqual(
    statuses.filter((status) => status < 400),
    [],
    "only refused preflights",
  );
  assert.equal((await stored("refused.txt")).count, 0);
  assert.ok(
    tab.faults.some((fault) => /blocked by CORS policy/.test(fault)),
    tab.faults.join("\n"),
  );
  await tab.close();
});

test("a page of another organization's origin can't read the answer", { skip: NO_CHROMIUM }, async () => {
  const { tab, page } = await choose(origins.rivals, fileOf("rivals.txt", "of another organization"));
  assert.match(await page.evaluate<string>("tus().catch(String)"), /failed to create upload/);
  assert.deepEqual(await page.evaluate('uppy("single")'), { successful: 0, errors: ["Failed to fetch"] });
  assert.equal((await stored("rivals.txt")).count, 0);
  await tab.close();
});

test("a page reads why a request was refused, and uploads with a new token", { skip: NO_CHROMIUM }, async () => {
  const { tab, page } = await choose(origins.ours, fileOf("renewed.txt", "renewed"));
  let isFirst = true;
  await page.route(`${origins.ours}/token`, async (route) => {
    if (!isFirst) return route.continue();
    isFirst = false;
    return route.fulfill({ body: "expired" });
  });
  assert.match(await page.evaluate<string>("tus().catch(String)"), /401.*invalid_token/s);
  assert.match(await page.evaluate<string>("tus()"), /^file_/);
  assert.equal((await stored("renewed.txt")).count, 1);
  await tab.close();
});
