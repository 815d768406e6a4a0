/**
 * An address with an object that the person can't see is "not found", on every page, for reads and writes: the same
 * answer for hidden and absent objects, and no request that reads or writes anything else.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Page, Request } from "playwright-core";
import { NO_CHROMIUM, settled, usePortal, type Tab } from "./browser.ts";
import { makeVault, type Vault } from "./hidden.ts";
import { joined, openAs, sessionCall, tokenOf } from "./people.ts";

const portal = usePortal();
const STRANGER = "mallory@acme.example";

interface World {
  readonly vault: Vault;
  readonly org: string;
}

let made: Promise<World> | undefined;

/** Creates a private project, a second organization, and an admin of the first who is a member of neither. */
function world(): Promise<World> {
  made ??= (async () => {
    const { slug: org } = portal.shared.home.org;
    const owner = await portal.open();
    const vault = await makeVault(portal.shared, await tokenOf(portal, owner, org));
    const found = { slug: "globex", name: "Globex", owner_email: portal.shared.home.owner.email };
    await sessionCall(portal, owner, "POST", "/api/instance/organizations", found);
    await owner.close();
    await joined(portal, STRANGER, "admin");
    return { vault, org };
  })();
  return made;
}

/** Opens a tab of the admin. Records the successful requests to public operations. */
async function opened(): Promise<Tab & { reached: string[] }> {
  const tab = await openAs(portal, STRANGER);
  const reached: string[] = [];
  tab.page.on("response", (response) => {
    const { pathname, search } = new URL(response.url());
    if (response.ok() && isPublic(pathname)) reached.push(`${response.request().method()} ${pathname}${search}`);
  });
  return { ...tab, reached };
}

const isPublic = (path: string): boolean => /^\/(?:v1|v2|s3|hooks)\//.test(path);

/** Returns the portal's list of its routes, from the router that runs in the page. */
async function routes(page: Page): Promise<string[]> {
  const paths = await page.evaluate<string[]>(
    "Object.values(__TSR_ROUTER__.routesById).map(({ fullPath }) => fullPath)",
  );
  return [...new Set(paths)];
}

/** Returns the page's text, and whether it offers any action. */
async function contentOf(page: Page): Promise<{ heading: string; text: string; controls: number }> {
  await settled(page);
  await page.getByRole("heading", { name: "Not found", exact: true }).waitFor();
  const main = page.locator("main");
  return {
    heading: await main.locator("h1").innerText(),
    text: await main.innerText(),
    controls: await main.locator("button, input, select, textarea, form").count(),
  };
}

/** Asserts the whole page for an absent object; only requests in `allowed` may have succeeded. */
async function assertAbsent(
  tab: Tab & { reached: string[] },
  path: string,
  allowed: readonly RegExp[],
): Promise<string> {
  tab.reached.length = 0;
  await tab.go(path);
  const { heading, text, controls } = await contentOf(tab.page);
  await tab.page.waitForLoadState("networkidle");
  assert.equal(heading, "Not found", path);
  assert.equal(controls, 0, `${path} offers nothing to do`);
  const wider = tab.reached.filter((each) => !allowed.some((pattern) => pattern.test(each)));
  assert.deepEqual(wider, [], path);
  assert.deepEqual(tab.faults, [], path);
  return text;
}

const ME = /^GET \/v1\/me$/;

test("a page of a hidden project or organization is not found", { skip: NO_CHROMIUM }, async () => {
  const { org, vault } = await world();
  const tab = await opened();
  await tab.go("/account");
  const within = (await routes(tab.page)).filter((path) => path.startsWith("/o/$org/$project"));
  assert.ok(within.length >= 22, within.join("\n"));
  const places = [
    { org, project: vault.project.slug },
    { org, project: "no-such-project" },
    { org: "globex", project: "-" },
    { org: "no-such-organization", project: "-" },
  ];
  for (const route of within) {
    const texts = new Set<string>();
    for (const place of places) {
      const path = route
        .replace("$org", place.org)
        .replace("$project", place.project)
        .replace("$app", portal.shared.home.app.slug)
        .replace("$webhook", portal.shared.home.webhook.id)
        .replace(/\/$/, "");
      texts.add(await assertAbsent(tab, path, [ME]));
      assert.equal(await tab.page.getByRole("button", { name: "Connect" }).count(), 0, path);
      assert.doesNotMatch(
        await tab.page.locator("header").innerText(),
        new RegExp(place.project === "-" ? place.org : place.project),
      );
    }
    assert.equal(texts.size, 1, `${route}: hidden and absent objects look alike`);
  }
  await tab.close();
});

