/** Forms that edit an object: after another person changed it, nothing is overwritten, and the form offers the new version. */
import assert from "node:assert/strict";
import { test } from "node:test";
import type { Locator, Page } from "playwright-core";
import { NO_CHROMIUM, usePortal } from "./browser.ts";
import { joined } from "./people.ts";

const portal = usePortal();

interface StaleForm {
  readonly name: string;
  /** Page within the organization, with the form or with the button that opens it. */
  readonly path: string;
  readonly opener?: string;
  /** Changes a field of the form. */
  edit(this: void, form: Locator): Promise<void>;
  readonly save: string;
  /** The other person's change, by the API. */
  readonly call: readonly [method: string, path: string, body: object];
  /** The other person's change as the reloaded form shows it. */
  seen(this: void, form: Locator): Promise<void>;
}

async function idOf(path: string, json: object): Promise<string> {
  const { server, token } = portal.shared;
  const made = await server.call("POST", path, { token, json });
  assert.ok(made.status < 300, made.text);
  return String(made.body["id"]);
}

const hasValue =
  (label: string, value: string) =>
  async (form: Locator): Promise<void> => {
    await form
      .getByLabel(label)
      .and(form.locator(`[value="${value}"]`))
      .first()
      .waitFor();
  };

const hasSelected =
  (label: string, value: string) =>
  async (form: Locator): Promise<void> =>
    form
      .getByLabel(label)
      .and(form.locator(`:has(option[value="${value}"]:checked)`))
      .waitFor();

function roleForms(member: string, project: string): readonly StaleForm[] {
  return [
    {
      name: "member",
      path: `members?person=${member}`,
      edit: async (form) => {
        await form.getByLabel("Role in the organization").selectOption("developer");
      },
      save: "Make developer",
      call: ["PATCH", `/v1/members/${member}`, { role: "admin" }],
      seen: hasSelected("Role in the organization", "admin"),
    },
    {
      name: "member of a project",
      path: `projects?open=${project}&tab=members`,
      edit: async (form) => {
        await form.getByLabel("Role of grace").selectOption("maintainer");
      },
      save: "Make maintainer",
      call: ["PUT", `/v1/projects/${project}/members/${member}`, { role: "reader" }],
      seen: hasSelected("Role of grace", "reader"),
    },
  ];
}

async function staleForms(): Promise<readonly StaleForm[]> {
  const { app } = portal.shared.home;
  const credential = await idOf("/v1/credentials", { name: "first", scopes: ["files:read"] });
  const key = await idOf("/v1/s3/keys", { name: "first", scopes: ["s3:read"] });
  const ingestKey = await idOf("/v1/ingest-keys", { name: "first" });
  const member = await joined(portal, "grace@acme.example");
  const project = await idOf("/v1/projects", { slug: "stale", name: "first" });
  // From here on each change keeps the rows longer, because a shorter retention would ask for a confirmation.
  const { server, token } = portal.shared;
  const role = { role: "writer" };
  const joins = await server.call("PUT", `/v1/projects/${project}/members/${member}`, { token, json: role });
  assert.equal(joins.status, 200, joins.text);
  await server.call("PATCH", "/v1/telemetry/settings", { token, json: { retention_days: { logs: 300 } } });
  const rename = (form: Locator): Promise<void> => form.getByLabel("Name", { exact: true }).fill("mine");
  const renamed = (name: string, path: string, url: string): StaleForm => ({
    name,
    path,
    call: ["PATCH", url, { name: "theirs" }],
    opener: "Change",
    edit: rename,
    save: "Save",
    seen: hasValue("Name", "theirs"),
  });
  return [
    renamed("credential", `credentials?credential=${credential}`, `/v1/credentials/${credential}`),
    renamed("ingest key", `ingest-keys?key=${ingestKey}`, `/v1/ingest-keys/${ingestKey}`),
    renamed("S3 key", `s3-keys?key=${key}`, `/v1/s3/keys/${key}`),
    renamed("project", `projects?open=${project}`, `/v1/projects/${project}`),
    ...roleForms(member, project),
    {
      name: "retention",
      path: "settings?tab=telemetry",
      edit: (form) => form.getByLabel("Logs (days)").fill("400"),
      save: "Save",
      call: ["PATCH", "/v1/telemetry/settings", { retention_days: { logs: 350 } }],
      seen: hasValue("Logs (days)", "350"),
    },
    {
      name: "allowed origins",
      path: "files",
      opener: "Allowed origins…",
      edit: (form) => form.getByLabel("Allowed origins").fill("https://mine.example"),
      save: "Save",
      call: ["PATCH", "/v1/files/settings", { allowed_origins: ["https://theirs.example"] }],
      seen: (form) => form.getByText("https://theirs.example").waitFor(),
    },
    {
      name: "image rules",
      path: `images/${app.slug}?tab=rules`,
      edit: (form) => form.getByLabel("Keep the latest tags").fill("3"),
      save: "Save rules",
      call: ["PATCH", `/v1/registry/repositories/${app.slug}`, { immutable_tags: ["theirs*"] }],
      seen: hasValue("Immutable tags", "theirs*"),
    },
  ];
}

async function formIn(page: Page, { opener }: StaleForm): Promise<Locator> {
  if (opener === undefined) return page.locator("body");
  await page.getByRole("button", { name: opener, exact: true }).click();
  return page.getByRole("dialog");
}

test("no form overwrites another person's change", { skip: NO_CHROMIUM }, async (t) => {
  const { server, token, home } = portal.shared;
  for (const stale of await staleForms()) {
    await t.test(stale.name, async () => {
      const tab = await portal.open();
      await tab.go(`/o/${home.org.slug}/-/${stale.path}`);
      const form = await formIn(tab.page, stale);
      await stale.edit(form);
      const [method, path, json] = stale.call;
      const changed = await server.call(method, path, { token, json });
      assert.equal(changed.status, 200, changed.text);
      await form.getByRole("button", { name: stale.save, exact: true }).click();
      await form.getByText("Somebody else changed it while this form was open.").waitFor();
      await form.getByRole("button", { name: "Load the new version" }).click();
      await stale.seen(form);
      await stale.edit(form);
      await form.getByRole("button", { name: stale.save, exact: true }).click();
      await form.getByText("Somebody else changed it").waitFor({ state: "detached" });
      assert.deepEqual(tab.faults, []);
      await tab.close();
    });
  }
});
