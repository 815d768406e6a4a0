/** Another site, a frame, a link and the next person at the browser can do nothing to a signed-in person. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();

/** A page of an attacker, on a name that the browser treats as another site. */
const other = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html><title>other</title><body>other");
});
let elsewhere = "";
before(async () => {
  await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
  elsewhere = `http://localhost:${(other.address() as AddressInfo).port}/`;
});
after(() => {
  other.closeAllConnections();
  other.close();
});

const CHANGES = [
  ["POST", "/api/session/token"],
  ["POST", "/api/session/confirm"],
  ["PATCH", "/api/account"],
  ["POST", "/api/account/password"],
  ["POST", "/api/account/totp"],
  ["DELETE", "/api/account/totp"],
  ["POST", "/api/account/recovery-codes"],
  ["POST", "/api/account/personal-access-tokens"],
  ["DELETE", "/api/account/sessions"],
  ["POST", "/api/instance/signing-keys"],
  ["POST", "/api/instance/organizations"],
  ["POST", "/api/sign-out"],
  ["POST", "/api/sign-in/password"],
] as const;

test("another site can neither change anything, nor read, nor frame", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  const { origin } = portal.shared.server;
  const statuses: string[] = [];
  page.on("response", (response) => {
    const url = new URL(response.url());
    if (url.origin === origin) statuses.push(`${response.request().method()} ${url.pathname} ${response.status()}`);
  });
  await page.goto(elsewhere);
  for (const [method, path] of CHANGES)
    for (const mode of ["cors", "no-cors"]) {
      if (mode === "no-cors" && method !== "POST") continue;
      const read = await page.evaluate<string>(
        `fetch(${JSON.stringify(origin + path)}, { method: ${JSON.stringify(method)}, mode: ${JSON.stringify(mode)}, credentials: "include", ` +
          `headers: { "content-type": "text/plain" }, body: "{}" }).then((r) => r.type === "opaque" ? "" : r.text(), () => "")`,
      );
      assert.equal(read, "", `${method} ${path}`);
    }
  const read = await page.evaluate<string>(
    `fetch(${JSON.stringify(`${origin}/api/session`)}, { credentials: "include" }).then((r) => r.text(), () => "")`,
  );
  assert.equal(read, "");
  const accepted = statuses.filter((each) => !each.startsWith("GET ") && / [23]\d\d$/.test(each));
  assert.deepEqual(accepted, [], statuses.join("\n"));

  await page.evaluate(
    `document.body.append(Object.assign(document.createElement("iframe"), { src: ${JSON.stringify(`${origin}/account`)} }))`,
  );
  await page.waitForTimeout(1000);
  const framed = page.frames().find((frame) => frame !== page.mainFrame());
  assert.match(framed?.url() ?? "", /^chrome-error:/, "no page of ours is in a frame");

  const form = `Object.assign(document.createElement("form"), { method: "POST", action: ${JSON.stringify(`${origin}/api/sign-out`)} })`;
  await page.evaluate(`{ const form = ${form}; document.body.append(form); form.submit(); }`);
  await page.waitForLoadState();
  const session = await page.request.get("/api/session");
  assert.equal(session.status(), 200, "still signed in");
  assert.equal(((await session.json()) as { user: { name: string } }).user.name, "Ada Lovelace");
  await tab.close();
});

test("no link to the sign-in leads to another site", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  for (const to of [
    "https://evil.example/",
    "//evil.example/",
    "/\\evil.example",
    "\\\\evil.example",
    "/%09/evil.example",
    "javascript:alert(1)",
    "/sign-in?return_to=//evil.example",
    "data:text/html,x",
  ]) {
    await page.goto(`/sign-in?return_to=${encodeURIComponent(to)}`);
    await page.waitForURL(({ pathname }) => pathname !== "/sign-in");
    assert.equal(new URL(page.url()).origin, portal.shared.server.origin, to);
  }
  await tab.close();
});

test(
  "scripts find neither cookie nor token, and nothing is left after signing out",
  { skip: NO_CHROMIUM },
  async () => {
    // A separate session, because it ends here.
    const { server, home } = portal.shared;
    const tab = await portal.open();
    const { page } = tab;
    const tokens: string[] = [];
    page.on("response", async (response) => {
      if (!response.url().endsWith("/api/session/token")) return;
      tokens.push(((await response.json().catch(() => ({}))) as { access_token?: string }).access_token ?? "");
    });
    await tab.go(`/o/${home.org.slug}/-/credentials`);
    await page.getByRole("table").first().waitFor();
    assert.ok(tokens.some((token) => token.length > 100));
    const kept = await page.evaluate<string>(
      `JSON.stringify([document.cookie, { ...localStorage }, { ...sessionStorage }])`,
    );
    for (const token of tokens) assert.ok(!kept.includes(token.slice(0, 40)), kept);
    assert.ok(!/eyJ|mr[a-z]{2}_/.test(kept), kept);
    assert.equal(await page.evaluate(`document.cookie`), "");
    const [cookie] = (await tab.context.cookies()).filter(({ name }) => name === "__Host-mooring");
    assert.deepEqual(
      [cookie?.httpOnly, cookie?.secure, cookie?.sameSite, cookie?.path, cookie?.domain],
      [true, true, "Lax", "/", new URL(server.origin).hostname],
    );

    await page.getByRole("button", { name: /signed in as/ }).click();
    await page.getByRole("menuitem", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Sign in" }).waitFor();
    assert.equal(await page.getByRole("table").count(), 0);
    assert.equal((await page.request.get("/api/session")).status(), 401);
    await tab.close();
  },
);
