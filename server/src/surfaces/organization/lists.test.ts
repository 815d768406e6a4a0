import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { insertProject } from "#domain/projects/index.ts";
import { newId } from "#kernel/ids.ts";
import { systemClock } from "#kernel/time.ts";
import { createWorld, type World } from "./testing/world.ts";

describe("lists, versions and keys", () => {
  let world: World;
  let token: string;

  before(async () => {
    world = await createWorld();
    token = await world.token();
  });

  after(() => world.close());

  async function get(path: string, as = token): Promise<Record<string, unknown>> {
    const answer = await world.call("GET", path, { token: as });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }

  /** Reads every item of a list, page by page. */
  async function pages(path: string, limit: number): Promise<{ items: Record<string, unknown>[]; pages: number }> {
    const items: Record<string, unknown>[] = [];
    let cursor: string | null = "";
    let count = 0;
    while (cursor !== null) {
      const separator = path.includes("?") ? "&" : "?";
      const page: Record<string, unknown> = await get(
        `${path}${separator}limit=${limit}${cursor === "" ? "" : `&cursor=${cursor}`}`,
      );
      const found = page["items"] as Record<string, unknown>[];
      assert.ok(found.length <= limit);
      items.push(...found);
      cursor = page["next_cursor"] as string | null;
      assert.ok(++count < 200, "the list has no end");
    }
    return { items, pages: count };
  }

  test("pages of projects are complete, newest first, without duplicates", async () => {
    for (let i = 0; i < 7; i++) {
      const made = await world.call("POST", "/v1/projects", { token, body: { slug: `page-${i}` } });
      assert.equal(made.status, 201, made.text);
    }
    const { items, pages: count } = await pages("/v1/projects", 3);
    const ids = items.map((item) => item["id"] as string);
    assert.deepEqual(ids, [...new Set(ids)].toSorted().toReversed());
    assert.equal(ids.length, 8); // Seven projects and the open one; the closed one is hidden.
    assert.equal(count, 3);
  });

  test("/v1/me reports that there are more projects than it shows, and the list continues from there", async () => {
    const tenant = await world.tenant("crowded");
    const as = await world.token({ tenant });
    const me = async (): Promise<{ projects: { id: string }[]; projects_next_cursor: string | null }> =>
      (await get("/v1/me", as)) as never;
    const before = (await me()).projects.length;
    const add = (from: number, to: number) =>
      world.metadata.write(async (tx) => {
        for (let i = from; i < to; i++) {
          const id = newId("proj", systemClock.nowMs());
          await insertProject(tx, { ...tenant.open, id, slug: `crowd-${i}`, name: "crowd" });
        }
      });
    await add(before, 1000);
    const whole = await me();
    assert.deepEqual([whole.projects.length, whole.projects_next_cursor], [1000, null]);
    await add(1000, 1003);
    const cut = await me();
    assert.equal(cut.projects.length, 1000);
    const rest = await get(`/v1/projects?limit=100&cursor=${cut.projects_next_cursor}`, as);
    const shown = [...cut.projects, ...(rest["items"] as { id: string }[])].map(({ id }) => id);
    assert.equal(new Set(shown).size, 1003);
  });

  test("every list can be read to its end", async () => {
    for (const path of [
      "/v1/apps",
      "/v1/members",
      "/v1/invitations",
      "/v1/credentials?include_revoked=true",
      "/v1/trusts",
      "/v1/audit",
      "/v1/projects/open/members",
    ]) {
      const { items } = await pages(path, 1);
      const keys = items.map((item) => JSON.stringify(item["id"] ?? item["user_id"]));
      assert.equal(new Set(keys).size, keys.length, path);
    }
  });

  test("a foreign or broken cursor, and limits out of range, are refused", async () => {
    for (const path of ["/v1/projects", "/v1/apps", "/v1/members", "/v1/invitations", "/v1/credentials", "/v1/audit"]) {
      for (const query of [
        "cursor=nonsense",
        `cursor=${Buffer.from("[{}]").toString("base64url")}`,
        "limit=0",
        "limit=101",
        "limit=x",
      ]) {
        const answer = await world.call("GET", `${path}?${query}`, { token });
        assert.equal(answer.json["code"], "invalid_parameter", `${path}?${query}: ${answer.text}`);
      }
    }
  });

  test("IDs and slugs name the same project and app", async () => {
    assert.deepEqual(await get(`/v1/projects/${world.acme.open.id}`), await get("/v1/projects/open"));
    assert.deepEqual(await get(`/v1/apps/${world.acme.openApp.id}`), await get("/v1/apps/acme-open"));
    assert.deepEqual((await get("/v1/apps/acme-open"))["repository"], "orgs/acme/acme-open");
  });

  test("a member of a private project sees it in every list, others don't", async () => {
    const owner = world.person(world.acme, world.acme.people.owner);
    const admin = world.person(world.acme, world.acme.people.admin);
    const slugs = async (as: string): Promise<unknown[]> =>
      ((await get("/v1/apps?limit=100", as))["items"] as { slug: string }[]).map((app) => app.slug);
    assert.ok((await slugs(owner)).includes("acme-closed"));
    assert.ok(!(await slugs(admin)).includes("acme-closed"));
    assert.ok(!(await slugs(token)).includes("acme-closed"));
  });

  test("PATCH accepts the ETag of GET once", async () => {
    const before = await world.call("GET", "/v1/projects/open", { token });
    const etag = before.headers.get("etag") ?? "";
    const headers = { "if-match": etag };
    const first = await world.call("PATCH", "/v1/projects/open", { token, headers, body: { name: "First" } });
    assert.equal(first.status, 200, first.text);
    const second = await world.call("PATCH", "/v1/projects/open", { token, headers, body: { name: "Second" } });
    assert.equal(second.json["code"], "concurrent_update");
    assert.equal((await get("/v1/projects/open"))["name"], "First");
    const after_ = await world.call("GET", "/v1/projects/open", { token });
    assert.equal(after_.headers.get("etag"), first.headers.get("etag"));
  });

  test("one of two concurrent changes of the same version wins", async () => {
    const { headers } = await world.call("GET", "/v1/apps/acme-open", { token });
    const ifMatch = { "if-match": headers.get("etag") ?? "" };
    const answers = await Promise.all(
      ["one", "two", "three"].map((name) =>
        world.call("PATCH", "/v1/apps/acme-open", { token, headers: ifMatch, body: { name } }),
      ),
    );
    assert.deepEqual(
      answers.map((answer) => answer.status).toSorted((a, b) => a - b),
      [200, 409, 409],
    );
  });

  test("one of two concurrent creates with the same slug succeeds", async () => {
    const answers = await Promise.all(
      [1, 2, 3].map(() => world.call("POST", "/v1/projects", { token, body: { slug: "contested" } })),
    );
    assert.deepEqual(
      answers.map((answer) => answer.status).toSorted((a, b) => a - b),
      [201, 409, 409],
    );
  });

  test("the audit log filters, exports and verifies, and has no secret", async () => {
    const made = await world.call("POST", "/v1/credentials", {
      token,
      body: { name: "filtered", scopes: ["apps:read"] },
      headers: { "request-id": "request-of-test" },
    });
    const { items } = await pages(`/v1/audit?target=${made.json["id"] as string}`, 10);
    const [entry] = items as { action: string; request_id: string; ip: string; actor: { kind: string; id: string } }[];
    assert.deepEqual(
      [entry?.action, entry?.request_id, entry?.ip, entry?.actor.kind],
      ["credential.create", "request-of-test", "127.0.0.1", "credential"],
    );
    const byActor = await pages(`/v1/audit?actor=${entry?.actor.id ?? ""}&action=credential.`, 50);
    assert.ok(byActor.items.length > 0);
    assert.equal((await pages("/v1/audit?to=2000-01-01T00:00:00Z", 50)).items.length, 0);
    const exported = await world.call("GET", "/v1/audit/export", { token });
    assert.equal(exported.headers.get("content-type"), "application/x-ndjson; charset=utf-8");
    const lines = exported.text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as { seq: number });
    assert.deepEqual(
      lines.map((line) => line.seq),
      lines.map((_, i) => i + 1),
    );
    assert.ok(!exported.text.includes(made.json["client_secret"] as string));
    assert.ok(!/mr(cs|st|iv)_[0-9A-Za-z]{8}/.test(exported.text));
    const verdict = await get("/v1/audit/verify");
    assert.deepEqual([verdict["ok"], verdict["entries"]], [true, lines.length]);
  });

  test("app slugs are valid names of buckets and repositories, and nothing else", async () => {
    const bad = [
      "ab",
      "-abc",
      "abc-",
      "a..b",
      "a.-b",
      "a-.b",
      "A-app",
      "a_b",
      "192.168.0.1",
      "xn--abc",
      "sthree-x",
      "app-s3alias",
      "app--ol-s3",
      "x".repeat(64),
      "app.mrap",
    ];
    for (const slug of bad) {
      const answer = await world.call("POST", "/v1/apps", { token, body: { project: "open", slug } });
      assert.equal(answer.json["code"], "invalid_body", slug);
      assert.equal((answer.json["errors"] as { pointer: string }[])[0]?.pointer, "/slug");
    }
    for (const slug of ["abc", "a.b.c", "a--b", "1234", "x".repeat(63)]) {
      const answer = await world.call("POST", "/v1/apps", { token, body: { project: "open", slug } });
      assert.equal(answer.status, 201, `${slug}: ${answer.text}`);
    }
  });

  test("concurrent equal requests with one idempotency key are done once", async () => {
    const body = { slug: "once-only" };
    const headers = { "idempotency-key": "once-only" };
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => world.call("POST", "/v1/projects", { token, headers, body })),
    );
    const made = answers.filter((answer) => answer.status === 201);
    assert.ok(made.length >= 1);
    assert.equal(new Set(made.map((answer) => answer.json["id"])).size, 1);
    assert.ok(answers.every((answer) => answer.status === 201 || answer.json["code"] === "idempotency_in_progress"));
  });

  test("a refused request frees its idempotency key", async () => {
    const headers = { "idempotency-key": "given-back" };
    const taken = await world.call("POST", "/v1/projects", { token, headers, body: { slug: "open" } });
    assert.equal(taken.json["code"], "duplicate_slug");
    const free = await world.call("POST", "/v1/projects", { token, headers, body: { slug: "given-back" } });
    assert.equal(free.status, 201, free.text);
  });
});
