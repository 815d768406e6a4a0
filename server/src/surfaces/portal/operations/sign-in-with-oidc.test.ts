import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, beforeEach, test } from "node:test";
import { startProvider, type TestProvider } from "../testing/provider.ts";
import { startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

/** A real provider on this machine. The test chooses who signs in there. */

let identity: TestProvider;
let server: PortalServer;
let ada: Ada;

before(async () => {
  identity = await startProvider();
  server = await startPortal({ oidc: identity.settings });
});

beforeEach(async () => {
  server.forward(60_000);
  ada = await server.createOwner();
  identity.who = { sub: `sub of ${ada.id}`, email: ada.email, email_verified: true };
});

after(async () => {
  await server.close();
  identity.close();
});

interface Begun {
  readonly location: string;
  readonly ticket: string;
}

async function begin(browser: Browser, query = ""): Promise<Begun> {
  const answer = await browser.call("GET", `/api/sign-in/oidc${query}`);
  assert.equal(answer.status, 302, answer.text);
  const [, ticket = ""] = /^__Host-mooring-oidc=([^;]+)/.exec(answer.headers.get("set-cookie") ?? "") ?? [];
  return { location: answer.headers.get("location") ?? "", ticket };
}

async function back(browser: Browser, path: string, ticket: string): Promise<string> {
  const cookie = `__Host-mooring-oidc=${ticket}${browser.cookie === undefined ? "" : `; __Host-mooring=${browser.cookie}`}`;
  const answer = await browser.call("GET", path, undefined, { cookie });
  assert.equal(answer.status, 302, answer.text);
  assert.ok(answer.headers.getSetCookie().some((line) => /^__Host-mooring-oidc=;.*Max-Age=0/.test(line)));
  return answer.headers.get("location") ?? "";
}

async function signIn(browser: Browser, query = ""): Promise<string> {
  const { location, ticket } = await begin(browser, query);
  return back(browser, await identity.through(location), ticket);
}

test("the sign-in page gets the provider's name", async () => {
  const { json } = await server.browser().call("GET", "/api/sign-in");
  assert.deepEqual(json["oidc"], { name: "Example" });
});

test("a verified address links the person; afterwards the provider's subject counts", async () => {
  const browser = server.browser();
  assert.equal(await signIn(browser, "?return_to=/projects/web%3Ftab%3D1"), "/projects/web?tab=1");
  const session = await browser.call("GET", "/api/session");
  assert.equal((session.json["user"] as { email: string }).email, ada.email);
  assert.equal((session.json["session"] as { method: string }).method, "oidc");
  delete identity.who.email;
  delete identity.who.email_verified;
  assert.equal(await signIn(server.browser()), "/");
});

test("an address that is unverified, unknown or missing links nobody", async () => {
  for (const told of [
    { email: ada.email, email_verified: false },
    { email: ada.email },
    { email: "nobody@example.com", email_verified: true },
    {},
  ]) {
    identity.who = { sub: `another of ${ada.id}`, ...told };
    const browser = server.browser();
    assert.equal(await signIn(browser), "/sign-in?error=oidc_unknown");
    assert.equal(browser.cookie, undefined);
  }
});

test("state, nonce and verifier are required, and the answer is valid once, for the browser that began", async () => {
  const browser = server.browser();
  const { location, ticket } = await begin(browser);
  const { searchParams } = new URL(location);
  assert.equal(searchParams.get("code_challenge_method"), "S256");
  for (const name of ["state", "nonce", "code_challenge"]) assert.match(searchParams.get(name) ?? "", /^[\w-]{43}$/);
  const answer = await identity.through(location);
  const other = await begin(server.browser());
  assert.equal(await back(server.browser(), answer, other.ticket), "/sign-in?error=oidc_failed", "another browser's");
  assert.equal(await back(server.browser(), answer, "none"), "/sign-in?error=oidc_failed", "no browser's");
  assert.equal(await back(browser, answer, ticket), "/");
  assert.equal(await back(server.browser(), answer, ticket), "/sign-in?error=oidc_failed", "used");
});

test("a refusal of the provider and an altered answer sign nobody in", async () => {
  for (const query of ["error=access_denied", "code=x&state=y", ""]) {
    const { ticket } = await begin(server.browser());
    const browser = server.browser();
    assert.equal(await back(browser, `/api/sign-in/oidc/callback?${query}`, ticket), "/sign-in?error=oidc_failed");
    assert.equal(browser.cookie, undefined);
  }
});

test("a return address of another site is not followed after the sign-in", async () => {
  for (const bad of [
    "https://evil.example/",
    "//evil.example",
    "/\\evil.example",
    "\\/evil.example",
    "evil",
    "/a\nb",
    "/\t/evil.example",
    "javascript:alert(1)",
    "",
  ]) {
    assert.equal(await signIn(server.browser(), `?return_to=${encodeURIComponent(bad)}`), "/", bad);
    server.forward(60_000);
  }
  assert.equal(await signIn(server.browser(), "?return_to=/a&return_to=//evil.example"), "/");
});

test("a signed-in person must prove it again", async () => {
  const browser = await server.signedIn(ada);
  const { location } = await begin(browser);
  assert.equal(new URL(location).searchParams.get("prompt"), "login");
});

test("an unavailable provider is an error, and is requested again later", async () => {
  const closed = createServer();
  await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
  const { port } = closed.address() as { port: number };
  closed.close();
  const oidc = { issuer: `http://127.0.0.1:${port}`, clientId: "x", clientSecret: null, name: "Away" };
  const lonely = await startPortal({ oidc });
  try {
    assert.equal((await begin(lonely.browser())).location, "/sign-in?error=oidc_unreachable");
  } finally {
    await lonely.close();
  }
});

test("without a provider the operations answer not found", async () => {
  const without = await startPortal();
  try {
    for (const path of ["/api/sign-in/oidc", "/api/sign-in/oidc/callback"])
      assert.equal((await without.browser().call("GET", path)).status, 404);
  } finally {
    await without.close();
  }
});

test("the provider's answer is in no log", async () => {
  const browser = server.browser();
  const { location, ticket } = await begin(browser);
  const answer = await identity.through(location);
  await back(browser, answer, ticket);
  const code = new URLSearchParams(answer.split("?")[1]).get("code") ?? assert.fail(answer);
  for (const text of [code, ticket, browser.cookie ?? "", "the-secret-of-a-client"])
    assert.ok(!server.log().includes(text));
});
