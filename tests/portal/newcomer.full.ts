/** A new person sees the data of their first credential, and an empty page of a project says what exists outside of it. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";
import { uploaded } from "../fixtures/files.ts";
import { ingested } from "../fixtures/telemetry.ts";
import { newWebhook, acceptedEvent } from "../fixtures/webhooks.ts";
import { NO_CHROMIUM, PASSWORD, settled, usePortal } from "./browser.ts";

const portal = usePortal();

test("the first credential reaches one project, whose pages show its data", { skip: NO_CHROMIUM }, async () => {
  const { server, home } = portal.shared;
  const tab = await portal.openEmpty();
  const { page } = tab;
  await tab.go(`/setup${new URL(String(home.owner.setup_url)).hash}`);
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Set up and sign in" }).click();
  await page.getByRole("button", { name: "Later" }).click();
  await page.getByText(`the project ${home.project.slug} of ${home.org.slug}`).waitFor();
  const client = {
    client_id: (await page.getByLabel("Client id").textContent()) ?? "",
    client_secret: (await page.getByLabel("Client secret").textContent()) ?? "",
  };
  await page.getByRole("tab", { name: "First log entry" }).click();
  const commands = String(await page.getByLabel("First log entry").last().textContent());
  await page.getByRole("link", { name: `Go to ${home.project.slug}` }).click();
  await page.waitForURL((url) => url.pathname === `/o/${home.org.slug}/${home.project.slug}`);
  await page.getByText("0 of 4 steps done").waitFor();
  const { status, stdout, stderr } = spawnSync("bash", ["-euc", commands], { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, stderr);
  assert.match(stdout, /"accepted": ?1[\s\S]*hello/, "sent, and found by the query that is shown with it");
  await page.getByText("First log received").waitFor();
  await page.getByText("1 of 4 steps done").waitFor();
  await tab.go(`/o/${home.org.slug}/${home.project.slug}/explore`);
  await page.getByText("hello").first().waitFor();
  const token = await server.token(client);
  for (const path of ["/v1/members", "/v1/credentials", "/v1/organization", "/v1/audit"])
    assert.equal((await server.call("GET", path, { token })).status, 403, path);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test("a page that is empty in a project shows the number of objects outside of it", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const made = await server.call("POST", "/v1/projects", { token, json: { slug: "empty", name: "Empty" } });
  assert.equal(made.status, 201, made.text);
  const timestamp = new Date(Date.now() - 30_000).toISOString();
  await ingested(server, token, "logs", [{ timestamp, level: "info", message: "of all" }]);
  await ingested(server, token, "metrics", [{ timestamp, name: "queue", value: 1 }]);
  const span = { trace_id: "a".repeat(32), span_id: "b".repeat(16), name: "GET /", duration_ms: 1, status: "ok" };
  await ingested(server, token, "traces", [{ timestamp, ...span }]);
  await uploaded(server, token, { filename: "outside.txt" });
  await newWebhook(server, token, { name: "outside" });
  await acceptedEvent(home.webhook.url, "{}", { "content-type": "application/json" });
  const tab = await portal.openEmpty();
  const signedIn = await tab.context.request.post(`${server.origin}/api/sign-in/password`, {
    data: { email: home.owner.email, password: PASSWORD },
    headers: { origin: server.origin },
  });
  assert.equal(signedIn.status(), 200, await signedIn.text());
  const { page } = tab;
  const there: readonly (readonly [page: string, note: RegExp, row: string | RegExp])[] = [
    ["explore", /1 log entry without a project/, "of all"],
    ["metrics", /1 metric point without a project/, "queue"],
    ["traces", /1 span without a project/, "GET /"],
    ["files", /Outside of this project: 1 file\b/, "outside.txt"],
    ["webhooks", /Outside of this project: webhooks/, "outside"],
    ["buckets", /Outside of this project: buckets/, home.app.slug],
    ["images", /Outside of this project: repositories/, home.app.slug],
  ];
  for (const [path, note, row] of there) {
    await tab.go(`/o/${home.org.slug}/empty/${path}`);
    const found = page.getByRole("note").filter({ hasText: note });
    await found.waitFor();
    await found.getByRole("link", { name: "Show all projects" }).click();
    await page.waitForURL((url) => url.pathname === `/o/${home.org.slug}/-/${path}`);
    await settled(page);
    await page.locator("main").getByText(row).first().waitFor();
    assert.equal(await page.getByRole("note").filter({ hasText: "Outside of this project" }).count(), 0, path);
  }
  await tab.go(`/o/${home.org.slug}/empty`);
  await page.getByText("0 of 4 steps done").waitFor();
  for (const note of [/1 log entry without a project/, /Outside of this project: 1 file\b/, /1 webhook event/])
    await page.getByRole("note").filter({ hasText: note }).waitFor();
  await page.getByRole("note").getByRole("link", { name: home.project.slug }).first().click();
  await page.waitForURL((url) => url.pathname.startsWith(`/o/${home.org.slug}/${home.project.slug}/`));
  assert.deepEqual(tab.faults, []);
  await tab.close();
});
