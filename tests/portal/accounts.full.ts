/**
 * People's accounts in a real browser, with a real mail server and a real provider: a lost password, another address,
 * an identity, policies.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Page } from "playwright-core";
import { eventually } from "../fixtures/process.ts";
import { startSmtp, type Received } from "../fixtures/smtp-server.ts";
import { axe, NO_CHROMIUM, PASSWORD, settled, usePortal, type Tab } from "./browser.ts";
import { stepClock, steppedClock } from "../fixtures/stepped-clock.ts";
import { joined, openAs } from "./people.ts";
import { proveAs, PROVIDER_NAME, startProvider, unusedPort } from "./provider.ts";
import { totp } from "./totp.ts";

/** More than the ten minutes for which a proof counts. */
const STEP_MS = 11 * 60_000;
const OTHER_PASSWORD = "another horse battery";

const smtp = await startSmtp();
const port = await unusedPort();
const provider = await startProvider(port);
const { settings, environment } = provider.settings(port);
const portal = usePortal({
  ...(settings === undefined ? {} : { settings }),
  environment: {
    ...environment,
    ...steppedClock(STEP_MS),
    MOORING_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MOORING_MAIL_FROM: "Mooring <noreply@example.com>",
  },
});
after(async () => {
  await provider.close();
  await smtp.close();
});

/** Opens a browser without a session. */
async function signedOut(): Promise<Tab> {
  await (await portal.open()).close();
  return withoutFonts(await portal.openEmpty());
}

/** The provider's pages request a font of another site. */
async function withoutFonts(tab: Tab): Promise<Tab> {
  await tab.context.route(/fonts\.googleapis\.com/, (route) => route.abort());
  return tab;
}

/** Returns a new member, signed in by password. */
async function member(email: string, role = "viewer"): Promise<Tab> {
  await (await portal.open()).close();
  await joined(portal, email, role);
  return withoutFonts(await openAs(portal, email));
}

async function mailTo(email: string, subject: string): Promise<Received> {
  return eventually(`the mail "${subject}" to ${email}`, () =>
    smtp.received.findLast(({ to, text }) => to.includes(email) && text.includes(`Subject: ${subject}`)),
  );
}

