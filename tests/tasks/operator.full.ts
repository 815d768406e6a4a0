/** The operator's tasks: another operator, a new customer, a customer who does not pay, and one with another name. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { mooring, type Outcome } from "../fixtures/process.ts";
import { logEntry } from "../fixtures/telemetry.ts";
import { NO_CHROMIUM, usePortal } from "../portal/browser.ts";
import { openAs, sessionCall } from "../portal/people.ts";
import { api, command, member } from "./world.ts";

interface Organization {
  readonly slug: string;
  readonly name: string;
  readonly state: string;
}

describe("the operator", () => {
  const portal = usePortal();
  /** A token of a program that runs the server. */
  let token: string;

  before(async () => {
    const { server } = portal.shared;
    const words = ["operator", "create-token", "--name", "terraform", "--json", "--data-dir", server.dataDir];
    const { code, stdout, stderr } = await mooring(words, { environment: server.environment });
    assert.equal(code, 0, stderr);
    ({ token } = JSON.parse(stdout) as { token: string });
  });

  const operator = <T = Record<string, unknown>>(...words: string[]): Promise<T> =>
    command<T>(portal, ["operator", ...words, "--json"], { token });

  async function organization(slug: string): Promise<Organization | undefined> {
    const { items } = await api<{ items: Organization[] }>(portal, "GET", "/api/instance/organizations", { token });
    return items.find((one) => one.slug === slug);
  }

  test("a second operator gets the role, and loses it", { skip: NO_CHROMIUM }, async () => {
    const { server } = portal.shared;
    const [second, third] = await Promise.all(["second", "third"].map((name) => member(portal, name, "viewer")));
    const first = await portal.open();
    await sessionCall(portal, first, "POST", "/api/instance/operators", { email: second?.email });
    await first.go("/instance?tab=operators");
    await first.page.getByRole("button", { name: "Add operator" }).click();
    const dialog = first.page.getByRole("dialog");
    await dialog.getByLabel("E-mail address").fill(third?.email ?? "");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await first.page.getByText(`${third?.email ?? ""} is an operator`).waitFor();
    await first.close();
    const { items } = await operator<{ items: unknown[] }>("list");
    assert.equal(items.length, 3);
    const theirs = await openAs(portal, second?.email ?? "");
    await sessionCall(portal, theirs, "GET", "/api/instance/organizations");
    const local = ["operator", "take", second?.email ?? "", "--yes", "--data-dir", server.dataDir];
    const taken = await mooring(local, { environment: server.environment });
    assert.equal(taken.code, 0, taken.stderr);
    const refused = await theirs.context.request.get(`${server.origin}/api/instance/organizations`);
    assert.equal(refused.status(), 403);
    await theirs.close();
  });

  test("a new customer", { skip: NO_CHROMIUM }, async () => {
    const json = { slug: "by-api", name: "By API", owner_email: "one@example.org" };
    await api(portal, "POST", "/api/instance/organizations", { token, json });
    await operator("create", "--slug", "by-command", "--name", "By command", "--owner-email", "two@example.org");
    const tab = await portal.open();
    const { page } = tab;
    await tab.go("/instance?tab=organizations");
    await page.getByRole("button", { name: "Create organization" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Name", { exact: true }).fill("By page");
    await dialog.getByLabel("E-mail address of the owner").fill("three@example.org");
    await dialog.getByRole("button", { name: "Create" }).click();
    await page.getByText("By page is created").waitFor();
    await tab.close();
    for (const slug of ["by-api", "by-command", "by-page"]) assert.equal((await organization(slug))?.state, "active");
  });

  test("a customer who does not pay is read-only, and comes back", { skip: NO_CHROMIUM }, async () => {
    const { slug, name } = portal.shared.home.org;
    const entries = [logEntry("still here")];
    const isReadOnly = async (): Promise<void> => {
      await api(portal, "POST", "/v1/ingest/logs", { json: { entries }, status: 403 });
      await api(portal, "POST", "/v1/query", { json: { sql: "select 1" } });
    };
    const isActive = (): Promise<unknown> => api(portal, "POST", "/v1/ingest/logs", { json: { entries } });
    const path = `/api/instance/organizations/${slug}`;
    const json = { state: "read_only", reason: "the bill is unpaid" };
    await api(portal, "POST", `${path}/suspend`, { token, json });
    await isReadOnly();
    await api(portal, "POST", `${path}/resume`, { token, json: {} });
    await isActive();
    await operator("suspend", slug, "--state", "read_only", "--reason", "the bill is unpaid");
    await isReadOnly();
    await operator("resume", slug);
    await isActive();
    const tab = await portal.open();
    const { page } = tab;
    const dialog = page.getByRole("dialog");
    const open = async (item: string): Promise<void> => {
      await page.getByRole("button", { name: `Actions on ${name}` }).click();
      await page.getByRole("menuitem", { name: item }).click();
    };
    await tab.go("/instance?tab=organizations");
    await open("Suspend");
    await dialog.getByLabel("Reason").fill("the bill is unpaid");
    await dialog.getByRole("button", { name: "Suspend" }).click();
    await dialog.waitFor({ state: "detached" });
    await isReadOnly();
    await open("Change state");
    await dialog.getByLabel("State").selectOption("active");
    await dialog.getByRole("button", { name: "Resume" }).click();
    await dialog.waitFor({ state: "detached" });
    await isActive();
    await tab.close();
  });

  test("the commands on the machine find what the API finds, and refuse what it refuses", async () => {
    const { server, home } = portal.shared;
    const local = (...words: string[]): Promise<Outcome> =>
      mooring(["operator", ...words, "--data-dir", server.dataDir], { environment: server.environment });
    const { stdout } = await local("organizations", "--q", home.org.slug, "--json");
    assert.match(stdout, new RegExp(`"slug":\\s*"${home.org.slug}"`));
    assert.doesNotMatch((await local("organizations", "--q", "no-such-name", "--json")).stdout, /"slug"/);
    const cases: readonly (readonly [words: string[], why: RegExp])[] = [
      [["create-token", "--name", "endless", "--expires-at", "tomorrow"], /expires_at/],
      [["rename", home.org.slug, "--slug", "A B"], /slug/],
      [["suspend", home.org.slug, "--state", "closed"], /state/],
    ];
    for (const [words, why] of cases) {
      const refused = await local(...words);
      assert.notEqual(refused.code, 0, words.join(" "));
      assert.match(refused.stderr, why);
    }
    const { items } = await api<{ items: { name: string }[] }>(portal, "GET", "/api/instance/tokens", { token });
    assert.ok(!items.some(({ name }) => name === "endless"));
  });

  test("a customer gets another name", async () => {
    await operator("create", "--slug", "globex", "--name", "Globex", "--owner-email", "four@example.org");
    await operator("rename", "globex", "--slug", "globex-two");
    const path = "/api/instance/organizations/globex-two";
    await api(portal, "PATCH", path, { token, json: { name: "Globex 2" } });
    assert.deepEqual([(await organization("globex-two"))?.name, await organization("globex")], ["Globex 2", undefined]);
    const json = { slug: "globex", name: "Thief", owner_email: "five@example.org" };
    await api(portal, "POST", "/api/instance/organizations", { token, json, status: 409 });
  });
});
