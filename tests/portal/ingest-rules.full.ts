/** Ingest rules in the portal: a person tries a rule on stored rows, creates it, watches its counts and deletes it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import { ingest, ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { axe, NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();

test("a person tries, creates, disables and deletes a rule", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const stored = async (): Promise<readonly string[]> => {
    const sql = "select message from logs where service = 'shop' order by message";
    return (await rows<{ message: string }>(server, token, sql)).map(({ message }) => message);
  };
  const key = await server.call<{ id: string; key: string }>("POST", "/v1/ingest-keys", {
    token,
    json: { name: "shop agent", project: home.project.slug },
  });
  const send = async (message: string): Promise<void> => {
    const answer = await ingest(server, key.body.key, "logs", [logEntry(message, { service: "shop" })]);
    assert.deepEqual(answer.body, { accepted: 1 });
  };
  await ingested(server, key.body.key, "logs", [logEntry("1 mail to ann@example.org", { service: "shop" })]);
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${home.org.slug}/-/settings?tab=rules`);
  await page.getByRole("button", { name: "Create a rule…" }).click();
  const form = page.getByRole("dialog", { name: "Create an ingest rule" });
  await form.getByLabel("Name", { exact: true }).fill("Addresses of the shop");
  await form.getByLabel("Project").selectOption({ value: home.project.id });
  await form.getByLabel("Ingest key").selectOption({ label: "shop agent" });
  await form.getByLabel("Service").fill("shop");
  await form.getByLabel("Action").selectOption({ value: "mask" });
  await form.getByRole("button", { name: "Preview on recent rows" }).click();
  await form.getByText(/^logs: the rule meets 1 of the newest \d+ rows?, removes 0 and masks 1\.$/).waitFor();
  const example = form.getByRole("group", { name: "Preview" }).getByRole("row").nth(1);
  assert.match(await example.innerText(), /1 mail to ann@example\.org[^]*1 mail to \[email\]/);
  assert.deepEqual(await axe(page), []);
  assert.deepEqual(await stored(), ["1 mail to ann@example.org"], "the preview changes nothing");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  await form.waitFor({ state: "detached" });

  await send("2 mail to ann@example.org");
  assert.deepEqual(await stored(), ["1 mail to ann@example.org", "2 mail to [email]"]);
  const shown = page.getByRole("group", { name: "Ingest rules" }).getByRole("row").nth(1);
  await shown.getByText("service shop").waitFor();
  await eventually("the counts", async () => (/1\s+0\s+1\s*$/.test(await shown.innerText()) ? true : null), 30_000);
  assert.deepEqual(await axe(page), []);

  await page.getByRole("button", { name: "Disable", exact: true }).click();
  await shown.getByText("disabled").waitFor();
  await send("3 mail to ann@example.org");
  await page.getByRole("button", { name: "Enable", exact: true }).click();
  await shown.getByText("enabled").waitFor();
  await send("4 mail to ann@example.org");
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No ingest rules yet").waitFor();
  await send("5 mail to ann@example.org");
  assert.deepEqual(await stored(), [
    "1 mail to ann@example.org",
    "2 mail to [email]",
    "3 mail to ann@example.org",
    "4 mail to [email]",
    "5 mail to ann@example.org",
  ]);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});
