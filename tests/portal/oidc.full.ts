/** Signing in at an OpenID Connect provider in a real browser, with its failures. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { axe, NO_CHROMIUM, PASSWORD, usePortal, type Tab } from "./browser.ts";
import { proveAs, PROVIDER_NAME, startProvider, unusedPort } from "./provider.ts";

const port = await unusedPort();
const provider = await startProvider(port);
after(() => provider.close());
const portal = usePortal(provider.settings(port));

const away = await unusedPort();
const gone = await startProvider(away);
await gone.close();
const lonely = usePortal(gone.settings(away));

const BUTTON = `Sign in with ${PROVIDER_NAME}`;

/** Opens a browser without a session. Ada's account is set up. */
async function signedOut(of = portal): Promise<Tab> {
  await (await of.open()).close();
  const tab = await of.openEmpty();
  // The provider's pages request a font of another site.
  await tab.context.route(/fonts\.googleapis\.com/, (route) => route.abort());
  return tab;
}

/** Returns the faults of the portal's own pages. */
function ownFaults({ faults }: Tab): string[] {
  return faults.filter((fault) => !/^a request went to|inline style|googleapis/.test(fault));
}

async function sessionOf({ page }: Tab): Promise<Record<string, unknown> | null> {
  const response = await page.request.get("/api/session");
  return response.ok() ? ((await response.json()) as Record<string, unknown>) : null;
}

test("signing in at the provider leads back to the requested page", { skip: NO_CHROMIUM }, async () => {
  const tab = await signedOut();
  const { page } = tab;
  const { org, owner } = portal.shared.home;
  await tab.go(`/o/${org.slug}/-/projects?q=shop`);
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByRole("link", { name: BUTTON }).click();
  await proveAs(page, owner.email);
  await page.getByRole("heading", { level: 1, name: "Projects and apps" }).waitFor();
  assert.equal(new URL(page.url()).search, "?q=shop");
  const session = await sessionOf(tab);
  assert.equal((session?.["user"] as { email: string } | undefined)?.email, owner.email);
  assert.equal((session?.["session"] as { method: string } | undefined)?.method, "oidc");
  const names = (await tab.context.cookies()).map(({ name }) => name).filter((name) => name.startsWith("__Host-"));
  assert.deepEqual(
    names.toSorted(),
    ["__Host-mooring", "__Host-mooring-device"],
    "the cookie that bound the answer to the browser is deleted",
  );
  assert.deepEqual(ownFaults(tab), []);
  await tab.close();
});

test("a person without an account gets that error, and nothing more", { skip: NO_CHROMIUM }, async () => {
  for (const login of ["grace@example.org", "grace"]) {
    const tab = await signedOut();
    await tab.go("/sign-in");
    await tab.page.getByRole("link", { name: BUTTON }).click();
    await proveAs(tab.page, login);
    await tab.page.getByRole("alert").getByText("no account here has your address").waitFor();
    assert.equal(await sessionOf(tab), null);
    assert.deepEqual(await axe(tab.page), []);
    await tab.close();
  }
});

test("a new person joins by an invitation, and signs in again", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const email = "hedy@acme.example";
  const { status, body } = await server.call("POST", "/v1/invitations", {
    token,
    json: { email, role: "developer" },
  });
  assert.equal(status, 201);
  const link = new URL(String(body["link"]));
  const tab = await signedOut();
  const { page } = tab;
  await tab.go(link.pathname + link.hash);
  await page.getByLabel("Your name").fill("Hedy Lamarr");
  await page.getByRole("button", { name: `Accept with ${PROVIDER_NAME}` }).click();
  await proveAs(page, email);
  await page.waitForURL(new RegExp(`/o/${home.org.slug}/`));
  await page.locator("h1").waitFor();
  const session = await sessionOf(tab);
  assert.equal((session?.["user"] as { name: string } | undefined)?.name, "Hedy Lamarr");
  assert.deepEqual(ownFaults(tab), []);
  await tab.close();

  const later = await signedOut();
  await later.go("/sign-in");
  await later.page.getByRole("link", { name: BUTTON }).click();
  await proveAs(later.page, email);
  await later.page.waitForURL(new RegExp(`/o/${home.org.slug}/`));
  await later.close();
});

test("an unrequested or refused answer signs nobody in", { skip: NO_CHROMIUM }, async () => {
  const tab = await signedOut();
  const { page } = tab;
  const failed = page.getByRole("alert").getByText("failed");
  await tab.go("/api/sign-in/oidc/callback?code=stolen&state=of-another");
  await failed.waitFor();

  await tab.go("/sign-in");
  await page.getByRole("link", { name: BUTTON }).click();
  await page.getByPlaceholder("Enter any login").waitFor();
  await tab.go("/api/sign-in/oidc/callback?code=stolen&state=of-another");
  await failed.waitFor();
  assert.equal(await sessionOf(tab), null);

  await tab.go("/sign-in");
  await page.getByRole("link", { name: BUTTON }).click();
  await page.getByRole("link", { name: "Cancel" }).click();
  await failed.waitFor();
  assert.equal(await sessionOf(tab), null);
  assert.deepEqual(await axe(page), []);
  await byPassword(tab, portal.shared.home.owner.email);
  assert.deepEqual(ownFaults(tab), []);
  await tab.close();
});

test("an unavailable provider has an error message, and the password still works", { skip: NO_CHROMIUM }, async () => {
  const tab = await signedOut(lonely);
  await tab.go("/sign-in");
  await tab.page.getByRole("link", { name: BUTTON }).click();
  await tab.page.getByRole("alert").getByText("can't be reached").waitFor();
  assert.deepEqual(await axe(tab.page), []);
  await byPassword(tab, lonely.shared.home.owner.email);
  assert.deepEqual(ownFaults(tab), []);
  await tab.close();
});

async function byPassword(tab: Tab, email: string): Promise<void> {
  const { page } = tab;
  await page.getByLabel("E-mail address").fill(email);
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.waitForURL(/\/o\//);
  await page.locator("h1").waitFor();
  assert.notEqual(await sessionOf(tab), null);
}
