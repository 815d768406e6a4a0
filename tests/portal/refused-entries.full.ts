/** Refused entries in the portal: a person sees who sent what wrongly, and accepts older times. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { ingest, logEntry } from "../fixtures/telemetry.ts";
import { axe, NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();

test("a person finds the cause of refused entries and accepts their times", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const json = { name: "old clock", project: home.project.slug };
  const { body: key } = await server.call<{ key: string }>("POST", "/v1/ingest-keys", { token, json });
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/refused-entries`);
  await page.getByText("No entries were refused in this time").waitFor();
  assert.deepEqual(await axe(page), []);

  const timestamp = new Date(Date.now() - 4000 * 86_400_000).toISOString();
  const send = () => ingest(server, key.key, "logs", [logEntry("from 2015", { timestamp })]);
  assert.equal((await send()).status, 400);
  const row = page.getByRole("group", { name: "Refused entries" }).getByRole("row").nth(1);
  await row.getByText("old clock").waitFor({ timeout: 30_000 });
  assert.match(await row.innerText(), /Too old\s+old clock\s+ingest\s+logs\s+1\s+1/);
  await row.getByRole("button").click();
  const panel = page.getByRole("complementary", { name: "Details" });
  await panel.getByText(/^is too old: entries before /).waitFor();
  await panel.getByText(/from 2015/).waitFor();
  assert.deepEqual(await axe(page), []);

  await panel.getByRole("link", { name: "settings" }).click();
  await page.getByLabel("Oldest accepted entry (days)").fill("5000");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. The change applies at once.").waitFor();
  assert.deepEqual(await axe(page), []);
  await eventually("the entry is accepted", async () => ((await send()).status === 202 ? true : null));
});
