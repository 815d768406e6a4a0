/** Usage in the portal: the history by day, its sums by project and credential, and the export. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { axe, NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();

test("a person sees who used what, and exports it", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  await server.call("GET", "/v1/projects", { token });
  await eventually(
    "requests are counted",
    async () => {
      const { body } = await server.call<{ items: { requests: number }[] }>("GET", "/v1/usage/daily", { token });
      return body.items.length > 0 ? true : null;
    },
    30_000,
  );
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/usage`);
  await page.getByRole("figure", { name: /^Requests by day and service/ }).waitFor();
  await page.getByRole("table", { name: "Requests by credential" }).waitFor();
  assert.deepEqual(await axe(page), []);
  await page.getByLabel("Show").selectOption("bytes_scanned");
  await page.getByText("Nothing was used in this period").first().waitFor();
  await page.getByLabel("Period").selectOption("396");
  await page.getByLabel("Of", { exact: true }).selectOption(home.project.id);
  await page.getByLabel("Quota (MiB)").fill("1000");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Saved. Every server applies it at once.").waitFor();
  await page.getByRole("cell", { name: "1000 MiB" }).waitFor();
  assert.deepEqual(await axe(page), []);
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export CSV" }).click();
  assert.match((await download).suggestedFilename(), /^usage-.*\.csv$/);
});
