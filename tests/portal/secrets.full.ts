/** Every dialog with a secret asks before it closes while nobody has copied the secret. Then the secret is gone. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { newWebhook } from "../fixtures/webhooks.ts";
import { NO_CHROMIUM, usePortal, type Tab } from "./browser.ts";
import { fill } from "./content.ts";

const portal = usePortal();
const known: { tab?: Tab } = {};
after(() => known.tab?.close());

/** Opens a page, and a form by its button. Returns the form. */
async function form(path: string, button: string): Promise<{ page: Page; dialog: Locator }> {
  await fill(portal.shared);
  known.tab ??= await portal.open();
  const { tab } = known;
  const [page, search = ""] = path.split("?");
  await tab.go(`${page?.startsWith("/") ? page : `/o/${portal.shared.home.org.slug}/-/${page}`}?${search}`);
  await tab.page.getByRole("button", { name: button, exact: true }).first().click();
  const dialog = tab.page.getByRole("dialog");
  await dialog.waitFor();
  return { page: tab.page, dialog };
}

interface Kind {
  /** The label of the field with the secret. */
  readonly label: string;
  readonly open: () => Promise<{ page: Page; dialog: Locator }>;
}

const destinations = (): string => `webhooks/${portal.shared.home.webhook.id}?tab=destinations`;

const KINDS: Readonly<Record<string, Kind>> = {
  "a credential": {
    label: "Client secret",
    open: async () => {
      const { page, dialog } = await form("credentials", "Create credential");
      await dialog.getByRole("button", { name: /^Telemetry writer/ }).click();
      await dialog.getByLabel("Name", { exact: true }).fill("night exporter");
      return { page, dialog };
    },
  },
  "an S3 key": {
    label: "Secret access key",
    open: async () => {
      const { page, dialog } = await form("s3-keys", "Create S3 key");
      await dialog.getByLabel("Name", { exact: true }).fill("nightly backup");
      return { page, dialog };
    },
  },
  "an ingest key": {
    label: "Ingest key",
    open: async () => {
      const { page, dialog } = await form("ingest-keys", "Create ingest key");
      await dialog.getByLabel("Name", { exact: true }).fill("collector");
      return { page, dialog };
    },
  },
  "a personal access token": {
    label: "Personal access token",
    open: () => form("/account?tab=tokens", "Create token"),
  },
  "an alert": {
    label: "Signing secret",
    open: async () => {
      const { page, dialog } = await form("alerts", "Create alert");
      await dialog.getByLabel("Name", { exact: true }).fill("errors");
      await dialog.getByLabel(/^Threshold/).fill("5");
      await dialog.getByLabel(/^Address/).fill("https://example.org/alerts");
      return { page, dialog };
    },
  },
  "a webhook": {
    label: "Secret of the webhook",
    open: async () => {
      const { page, dialog } = await form("webhooks", "Create webhook");
      await dialog.getByLabel("Name", { exact: true }).fill("payments");
      await dialog.getByLabel(/^The sender/).selectOption("standard_webhooks");
      return { page, dialog };
    },
  },
  "a webhook after a rotation": {
    label: "Secret of the webhook",
    open: async () => {
      const { server, token } = portal.shared;
      const { id } = await newWebhook(server, token, { verification: { scheme: "standard_webhooks" } });
      return form(`webhooks/${id}?tab=settings`, "Rotate secret");
    },
  },
  "a webhook's destination": {
    label: "Signing secret",
    open: async () => {
      const { page, dialog } = await form(destinations(), "Create destination");
      await dialog.getByLabel("Name", { exact: true }).fill("billing");
      await dialog.getByLabel("Address", { exact: true }).fill("https://example.org/events");
      return { page, dialog };
    },
  },
  "a bucket's destination": {
    label: "Signing secret",
    open: async () => {
      const { page, dialog } = await form("buckets?tab=events", "Create destination");
      await dialog.getByLabel("Name", { exact: true }).fill("thumbnails");
      await dialog.getByLabel("Address", { exact: true }).fill("https://example.org/thumbnails");
      return { page, dialog };
    },
  },
};

const warning = (dialog: Locator): Locator => dialog.getByRole("alert").filter({ hasText: "cannot be shown again" });

/** Fills the form in and sends it. Returns the dialog with the secret, and the secret. */
async function secretOf({ label, open }: Kind): Promise<{ page: Page; dialog: Locator; secret: string }> {
  const { page, dialog } = await open();
  await dialog.locator("button[type=submit]").click();
  const field = dialog.getByLabel(label, { exact: true });
  await dialog.getByText("The secret is shown only once.", { exact: false }).waitFor();
  const secret = await field.innerText();
  assert.ok(secret.length >= 20, secret.slice(0, 5));
  return { page, dialog, secret };
}

for (const [name, kind] of Object.entries(KINDS))
  test(`the secret of ${name} is copied, or its dialog asks before it closes`, { skip: NO_CHROMIUM }, async () => {
    const { page, dialog, secret } = await secretOf(kind);
    await page.keyboard.press("Escape");
    await warning(dialog).waitFor();
    await dialog.locator("dd").filter({ hasText: secret }).getByRole("button", { name: "Copy" }).click();
    await warning(dialog).waitFor({ state: "detached" });
    assert.equal(await page.evaluate<string>("navigator.clipboard.readText()"), secret);
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
    assert.equal((await page.content()).includes(secret), false, "the secret is still in the page");
  });

test(
  "a dialog with a secret closes at the second attempt, and by the button at the first",
  { skip: NO_CHROMIUM },
  async () => {
    const first = await secretOf(KINDS["an S3 key"] as Kind);
    await first.dialog.getByRole("button", { name: "Close", exact: true }).click();
    await warning(first.dialog).waitFor();
    await first.dialog.getByRole("button", { name: "Close", exact: true }).click();
    await first.dialog.waitFor({ state: "detached" });
    const second = await secretOf(KINDS["an S3 key"] as Kind);
    await second.dialog.getByRole("button", { name: "I have saved the secret" }).click();
    await second.dialog.waitFor({ state: "detached" });
  },
);

test("copying a text with the secret counts, and copying another text does not", { skip: NO_CHROMIUM }, async () => {
  const { page, dialog, secret } = await secretOf(KINDS["a webhook's destination"] as Kind);
  const copy = (label: string): Promise<void> =>
    dialog.getByLabel(label, { exact: true }).locator("xpath=..").getByRole("button", { name: "Copy" }).click();
  await copy("Code that checks a signature");
  await page.keyboard.press("Escape");
  await warning(dialog).waitFor();
  await copy("Line for a .env file");
  await warning(dialog).waitFor({ state: "detached" });
  assert.equal(await page.evaluate<string>("navigator.clipboard.readText()"), `WEBHOOK_SECRET=${secret}`);
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});

test("a secret that is selected and copied by the browser's keys counts", { skip: NO_CHROMIUM }, async () => {
  const { page, dialog } = await secretOf(KINDS["an S3 key"] as Kind);
  await dialog.getByLabel("Secret access key", { exact: true }).click({ clickCount: 3 });
  await page.keyboard.press("Control+c");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
});
