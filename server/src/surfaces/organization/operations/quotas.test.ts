import assert from "node:assert/strict";
import { test } from "node:test";
import { USAGE_ROUTES } from "@mooring/contract";
import { boundToken, pair } from "../testing/requests.ts";
import { testOperation, type Pair } from "../testing/suite.ts";
import { createWorld, type World } from "../testing/world.ts";
import { withUsage } from "../testing/usage.ts";

const PATH = "/v1/quotas";
const body = { max_bytes: 1000 };
const ofProject = (id: string) => ({ path: `${PATH}/project/${id}` });
const changed = (id: string) => ({ ...ofProject(id), body });

const hiddenOf =
  (askOf: (id: string) => { path: string }) =>
  ({ acme, rival }: World): readonly Pair[] => [pair(rival.open.id, askOf), pair(acme.closed.id, askOf)];

testOperation(
  USAGE_ROUTES.listQuotas,
  {
    ask: () => ({ path: PATH }),
    problems: { forbidden: async (world) => ({ path: PATH, token: await boundToken(world) }) },
  },
  withUsage(),
);
testOperation(
  USAGE_ROUTES.getQuota,
  {
    ask: ({ acme }) => ofProject(acme.open.id),
    hidden: hiddenOf(ofProject),
    problems: { forbidden: async (world) => ({ ...ofProject(world.acme.open.id), token: await boundToken(world) }) },
  },
  withUsage(),
);
testOperation(
  USAGE_ROUTES.updateQuota,
  {
    ask: ({ acme }) => changed(acme.open.id),
    hidden: hiddenOf(changed),
    problems: { forbidden: async (world) => ({ ...changed(world.acme.open.id), token: await boundToken(world) }) },
  },
  withUsage(),
);

test("a quota has its use, is audited, and only owners and admins change it", async () => {
  await using world = await disposable();
  const { acme, metadata } = world.it;
  const admin = world.it.person(acme, acme.people.admin);
  const path = `${PATH}/project/${acme.open.id}`;
  const used = { files: 1, bytes: 700, grants: 1, reserved: 200, trashed_files: 1, trashed_bytes: 50 };
  await metadata.write(async (tx) => {
    await tx
      .insertInto("file_usage")
      .values({ org_id: acme.id, place: acme.open.id, ...used })
      .execute();
    await tx
      .insertInto("s3_usage")
      .values({ org_id: acme.id, bucket: acme.openApp.id, shard: 0, objects: 1, bytes: 30, writes: 1 })
      .execute();
  });
  const change = (max: number | null) => world.it.call("PATCH", path, { token: admin, body: { max_bytes: max } });
  assert.deepEqual((await change(1100)).json, {
    scope: "project",
    target_id: acme.open.id,
    name: acme.open.slug,
    project_id: acme.open.id,
    used_bytes: 980,
    max_bytes: 1100,
    state: "ok",
  });
  assert.equal((await change(1088)).json["state"], "near");
  assert.equal((await change(980)).json["state"], "full");
  const bucket = await world.it.call("PATCH", `${PATH}/bucket/${acme.openApp.id}`, {
    token: admin,
    body: { max_bytes: 60 },
  });
  assert.deepEqual([bucket.json["used_bytes"], bucket.json["name"]], [30, acme.openApp.slug]);
  const { json } = await world.it.call("GET", PATH, { token: admin });
  const items = json["items"] as { scope: string; state: string }[];
  assert.deepEqual(
    items.map(({ scope, state }) => [scope, state]),
    [
      ["bucket", "ok"],
      ["project", "full"],
    ],
  );
  assert.equal((await change(null)).json["state"], "none");
  const audit = await world.it.call("GET", "/v1/audit?action=project.quota.update&limit=1", { token: admin });
  const [entry] = audit.json["items"] as { detail: { before: unknown; after: unknown } }[];
  assert.deepEqual([entry?.detail.before, entry?.detail.after], [{ max_bytes: 980 }, { max_bytes: null }]);
  const developer = world.it.person(acme, acme.people.developer);
  assert.equal((await world.it.call("PATCH", path, { token: developer, body })).status, 403);
});

async function disposable(): Promise<{ readonly it: World; [Symbol.asyncDispose](): Promise<void> }> {
  const it = await createWorld(withUsage());
  return { it, [Symbol.asyncDispose]: () => it.close() };
}
