import assert from "node:assert/strict";
import { after, before, beforeEach, describe, test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import { PASSWORD, startPortal, type Ada, type Browser, type PortalServer } from "../testing/server.ts";

describe("listOrganizations", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  test("lists every organization by its slug, with its numbers of people and projects", async () => {
    const other = await server.createOwner();
    await server.join(other, "viewer");
    const { items } = (await browser.call("GET", "/api/instance/organizations")).json as {
      items: { id: string; slug: string; members: number }[];
    };
    assert.deepEqual(
      items.map(({ id, slug, members }) => [id, slug, members]),
      [
        [ada.orgId, ada.org, 1],
        [other.orgId, other.org, 2],
      ],
    );
  });

  test("is searched by part of a slug or name, and read page after page", async () => {
    const found = async (query: string): Promise<[string[], string | null]> => {
      const { status, json, text } = await browser.call("GET", `/api/instance/organizations?${query}`);
      assert.equal(status, 200, text);
      return [(json["items"] as { slug: string }[]).map(({ slug }) => slug), json["next_cursor"] as string | null];
    };
    const [all] = await found("");
    assert.ok(all.length >= 2);
    const [first, next] = await found("limit=1");
    assert.deepEqual(await found(`limit=${all.length}&cursor=${next}`), [all.slice(1), null]);
    assert.deepEqual([first, next], [all.slice(0, 1), all[0]]);
    assert.deepEqual(await found(`q=${(all[1] ?? "").toUpperCase()}`), [[all[1]], null]);
    assert.deepEqual(await found("q=%25"), [[], null]);
  });
});

describe("createOrganization", () => {
  let server: PortalServer;
  let ada: Ada;
  let browser: Browser;

  before(async () => {
    server = await startPortal();
    ada = await server.createOwner(); // The first person is the operator.
  });

  beforeEach(async () => {
    server.forward(10 * 60_000); // Old attempts are forgotten.
    browser = await server.signedIn(ada);
  });

  after(() => server.close());

  const create = (slug: string, owner: string) =>
    browser.call("POST", "/api/instance/organizations", { slug, name: "Fresh Ltd", owner_email: owner });

  test("creates an organization, whose owner gets a link to set up the account", async () => {
    const made = await create("fresh", "New@Fresh.example");
    assert.equal(made.status, 201, made.text);
    assert.equal(made.json["name"], "Fresh Ltd");
    const [address, token] = String(made.json["setup_url"]).split("#");
    assert.equal(address, "https://portal.example/setup");
    const owner = server.browser();
    assert.equal((await owner.call("POST", "/api/setup", { token, name: "New", password: PASSWORD })).status, 201);
    const { json } = await owner.call("GET", "/api/session");
    const founded = { id: made.json["id"], slug: "fresh", name: "Fresh Ltd", role: "owner", refused: null };
    assert.deepEqual(json["organizations"], [founded]);
    assert.equal((json["user"] as { instance_admin: boolean }).instance_admin, false);
  });

  test("a person with an account becomes the owner without a link", async () => {
    assert.equal((await create("second", ada.email)).json["setup_url"], null);
    const { json } = await browser.call("GET", "/api/session");
    assert.ok((json["organizations"] as { slug: string }[]).some(({ slug }) => slug === "second"));
  });

  test("a used slug is a conflict", async () => {
    assert.equal((await create(ada.org, ada.email)).json["code"], "conflict");
  });

  test("the server's log names the operator", async () => {
    const rows = await server.metadata.read.selectFrom("audit").selectAll().where("org_id", "=", "").execute();
    assert.ok(rows.some((row) => row.actor_id === ada.id && row.action === "organization.create"));
  });

  test("the setting limits the number of organizations", () =>
    goPastLimit(server.metadata, "organizations_max", (n) => create(`more-${n}`, ada.email)));
});