test("a hidden object is not found by its ID in any address", { skip: NO_CHROMIUM }, async () => {
  const { org, vault } = await world();
  const tab = await opened();
  for (const { page, hidden, invented } of vault.things) {
    const texts = new Set<string>();
    for (const name of hidden === null ? [invented, "%20"] : [hidden, invented, "%20"]) {
      // The person belongs to the organization, so its lists may be read, but not the hidden object.
      const named = new RegExp(`(?!.*${escaped(name)})^(?:GET /v1/|POST /v1/query$)`);
      texts.add(await assertAbsent(tab, `/o/${org}/-/${page.replace("NAME", name)}`, [named]));
    }
    assert.equal(texts.size, 1, `${page}: hidden and absent objects look alike`);
    await tab.page.getByRole("link", { name: /^Go to (?!the start)/ }).click();
    await settled(tab.page);
    await tab.page.getByRole("heading", { name: "Not found" }).waitFor({ state: "detached" });
  }
  await tab.close();
});

test(
  "an object of another project is not found below this one, though the person can see it",
  { skip: NO_CHROMIUM },
  async () => {
    const { org } = await world();
    const { server, token, home } = portal.shared;
    const other = await server.call("POST", "/v1/projects", { token, json: { slug: "other" } });
    assert.equal(other.status, 201, other.text);
    const tab = await opened();
    for (const page of [`webhooks/${home.webhook.id}`, `buckets/${home.app.slug}`, `images/${home.app.slug}`]) {
      await tab.go(`/o/${org}/${home.project.slug}/${page}`);
      await tab.page.getByRole("heading", { name: "Not found" }).waitFor({ state: "detached" });
      await assertAbsent(tab, `/o/${org}/other/${page}`, [/./]);
    }
    await tab.close();
  },
);

test(
  "until the address is resolved, the page sends no requests and shows no content",
  { skip: NO_CHROMIUM },
  async () => {
    const { org, vault } = await world();
    for (const held of ["/v1/me", `/v1/projects/${vault.project.slug}`]) {
      const tab = await opened();
      const gate = Promise.withResolvers<void>();
      const asked: string[] = [];
      await tab.page.route(
        (url) => url.pathname === held,
        async (route) => {
          asked.push(held);
          await gate.promise;
          await route.continue();
        },
      );
      await tab.page.goto(`/o/${org}/${vault.project.slug}/files`);
      const deadline = performance.now() + 30_000;
      while (asked.length === 0 && performance.now() < deadline) await tab.page.waitForTimeout(20);
      await tab.page.locator("main").getByText("Loading").waitFor();
      assert.equal(await tab.page.getByText("Not found").count(), 0, held);
      assert.equal(await tab.page.getByRole("button", { name: "Upload" }).count(), 0, held);
      assert.deepEqual(
        tab.reached.filter((each) => !ME.test(each)),
        [],
        held,
      );
      gate.resolve();
      await contentOf(tab.page);
      await tab.close();
    }
  },
);

test("files that are dropped on a page that is not found are not uploaded", { skip: NO_CHROMIUM }, async () => {
  const { org, vault } = await world();
  const tab = await opened();
  await tab.go(`/o/${org}/${vault.project.slug}/files`);
  await contentOf(tab.page);
  const writes: string[] = [];
  tab.page.on("request", (request: Request) => {
    if (request.method() !== "GET") writes.push(`${request.method()} ${request.url()}`);
  });
  await tab.page.evaluate(`(() => {
    const transfer = new DataTransfer();
    transfer.items.add(new File(["secret"], "dropped.txt", { type: "text/plain" }));
    for (const type of ["dragenter", "dragover", "drop"])
      document.body.dispatchEvent(new DragEvent(type, { dataTransfer: transfer, bubbles: true, cancelable: true }));
  })()`);
  await tab.page.waitForLoadState("networkidle");
  assert.deepEqual(writes, []);
  const { token, server } = portal.shared;
  const { text } = await server.call("GET", "/v1/files?prefix=dropped", { token });
  assert.doesNotMatch(text, /dropped/);
  await tab.close();
});

test("a project that was created since the page was opened is found", { skip: NO_CHROMIUM }, async () => {
  const { org } = await world();
  const { server, token } = portal.shared;
  const tab = await opened();
  await tab.go(`/o/${org}/-`);
  const made = await server.call("POST", "/v1/projects", { token, json: { slug: "newborn", name: "Newborn" } });
  assert.equal(made.status, 201, made.text);
  await tab.page.evaluate(`history.pushState({}, "", "/o/${org}/newborn")`);
  await tab.page.getByRole("heading", { name: "Newborn" }).waitFor();
  await tab.close();
});

test("an unknown page, and a page for other roles, are not found too", { skip: NO_CHROMIUM }, async () => {
  const { org } = await world();
  const tab = await opened();
  for (const path of [`/o/${org}`, `/o/${org}/-/no-such-page`, "/instance", "/instance?tab=jobs"]) {
    await tab.go(path);
    assert.equal((await contentOf(tab.page)).controls, 0, path);
  }
  await tab.close();
});

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
