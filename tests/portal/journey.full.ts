/**
 * The path of a new user from the one-time link to a revoked credential. The test runs the commands of the pages in a
 * terminal.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach, test } from "node:test";
import { gzipSync } from "node:zlib";
import { NO_CHROMIUM, PASSWORD, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();
const directory = mkdtempSync(join(tmpdir(), "mooring-journey-"));
after(() => rmSync(directory, { recursive: true, force: true }));
// A screenshot of the failed step, if screenshots are wanted.
const pictures = process.env["MOORING_TEST_SCREENSHOTS"];
afterEach(async (context) => {
  if (pictures !== undefined && "passed" in context && !context.passed)
    await known.tab?.page.screenshot({ path: join(pictures, `failed ${context.name.slice(0, 40)}.png`) });
});

/** Results of a step for the next ones. */
const known: { tab?: Tab; clientId?: string; clientSecret?: string } = {};

function tab(): Tab {
  if (known.tab === undefined) throw new Error("the step before has failed");
  return known.tab;
}

/** Runs the commands of a page unchanged, except for the secret. */
function shell(commands: string, environment: Readonly<Record<string, string>> = {}): string {
  const script = commands.replaceAll("CLIENT_SECRET", known.clientSecret ?? "");
  const env = { PATH: process.env["PATH"] ?? "", HOME: directory, ...environment };
  const { status, stdout, stderr } = spawnSync("bash", ["-euc", script], { env, encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, `${commands}\n${stdout}${stderr}`);
  return stdout;
}

const path = (page: string): string => `/o/${portal.shared.home.org.slug}/-/${page}`;

test("the one-time link leads to an account and a first credential", { skip: NO_CHROMIUM }, async () => {
  known.tab = await portal.openEmpty();
  const { page, faults } = known.tab;
  const link = new URL(String(portal.shared.home.owner.setup_url));
  await known.tab.go(`/setup${link.hash}`);
  assert.equal(new URL(page.url()).hash, "", "the secret is not in the address bar any more");
  await page.getByLabel("Your name").fill("Ada Lovelace");
  await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
  await page.getByRole("button", { name: "Set up and sign in" }).click();
  await page.getByRole("button", { name: /later/i }).click();
  known.clientId = (await page.getByLabel("Client id").textContent()) ?? "";
  known.clientSecret = (await page.getByLabel("Client secret").textContent()) ?? "";
  assert.match(known.clientSecret, /^mrcs_/);
  await page
    .getByRole("button", { name: "Go to shop" })
    .or(page.getByRole("link", { name: "Go to shop" }))
    .click();
  await page.getByRole("heading", { name: "Get started" }).waitFor();
  assert.deepEqual(faults, []);
});

test("a log entry is found seconds after the shown command sent it", { skip: NO_CHROMIUM }, async () => {
  const { page, faults } = tab();
  await tab().go(path(""));
  const command = await page.getByText("/v1/ingest/logs").first().textContent();
  shell(withClient(String(command)));
  await page.getByText("First log received").waitFor();
  await tab().go(path("explore"));
  await page
    .getByText(/hello from/)
    .first()
    .waitFor();
  assert.deepEqual(faults, []);
});

test("a webhook's event appears live, without a reload", { skip: NO_CHROMIUM }, async () => {
  const { page, faults } = tab();
  await tab().go(path("webhooks"));
  await page.getByRole("button", { name: "Create webhook" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("payments");
  await page
    .getByLabel("The sender, and its verification scheme")
    .selectOption({ label: "None: everybody who knows the address" });
  await page.getByRole("button", { name: "Create", exact: true }).click();
  const command = await page.getByLabel("Command that sends a test event").textContent();
  const [, url = ""] = /(http\S+\/hooks\/[^\s']+)/.exec(String(command)) ?? [];
  await page
    .getByRole("link", { name: /events/i })
    .or(page.getByRole("button", { name: /events/i }))
    .first()
    .click();
  await page.getByRole("heading", { name: "payments" }).waitFor();
  shell(`curl -sS '${url}' -H 'Content-Type: application/json' -d '{"type": "order.paid", "order": 58211}'`);
  await page.getByText("order.paid").first().waitFor();
  await page
    .getByRole("row", { name: /order\.paid/ })
    .getByRole("button")
    .first()
    .click();
  await page.getByLabel("Body as JSON").getByText("58211").waitFor();
  assert.deepEqual(faults, []);
});

test("a dragged file is listed, and its download is unchanged", { skip: NO_CHROMIUM }, async () => {
  const { page, faults } = tab();
  const content = `moorings,${"x".repeat(300_000)}\n`;
  await tab().go(path("files"));
  const data = await page.evaluateHandle(`(() => {
    const data = new DataTransfer();
    data.items.add(new File([${JSON.stringify(content)}], "moorings.csv", { type: "text/csv" }));
    return data;
  })()`);
  for (const type of ["dragenter", "dragover", "drop"])
    await page.locator("main").dispatchEvent(type, { dataTransfer: data });
  const row = page.getByRole("row", { name: /moorings\.csv/ });
  await row
    .getByRole("button", { name: /moorings\.csv/ })
    .first()
    .click();
  const download = page.waitForEvent("download");
  await page
    .getByRole("button", { name: /^Download/ })
    .or(page.getByRole("link", { name: /^Download/ }))
    .first()
    .click();
  const saved = join(directory, "moorings.csv");
  await (await download).saveAs(saved);
  assert.equal(readFileSync(saved, "utf8"), content);
  assert.deepEqual(faults, []);
});

const SKOPEO = "/usr/bin/skopeo";

test(
  "an image that the shown commands pushed is listed",
  { skip: NO_CHROMIUM || (existsSync(SKOPEO) ? false : "there is no skopeo; install Debian's package") },
  async () => {
    const { page, faults } = tab();
    await tab().go(path("images"));
    const shown = String(await page.getByText("docker push").first().textContent());
    const [, reference = ""] = /docker push (\S+)/.exec(shown) ?? [];
    assert.match(reference, /\/orgs\/acme\/checkout:/);
    const image = ociLayout();
    const login = `${known.clientSecret}`;
    writeFileSync(join(directory, "secret"), login);
    shell(
      `skopeo login --tls-verify=false -u ${known.clientId} --password-stdin ${reference.split("/")[0]} < ${directory}/secret
     skopeo --insecure-policy copy -q --dest-tls-verify=false oci:${image} docker://${reference}`,
      { XDG_RUNTIME_DIR: directory, REGISTRY_AUTH_FILE: join(directory, "auth.json") },
    );
    await page.getByRole("link", { name: "checkout" }).first().click();
    await page.getByRole("button", { name: "1.0" }).click();
    await page.getByText("Layers (1)").waitFor();
    assert.deepEqual(faults, []);
  },
);

test("a credential is created, used, and revoked, and its next request is refused", { skip: NO_CHROMIUM }, async () => {
  const { page, faults } = tab();
  const { origin } = portal.shared.server;
  await tab().go(path("credentials"));
  await page.getByRole("button", { name: "Create credential" }).first().click();
  await page.getByLabel("Name", { exact: true }).fill("legacy exporter");
  await page
    .getByRole("button", { name: /Telemetry writer/i })
    .or(page.getByLabel(/Telemetry writer/i))
    .first()
    .click();
  await page
    .getByRole("button", { name: /^Create/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Test now" }).click();
  await page
    .getByText(/telemetry:write/)
    .first()
    .waitFor();
  const text = await page.getByRole("dialog").innerText();
  const [clientId = ""] = /mrc_\w+/.exec(text) ?? [];
  const [clientSecret = ""] = /mrcs_\w+/.exec(text) ?? [];
  const token = await portal.shared.server.token({ client_id: clientId, client_secret: clientSecret });
  const send = async (): Promise<number> => {
    const body = JSON.stringify({
      entries: [{ timestamp: new Date().toISOString(), level: "info", message: "still here" }],
    });
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    return (await fetch(`${origin}/v1/ingest/logs`, { method: "POST", headers, body })).status;
  };
  assert.equal(await send(), 202);
  await tab().go(path("credentials"));
  await page.getByRole("button", { name: "legacy exporter" }).first().click();
  await page.getByRole("button", { name: "Revoke" }).click();
  const dialog = page.getByRole("dialog");
  await dialog
    .getByText(/^[1-9] requests? in the last hour/)
    .first()
    .waitFor();
  await dialog.getByRole("textbox").fill("legacy exporter");
  await dialog.getByRole("button", { name: /^Revoke/ }).click();
  await page.getByText(/Applied on all nodes after/).waitFor();
  assert.equal(await send(), 401);
  assert.deepEqual(faults, []);
});

/** Adds the first credential's ID to a command that has a placeholder or another one. */
function withClient(command: string): string {
  return command.replaceAll(/CLIENT_ID|mrc_\w+/g, known.clientId ?? "");
}

/** Creates an image of one layer, as a directory that skopeo reads. */
function ociLayout(): string {
  const place = join(directory, "image");
  mkdirSync(join(place, "blobs/sha256"), { recursive: true });
  const put = (content: string | Buffer, mediaType: string): { mediaType: string; digest: string; size: number } => {
    const hex = createHash("sha256").update(content).digest("hex");
    writeFileSync(join(place, "blobs/sha256", hex), content);
    return { mediaType, digest: `sha256:${hex}`, size: Buffer.byteLength(content) };
  };
  const layer = gzipSync(Buffer.alloc(1024));
  const diff = createHash("sha256").update(Buffer.alloc(1024)).digest("hex");
  const config = put(
    JSON.stringify({ architecture: "amd64", os: "linux", rootfs: { type: "layers", diff_ids: [`sha256:${diff}`] } }),
    "application/vnd.oci.image.config.v1+json",
  );
  const layers = [put(layer, "application/vnd.oci.image.layer.v1.tar+gzip")];
  const mediaType = "application/vnd.oci.image.manifest.v1+json";
  const manifest = put(JSON.stringify({ schemaVersion: 2, mediaType, config, layers }), mediaType);
  writeFileSync(join(place, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(place, "index.json"), JSON.stringify({ schemaVersion: 2, manifests: [manifest] }));
  return place;
}
