import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES, type ResultOf } from "@mooring/contract";
import { setProjectState, type ProjectState } from "#domain/projects/index.ts";
import { boundToken, newS3Key, projectPairs } from "../testing/requests.ts";
import { testOperation } from "../testing/suite.ts";
import { sharedWorld, type World } from "../testing/world.ts";

const pathOf = (permission: string, project?: string): string =>
  `/v1/access?permission=${permission}${project === undefined ? "" : `&project=${project}`}`;

testOperation(ORGANIZATION_ROUTES.getAccess, {
  ask: () => ({ path: pathOf("files:write") }),
  hidden: async (world) => {
    // A credential of a project is refused before any project is read.
    const pairs = await projectPairs(world, (name) => ({ path: pathOf("files:write", name) }));
    const bound = pairs[3]?.hidden.token;
    return pairs.filter(({ hidden }) => bound === undefined || hidden.token !== bound);
  },
  problems: { forbidden: async (world) => ({ path: pathOf("files:write"), token: await boundToken(world) }) },
});

type Body = ResultOf<typeof ORGANIZATION_ROUTES.getAccess>;

describe("the actors with a permission", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
    const { acme, metadata } = world;
    const at = { org_id: acme.id, created_at: 0 };
    await metadata.write(async (tx) => {
      const roles = [
        { project_id: acme.open.id, user_id: acme.people.viewer, role: "writer" },
        { project_id: acme.closed.id, user_id: acme.people.developer, role: "reader" },
      ] as const;
      for (const role of roles)
        await tx
          .insertInto("project_member")
          .values({ ...at, ...role })
          .execute();
    });
  });
  after(() => world.close());

  const ask = async (path: string, token: string): Promise<Body> => {
    const answer = await world.call("GET", path, { token });
    assert.equal(answer.status, 200, answer.text);
    return answer.json as unknown as Body;
  };
  const as = (role: "owner" | "admin" | "developer" | "viewer"): string =>
    world.person(world.acme, world.acme.people[role]);
  const verdicts = ({ members }: Body): Record<string, string> =>
    Object.fromEntries(members.map(({ role, allowed, because }) => [role, `${allowed ? "yes" : "no"}: ${because}`]));

  test("in any project, in one project, and in a private one", async () => {
    assert.deepEqual(verdicts(await ask(pathOf("files:write"), as("owner"))), {
      owner: "yes: role owner",
      admin: "yes: role admin",
      developer: "yes: role developer",
      viewer: "yes: writer of project open",
      guest: "no: role guest does not have it",
    });
    assert.deepEqual(verdicts(await ask(pathOf("projects:write", "open"), as("owner"))), {
      owner: "yes: role owner",
      admin: "yes: role admin",
      developer: "yes: role developer",
      viewer: "no: role viewer, writer of project open: neither has it",
      guest: "no: not a member of project open",
    });
    assert.deepEqual(verdicts(await ask(pathOf("files:write", "closed"), as("owner"))), {
      owner: "yes: role owner, maintainer of project closed",
      admin: "no: not a member of private project closed",
      developer: "yes: role developer, reader of project closed",
      viewer: "no: not a member of private project closed",
      guest: "no: not a member of project closed",
    });
    assert.deepEqual(
      verdicts(await ask(pathOf("audit:read"), as("viewer")))["viewer"],
      "no: role viewer does not have it",
    );
  });

  test("hides a private project from people who can't see it", async () => {
    const { acme, metadata } = world;
    const role = {
      org_id: acme.id,
      project_id: acme.closed.id,
      user_id: acme.people.viewer,
      role: "maintainer",
    } as const;
    await metadata.write(async (tx) => {
      await tx
        .insertInto("project_member")
        .values({ ...role, created_at: 0 })
        .execute();
    });
    const question = pathOf("apps:write");
    assert.equal(verdicts(await ask(question, as("owner")))["viewer"], "yes: maintainer of project closed");
    assert.equal(verdicts(await ask(question, as("admin")))["viewer"], "no: role viewer does not have it");
  });

  test("includes visible credentials with the permission, for callers who may read credentials", async () => {
    const { acme, identity } = world;
    const made = {
      whole: await world.credential({ scopes: ["s3:write"] }),
      lacking: await world.credential({ scopes: ["s3:read"] }),
      open: await world.credential({ scopes: ["s3:write"], projectId: acme.open.id }),
      closed: await world.credential({ scopes: ["s3:write"], projectId: acme.closed.id }),
      lowered: await world.credential({ scopes: ["s3:write"], by: "developer" }),
      revoked: await world.credential({ scopes: ["s3:write"] }),
    };
    await identity.credentials.revoke({ actor: { kind: "system", id: null, orgId: acme.id } }, made.revoked.id);
    const lower = { role: "viewer" };
    await world.call("PATCH", `/v1/members/${acme.people.developer}`, { token: as("owner"), body: lower });
    const nameOf = new Map(Object.entries(made).map(([name, { id }]) => [id, name]));
    const shown = ({ credentials }: Body): Record<string, string> =>
      Object.fromEntries(
        (credentials ?? []).map(({ id, allowed, because }) => [
          nameOf.get(id),
          `${allowed ? "yes" : "no"}: ${because}`,
        ]),
      );
    const open = {
      whole: "yes: its scopes",
      lacking: "no: its scopes are without it",
      open: "yes: its scopes, in its project alone",
      lowered: "no: its creator may not do it, or the organization's policy forbids it",
    };
    assert.deepEqual(shown(await ask(pathOf("s3:write", "open"), as("owner"))), open);
    assert.deepEqual(shown(await ask(pathOf("s3:write"), as("admin"))), open);
    const { closed } = shown(await ask(pathOf("s3:write"), as("owner")));
    assert.equal(closed, "yes: its scopes, in its project alone");
    assert.deepEqual(Object.keys(shown(await ask(pathOf("s3:write", "closed"), as("owner")))), ["closed"]);
    const viewer = await ask(pathOf("s3:write"), as("viewer"));
    assert.deepEqual([viewer.credentials, viewer.s3_keys, viewer.complete], [null, null, true]);
  });

  test("includes S3 keys, for permissions that they can have", async () => {
    const id = await newS3Key(world);
    const { s3_keys: keys } = await ask(pathOf("s3:delete"), as("owner"));
    assert.deepEqual(
      keys?.map((key) => [key.id, key.allowed, key.because]),
      [[id, true, "its scopes"]],
    );
    assert.deepEqual((await ask(pathOf("files:read"), as("owner"))).s3_keys, []);
  });

  test("nobody writes in an archived project, not even a credential with every scope", async () => {
    const { metadata, acme } = world;
    const setState = (state: ProjectState, atMs: number) =>
      metadata.write((tx) => setProjectState(tx, acme.open, { state, atMs }));
    const { id } = await world.credential({ projectId: acme.open.id });
    await setState("archived", 1);
    const { members, credentials } = await ask(pathOf("files:write", "open"), as("owner"));
    await setState("active", 2);
    assert.deepEqual(
      [...members, ...(credentials ?? [])].filter(({ allowed }) => allowed),
      [],
    );
    const owner = members.find(({ user_id }) => user_id === acme.people.owner);
    const own = credentials?.find((each) => each.id === id);
    assert.deepEqual([owner?.because, own?.because], ["project open is archived", "project open is archived"]);
  });
});
