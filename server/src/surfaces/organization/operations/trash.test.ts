import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES, type TrashKind } from "@mooring/contract";
import { SYSTEM } from "#domain/organizations/index.ts";
import { moveToTrash } from "#domain/trash/index.ts";
import { newId } from "#kernel/ids.ts";
import { deps, fresh, newApp, newProject, pair, projectPairs } from "../testing/requests.ts";
import { assertProblem, testOperation, type Pair } from "../testing/suite.ts";
import { TRASH } from "../testing/trash.ts";
import { sharedWorld, type Tenant, type World } from "../testing/world.ts";

/** Adds an item without its object, for requests that only read it, or are refused. */
async function newItem(
  world: World,
  {
    kind = "webhook",
    tenant = world.acme,
    project = tenant.open.id,
    object = newId("hook", 1),
  }: {
    kind?: TrashKind;
    tenant?: Tenant;
    project?: string;
    object?: string;
  } = {},
): Promise<string> {
  const place = { kind, orgId: tenant.id, projectId: project, objectId: object, name: fresh("item") };
  const trash = { ...deps(world), trash: TRASH };
  return (await world.metadata.write((tx) => moveToTrash(trash, tx, SYSTEM, place))).id;
}

/** Deletes an app that has an unfinished upload. Returns its id and its item. */
async function trashedApp(world: World, app?: string): Promise<{ app: string; item: string }> {
  const id = app ?? (await newApp(world));
  const place = { id: fresh("upl"), bucket: id, org_id: world.acme.id, key: Buffer.from("a"), created_at: 1 };
  const values = { ...place, owner: "", detail: "{}", completed_at: null, result: null };
  await world.metadata.write((tx) => tx.insertInto("s3_upload").values(values).execute());
  const token = await world.token();
  assert.equal((await world.call("DELETE", `/v1/apps/${id}`, { token })).status, 204);
  return { app: id, item: await itemOf(world, token, id) };
}

async function itemOf(world: World, token: string, object: string): Promise<string> {
  const { json } = await world.call("GET", "/v1/trash?limit=100", { token });
  const found = (json["items"] as { id: string; object_id: string }[]).find((each) => each.object_id === object);
  return found?.id ?? assert.fail("the object is not in the trash");
}

async function itemPairs(world: World, pathOf: (id: string) => string): Promise<Pair[]> {
  const asked = (id: string) => ({ path: pathOf(id) });
  return [
    pair(await newItem(world, { project: world.acme.closed.id }), asked),
    pair(await newItem(world, { tenant: world.rival }), asked),
    pair(await newItem(world, { project: world.acme.closed.id, kind: "image" }), asked),
  ];
}

const withoutWrites = (world: World): Promise<string> => world.token({ scopes: ["webhooks:read", "apps:read"] });

testOperation(ORGANIZATION_ROUTES.listTrashItems, {
  ask: () => ({ path: "/v1/trash?project=open&kind=app" }),
  hidden: (world) => projectPairs(world, (name) => ({ path: `/v1/trash?project=${name}` })),
});

testOperation(ORGANIZATION_ROUTES.getTrashItem, {
  ask: async (world) => ({ path: `/v1/trash/${await newItem(world)}` }),
  hidden: (world) => itemPairs(world, (id) => `/v1/trash/${id}`),
  problems: {
    insufficient_scope: async (world) => ({
      path: `/v1/trash/${await newItem(world)}`,
      token: await world.token({ scopes: ["apps:read"] }),
    }),
  },
});

testOperation(ORGANIZATION_ROUTES.restoreTrashItem, {
  ask: async (world) => ({ path: `/v1/trash/${(await trashedApp(world)).item}/restore` }),
  hidden: (world) => itemPairs(world, (id) => `/v1/trash/${id}/restore`),
  problems: {
    insufficient_scope: async (world) => ({
      path: `/v1/trash/${await newItem(world)}/restore`,
      token: await withoutWrites(world),
    }),
    project_archived: async (world) => ({ path: `/v1/trash/${await archivedItem(world)}/restore` }),
    conflict: async (world) => {
      const { app } = await trashedApp(world);
      return { path: `/v1/trash/${await newItem(world, { kind: "image", object: app })}/restore` };
    },
  },
});

