import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { boundToken, newApp } from "../organization/testing/requests.ts";
import { assertProblem } from "../organization/testing/suite.ts";
import { sharedWorld, type Answer, type World } from "../organization/testing/world.ts";
import { API_URL, deny, putObject, setVersioning, WITH_BUCKETS } from "./testing/buckets.ts";

type Line = Record<string, unknown> & { readonly kind: string; readonly key: string; readonly version_id?: string };

/** Keys that some step could misread. */
const HOSTILE = [
  "../secret",
  "..",
  "a/../../b",
  "./a",
  "/leading",
  "a//b",
  "a/",
  "<img src=x onerror=alert(1)>",
  "\u202egpj.exe",
  "new\nline",
  "tab\tquote\"'`;,",
  "per%20cent %2F%2e%2e ?x=1#y&z",
  "emoji 🚢/日本",
  "é".repeat(512),
];

describe("objects of a bucket", { concurrency: 1 }, () => {
  let world: World;
  let token: string;

  before(async () => {
    world = await sharedWorld(WITH_BUCKETS);
    token = await world.token();
  });
  after(() => world.close());

  async function bucket(): Promise<string> {
    const app = await newApp(world);
    const { json } = await world.call("GET", `/v1/apps/${app}`, { token });
    return json["slug"] as string;
  }

  async function ok(answer: Promise<Answer>): Promise<Record<string, unknown>> {
    const { status, json, text } = await answer;
    assert.equal(status, 200, text);
    return json;
  }

  const call = (method: string, path: string, body?: object, as = token): Promise<Answer> =>
    world.call(method, `/v1/buckets/${path}`, { token: as, ...(body === undefined ? {} : { body }) });

  async function lines(path: string, query: Record<string, string> = {}): Promise<Line[]> {
    const found: Line[] = [];
    for (let cursor: string | null = null; ;) {
      const parameters = new URLSearchParams({ ...query, ...(cursor === null ? {} : { cursor }) });
      const json = await ok(call("GET", `${path}?${parameters.toString()}`));
      found.push(...(json["items"] as Line[]));
      cursor = json["next_cursor"] as string | null;
      if (cursor === null) return found;
    }
  }

  async function upload(name: string, key: string, content: string, type = "text/plain"): Promise<Response> {
    const { url, headers } = await ok(call("POST", `${name}/uploads`, { key, content_type: type }));
    return fetch(url as string, { method: "PUT", body: content, headers: headers as Record<string, string> });
  }

  async function link(name: string, key: string, more: object = {}): Promise<string> {
    return (await ok(call("POST", `${name}/links`, { key, ...more })))["url"] as string;
  }

  test("are listed by folder, in the order of their bytes, over pages", async () => {
    const name = await bucket();
    for (const key of ["b", "a/1", "a/2", "a", "a!", "é", "z/x/y"]) await putObject(world, key, name);
    const shown = (await lines(`${name}/objects`, { delimiter: "/", limit: "2" })).map(({ kind, key }) => [kind, key]);
    assert.deepEqual(shown, [
      ["object", "a"],
      ["object", "a!"],
      ["prefix", "a/"],
      ["object", "b"],
      ["prefix", "z/"],
      ["object", "é"],
    ]);
    const inside = await lines(`${name}/objects`, { prefix: "a/", limit: "1" });
    assert.deepEqual(
      inside.map(({ key, size_bytes }) => [key, size_bytes]),
      [
        ["a/1", 3],
        ["a/2", 3],
      ],
    );
    const { next_cursor: cursor } = await ok(call("GET", `${name}/objects?limit=1`));
    assertProblem(await call("GET", `${name}/objects?limit=1&prefix=b&cursor=${String(cursor)}`), "invalid_parameter");
    assertProblem(await call("GET", `${await bucket()}/versions?cursor=${String(cursor)}`), "invalid_parameter");
  });

  test("are uploaded by a presigned URL, and downloaded by another one as a file", async () => {
    const name = await bucket();
    for (const key of HOSTILE) {
      const put = await upload(name, key, key, "text/html");
      assert.equal(put.status, 200, `${key}: ${await put.text()}`);
      const answer = await fetch(await link(name, key));
      assert.equal(await answer.text(), key);
      assert.match(answer.headers.get("content-disposition") ?? "", /^attachment; filename="/);
      assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
      const detail = await ok(call("GET", `${name}/object?${new URLSearchParams({ key }).toString()}`));
      assert.deepEqual([detail["key"], detail["headers"]], [key, { "content-type": "text/html" }]);
    }
    const all = (await lines(`${name}/objects`)).map(({ key }) => key);
    assert.deepEqual(all.toSorted(), HOSTILE.toSorted());
    const sum = await ok(call("GET", name));
    assert.equal(sum["versions"], HOSTILE.length);
    const objects = HOSTILE.map((key) => ({ key }));
    const { items } = await ok(call("POST", `${name}/delete`, { objects }));
    assert.ok((items as { error: unknown }[]).every(({ error }) => error === null));
    assert.deepEqual(await lines(`${name}/objects`), []);
  });

  test("are also uploaded by presigned URLs of this origin, which accepts nothing else", async () => {
    const name = await bucket();
    const key = HOSTILE.join("").slice(0, 300);
    const made = await ok(call("POST", `${name}/uploads`, { key }));
    const path = String(made["same_origin_url"]).replace(API_URL, "");
    const headers = made["headers"] as Record<string, string>;
    const put = (target: string): Promise<Answer> => world.call("PUT", target, { body: "content", headers });
    const answer = await put(path);
    assert.equal(answer.status, 200, answer.text);
    const detail = await ok(call("GET", `${name}/object?${new URLSearchParams({ key }).toString()}`));
    assert.equal(detail["size_bytes"], Buffer.byteLength(JSON.stringify("content")));
    const to = (target: string): string => `/v1/bucket-content?to=${encodeURIComponent(target)}`;
    for (const target of [
      to(`/${name}/x`),
      to(`/${name}/x?X-Amz-Credential=MOORAAAAAAAAAAAAAAAA/20261120/us-east-1/s3/aws4_request`),
      "/v1/bucket-content",
      `${path}&to=x`,
      `${path}&other=1`,
      to("x"),
    ])
      assertProblem(await put(target), "presigned_url_invalid");
    const altered = await put(
      path.replace(encodeURIComponent("X-Amz-Expires=900"), encodeURIComponent("X-Amz-Expires=901")),
    );
    assert.equal(altered.status, 403);
    assert.match(altered.text, /SignatureDoesNotMatch/);
  });

  test("can't have a key of more than 1024 bytes", async () => {
    const key = `${"é".repeat(512)}x`;
    assertProblem(await call("POST", `${world.acme.openApp.slug}/uploads`, { key }), "invalid_parameter");
    assertProblem(await call("GET", `${world.acme.openApp.slug}/object?key=%00`), "invalid_parameter");
    assertProblem(
      await call("POST", `${world.acme.openApp.slug}/links`, { key: "a", expires_in: 604_801 }),
      "invalid_body",
    );
  });

  test("are returned with their tags, metadata and version", async () => {
    const name = await bucket();
    await setVersioning(world, name);
    const version = await putObject(world, "a", name);
    const detail = await ok(call("GET", `${name}/object?key=a`));
    assert.deepEqual(
      [detail["metadata"], detail["tags"], detail["version_id"], detail["size_bytes"], detail["is_latest"]],
      [{ by: "test" }, { of: "test" }, version, 1, true],
    );
    assertProblem(await call("GET", `${name}/object?key=b`), "not_found");
    assertProblem(await call("GET", `${name}/object?key=a&version_id=other`), "not_found");
    assertProblem(await call("POST", `${name}/links`, { key: "b" }), "not_found");
  });

  test("are restored when their delete marker is deleted", async () => {
    const name = await bucket();
    await setVersioning(world, name);
    const first = await putObject(world, "a", name);
    await putObject(world, "ab", name);
    const { items } = await ok(call("POST", `${name}/delete`, { objects: [{ key: "a" }] }));
    const [deleted] = items as { delete_marker: string }[];
    assertProblem(await call("GET", `${name}/object?key=a`), "not_found");
    assert.deepEqual(
      (await lines(`${name}/objects`)).map(({ key }) => key),
      ["ab"],
    );
    const history = await lines(`${name}/versions`, { key: "a", limit: "1" });
    assert.deepEqual(
      history.map(({ kind, version_id, is_latest }) => [kind, version_id, is_latest]),
      [
        ["delete_marker", deleted?.delete_marker, true],
        ["version", first, false],
      ],
    );
    assert.equal(await (await fetch(await link(name, "a", { version_id: first }))).text(), "a");
    await ok(call("POST", `${name}/delete`, { objects: [{ key: "a", version_id: deleted?.delete_marker }] }));
    assert.equal((await ok(call("GET", `${name}/object?key=a`)))["version_id"], first);
    assertProblem(await call("GET", `${name}/versions?key=a&prefix=a`), "invalid_parameter");
  });

  test("are protected by the bucket's policy, as at the gateway", async () => {
    const name = await bucket();
    await putObject(world, "kept", name);
    await putObject(world, "free", name);
    await deny(world, name, "s3:DeleteObject", "kept");
    const body = { objects: [{ key: "kept" }, { key: "free" }] };
    const { items } = await ok(call("POST", `${name}/delete`, body));
    assert.deepEqual(
      (items as { key: string; error: { code: string } | null }[]).map(({ key, error }) => [key, error?.code]),
      [
        ["kept", "AccessDenied"],
        ["free", undefined],
      ],
    );
    await deny(world, name, "s3:GetObject");
    assertProblem(await call("GET", `${name}/object?key=kept`), "forbidden");
    assertProblem(await call("POST", `${name}/links`, { key: "kept" }), "forbidden");
    await deny(world, name, "s3:PutObject");
    assertProblem(await call("POST", `${name}/uploads`, { key: "x" }), "forbidden");
    await deny(world, name, "s3:ListBucket");
    assertProblem(await call("GET", `${name}/objects`), "forbidden");
    await deny(world, name, "s3:ListBucketVersions");
    assertProblem(await call("GET", `${name}/versions`), "forbidden");
  });

  test("have links that end at their expiry, and when their creator loses the permission", async () => {
    const name = await bucket();
    await putObject(world, "a", name);
    const { id, token: own } = await world.credential({ scopes: ["s3:read", "s3:write"] });
    const { url } = await ok(call("POST", `${name}/links`, { key: "a" }, own));
    const { url: target, headers } = await ok(call("POST", `${name}/uploads`, { key: "b" }, own));
    assert.equal((await fetch(url as string)).status, 200);
    assert.equal((await fetch(String(url).replace("/a?", "/b?"))).status, 403, "of another object");
    assert.equal((await fetch(String(url).replace("X-Amz-Expires=900", "X-Amz-Expires=9000"))).status, 403);
    assert.equal((await fetch(url as string, { method: "PUT", body: "x" })).status, 403, "of another method");
    await world.identity.credentials.revoke({ actor: { kind: "system", id: null, orgId: world.acme.id } }, id);
    assert.equal((await fetch(url as string)).status, 403);
    const late = { method: "PUT", body: "x", headers: headers as Record<string, string> };
    assert.equal((await fetch(target as string, late)).status, 403);
    const short = await link(name, "a", { expires_in: 1 });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    assert.equal((await fetch(short)).status, 403);
  });

  test("are uploaded with the permissions of the person", async () => {
    const name = await bucket();
    const person = world.person(world.acme, world.acme.people.developer);
    const made = await ok(call("POST", `${name}/uploads`, { key: "a" }, person));
    const put = await fetch(made["url"] as string, {
      method: "PUT",
      body: "x",
      headers: made["headers"] as Record<string, string>,
    });
    assert.equal(put.status, 200, await put.text());
    const admin = world.person(world.acme, world.acme.people.admin);
    await ok(call("POST", `${name}/delete`, { objects: [{ key: "a" }] }, admin));
    const audit = await ok(world.call("GET", "/v1/audit?action=object.delete&limit=1", { token }));
    const [entry] = audit["items"] as { actor: object }[];
    assert.deepEqual(entry?.actor, { kind: "person", id: world.acme.people.admin });
  });

  test("of a private project are visible to its members only, also with a link", async () => {
    const { closedApp, closed } = world.acme;
    await putObject(world, "a", closedApp.slug);
    const inside = await world.token({ projectId: closed.id });
    const { url } = await ok(call("POST", `${closedApp.slug}/links`, { key: "a" }, inside));
    assert.equal((await fetch(url as string)).status, 200);
    assertProblem(await call("GET", `${closedApp.slug}/objects`, undefined, await boundToken(world)), "not_found");
    const forged = String(url).replace(/GRANT\.([^.]+)\.[^.]+/, `GRANT.$1.${world.acme.people.owner}`);
    assert.equal((await fetch(forged)).status, 403);
  });
});
