/** Ingest keys in the portal, and OpenTelemetry's web SDK with such a key on a page of another origin. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { AGENTS, fillIn, type AgentAddresses } from "@mooring/contract/agents";
import type { Locator, Page } from "playwright-core";
import { rolldown } from "rolldown";
import { eventually } from "../fixtures/process.ts";
import { logEntry, rows } from "../fixtures/telemetry.ts";
import { NO_CHROMIUM, usePortal } from "./browser.ts";

const portal = usePortal();
const folder = mkdtempSync(join(tmpdir(), "mooring-sdk-"));
let script = "";
let app: Server;
let origin = "";

/** The rest of the page's program: it exports one span, and reads a refusal. */
const MAIN = `
  window.sendSpan = async (name) => {
    tracer.startSpan(name).end();
    await provider.forceFlush();
    await provider.shutdown();
  };
  window.ask = async (mooring, key) => {
    const headers = { authorization: "Bearer " + key, "content-type": "application/json" };
    const answer = await fetch(mooring + "/v1/ingest/logs", { method: "POST", headers, body: '{"entries":[]}' }).catch(() => null);
    return answer === null ? "unreadable" : answer.status;
  };
  document.title = "ready";`;

before(async () => {
  app = createServer((request, response) => {
    const isScript = request.url === "/main.js";
    response.writeHead(200, { "content-type": isScript ? "text/javascript" : "text/html" });
    response.end(isScript ? script : '<!doctype html><script type="module" src="/main.js"></script>');
  });
  app.listen(0, "127.0.0.1");
  await once(app, "listening");
  origin = `http://127.0.0.1:${(app.address() as AddressInfo).port}`;
});
after(async () => {
  app.closeAllConnections();
  app.close();
  await once(app, "close");
  rmSync(folder, { recursive: true, force: true });
});

/** Returns a module for browsers, with the packages that it imports. */
async function bundled(text: string): Promise<string> {
  const modules = ["node_modules", fileURLToPath(new URL("../../node_modules", import.meta.url))];
  writeFileSync(join(folder, "main.mjs"), text);
  const build = await rolldown({ input: join(folder, "main.mjs"), platform: "browser", resolve: { modules } });
  const { output } = await build.generate({ format: "es" });
  await build.close();
  return output[0].code;
}

/** Returns the configuration that the portal shows for a key without services. */
function textFor(id: string, addresses: AgentAddresses, key: string): string {
  const agent = AGENTS.find((each) => each.id === id);
  assert.ok(agent !== undefined, id);
  return fillIn(agent, { addresses, key, service: "" });
}

/** Returns the key in the open dialog, and closes it. */
async function shownKey(page: Page): Promise<string> {
  const dialog: Locator = page.getByRole("dialog", { name: /^Secret of/ });
  await dialog.waitFor();
  const key = /mrik_\w{49}/.exec(await dialog.innerText())?.[0];
  assert.ok(key !== undefined, "no key is shown");
  for (let i = 0; i < 2 && (await dialog.isVisible()); i++) await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  return key;
}

async function statusOf(key: string): Promise<number> {
  const json = { entries: [logEntry("from a test", { service: "checkout" })] };
  return (await portal.shared.server.call("POST", "/v1/ingest/logs", { headers: { "x-api-key": key }, json })).status;
}

