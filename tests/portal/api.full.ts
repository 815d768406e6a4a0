/** The API page in a real browser: an operation is found by its words, and its command works. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();

test("an operation is found, and shows its permission, members and a command", { skip: NO_CHROMIUM }, async () => {
  const { org } = portal.shared.home;
  const tab = await portal.open({});
  const { page, faults } = tab;
  await tab.go(`/o/${org.slug}/-/api`);
  await page.getByRole("combobox", { name: "Subject" }).selectOption("files");
  await page.getByRole("group", { name: "Operations" }).getByText("/v1/upload", { exact: true }).waitFor();
  await page.getByRole("searchbox", { name: "Search all operations" }).fill("getMe /v1/me");
  await page.getByRole("button", { name: "Show the person or credential of the token, and its permissions" }).click();
  const details = page.getByRole("complementary", { name: "Details" });
  await details.getByText("GET /v1/me", { exact: true }).waitFor();
  const command = (await details.getByLabel("command that calls getMe").textContent()) ?? "";
  assert.match(command, /^curl -sS http:\/\/\S+\/v1\/me -H "Authorization: Bearer \$TOKEN"$/);
  const [, address] = /(http\S+)/.exec(command) ?? [];
  const token = await portal.shared.server.token(portal.shared.home.credential);
  const answer = await fetch(String(address), { headers: { authorization: `Bearer ${token}` } });
  assert.equal(answer.status, 200);
  assert.deepEqual(faults, []);
  await tab.close();
});