testOperation(ORGANIZATION_ROUTES.purgeTrashItem, {
  ask: async (world) => ({ path: `/v1/trash/${await newItem(world)}` }),
  hidden: (world) => itemPairs(world, (id) => `/v1/trash/${id}`),
  problems: {
    insufficient_scope: async (world) => ({
      path: `/v1/trash/${await newItem(world)}`,
      token: await withoutWrites(world),
    }),
    project_archived: async (world) => ({ path: `/v1/trash/${await archivedItem(world)}` }),
    conflict: async (world) => {
      const project = await newProject(world);
      const item = await newItem(world, { project, kind: "app", object: newId("app", 1) });
      await lock(world, project);
      return { path: `/v1/trash/${item}` };
    },
  },
});

async function archivedItem(world: World): Promise<string> {
  const project = await newProject(world);
  const token = await world.token();
  await world.call("POST", `/v1/projects/${project}/archive`, { token });
  return newItem(world, { project, kind: "app", object: newId("app", 1) });
}

async function lock(world: World, project: string): Promise<void> {
  const token = await world.token();
  const path = `/v1/projects/${project}`;
  assert.equal((await world.call("PATCH", path, { token, body: { environment: "production" } })).status, 200);
  assert.equal((await world.call("POST", `${path}/lock`, { token })).status, 200);
}

