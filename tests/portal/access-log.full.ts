/** The page Access: a person switches the log on, and finds who read a file. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { downloadUrl, fetched, uploaded } from "../fixtures/files.ts";
import { axe, NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();

test("a person switches the log on, and finds who read a file", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const file = await uploaded(server, token, { filename: "plan.txt", project: home.project.id });
  const url = await downloadUrl(server, token, file.id);
  await fetched(url);
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/access-log`);
  await page.getByText("No row yet").waitFor();
  await page.getByLabel("Record").selectOption({ value: "all" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("Every server applies it within seconds").waitFor();
  await fetched(url);
  await tab.go(`/o/${home.org.slug}/-/access-log?action=file.download`);
  const rows = page.getByRole("group", { name: "Rows of the access log" }).getByRole("row");
  await rows.nth(1).getByText("plan.txt").waitFor();
  assert.equal(await rows.count(), 2, "the header, and the request since the log is on");
  assert.match(await rows.nth(1).innerText(), /file\.download[^]*success[^]*11 B[^]*127\.0\.0\.1[^]*presigned/);
  assert.deepEqual(await axe(page), []);
  await page.getByRole("search").getByLabel("On what").fill("other.txt");
  await page.getByRole("button", { name: "Find" }).click();
  await page.getByText("No row matches").waitFor();
  await page.getByRole("button", { name: "Clear" }).click();
  await rows.getByText("query.run").first().waitFor();
  assert.deepEqual(tab.faults, []);
  await tab.close();
});