/** Returns the path of the link in a mail, with its secret. */
function linkIn({ text }: Received): string {
  const [, link = assert.fail(text)] =
    /(\/reset#\S+)/.exec(text.replaceAll(/=\r?\n/g, "").replaceAll("=3D", "=")) ?? [];
  return link;
}

async function passwordWorks(email: string, password: string): Promise<boolean> {
  const tab = await portal.openEmpty();
  const { origin } = portal.shared.server;
  const data = { email, password };
  const answer = await tab.context.request.post(`${origin}/api/sign-in/password`, { data, headers: { origin } });
  await tab.close();
  return answer.ok();
}

async function setPassword(page: Page): Promise<void> {
  await page.getByLabel("New password", { exact: true }).fill(OTHER_PASSWORD);
  await page.getByRole("button", { name: "Set the password" }).click();
  await page.waitForURL((url) => url.pathname.startsWith("/o/"));
  await settled(page);
}

/** Sets up an authenticator app in the open dialog. */
async function setUpApp(page: Page): Promise<void> {
  const dialog = page.getByRole("dialog");
  const secret = (await dialog.locator("code").first().innerText()).replaceAll(/\s/g, "");
  await dialog.getByLabel("The current code in the app").fill(totp(secret, Date.now()));
  await dialog.getByRole("button", { name: /Turn|Confirm|Continue|Set up/ }).click();
  await dialog.getByLabel("I have saved them").check();
  await dialog.getByRole("button", { name: "Continue" }).click();
  await page.getByText("The authenticator app is set up").waitFor();
}

test("a lost password is reset by the mailed link", { skip: NO_CHROMIUM }, async () => {
  const email = "grace@example.org";
  await (await member(email)).close();
  const tab = await signedOut();
  const { page } = tab;
  for (const each of ["unknown@example.org", email]) {
    await tab.go("/sign-in");
    await page.getByRole("link", { name: "Lost your password?" }).click();
    await page.getByLabel("E-mail address of your account").fill(each);
    await page.getByRole("button", { name: "Send a link" }).click();
    await page.getByText(`If there is an account with ${each}, a link was sent to it.`).waitFor();
  }
  const link = linkIn(await mailTo(email, "Set a new password"));
  assert.ok(!smtp.received.some(({ to }) => to.includes("unknown@example.org")));
  await tab.go(link);
  assert.equal(new URL(page.url()).hash, "", "the secret is not in the address bar any more");
  await page.getByText("This verifies that the address is yours").waitFor();
  assert.deepEqual(await axe(page), []);
  await setPassword(page);
  const notice = page.getByRole("region", { name: "Your address is verified" });
  await notice.getByText("the password").waitFor();
  await notice.getByRole("button", { name: "I have read it" }).click();
  await notice.waitFor({ state: "detached" });
  assert.deepEqual([await passwordWorks(email, PASSWORD), await passwordWorks(email, OTHER_PASSWORD)], [false, true]);
  await tab.go(link);
  await page.getByRole("alert").getByText("is not valid any more").waitFor();
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("the operator sees unverified accounts, and creates a link for them", { skip: NO_CHROMIUM }, async () => {
  const email = "hedy@example.org";
  await (await member(email)).close();
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=accounts");
  const rows = page.getByRole("group", { name: "Accounts" });
  await page.getByLabel("Only unverified addresses").check();
  await rows.getByText(email).waitFor();
  await rows.getByText(portal.shared.home.owner.email).waitFor({ state: "detached" });
  await page.getByRole("button", { name: `Reset ${email}` }).click();
  await page.getByText("all earlier sign-in methods are removed too").waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Create", exact: true }).click();
  const link = new URL(String(await page.getByLabel("Reset link", { exact: true }).textContent()));
  assert.deepEqual(await axe(page), []);
  await page.getByRole("button", { name: "I have sent it" }).click();
  const other = await signedOut();
  await other.go(link.pathname + link.hash);
  await setPassword(other.page);
  assert.deepEqual([await passwordWorks(email, PASSWORD), await passwordWorks(email, OTHER_PASSWORD)], [false, true]);
  await tab.go("/instance?tab=accounts&unverified=true");
  await settled(page);
  await rows.getByText(email).waitFor({ state: "detached" });
  assert.deepEqual([...tab.faults, ...other.faults], []);
  await other.close();
  await tab.close();
});

test("an identity is linked and unlinked", { skip: NO_CHROMIUM }, async () => {
  const tab = await member("ida@example.org");
  const { page } = tab;
  await tab.go("/account?tab=sign-in");
  await page.getByText("not linked").waitFor();
  await page.getByRole("button", { name: "Link an identity" }).click();
  await proveAs(page, "ida-at-work");
  await page.waitForURL((url) => url.pathname === "/account");
  await page.getByText(`linked to ${PROVIDER_NAME}`).waitFor();
  const other = await signedOut();
  await other.go("/sign-in");
  await other.page.getByRole("link", { name: `Sign in with ${PROVIDER_NAME}` }).click();
  await proveAs(other.page, "ida-at-work");
  await other.page.waitForURL((url) => url.pathname.startsWith("/o/"));
  await other.close();
  await page.getByRole("button", { name: "Unlink", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Unlink" }).click();
  await page.getByText("not linked").waitFor();
  await tab.close();
});

test("a policy refuses a session, shows the remedy, and allows it afterwards", { skip: NO_CHROMIUM }, async () => {
  const { org, owner } = portal.shared.home;
  const explore = `/o/${org.slug}/-/explore`;
  const email = "ron@example.org";
  const ron = await member(email);
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${org.slug}/-/settings?tab=people`);
  const required = page.getByLabel("A second factor is required");
  await required.check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("link", { name: "Set up your sign-in methods" }).click();
  await page.getByRole("button", { name: "Set up an app" }).click();
  await setUpApp(page);
  await tab.go(`/o/${org.slug}/-/settings?tab=people`);
  await required.check();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("The policy applies from everybody’s next request.").waitFor();

  await ron.go(explore);
  await ron.page.getByRole("heading", { level: 1, name: "A second factor is required" }).waitFor();
  await ron.page.getByText("Set up an authenticator app or a passkey under Account.").waitFor();
  assert.equal(await ron.page.getByRole("button", { name: "Connect" }).count(), 0);
  assert.deepEqual(await axe(ron.page), []);
  await ron.page.getByRole("link", { name: "Set one up" }).click();
  await ron.page.getByRole("button", { name: "Set up an app" }).click();
  await setUpApp(ron.page);
  await ron.go(explore);
  await ron.page.getByRole("heading", { level: 1, name: "Explore" }).waitFor();

  const byProvider = await signedOut();
  await byProvider.go(`/o/${org.slug}/-/settings?tab=people`);
  await byProvider.page.getByRole("link", { name: `Sign in with ${PROVIDER_NAME}` }).click();
  await proveAs(byProvider.page, owner.email);
  await byProvider.page.getByLabel(`Allow only sign-in with ${PROVIDER_NAME}`).check();
  await byProvider.page.getByRole("button", { name: "Save" }).click();
  await byProvider.page.getByText("The policy applies from everybody’s next request.").waitFor();
  await byProvider.close();

  await ron.go(explore);
  await ron.page.getByRole("heading", { level: 1, name: "Single sign-on is required" }).waitFor();
  assert.deepEqual(await axe(ron.page), []);
  await ron.page.getByRole("link", { name: `Sign in with ${PROVIDER_NAME}` }).click();
  await proveAs(ron.page, email);
  await ron.page.waitForURL((url) => url.pathname === explore);
  await ron.page.getByRole("heading", { level: 1, name: "Explore" }).waitFor();
  await ron.close();
  await tab.close();
  const { server, token } = portal.shared;
  const open = { policy: { second_factor_required: false, sign_in: "any" } };
  const answer = await server.call("PATCH", "/v1/organization", { token, json: open });
  assert.equal(answer.status, 200, answer.text);
});

/** Last, because it moves the server's clock forward. */
test("another address requires a recent proof, and both addresses get a mail", { skip: NO_CHROMIUM }, async () => {
  const [before, now] = ["kay@example.org", "kay@example.net"];
  const tab = await member(before);
  const { page } = tab;
  stepClock(portal.shared.server);
  await tab.go("/account");
  await page.getByLabel("New address").fill(now);
  await page.getByRole("button", { name: "Change the address" }).click();
  const dialog = page.getByRole("dialog", { name: "Confirm that it is you" });
  await dialog.getByLabel("Password", { exact: true }).fill("not my password at all");
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await dialog.getByRole("alert").waitFor();
  await dialog.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Confirm" }).click();
  await page.getByText(`You sign in as ${now} now.`).waitFor();
  await page.getByText("not yet", { exact: true }).waitFor();
  await mailTo(before, "Your sign-in address was changed");
  const link = linkIn(await mailTo(now, "Set a new password"));
  assert.deepEqual([await passwordWorks(before, PASSWORD), await passwordWorks(now, PASSWORD)], [false, true]);
  await page.getByRole("button", { name: "Send me a link" }).click();
  await page.getByText("The link was sent.").waitFor();
  assert.ok(link.length > 20);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});
