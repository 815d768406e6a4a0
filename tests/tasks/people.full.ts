/** People come, get only what they need, and leave. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { eventually } from "../fixtures/process.ts";
import type { Client } from "../fixtures/server.ts";
import { ingested, logEntry, rows } from "../fixtures/telemetry.ts";
import { NO_CHROMIUM, usePortal } from "../portal/browser.ts";
import { stepClock, steppedClock } from "../fixtures/stepped-clock.ts";
import { openAs, tokenOf } from "../portal/people.ts";
import { api, command, member, openPage, ownerSignIn, pathOf, type Member } from "./world.ts";

const DAY_MS = 86_400_000;

describe("a contractor", () => {
  const portal = usePortal({ environment: steppedClock(4 * DAY_MS) });

  test("reads one project's logs until Friday, and gets 401 on Saturday", { skip: NO_CHROMIUM }, async () => {
    const { server, home, token } = portal.shared;
    await api(portal, "POST", "/v1/projects", { json: { slug: "secret" } });
    const scoped = await api<Client>(portal, "POST", "/v1/credentials", {
      json: { name: "sender", project: home.project.slug, scopes: ["telemetry:write"] },
    });
    await ingested(server, await server.token(scoped), "logs", [logEntry("of the project")]);
    await ingested(server, token, "logs", [logEntry("of the organization")]);
    const friday = new Date(Date.now() + 3 * DAY_MS).toISOString();
    const people = await Promise.all(["by-api", "by-command", "by-page"].map((name) => guest(name, friday)));
    const [first, second, third] = people;
    const path = `/v1/projects/${home.project.id}/members`;
    await api(portal, "PUT", `${path}/${first?.id ?? ""}`, { json: { role: "reader" } });
    await command(portal, ["project-member", "put", home.project.slug, second?.id ?? "", "--role", "reader"]);
    const tab = await openPage(portal, `projects?open=${home.project.id}&tab=members`);
    const { page } = tab;
    await page.getByLabel("Add a person").selectOption(third?.id ?? "");
    await page.getByLabel("As", { exact: true }).selectOption("reader");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByLabel("Role of by-page").waitFor();
    await tab.close();
    for (const { token: theirs, email } of people) {
      const seen = await rows(server, theirs, "select message from logs");
      assert.deepEqual(seen, [{ message: "of the project" }], email);
      await api(portal, "POST", "/v1/ingest/logs", { token: theirs, json: { entries: [logEntry("x")] }, status: 403 });
      await api(portal, "GET", "/v1/projects/secret", { token: theirs, status: 404 });
    }
    stepClock(server);
    for (const { token: theirs, email } of people) {
      await eventually(`the end for ${email}`, async () => {
        const { status } = await server.call("POST", "/v1/query", { token: theirs, json: { sql: "select 1" } });
        return status === 401 ? status : null;
      });
    }
  });

  async function guest(name: string, until: string): Promise<Member> {
    const email = `${name}@example.org`;
    const json = { email, role: "guest", membership_expires_at: until };
    const { link } = await api<{ link: string }>(portal, "POST", "/v1/invitations", { json });
    const [, token = ""] = link.split("#");
    const accepting = { token, name, password: "correct horse battery" };
    const accepted = await portal.shared.server.call("POST", "/v1/invitations/accept", { json: accepting });
    const tab = await openAs(portal, email);
    const own = await tokenOf(portal, tab, portal.shared.home.org.slug);
    await tab.close();
    return { id: (accepted.body["user"] as { id: string }).id, email, token: own };
  }
});

describe("members", () => {
  const portal = usePortal();

  async function worker({ token }: Member): Promise<string> {
    const json = { name: "worker", scopes: ["telemetry:write"] };
    const made = await api<Client>(portal, "POST", "/v1/credentials", { token, json });
    return portal.shared.server.token(made);
  }

  test("a developer leaves, and nothing stops", { skip: NO_CHROMIUM }, async () => {
    const people = await Promise.all(["ann", "bob", "cleo"].map((name) => member(portal, name, "developer")));
    const workers = await Promise.all(people.map(worker));
    const [first, second, third] = people;
    const { session } = await ownerSignIn(portal);
    const { id: heir } = await api<{ id: string }>(portal, "GET", "/v1/me", { token: session });
    await api(portal, "PATCH", "/v1/organization", { token: session, json: { policy: { heir } } });
    const path = `/v1/members/${first?.id ?? ""}`;
    const plan = await api<{ stops: unknown[] }>(portal, "DELETE", `${path}?dry_run=true`, { token: session });
    assert.deepEqual(plan.stops, []);
    await api(portal, "DELETE", path, { token: session });
    await command(portal, ["member", "delete", second?.id ?? "", "--yes"]);
    const tab = await openPage(portal, `members?person=${third?.id ?? ""}`);
    const { page } = tab;
    const dialog = page.getByRole("dialog");
    await page.getByRole("button", { name: "Remove", exact: true }).click();
    await dialog.getByText("Somebody else becomes responsible for 1 credential or key").waitFor();
    await dialog.getByLabel(/^Type/).fill("cleo@example.org");
    await dialog.getByRole("button", { name: "Remove" }).click();
    await page.getByText("is removed").waitFor();
    await tab.close();
    for (const { token } of people) await api(portal, "GET", "/v1/me", { token, status: 401 });
    for (const token of workers) await ingested(portal.shared.server, token, "logs", [logEntry("still here")]);
  });

  test("a group reads a private project", { skip: NO_CHROMIUM }, async () => {
    const people = await Promise.all(["dan", "eve", "fay"].map((name) => member(portal, name, "viewer")));
    const [first, second, third] = people;
    const { session: token, home } = await ownerSignIn(portal);
    const project = await api<{ id: string }>(portal, "POST", "/v1/projects", {
      token,
      json: { slug: "closed", visibility: "private" },
    });
    await api(portal, "POST", "/v1/groups", { json: { slug: "support", name: "Support" } });
    const hidden = async (): Promise<void> => {
      for (const { token } of people) await api(portal, "GET", "/v1/projects/closed", { token, status: 404 });
    };
    await hidden();
    await api(portal, "PUT", `/v1/groups/support/members/${first?.id ?? ""}`, { json: {} });
    await command(portal, ["group-member", "put", "support", second?.id ?? ""]);
    const tab = await openPage(portal, "members");
    const { page } = tab;
    await page.getByRole("button", { name: "Support" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Add a person").selectOption(third?.id ?? "");
    await dialog.getByRole("button", { name: "Add", exact: true }).click();
    await dialog.getByRole("button", { name: "Remove fay" }).waitFor();
    await tab.close();
    await api(portal, "PUT", `/v1/projects/${project.id}/groups/support`, { token, json: { role: "reader" } });
    for (const { token: theirs } of people) {
      await api(portal, "GET", "/v1/projects/closed", { token: theirs });
      await api(portal, "PATCH", "/v1/projects/closed", { token: theirs, json: { name: "x" }, status: 403 });
    }
    await command(portal, ["project-group", "delete", project.id, "support", "--yes"], { home });
    await hidden();
  });

  test("who did it is in the audit log", { skip: NO_CHROMIUM }, async () => {
    const dev = await member(portal, "gus", "developer");
    const made = await api<{ id: string }>(portal, "POST", "/v1/apps", {
      token: dev.token,
      json: { project: portal.shared.home.project.slug, slug: "short-lived" },
    });
    await api(portal, "DELETE", "/v1/apps/short-lived", { token: dev.token });
    type Entries = { readonly items: readonly { readonly id: string; readonly actor: { readonly id: string } }[] };
    const list = await api<Entries>(portal, "GET", `/v1/audit?action=app.delete&target=${made.id}`);
    assert.deepEqual(
      list.items.map(({ actor }) => actor.id),
      [dev.id],
    );
    const words = ["audit", "list", "--action", "app.delete", "--target", made.id, "--json"];
    const printed = await command<Entries["items"] & Record<string, unknown>>(portal, words);
    assert.deepEqual(
      printed.map(({ actor }) => actor.id),
      [dev.id],
    );
    const tab = await portal.open();
    await tab.go(pathOf(portal, `audit?action=app.delete&target=${made.id}`));
    await tab.page.getByRole("row", { name: /gus/ }).first().waitFor();
    await tab.close();
  });
});
