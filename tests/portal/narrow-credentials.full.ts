/** The form of a credential with few permissions: its templates, its resources, and their change. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { faultsOf, NO_CHROMIUM, overflow, usePortal } from "./browser.ts";

const portal = usePortal();

interface Shown {
  readonly name: string;
  readonly scopes: readonly string[];
  readonly resources: Readonly<Record<string, unknown>> | null;
}

/** Returns the items of a list of the API by their names. */
async function named(path: string): Promise<ReadonlyMap<string, Shown>> {
  const { server, token } = portal.shared;
  const { body } = await server.call<{ items: Shown[] }>("GET", path, { token });
  return new Map(body.items.map((item) => [item.name, item]));
}

test("each template asks for its resources, and gives nothing else", { skip: NO_CHROMIUM }, async () => {
  const { home } = portal.shared;
  const { slug } = home.app;
  const cases = [
    ["CI pushes one image", "Repositories", slug, { repositories: [slug] }, ["registry:pull", "registry:push"]],
    ["Agent sends logs", "Services", "check out", { services: ["check out"] }, ["telemetry:write"]],
    ["App reads its bucket", "Buckets", `${slug}/in/`, { buckets: [{ name: slug, prefix: "in/" }] }, ["s3:read"]],
    ["Dashboard reads", "Services", "shop\napi", { services: ["api", "shop"] }, ["telemetry:read"]],
  ] as const;
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  for (const [template, field, text, resources, scopes] of cases) {
    await tab.go(`/o/${home.org.slug}/-/credentials?new=true`);
    await dialog.getByRole("button", { name: template }).click();
    await dialog.getByLabel("Name", { exact: true }).fill(template);
    const create = dialog.getByRole("button", { name: "Create", exact: true });
    assert.ok(await create.isDisabled(), `${template}: without a resource`);
    assert.ok(await dialog.getByRole("checkbox", { name: /^files:read/ }).isDisabled(), template);
    if (field === "Repositories") await dialog.getByRole("button", { name: `Add ${slug}` }).click();
    else await dialog.getByRole("textbox", { name: field }).fill(text);
    assert.deepEqual(await faultsOf(tab), [], template);
    await create.click();
    await dialog.getByRole("button", { name: "I have saved the secret" }).click();
    await dialog.waitFor({ state: "detached" });
    const made = (await named("/v1/credentials?limit=100")).get(template);
    assert.deepEqual([made?.resources, made?.scopes.toSorted()], [resources, [...scopes]], template);
  }
  await tab.close();
});

test("the inspector shows the resources, and a change keeps or replaces them", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const resources = { buckets: [{ name: home.app.slug, prefix: "a, b/" }], services: ["shop"] };
  const json = { name: "narrow worker", scopes: ["s3:read", "telemetry:write"], resources };
  const made = await server.call<{ id: string }>("POST", "/v1/credentials", { token, json });
  assert.equal(made.status, 201, made.text);
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/credentials?credential=${made.body.id}`);
  await page.getByText(`Bucket ${home.app.slug}/a, b/`).waitFor();
  await page.getByText("Service shop").waitFor();
  assert.deepEqual(await faultsOf(tab), []);
  const current = async (): Promise<unknown> => {
    const { body } = await server.call<Shown>("GET", `/v1/credentials/${made.body.id}`, { token });
    return body.resources;
  };
  const change = async (act: () => Promise<void>): Promise<void> => {
    await page.getByRole("button", { name: "Change", exact: true }).click();
    await act();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
  };
  await change(() => dialog.getByLabel("Name", { exact: true }).fill("renamed worker"));
  assert.deepEqual(await current(), resources, "a new name changes no limit");
  await change(() => dialog.getByRole("textbox", { name: "Services" }).fill("shop\napi"));
  assert.deepEqual(await current(), { ...resources, services: ["api", "shop"] });
  await change(() => dialog.getByRole("checkbox", { name: "Only certain resources" }).uncheck());
  assert.equal(await current(), null);
  await tab.close();
});

test("an S3 key is limited to a folder of a bucket", { skip: NO_CHROMIUM }, async () => {
  const { server, token, home } = portal.shared;
  const json = { name: "narrow key", scopes: ["s3:read"] };
  const made = await server.call<{ id: string }>("POST", "/v1/s3/keys", { token, json });
  const tab = await portal.open();
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/s3-keys?key=${made.body.id}`);
  await page.getByRole("button", { name: "Change", exact: true }).click();
  await dialog.getByRole("checkbox", { name: "Only certain resources" }).check();
  await dialog.getByRole("textbox", { name: "Buckets" }).fill(`${home.app.slug}/uploads/`);
  assert.deepEqual(await faultsOf(tab), []);
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText(`Bucket ${home.app.slug}/uploads/`).waitFor();
  const key = (await named("/v1/s3/keys")).get("narrow key");
  assert.deepEqual(key?.resources, { buckets: [{ name: home.app.slug, prefix: "uploads/" }] });
  await tab.close();
});

test("a link fills in the resources, on a narrow page too", { skip: NO_CHROMIUM }, async () => {
  const { home } = portal.shared;
  const tab = await portal.open({ width: 320, height: 640, theme: "dark" });
  const { page } = tab;
  const dialog = page.getByRole("dialog");
  await tab.go(`/o/${home.org.slug}/-/credentials?new=true&template=dashboard&services=shop%0Aapi`);
  assert.equal(await dialog.getByRole("textbox", { name: "Services" }).inputValue(), "shop\napi");
  assert.equal(await overflow(page), 0);
  assert.deepEqual(await faultsOf(tab), []);
  await tab.close();
});
