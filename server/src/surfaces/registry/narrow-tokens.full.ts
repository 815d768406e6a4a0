import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { createApp, SYSTEM } from "#domain/organizations/index.ts";
import { createWorld, type Answer, type World } from "../organization/testing/world.ts";
import { REGISTRY_ROUTES } from "./routes.ts";
import { basicOf, digestOf, newClient, pushed, registryOf, tokenFor, withRegistry } from "./testing/registry.ts";
import type { TargetKind } from "./wire/target.ts";

/** A credential that may do everything, and its tokens with fewer permissions: every route applies the token's permissions. */

type Place = Exclude<TargetKind, "base" | "catalog" | "token">;

const SECRET = { secret: "of the other repository" };
const secret = digestOf(JSON.stringify(SECRET));
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

describe("a token with less than its credential's permissions", () => {
  let world: World;
  let client: Awaited<ReturnType<typeof newClient>>;
  let web: string;
  let other: string;

  before(async () => {
    world = await createWorld(withRegistry());
    client = await newClient(world, { scopes: ["registry:pull", "registry:push", "registry:delete"] });
    web = `orgs/acme/${world.acme.openApp.slug}`;
    other = await newRepository("other");
    await seed(web, {});
    await seed(other, SECRET);
  });
  after(() => world.close());

  async function newRepository(slug: string): Promise<string> {
    return `orgs/acme/${(await createApp(registryOf(world), SYSTEM, world.acme.open, { slug })).slug}`;
  }

  /** Puts an image whose config is this content, with the tag `present`. */
  async function seed(name: string, content: object): Promise<void> {
    const headers = { authorization: basicOf(client) };
    const [digest, size] = [digestOf(JSON.stringify(content)), JSON.stringify(content).length];
    const blob = await world.call("POST", `/v2/${name}/blobs/uploads/?digest=${digest}`, { headers, body: content });
    assert.equal(blob.status, 201, blob.text);
    const config = { mediaType: "application/json", digest, size };
    const document = { schemaVersion: 2, mediaType: MANIFEST, config, layers: [] };
    await pushed(world, { name, headers }, "present", document);
  }

  function pathOf(place: Place, name: string, method: string): string {
    const isRead = method === "GET" || method === "HEAD";
    const rest: Record<Place, string> = {
      blob: `blobs/${isRead ? (name === other ? secret : digestOf("{}")) : digestOf("absent")}`,
      uploads: "blobs/uploads/",
      upload: "blobs/uploads/upl_0",
      manifest: `manifests/${isRead ? "present" : "absent"}`,
      tags: "tags/list",
      referrers: `referrers/${digestOf("absent")}`,
    };
    return `/v2/${name}/${rest[place]}`;
  }

  async function ask(method: string, path: string, authorization: string): Promise<Answer> {
    const isSending = method === "PUT" || method === "PATCH";
    return world.call(method, path, { headers: { authorization }, ...(isSending ? { body: {} } : {}) });
  }

  /** Returns whether the request succeeded, or failed only because of an absent part of the repository or the body. */
  function isIn({ status, text }: Answer): boolean {
    return status <= 400 || /BLOB_UPLOAD_UNKNOWN|the repository has no such/.test(text);
  }

  test("does on each route what it was granted, and gets a challenge for everything else", async () => {
    const tokens: Readonly<Record<string, (name: string) => readonly string[]>> = {
      "no scope": () => [],
      "pull only": (name) => (name === web ? ["pull"] : []),
      "push only": (name) => (name === web ? ["push"] : []),
      "the other repository": (name) => (name === other ? ["pull", "push", "delete"] : []),
      "two scopes": (name) => (name === web ? ["pull", "push"] : ["pull"]),
      "the catalog only": () => [],
    };
    for (const [about, grant] of Object.entries(tokens)) {
      const scopes = [web, other].flatMap((name) =>
        grant(name).length === 0 ? [] : [`repository:${name}:${grant(name).join(",")}`],
      );
      if (about === "the catalog only") scopes.push("registry:catalog:*");
      const token = await tokenFor(world, client, ...scopes);
      for (const name of [web, other])
        for (const { method, kind, action } of REGISTRY_ROUTES) {
          const answer = await ask(method, pathOf(kind as Place, name, method), token);
          const words = `${about}: ${method} ${kind} of ${name}: ${answer.status} ${answer.text}`;
          if (grant(name).includes(action)) assert.ok(isIn(answer), words);
          else {
            assert.equal(answer.status, 401, words);
            assert.match(answer.headers.get("www-authenticate") ?? "", /error="insufficient_scope"/, words);
          }
        }
      assert.equal((await ask("GET", "/v2/", token)).status, 200, "the base requires no scope");
    }
  });

  async function mount(authorization: string, from: string | undefined, target = web): Promise<number> {
    return (await mountAnswer(authorization, from, target)).status;
  }

  async function mountAnswer(authorization: string, from: string | undefined, target = web): Promise<Answer> {
    const source = from === undefined ? "" : `&from=${from}`;
    const path = `/v2/${target}/blobs/uploads/?mount=${secret}${source}`;
    return world.call("POST", path, { headers: { authorization } });
  }

  test("mounts nothing from a repository that it may not pull, whether named or found", async () => {
    const narrow = [
      [`repository:${web}:pull,push`],
      [`repository:${web}:pull,push`, `repository:${other}:push`],
      [`repository:${web}:pull,push`, "registry:catalog:*"],
    ];
    const look = `/v2/${web}/blobs/${secret}`;
    for (const scopes of narrow) {
      const token = await tokenFor(world, client, ...scopes);
      for (const from of [other, "orgs/acme/no-such-app", `orgs/rival/${world.rival.openApp.slug}`]) {
        const answer = await mountAnswer(token, from);
        assert.equal(answer.status, 401, `${scopes.join(" ")} from ${from}`);
        const challenge = answer.headers.get("www-authenticate") ?? "";
        const both = `scope="repository:${web}:pull,push repository:${from}:pull",error="insufficient_scope"`;
        assert.ok(challenge.includes(both), challenge);
      }
      assert.equal(await mount(token, undefined), 202, `${scopes.join(" ")} from anywhere`);
      assert.equal((await ask("GET", look, token)).status, 404);
    }
  });

  test("mounts nothing by a scope that it was refused: an upload begins, as for absent content", async () => {
    const absent = "orgs/acme/no-such-app";
    for (const from of [absent, `orgs/rival/${world.rival.openApp.slug}`, `orgs/acme/${world.acme.closedApp.slug}`]) {
      const token = await tokenFor(world, client, `repository:${web}:pull,push`, `repository:${from}:pull`);
      assert.equal(await mount(token, from), 202);
      assert.equal(await mount(token, undefined), 202);
    }
  });

  test("mounts content that it was granted, while its holder may still pull there", async () => {
    const [named, found, moved] = [
      await newRepository("named"),
      await newRepository("found"),
      await newRepository("moved"),
    ];
    for (const [target, from] of [
      [named, other],
      [found, undefined],
    ] as const) {
      const token = await tokenFor(world, client, `repository:${target}:pull,push`, `repository:${other}:pull`);
      assert.equal(await mount(token, from, target), 201);
      assert.equal((await ask("GET", `/v2/${target}/blobs/${secret}`, token)).status, 200);
    }
    assert.equal(await mount(basicOf(client), undefined, await newRepository("by-password")), 201);
    const hidden = await newRepository("hidden");
    await seed(hidden, SECRET);
    const token = await tokenFor(world, client, `repository:${moved}:pull,push`, `repository:${hidden}:pull`);
    const { closed } = world.acme;
    await world.metadata.write(async (tx) => {
      await tx.updateTable("app").set({ project_id: closed.id }).where("slug", "=", "hidden").execute();
    });
    for (const from of [hidden, undefined]) assert.equal(await mount(token, from, moved), 202);
  });

  test("finds its own source among more repositories with the content than the server checks", async () => {
    const [last, target] = [await newRepository("zzz-last"), await newRepository("zzz-target")];
    await world.metadata.write(async (tx) => {
      const [row] = await tx.selectFrom("registry_blob").selectAll().where("digest", "=", secret).limit(1).execute();
      const [app] = await tx.selectFrom("app").selectAll().where("slug", "=", "other").execute();
      assert.ok(row !== undefined && app !== undefined);
      const ids = Array.from({ length: 120 }, (_, i) => `app_crowd${i}`);
      await tx
        .insertInto("app")
        .values(ids.map((id, i) => ({ ...app, id, slug: `crowd-${i}` })))
        .execute();
      await tx
        .insertInto("registry_blob")
        .values(ids.map((repository) => ({ ...row, repository })))
        .execute();
    });
    await seed(last, SECRET);
    const token = await tokenFor(world, client, `repository:${target}:pull,push`, `repository:${last}:pull`);
    assert.equal(await mount(token, undefined, target), 201);
  });

  test("reads the catalog only with that scope", async () => {
    for (const scopes of [[], [`repository:${web}:pull`], ["registry:other:*"], ["registry:catalog:push"]]) {
      const answer = await ask("GET", "/v2/_catalog", await tokenFor(world, client, ...scopes));
      assert.equal(answer.status, 401, scopes.join(" "));
      const challenge = answer.headers.get("www-authenticate") ?? "";
      assert.match(challenge, /scope="registry:catalog:\*",error="insufficient_scope"/);
    }
    const asked = await ask("GET", "/v2/_catalog", await tokenFor(world, client, "registry:catalog:*"));
    assert.equal(asked.status, 200, asked.text);
    for (const name of [web, other]) assert.ok((asked.json["repositories"] as string[]).includes(name));
    const nobody = await ask("GET", "/v2/_catalog", await tokenFor(world, undefined, "registry:catalog:*"));
    assert.equal(nobody.status, 401);
    const pusher = await newClient(world, { scopes: ["registry:push"] });
    for (const how of [basicOf(pusher), await tokenFor(world, pusher, "registry:catalog:*")])
      assert.deepEqual((await ask("GET", "/v2/_catalog", how)).json, { repositories: [] });
  });
});
