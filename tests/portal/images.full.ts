/** Images in a real browser: the content of a config is shown as text, and the page deletes tags and images. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { newClient, repositoryOf } from "../fixtures/registry.ts";
import { axe, NO_CHROMIUM, overflow, usePortal, type Tab } from "./browser.ts";

const portal = usePortal();

const CONFIG = {
  architecture: "arm64",
  os: "linux",
  variant: "v8",
  created: "2026-11-20T08:00:00Z",
  author: "<b>Ada</b>",
  config: {
    Labels: { "org.opencontainers.image.source": "javascript:alert(1)", note: "<img src=x onerror=alert(1)>\u202egnp" },
    Env: ["PATH=/bin", ...Array.from({ length: 30 }, (_, i) => `SETTING_${i}=${"x".repeat(200)}`)],
    Entrypoint: ["/shop", "--port=80"],
    Cmd: ["sh", "-c", "exec serve"],
    User: "1000",
    ExposedPorts: { "80/tcp": {} },
  },
  rootfs: { type: "layers", diff_ids: [] },
  history: [
    { created: "2026-11-20T08:00:00Z", created_by: "COPY shop /shop" },
    { created_by: "ENV PATH=/bin", empty_layer: true },
    { created: 1, created_by: ["<script>"] },
  ],
};

/** The faults of the page. */
async function ownFaults({ page, faults }: Tab): Promise<string[]> {
  return [...(await axe(page)), ...faults];
}

test("an image's config is shown, and its tags and the image are deleted", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const client = await newClient(server, token, ["registry:pull", "registry:push"]);
  const repository = await repositoryOf(server, client, `orgs/${home.org.slug}/${home.app.slug}`, "pull,push");
  const config = JSON.stringify(CONFIG);
  for (const tag of ["1.0", "stable"]) await repository.image(["a layer"], { tag, config });
  await repository.image(["another layer"], { tag: "2.0", config });

  const tab = await portal.open();
  const { page } = tab;
  const list = `/o/${home.org.slug}/-/images/${home.app.slug}`;
  await tab.go(list);
  await page.getByText("linux/arm64/v8").first().waitFor();
  await tab.go(`${list}?ref=tag:1.0`);
  await page.getByRole("heading", { name: "Config", exact: true }).waitFor();
  for (const text of [
    "<b>Ada</b>",
    "/shop --port=80",
    '["sh","-c","exec serve"]',
    "javascript:alert(1)",
    "COPY shop /shop",
  ])
    await page.getByText(text, { exact: true }).first().waitFor();
  await page.getByText("⟨U+202E⟩gnp").waitFor();
  assert.equal(await page.locator("a[href^=javascript], img[src=x]").count(), 0);
  await page.getByRole("button", { name: "Show all 31" }).click();
  await page.getByText(/^SETTING_29=/).waitFor();
  assert.deepEqual(await ownFaults(tab), []);

  await page.getByRole("button", { name: "Delete tag…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByText("The image keeps 1 other tag: stable.").waitFor();
  assert.deepEqual(await ownFaults(tab), []);
  await dialog.getByLabel(/Type 1\.0/).fill("1.0");
  await dialog.getByRole("button", { name: "Delete the tag" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByRole("tab", { name: "Tags (2)" }).waitFor();
  assert.equal((await repository.call("GET", "manifests/1.0")).status, 404);
  assert.equal((await repository.call("GET", "manifests/stable")).status, 200);

  await tab.go(`${list}?ref=tag:stable`);
  await page.getByRole("button", { name: "Delete image…" }).click();
  await dialog.getByText("This also deletes its tag: stable. Pulls by tag and by digest fail.").waitFor();
  await dialog.getByLabel(/^Type /).fill(home.app.slug);
  await dialog.getByRole("button", { name: "Delete the image" }).click();
  await page.getByRole("tab", { name: "Tags (1)" }).waitFor();
  assert.equal((await repository.call("GET", "manifests/stable")).status, 404);
  assert.equal((await repository.call("GET", "manifests/2.0")).status, 200);
  assert.deepEqual(tab.faults, []);
  await tab.close();

  const narrow = await portal.open({ width: 320, height: 640, theme: "dark" });
  await narrow.go(`${list}?ref=tag:2.0`);
  await narrow.page.getByRole("heading", { name: "Config", exact: true }).waitFor();
  assert.equal(await overflow(narrow.page), 0);
  assert.deepEqual(await ownFaults(narrow), []);
  await narrow.close();
});