test("a person creates, rotates and revokes an ingest key", { skip: NO_CHROMIUM }, async () => {
  const tab = await portal.open();
  const { page } = tab;
  await tab.go(`/o/${portal.shared.home.org.slug}/-/ingest-keys`);
  await page.getByRole("button", { name: "Create ingest key", exact: true }).first().click();
  const form = page.getByRole("dialog", { name: "Create ingest key" });
  await form.getByLabel("Name", { exact: true }).fill("collector");
  await form.getByLabel(/^Requests a second/).fill("50");
  await form.getByRole("button", { name: "Create", exact: true }).click();
  const first = await shownKey(page);
  assert.equal(await statusOf(first), 202);
  await page.getByText("50 a second on each node").waitFor();
  await page.getByRole("button", { name: "Change", exact: true }).click();
  const change = page.getByRole("dialog", { name: "Change collector" });
  await change.getByLabel(/^Requests a second/).fill("60");
  await change.getByLabel(/^Only pages of these origins/).fill("https://app.example.com");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("60 a second on each node").waitFor();
  await page.getByText("https://app.example.com").first().waitFor();
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await change.getByLabel(/^Only pages of these origins/).fill("");
  await change.getByRole("button", { name: "Save" }).click();
  await page.getByText("no limit by origin").waitFor();
  await page.getByRole("button", { name: "Rotate", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Rotate", exact: true }).click();
  const second = await shownKey(page);
  for (const key of [first, second]) assert.equal(await statusOf(key), 202);
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel(/^Type/).fill("collector");
  await dialog.getByRole("button", { name: /^Revoke/ }).click();
  await eventually("the keys to be refused", async () => ((await statusOf(second)) === 401 ? true : null), 5_000);
  assert.equal(await statusOf(first), 401);
  assert.deepEqual(tab.faults, []);
  await tab.close();
});

test(
  "a new key is shown in the configuration of each agent, and its first use is found",
  { skip: NO_CHROMIUM },
  async () => {
    const tab = await portal.open();
    const { page } = tab;
    await tab.go(`/o/${portal.shared.home.org.slug}/-/ingest-keys`);
    await page.getByRole("button", { name: "Create ingest key", exact: true }).first().click();
    const form = page.getByRole("dialog", { name: "Create ingest key" });
    await form.getByLabel("Name", { exact: true }).fill("shippers");
    await form.getByRole("button", { name: "Create", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: /^Secret of/ });
    const key = await dialog.getByLabel("Ingest key", { exact: true }).innerText();
    // By keys alone: find an agent, choose it, and copy its configuration.
    await dialog.getByLabel("Find an agent").focus();
    await page.keyboard.type("promtail");
    await dialog.getByText(/^1 of|^2 of/).waitFor();
    await page.keyboard.press("Tab");
    await page.keyboard.type("Promtail");
    const block = dialog.getByLabel("Configuration of Promtail");
    await block.waitFor();
    const { server } = portal.shared;
    const { body: addresses } = await server.call<AgentAddresses>("GET", "/.well-known/mooring");
    assert.equal(await block.innerText(), textFor("promtail", addresses, key));
    await dialog.getByText("Waiting for the first request").waitFor();
    assert.equal(await statusOf(key), 202);
    await dialog.getByText("Found", { exact: true }).waitFor({ timeout: 30_000 });
    assert.equal(await shownKey(page), key);
    await page.getByRole("button", { name: "Connect an agent" }).click();
    const again = page.getByRole("dialog", { name: "Connect with shippers" });
    await again.getByText("The secret was shown once").waitFor();
    assert.match(await again.getByLabel(/^Configuration of/).innerText(), /Bearer%20INGEST_KEY$/m);
    assert.equal((await page.content()).includes(key), false, "the secret is still in the page");
    assert.deepEqual(tab.faults, []);
    await tab.close();
  },
);

test("a page of another origin sends spans with OpenTelemetry's web SDK", { skip: NO_CHROMIUM }, async () => {
  const { server, token } = portal.shared;
  const json = { name: "shop page", origins: [origin] };
  const made = await server.call<{ key: string }>("POST", "/v1/ingest-keys", { token, json });
  const other = await server.call<{ key: string }>("POST", "/v1/ingest-keys", {
    token,
    json: { name: "another page", origins: ["https://other.example.com"] },
  });
  const { body: addresses } = await server.call<AgentAddresses>("GET", "/.well-known/mooring");
  script = await bundled(textFor("otel-web", addresses, made.body.key) + MAIN);
  const tab = await portal.openEmpty();
  const { page } = tab;
  await page.goto(origin);
  await page.waitForFunction('document.title === "ready"');
  const run = (call: string): Promise<unknown> => page.evaluate(call);
  const words = (key: string): string => `${JSON.stringify(server.origin)}, ${JSON.stringify(key)}`;
  await run('window.sendSpan("from the page")');
  const found = await eventually(
    "the span",
    async () => {
      const spans = await rows(server, token, "select name from traces where name = 'from the page'");
      return spans.length > 0 ? spans : null;
    },
    10_000,
  );
  assert.equal(found.length, 1);
  assert.equal(await run(`window.ask(${words(other.body.key)})`), 403, "the page reads the refusal");
  assert.equal(await run(`window.ask(${words(`${made.body.key}x`)})`), 401);
  await tab.close();
});
