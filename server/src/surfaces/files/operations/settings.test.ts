import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { setStoredQuota, storedQuotaOf } from "#domain/quotas/index.ts";
import { FILE_ROUTES } from "@mooring/contract";
import { purgeDue } from "#domain/files/index.ts";
import { boundToken } from "../../organization/testing/requests.ts";
import { assertProblem, testOperation } from "../../organization/testing/suite.ts";
import { createWorld, type World } from "../../organization/testing/world.ts";
import { filesOf, newFile, newTrashed, WITH_FILES } from "../testing/files.ts";

testOperation(FILE_ROUTES.getFileSettings, { ask: () => ({ path: "/v1/files/settings" }) }, WITH_FILES);

const PATH = "/v1/files/settings";
const body = { trash_days: 30 };
const DAY_MS = 86_400_000;

testOperation(
  FILE_ROUTES.updateFileSettings,
  {
    ask: () => ({ path: PATH, body }),
    problems: { forbidden: async (world) => ({ path: PATH, body, token: await boundToken(world) }) },
  },
  WITH_FILES,
);

describe("the setting for the days in the trash", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  const change = async (token: string, trash_days: unknown): Promise<unknown> =>
    (await world.call("PATCH", PATH, { token, body: { trash_days } })).json["data"];

  test("applies to files in the trash, and keeps the operator's quota", async () => {
    const token = await world.token();
    await setStoredQuota(filesOf(world), "files", world.acme.id, 5000);
    const id = await newTrashed(world, {}, token);
    const trash = async (): Promise<number> => {
      const answer = await world.call("GET", "/v1/files/trash", { token });
      const { files } = answer.json["data"] as { files: { deleted_at: string; purge_at: string }[] };
      const [file] = files;
      return file === undefined ? 0 : (Date.parse(file.purge_at) - Date.parse(file.deleted_at)) / DAY_MS;
    };
    assert.equal(await trash(), 7);
    assert.deepEqual(await change(token, 90), { trash_days: 90, effective_trash_days: 90, allowed_origins: [] });
    assert.equal(await trash(), 90);
    assert.deepEqual(await change(token, null), { trash_days: null, effective_trash_days: 7, allowed_origins: [] });
    assert.equal(await trash(), 7);
    await setStoredQuota(filesOf(world), "files", world.acme.id, 6000);
    assert.equal(await storedQuotaOf(world.metadata.read, "files", world.acme.id), 6000);
    assert.deepEqual(await change(token, 0), { trash_days: 0, effective_trash_days: 0, allowed_origins: [] });
    assert.equal(await storedQuotaOf(world.metadata.read, "files", world.acme.id), 6000);
    assert.equal(await trash(), 0);
    assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
    assert.equal(await purgeDue(filesOf(world)), 1);
    const other = await world.call("GET", PATH, { token: await world.token({ tenant: world.rival }) });
    assert.deepEqual(other.json["data"], { trash_days: null, effective_trash_days: 7, allowed_origins: [] });
    const audit = await world.call("GET", "/v1/audit?action=file.settings.update&limit=1", { token });
    const [entry] = audit.json["items"] as { detail: unknown }[];
    assert.deepEqual(entry?.detail, { before: { trash_days: null }, after: { trash_days: 0 } });
  });

  test("with 0 days, deletes files for good", async () => {
    const token = await world.token();
    await change(token, 0);
    const id = await newFile(world, {}, token);
    assert.equal((await world.call("DELETE", `/v1/files/${id}`, { token })).status, 204);
    assertProblem(await world.call("POST", `/v1/files/${id}/restore`, { token }), "not_found");
    await change(token, null);
  });

  test("is 0 to 90 days", async () => {
    const token = await world.token();
    for (const days of [-1, 91, 1.5, "7"])
      assertProblem(await world.call("PATCH", PATH, { token, body: { trash_days: days } }), "invalid_body");
  });
});

