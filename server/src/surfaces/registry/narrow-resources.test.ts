import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import type { Scope } from "@mooring/contract";
import { createApp, deleteApp, SYSTEM } from "#domain/organizations/index.ts";
import { sharedWorld, type Answer, type World } from "../organization/testing/world.ts";
import { WITH_IMAGES } from "./testing/images.ts";
import { REGISTRY_ROUTES } from "./routes.ts";
import { basicOf, digestOf, newClient, pushed, registryOf, tokenFor, type TestClient } from "./testing/registry.ts";

/** A credential that is limited to one repository: the same answer for every other one, whether it exists or not. */

const SECRET = { secret: "of the other repository" };
const secret = digestOf(JSON.stringify(SECRET));
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";
const ALL = ["registry:pull", "registry:push", "registry:delete"] as const;

describe("a credential that is limited to one repository", () => {
  let world: World;
  let manager: string;
  let everything: TestClient;
  let narrow: TestClient;
  let own: string;
  let other: string;
  let absent: string;

  before(async () => {
    world = await sharedWorld(WITH_IMAGES);
    everything = await newClient(world, { scopes: ALL });
    manager = await world.token({ scopes: [...ALL, "credentials:write", "credentials:read", "files:read"] });
    absent = `orgs/${world.acme.slug}/no-such-app`;
    own = await newRepository("own-images");
    other = await newRepository("other-images");
    await seed(own, {});
    await seed(other, SECRET);
    narrow = await limited(["own-images"]);
  });
  after(() => world.close());

  async function newRepository(slug: string): Promise<string> {
    return `orgs/${world.acme.slug}/${(await createApp(registryOf(world), SYSTEM, world.acme.open, { slug })).slug}`;
  }

  async function created(resources: unknown, scopes: readonly Scope[] = ALL): Promise<Answer> {
    return world.call("POST", "/v1/credentials", { token: manager, body: { name: "ci", scopes, resources } });
  }

  async function limited(repositories: readonly string[], scopes: readonly Scope[] = ALL): Promise<TestClient> {
    const { status, text, json } = await created({ repositories }, scopes);
    assert.equal(status, 201, text);
    return { id: String(json["id"]), clientId: String(json["client_id"]), clientSecret: String(json["client_secret"]) };
  }

  async function seed(name: string, content: object, client = everything): Promise<void> {
    const headers = { authorization: basicOf(client) };
    const [digest, size] = [digestOf(JSON.stringify(content)), JSON.stringify(content).length];
    const blob = await world.call("POST", `/v2/${name}/blobs/uploads/?digest=${digest}`, { headers, body: content });
    assert.equal(blob.status, 201, blob.text);
    const config = { mediaType: "application/json", digest, size };
    await pushed(world, { name, headers }, "present", { schemaVersion: 2, mediaType: MANIFEST, config, layers: [] });
  }

  const by = (authorization: string, method: string, path: string, body?: unknown): Promise<Answer> =>
    world.call(method, path, { headers: { authorization }, ...(body === undefined ? {} : { body }) });

  const withoutNames = ({ status, text }: Answer): readonly [number, string] => [
    status,
    text.replaceAll(/orgs\/[\w-]+\/[\w-]+|"request_id":"\w+"/g, "…"),
  ];

  async function tokenOf(client: TestClient): Promise<string> {
    const answer = await world.identity.signIn.authenticate({ ...client, ip: "127.0.0.1", requestId: "r" });
    const form = { grant_type: "client_credentials", ip: null, requestId: null };
    return (await world.identity.tokens.issuer.issue(answer, form)).accessToken;
  }

  test("pushes and pulls there, by password and by token", async () => {
    for (const how of [basicOf(narrow), await tokenFor(world, narrow, `repository:${own}:pull,push`)]) {
      assert.equal((await by(how, "GET", `/v2/${own}/manifests/present`)).status, 200);
      assert.equal((await by(how, "POST", `/v2/${own}/blobs/uploads/?digest=${digestOf("{}")}`, {})).status, 201);
      assert.deepEqual((await by(how, "GET", `/v2/${own}/tags/list`)).json["tags"], ["present"]);
    }
  });

  test("gets the same answers for another repository and for one that does not exist, on every route", async () => {
    const paths = {
      blob: `blobs/${secret}`,
      uploads: "blobs/uploads/",
      upload: "blobs/uploads/upl_0",
      manifest: "manifests/present",
      tags: "tags/list",
      referrers: `referrers/${secret}`,
    } as const;
    for (const { method, kind } of REGISTRY_ROUTES) {
      const body = method === "PUT" || method === "PATCH" ? {} : undefined;
      const answers = await Promise.all(
        [other, absent].map(async (name) => {
          const path = `/v2/${name}/${paths[kind as keyof typeof paths]}`;
          const token = await tokenFor(world, narrow, `repository:${name}:pull,push,delete`);
          return [await by(basicOf(narrow), method, path, body), await by(token, method, path, body)];
        }),
      );
      const [there = [], nowhere = []] = answers;
      for (const answer of there) assert.ok(answer.status >= 400, `${method} ${kind}: ${answer.status}`);
      assert.deepEqual(there.map(withoutNames), nowhere.map(withoutNames), `${method} ${kind}`);
    }
    const refused = await by(basicOf(narrow), "POST", `/v2/${other}/blobs/uploads/`);
    assert.match(refused.text, /may not push to .*: it is limited to certain repositories, and this is none of them/);
  });

  test("a token for two repositories is granted for the allowed one only", async () => {
    const token = await tokenFor(world, narrow, `repository:${own}:pull,push`, `repository:${other}:pull`);
    const [, payload = ""] = token.replace("Bearer ", "").split(".");
    const { access } = JSON.parse(Buffer.from(payload, "base64url").toString()) as { access: { granted: string[] }[] };
    assert.deepEqual(
      access.map(({ granted }) => granted),
      [["pull", "push"], []],
    );
    assert.doesNotMatch(JSON.stringify(access), /app_/, "no ids in the token");
  });

  const asScope = (text: string): string => `repository:${text}`;

  test("mounts nothing from another repository, whether named or found: an upload begins", async () => {
    for (const how of [
      basicOf(narrow),
      await tokenFor(world, narrow, ...[`${own}:pull,push`, `${other}:pull`, `${absent}:pull`].map(asScope)),
    ]) {
      for (const from of [`&from=${other}`, `&from=${absent}`, ""]) {
        const answer = await by(how, "POST", `/v2/${own}/blobs/uploads/?mount=${secret}${from}`);
        assert.equal(answer.status, 202, `${from}: ${answer.text}`);
      }
      assert.equal((await by(how, "GET", `/v2/${own}/blobs/${secret}`)).status, 404);
    }
    const both = await limited(["own-images", "other-images"]);
    const mounted = await by(basicOf(both), "POST", `/v2/${own}/blobs/uploads/?mount=${secret}&from=${other}`);
    assert.equal(mounted.status, 201, "two allowed repositories");
  });

  test("the catalog and the lists have full pages of its repositories only", async () => {
    for (const slug of ["aaa-images", "mmm-images", "zzz-images"]) await seed(await newRepository(slug), {});
    const two = await limited(["own-images", "zzz-images"]);
    const first = await by(basicOf(two), "GET", "/v2/_catalog?n=1");
    assert.deepEqual(first.json["repositories"], [own]);
    assert.match(first.headers.get("link") ?? "", /last=orgs%2Facme[-0-9]*%2Fown-images/);
    const all = await by(basicOf(two), "GET", "/v2/_catalog");
    assert.deepEqual(all.json["repositories"], [own, `orgs/${world.acme.slug}/zzz-images`]);
    const token = await tokenOf(two);
    const listed = await world.call("GET", "/v1/registry/repositories?limit=5", { token });
    const items = listed.json["items"] as { slug: string }[];
    assert.deepEqual([items.map(({ slug }) => slug), listed.json["next_cursor"]], [["zzz-images", "own-images"], null]);
    for (const name of ["other-images", "no-such-app"]) {
      const answer = await world.call("GET", `/v1/registry/repositories/${name}/tags`, { token });
      assert.deepEqual([answer.status, answer.json["code"]], [404, "not_found"], name);
    }
    for (const project of ["open", "no-such-project"]) {
      const answer = await world.call("GET", `/v1/registry/repositories?project=${project}`, { token });
      assert.deepEqual([answer.status, answer.json["code"]], [403, "insufficient_scope"], project);
    }
  });

  test("an access token as the password has no more than the token", async () => {
    const state = await world.identity.signIn.authenticate({ ...narrow, ip: "127.0.0.1", requestId: "r" });
    const origin = { scope: "registry:pull", ip: null, requestId: null };
    const { accessToken: clientSecret } = await world.identity.tokens.issuer.issue(state, origin);
    const how = basicOf({ ...narrow, clientSecret });
    assert.equal((await by(how, "GET", `/v2/${own}/tags/list`)).status, 200);
    assert.equal((await by(how, "POST", `/v2/${own}/blobs/uploads/`)).status, 403);
    assert.equal((await by(how, "GET", `/v2/${other}/tags/list`)).status, 403);
  });

  test("a new app with the slug of a deleted one inherits nothing", async () => {
    const short = await newRepository("short-lived");
    const client = await limited(["short-lived", "own-images"]);
    const refresh = await by(
      basicOf(client),
      "GET",
      `/v2/token?offline_token=true&scope=repository:${short}:pull,push`,
    );
    const app = await world.metadata.read.selectFrom("app").selectAll().where("slug", "=", "short-lived").execute();
    for (const each of app) await deleteApp(registryOf(world), SYSTEM, each);
    await newRepository("short-lived");
    const how = [basicOf(client), `Bearer ${String(refresh.json["token"])}`];
    for (const each of how) assert.equal((await by(each, "POST", `/v2/${short}/blobs/uploads/`)).status, 403);
    const shown = await world.call("GET", `/v1/credentials/${client.id}`, { token: manager });
    const { repositories } = shown.json["resources"] as { repositories: string[] };
    assert.equal(
      repositories.includes("short-lived"),
      false,
      "the deleted app has its id, not the name of the new one",
    );
    const body = { resources: { repositories } };
    const kept = await world.call("PATCH", `/v1/credentials/${client.id}`, { token: manager, body });
    assert.equal(kept.status, 200, "an app that is gone blocks no change");
  });

  test("narrowing ends registry tokens and refresh tokens; widening needs the scopes", async () => {
    const client = await limited(["own-images", "other-images"]);
    const path = `/v2/token?offline_token=true&scope=repository:${other}:pull`;
    const { token, refresh_token: refresh } = (await by(basicOf(client), "GET", path)).json;
    const narrowed = { resources: { repositories: ["own-images"] } };
    const answer = await world.call("PATCH", `/v1/credentials/${client.id}`, { token: manager, body: narrowed });
    assert.deepEqual([answer.status, answer.json["resources"]], [200, narrowed.resources]);
    assert.equal((await by(`Bearer ${String(token)}`, "GET", `/v2/${other}/tags/list`)).status, 401);
    const form = `grant_type=refresh_token&refresh_token=${String(refresh)}&scope=repository:${other}:pull`;
    const refreshed = await fetch(`${world.origin}/v2/token`, { method: "POST", body: form });
    assert.equal(refreshed.status, 401);
    const weak = await world.token({ scopes: ["credentials:write", "registry:pull"] });
    const wider = { resources: { repositories: ["own-images", "other-images"] } };
    const refused = await world.call("PATCH", `/v1/credentials/${client.id}`, { token: weak, body: wider });
    assert.deepEqual([refused.status, refused.json["code"]], [403, "insufficient_scope"]);
    const none = await world.call("PATCH", `/v1/credentials/${client.id}`, { token: weak, body: { resources: null } });
    assert.equal(none.status, 403);
    const audit = await world.metadata.read
      .selectFrom("audit")
      .selectAll()
      .where("target_id", "=", client.id)
      .execute();
    assert.match(audit.map(({ detail }) => detail).join(), /"resources":\{"before":\{"repositories":\["app_/);
  });

  test("a scope that has no such resource is refused beside resources, and so is an absent or hidden one", async () => {
    const cases: readonly (readonly [unknown, readonly Scope[], string, RegExp])[] = [
      [{ repositories: ["own-images"] }, ["registry:pull", "files:read"], "/scopes/1", /can't be limited to resources/],
      [{ services: ["shop"] }, ["registry:pull"], "/scopes/0", /so resources must name repositories/],
      [
        { repositories: ["no-such-app"] },
        ALL,
        "/resources/repositories/0",
        /names no repository, or you may not see it/,
      ],
      [{ repositories: [world.acme.closedApp.slug] }, ALL, "/resources/repositories/0", /or you may not see it/],
      [{ repositories: [world.rival.openApp.id] }, ALL, "/resources/repositories/0", /or you may not see it/],
      [{ repositories: [] }, ALL, "/resources/repositories", /./],
      [{}, ALL, "/resources", /./],
    ];
    for (const [resources, scopes, pointer, words] of cases) {
      const { status, json, text } = await created(resources, scopes);
      const [error] = json["errors"] as { pointer: string; detail: string }[];
      assert.deepEqual([status, error?.pointer], [400, pointer], text);
      assert.match(error?.detail ?? "", words);
    }
  });

  test("what a credential made before it was narrowed is narrowed with it", async () => {
    const scopes: readonly Scope[] = [...ALL, "credentials:write"];
    const parent = await newClient(world, { scopes });
    const body = { name: "child", scopes: ALL };
    const child = await world.call("POST", "/v1/credentials", { token: await tokenOf(parent), body });
    const client = {
      id: "",
      clientId: String(child.json["client_id"]),
      clientSecret: String(child.json["client_secret"]),
    };
    assert.equal((await by(basicOf(client), "GET", `/v2/${other}/tags/list`)).status, 200);
    const change = { scopes: ALL, resources: { repositories: ["own-images"] } };
    await world.call("PATCH", `/v1/credentials/${parent.id}`, { token: manager, body: change });
    assert.equal((await by(basicOf(client), "GET", `/v2/${other}/tags/list`)).status, 403);
    assert.equal((await by(basicOf(client), "GET", `/v2/${own}/tags/list`)).status, 200);
    const adopted = await world.call("POST", `/v1/credentials/${String(child.json["id"])}/adopt`, { token: manager });
    assert.equal(adopted.status, 200, adopted.text);
    assert.equal((await by(basicOf(client), "GET", `/v2/${other}/tags/list`)).status, 403, "adoption keeps the limits");
    assert.equal((await by(basicOf(client), "GET", `/v2/${own}/tags/list`)).status, 200);
  });
});