describe("the trash", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await sharedWorld();
    token = await world.token();
  });
  after(() => world.close());
  const status = async (method: string, path: string, body?: object): Promise<number> =>
    (await world.call(method, path, { token, ...(body === undefined ? {} : { body }) })).status;

  test("an app with content is absent until it is restored, and its slug is free", async () => {
    const { json } = await world.call("POST", "/v1/apps", { token, body: { project: "open", slug: "to-trash" } });
    const { app, item } = await trashedApp(world, json["id"] as string);
    assert.deepEqual([await status("GET", `/v1/apps/${app}`), await status("GET", "/v1/apps/to-trash")], [404, 404]);
    assert.ok(!(await world.call("GET", "/v1/apps?limit=100", { token })).text.includes(app));
    const taken = await world.call("POST", "/v1/apps", { token, body: { project: "open", slug: "to-trash" } });
    assert.equal(taken.status, 201, taken.text);
    assertProblem(await world.call("POST", `/v1/trash/${item}/restore`, { token }), "conflict");
    for (const path of [`/v1/trash/${item}/restore?slug=N`, `/v1/trash/${await newItem(world)}/restore?slug=new`])
      assertProblem(await world.call("POST", path, { token }), "invalid_parameter");
    assert.equal(await status("DELETE", "/v1/apps/to-trash"), 204);
    assert.equal(await status("POST", `/v1/trash/${item}/restore`), 204);
    assert.equal((await world.call("GET", "/v1/apps/to-trash", { token })).json["id"], app);
    assertProblem(await world.call("POST", `/v1/trash/${item}/restore`, { token }), "not_found");
    const actions = await world.call("GET", `/v1/audit?target=${app}`, { token });
    const said = (actions.json["items"] as { action: string }[]).map(({ action }) => action);
    assert.deepEqual(said, ["app.restore", "app.delete", "app.create"]);
  });

  test("an empty app is deleted at once, so its slug is free", async () => {
    const made = () => world.call("POST", "/v1/apps", { token, body: { project: "open", slug: "empty-app" } });
    const first = await made();
    assert.equal(await status("DELETE", `/v1/apps/${first.json["id"] as string}`), 204);
    assert.equal((await made()).status, 201);
  });

  test("a project hides everything in it, and its credentials work again after a restore", async () => {
    const body = { slug: "whole", visibility: "private", maintainer: world.acme.people.developer };
    const project = (await world.call("POST", "/v1/projects", { token, body })).json["id"] as string;
    const bound = await world.token({ projectId: project });
    const person = world.person(world.acme, world.acme.people.developer);
    const app = await world.call("POST", "/v1/apps", { token: bound, body: { project, slug: "whole-app" } });
    assert.equal(app.status, 201, app.text);
    const asked = (as: string) => world.call("GET", "/v1/apps/whole-app", { token: as });
    assert.equal((await world.call("DELETE", `/v1/projects/${project}`, { token: bound })).status, 204);
    for (const as of [bound, person]) assert.notEqual((await asked(as)).status, 200);
    const other = await world.call("POST", "/v1/projects", { token, body: { slug: "whole" } });
    assert.equal(other.status, 201, other.text);
    const otherApp = await world.call("POST", "/v1/apps", { token, body: { project: "whole", slug: "whole-app" } });
    assert.equal(otherApp.status, 201, otherApp.text);
    const item = await itemOf(world, person, project);
    assert.ok(!(await world.call("GET", "/v1/trash", { token })).text.includes(project), "others do not see it");
    assertProblem(await world.call("POST", `/v1/trash/${item}/restore`, { token }), "not_found");
    const restore = (slug: string) => world.call("POST", `/v1/trash/${item}/restore${slug}`, { token: person });
    const refused = async (slug: string, said: RegExp): Promise<void> => {
      const answer = await restore(slug);
      assertProblem(answer, "conflict");
      assert.match(String(answer.json["detail"]), said);
    };
    await refused("", /The slug whole was given/);
    await refused("?slug=whole-2", /an app with the slug whole-app/);
    assert.equal(await status("DELETE", "/v1/apps/whole-app"), 204);
    const restored = await restore("?slug=whole-2");
    assert.equal(restored.status, 204, restored.text);
    const shown = await world.call("GET", `/v1/projects/${project}`, { token: person });
    assert.equal(shown.json["slug"], "whole-2");
    for (const as of [bound, person]) assert.equal((await asked(as)).status, 200);
  });

  test("a deletion lock keeps the project and its apps, and only an owner removes it", async () => {
    const project = await newProject(world);
    const path = `/v1/projects/${project}`;
    assertProblem(await world.call("POST", `${path}/lock`, { token }), "conflict");
    const body = { project, slug: fresh("kept") };
    const app = (await world.call("POST", "/v1/apps", { token, body })).json["id"] as string;
    await lock(world, project);
    for (const [method, refused, sent] of [
      ["DELETE", path, undefined],
      ["DELETE", `/v1/apps/${app}`, undefined],
      ["POST", `/v1/apps/${app}/move`, { project: "open" }],
      ["PATCH", path, { environment: "staging" }],
    ] as const)
      assertProblem(await world.call(method, refused, { token, ...(sent && { body: sent }) }), "conflict");
    assertProblem(await world.call("POST", `${path}/unlock`, { token }), "forbidden");
    const member = `${path}/members/${world.acme.people.admin}`;
    assert.equal(await status("PUT", member, { role: "maintainer" }), 200);
    const admin = world.person(world.acme, world.acme.people.admin);
    assertProblem(await world.call("POST", `${path}/unlock`, { token: admin }), "forbidden");
    const owner = world.person(world.acme, world.acme.people.owner);
    const unlocked = await world.call("POST", `${path}/unlock`, { token: owner });
    assert.equal(unlocked.json["deletion_lock"], false, unlocked.text);
    assert.equal(await status("DELETE", path), 204);
    const said = await world.call("GET", `/v1/audit?target=${project}`, { token });
    const actions = (said.json["items"] as { action: string }[]).map(({ action }) => action);
    const acts = actions.filter((action) => !action.startsWith("project.member"));
    assert.deepEqual(acts.slice(0, 3), ["project.delete", "project.unlock", "project.lock"]);
  });

  test("lists only what the permissions of each kind reach", async () => {
    const [hook, image] = [await newItem(world), await newItem(world, { kind: "image", object: newId("app", 1) })];
    const reader = await world.token({ scopes: ["registry:pull"] });
    const { text } = await world.call("GET", "/v1/trash?limit=100", { token: reader });
    assert.deepEqual([text.includes(hook), text.includes(image)], [false, true]);
    const none = await world.token({ scopes: ["audit:read"] });
    assert.deepEqual((await world.call("GET", "/v1/trash", { token: none })).json["items"], []);
  });
});