describe("the origins of pages that may upload", () => {
  let world: World;
  before(async () => {
    world = await createWorld(WITH_FILES);
  });
  after(() => world.close());

  const change = async (token: string, sent: object): Promise<unknown> =>
    (await world.call("PATCH", PATH, { token, body: sent })).json["data"];

  test("are changed without the days, which are changed without them", async () => {
    const token = await world.token();
    const origins = ["https://b.example", "http://127.0.0.1:3000", "https://[::1]:8443"];
    const sorted = origins.toSorted();
    assert.deepEqual(await change(token, { trash_days: 30 }), {
      trash_days: 30,
      effective_trash_days: 30,
      allowed_origins: [],
    });
    const both = { trash_days: 30, effective_trash_days: 30, allowed_origins: sorted };
    assert.deepEqual(await change(token, { allowed_origins: origins }), both);
    assert.deepEqual(await change(token, { trash_days: 31 }), { ...both, trash_days: 31, effective_trash_days: 31 });
    const rival = await world.call("GET", PATH, { token: await world.token({ tenant: world.rival }) });
    assert.deepEqual((rival.json["data"] as { allowed_origins: unknown }).allowed_origins, []);
    const audit = await world.call("GET", "/v1/audit?action=file.settings.update&limit=2", { token });
    const [days, pages] = (audit.json["items"] as { detail: unknown }[]).map(({ detail }) => detail);
    assert.deepEqual(days, { before: { trash_days: 30 }, after: { trash_days: 31 } });
    assert.deepEqual(pages, { before: { allowed_origins: [] }, after: { allowed_origins: sorted } });
    const cleared = { trash_days: null, effective_trash_days: 7, allowed_origins: [] };
    assert.deepEqual(await change(token, { trash_days: null, allowed_origins: [] }), cleared);
  });

  test("are part of the entity tag", async () => {
    const token = await world.token();
    const { headers } = await world.call("GET", PATH, { token });
    const seen = { "if-match": headers.get("etag") ?? "" };
    const first = { token, body: { allowed_origins: ["https://a.example"] }, headers: seen };
    assert.equal((await world.call("PATCH", PATH, first)).status, 200);
    assertProblem(await world.call("PATCH", PATH, { ...first, body: { trash_days: 1 } }), "concurrent_update");
  });

  test("are written as browsers send them", async () => {
    const token = await world.token();
    const exact: [string, string][] = [
      ["https://App.example", "https://app.example"],
      ["https://app.example:443", "https://app.example"],
      ["https://münchen.example", "https://xn--mnchen-3ya.example"],
      ["http://0x7f.1", "http://127.0.0.1"],
    ];
    for (const [text, origin] of exact) {
      const answer = await world.call("PATCH", PATH, { token, body: { allowed_origins: ["https://b.example", text] } });
      assertProblem(answer, "invalid_body");
      assert.deepEqual(answer.json["errors"], [
        { pointer: "/allowed_origins/1", detail: `is not exact; write ${origin}` },
      ]);
    }
    const others = ["*", "https://*", "https://*.example", "null", "https://a.example/", "https://a.example/app"];
    const wrong = [
      ...others,
      "ftp://a.example",
      "https://u@a.example",
      "https://a.example:99999",
      "a.example",
      "https://",
      7,
    ];
    for (const text of wrong)
      assertProblem(await world.call("PATCH", PATH, { token, body: { allowed_origins: [text] } }), "invalid_body");
    assertProblem(await world.call("PATCH", PATH, { token, body: {} }), "invalid_body");
    assertProblem(await world.call("PATCH", PATH, { token, body: { allowed_origins: null } }), "invalid_body");
  });

  test("are 20 at most, each once", async () => {
    const token = await world.token();
    const origins = Array.from({ length: 20 }, (_, n) => `https://a${n}.example`);
    assert.equal((await world.call("PATCH", PATH, { token, body: { allowed_origins: origins } })).status, 200);
    for (const more of [
      [...origins, "https://b.example"],
      ["https://b.example", "https://b.example"],
    ])
      assertProblem(await world.call("PATCH", PATH, { token, body: { allowed_origins: more } }), "invalid_body");
  });
});
