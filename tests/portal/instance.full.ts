/** The instance in a real browser: e-mail through a real mail server, backups, and an invitation that is accepted without a password. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startSmtp } from "../fixtures/smtp-server.ts";
import { axe, NO_CHROMIUM, overflow, PASSWORD, usePortal, type Look, type Tab } from "./browser.ts";

const smtp = await startSmtp();
const directory = mkdtempSync(join(tmpdir(), "mooring-instance-"));
const backups = join(directory, "backups");
const portal = usePortal({
  settings: { backup_dir: backups, backup_interval_hours: 0 },
  environment: {
    MOORING_SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MOORING_MAIL_FROM: "Mooring <noreply@example.com>",
  },
});

after(async () => {
  await smtp.close();
  rmSync(directory, { recursive: true, force: true });
});

const LOOKS: readonly Look[] = [{}, { theme: "dark" }, { width: 360 }, { width: 320, theme: "dark" }];

async function wellIn(tab: Tab, about: string): Promise<void> {
  assert.deepEqual([...(await axe(tab.page)), ...tab.faults], [], about);
  assert.equal(await overflow(tab.page), 0, about);
  const keep = process.env["MOORING_TEST_SCREENSHOTS"];
  if (keep !== undefined)
    await tab.page.screenshot({ path: join(keep, `instance-${about.replaceAll(/\W+/g, "-")}.png`), fullPage: true });
}

test("a test mail is sent, and the mail server's reply is shown", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=email");
  await page.getByLabel("Send a test mail to").fill("ops@example.com");
  await page.getByRole("button", { name: "Send", exact: true }).click();
  await page.getByText("250 2.0.0 queued as 4711").waitFor();
  assert.deepEqual(smtp.received.at(-1)?.to, ["ops@example.com"]);
  await tab.close();
});

test(
  "an invitation is mailed, and a signed-in person accepts it without a password",
  { skip: NO_CHROMIUM },
  async () => {
    const { server, home } = portal.shared;
    const tab = await portal.open();
    const { page } = tab;
    await tab.go(`/o/${home.org.slug}/-/members`);
    await page
      .getByRole("button", { name: /invite/i })
      .first()
      .click();
    await page.getByLabel("E-mail", { exact: true }).fill("grace@example.org");
    await page.getByRole("button", { name: "Invite", exact: true }).click();
    await page.getByText("Sent by e-mail").waitFor();
    await wellIn(tab, "invited");
    assert.deepEqual(smtp.received.at(-1)?.to, ["grace@example.org"]);
    // The owner is invited to another organization, and has a session already.
    const made = await page.request.post(`${server.origin}/api/instance/organizations`, {
      data: { slug: "second", name: "Second", owner_email: "boss@example.org" },
      headers: { origin: server.origin },
    });
    assert.equal(made.status(), 201, await made.text());
    const token = await ownerInvited(tab, server.origin, home.owner.email);
    await tab.go(`/invitation#${token}`);
    await wellIn(tab, "invitation");
    await page.getByRole("button", { name: /^Accept as/ }).click();
    await page.waitForURL(/\/o\/second\//);
    await tab.close();
  },
);

/** The owner of the second organization sets up their account by the mail, and invites the owner of the first. */
async function ownerInvited({ context }: Tab, origin: string, email: string): Promise<string> {
  const mail = smtp.received.at(-1)?.text.replaceAll("=\n", "") ?? "";
  const link = /\/setup#(\S+)/.exec(mail)?.[1] ?? assert.fail(mail);
  const other = await context.browser()?.newContext();
  if (other === undefined) return assert.fail("no browser");
  const setUp = await other.request.post(`${origin}/api/setup`, {
    data: { token: link, name: "Boss", password: PASSWORD },
    headers: { origin },
  });
  assert.equal(setUp.status(), 201, await setUp.text());
  const taken = await other.request.post(`${origin}/api/session/token`, {
    data: { organization: "second" },
    headers: { origin },
  });
  const { access_token: token } = (await taken.json()) as { access_token: string };
  const invited = await other.request.post(`${origin}/v1/invitations`, {
    data: { email, role: "viewer" },
    headers: { authorization: `Bearer ${token}` },
  });
  const { link: invitation } = (await invited.json()) as { link: string };
  await other.close();
  return invitation.split("#")[1] ?? assert.fail(invitation);
}

function keptBackups(): string[] {
  return readdirSync(join(backups, "backups")).map((file) => file.replace(".json", ""));
}

test("a backup is created, listed, restored in parts and deleted", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go("/instance?tab=backups");
  await page.getByText("No backup yet").waitFor();
  await wellIn(tab, "no backup");
  await page.getByRole("button", { name: "Back up now" }).click();
  await page.getByRole("cell", { name: "good" }).waitFor({ timeout: 120_000 });
  const [name = assert.fail()] = keptBackups();
  await wellIn(tab, "a backup");
  for (const [slug, state] of [
    [portal.shared.home.app.slug, "done"],
    ["no-such-app", "failed"],
  ] as const) {
    await page.getByRole("button", { name: `Restore a part of ${name}` }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Part", { exact: true }).selectOption("bucket");
    await dialog.getByLabel("Slug of the organization").fill(portal.shared.home.org.slug);
    await dialog.getByLabel("Slug of the app").fill(slug);
    await wellIn(tab, `a restore that is ${state}`);
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await page.getByRole("cell", { name: state, exact: true }).waitFor();
  }
  await page.getByRole("button", { name: `Delete ${name}` }).click();
  await page.getByRole("dialog").getByRole("textbox").fill(name);
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No backup yet").waitFor();
  assert.deepEqual(keptBackups(), []);
  await tab.close();
});

for (const look of LOOKS)
  test(`every part of the page has no faults: ${JSON.stringify(look)}`, { skip: NO_CHROMIUM }, async () => {
    const tab = await portal.open(look);
    for (const part of ["state", "jobs", "backups", "email", "organizations", "keys"]) {
      await tab.go(`/instance?tab=${part}`);
      await wellIn(tab, `${part} ${look.theme ?? "light"} ${look.width ?? 1280}`);
    }
    await tab.close();
  });
