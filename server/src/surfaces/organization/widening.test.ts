import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { ORGANIZATION_ROUTES, SCOPES, type Route, type Scope } from "@mooring/contract";
import { fresh, newIngestKey, newInvitation, newS3Key, newTrustBody, pendingAt } from "./testing/requests.ts";
import { sharedWorld, type Answer, type Tenant, type World } from "./testing/world.ts";

/**
 * To widen a credential, a key, a member or a policy, the actor must have all of its new permissions. Rows and fields
 * come from the contract: a new one fails here until it has a case, or a reason why it can't widen anything.
 */

type RowName = keyof typeof ORGANIZATION_ROUTES;
const ROWS = ORGANIZATION_ROUTES as unknown as Readonly<Record<RowName, Route>>;

/** A value, and a wider one. */
interface Field {
  readonly narrow: unknown;
  readonly wide: unknown;
}

/** An object that can be widened: its path, a token that may write it and little else, an owner's token, and its current value. */
interface Subject {
  readonly path: string;
  readonly weak: string;
  readonly owner: string;
  readonly read: () => Promise<unknown>;
}

interface RowCase {
  readonly make: (world: World, scopes: readonly Scope[]) => Promise<Subject>;
  /** The cases by the field's path in the body; a text says why the field widens nothing. */
  readonly fields: Readonly<Record<string, Field | string>>;
}

const NAME = "a name gives no permission";
const LOCAL = ["127.0.0.0/8"];
const ADOPTION = "who adopts a credential gains no permission, and gives it none";
const CUSTOM = "custom-roles.test.ts gives custom roles";
const END = "membership-ends.test.ts extends an end";
const BY_SCOPES = "they must fit the scopes, and the tests of narrow resources widen them";
const OF_PEOPLE = "no program may set it, and a separate test removes it";

const CHANGES: Partial<Record<RowName, RowCase>> = {
  updateCredential: {
    make: async (world, scopes) => {
      const { id } = await world.credential();
      return subjectAt(world, world.acme, { path: `/v1/credentials/${id}`, scopes });
    },
    fields: {
      name: NAME,
      scopes: { narrow: ["members:write"], wide: ["members:write", "org:read"] },
      allowed_addresses: { narrow: LOCAL, wide: null },
      resources: BY_SCOPES,
    },
  },
  updateS3Key: {
    make: async (world, scopes) => {
      const token = world.person(world.acme, world.acme.people.owner);
      const { json } = await world.call("POST", "/v1/s3/keys", { token, body: { name: "strong" } });
      return subjectAt(world, world.acme, { path: `/v1/s3/keys/${String(json["id"])}`, scopes });
    },
    fields: {
      name: NAME,
      allowed_addresses: { narrow: LOCAL, wide: [...LOCAL, "192.0.2.0/24"] },
      resources: BY_SCOPES,
    },
  },
  updateIngestKey: {
    make: async (world, scopes) =>
      subjectAt(world, world.acme, { path: `/v1/ingest-keys/${await newIngestKey(world)}`, scopes }),
    fields: {
      name: NAME,
      allowed_addresses: { narrow: LOCAL, wide: [...LOCAL, "192.0.2.0/24"] },
      resources: BY_SCOPES,
      origins: { narrow: ["https://a.example.com"], wide: ["https://a.example.com", "https://b.example.com"] },
      requests_per_second: { narrow: 5, wide: null },
    },
  },
  updateMember: {
    make: async (world, scopes) => {
      const id = await world.join(world.acme, `${fresh("member")}@example.org`, "viewer");
      return subjectAt(world, world.acme, { path: `/v1/members/${id}`, scopes, list: "/v1/members?limit=100" });
    },
    fields: { role: { narrow: "viewer", wide: "developer" }, custom_role: CUSTOM, expires_at: END },
  },
  updateOrganization: {
    make: async (world, scopes) =>
      subjectAt(world, await world.tenant(fresh("policy")), { path: "/v1/organization", scopes }),
    fields: {
      name: NAME,
      token_lifetime_s: { narrow: 300, wide: 301 },
      "policy.allowed_scopes": { narrow: ["org:read", "org:write"], wide: ["org:read", "org:write", "apps:read"] },
      "policy.credential_lifetime_days_max": { narrow: 1, wide: 2 },
      "policy.require_expiry": { narrow: true, wide: false },
      "policy.allowed_addresses": { narrow: LOCAL, wide: null },
      "policy.allowed_addresses_for": { narrow: "both", wide: "programs" },
      "policy.approval_required": { narrow: true, wide: false },
      "policy.second_factor_required": OF_PEOPLE,
      "policy.sign_in": OF_PEOPLE,
      "policy.device_login": { narrow: false, wide: true },
      "policy.orphans": ADOPTION,
      "policy.heir": ADOPTION,
      "policy.audit_retention_days": "a retention gives no permission; its minimum keeps recent entries",
    },
  },
  updateProject: {
    make: async (world, scopes) => {
      const { id, owner } = await privateProject(world);
      const weak = await world.token({ scopes, projectId: id });
      return { ...(await subjectAt(world, world.acme, { path: `/v1/projects/${id}`, scopes })), weak, owner };
    },
    fields: {
      slug: NAME,
      name: NAME,
      environment: "a label gives no permission",
      visibility: { narrow: "private", wide: "organization" },
    },
  },
  putProjectMember: {
    make: async (world, scopes) => {
      const members = `/v1/projects/${world.acme.open.id}/members`;
      const id = await world.join(world.acme, `${fresh("member")}@example.org`, "viewer");
      return subjectAt(world, world.acme, { path: `${members}/${id}`, scopes, list: `${members}?limit=100` });
    },
    fields: { role: { narrow: "reader", wide: "writer" }, custom_role: CUSTOM, expires_at: END },
  },
  updateGroup: {
    make: async (world, scopes) => {
      const { path } = await groupIn(world);
      return subjectAt(world, world.acme, { path, scopes });
    },
    fields: { slug: NAME, name: NAME, claim: "only owners set it; operations/groups.test.ts tries it" },
  },
  updateRole: {
    make: async (world, scopes) => {
      const slug = fresh("role");
      const token = world.person(world.acme, world.acme.people.owner);
      const body = { slug, kind: "organization", scopes: ["org:read", "apps:read"] };
      await world.call("POST", "/v1/roles", { token, body });
      const path = `/v1/roles/${slug}`;
      await world.call("POST", "/v1/invitations", {
        token,
        body: { email: `${fresh("invited")}@example.org`, role: "custom", custom_role: slug },
      });
      return subjectAt(world, world.acme, { path, scopes });
    },
    fields: { slug: NAME, name: NAME, scopes: { narrow: ["org:read"], wide: ["org:read", "apps:read", "audit:read"] } },
  },
  putGroupMember: {
    make: async (world, scopes) => {
      const { path } = await groupIn(world);
      const list = `${path}/members`;
      return subjectAt(world, world.acme, { path: `${list}/${world.acme.people.viewer}`, scopes, list });
    },
    fields: { expires_at: "groups.test.ts adds members without the permissions of the group" },
  },
  putProjectGroup: {
    make: async (world, scopes) => {
      const { slug } = await groupIn(world);
      const list = `/v1/projects/${world.acme.open.id}/groups`;
      return subjectAt(world, world.acme, { path: `${list}/${slug}`, scopes, list });
    },
    fields: { role: { narrow: "reader", wide: "writer" }, custom_role: CUSTOM, expires_at: END },
  },
};

async function groupIn(world: World): Promise<{ slug: string; path: string }> {
  const slug = fresh("group");
  const token = world.person(world.acme, world.acme.people.owner);
  await world.call("POST", "/v1/groups", { token, body: { slug } });
  return { slug, path: `/v1/groups/${slug}` };
}

/** Rows that change something without giving anybody a permission. */
const NO_CHANGES: Partial<Record<RowName, string>> = {
  updateApp: "an app has no permissions, and its name gives none",
};

/** POST rows of these permissions that give nobody anything. */
const NO_ACTS: Partial<Record<RowName, string>> = {
  endMemberAccess: "it only ends sign-ins",
};

type Act = (
  world: World,
  tenant: Tenant,
  weak: (scopes: Scope[]) => Promise<string>,
) => Promise<{
  readonly token: string;
  readonly path: string;
  readonly body?: unknown;
}>;

const ACTS: Partial<Record<RowName, Act>> = {
  createCredential: async (_world, _tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: "/v1/credentials",
    body: { name: "x", scopes: ["apps:read"] },
  }),
  createS3Key: async (_world, _tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: "/v1/s3/keys",
    body: { name: "x", scopes: ["s3:read"] },
  }),
  rotateS3Key: async (world, tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: `/v1/s3/keys/${await newS3Key(world, tenant)}/rotate`,
    body: {},
  }),
  createIngestKey: async (_world, _tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: "/v1/ingest-keys",
    body: { name: "x" },
  }),
  rotateIngestKey: async (world, tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: `/v1/ingest-keys/${await newIngestKey(world, tenant)}/rotate`,
    body: {},
  }),
  rotateCredential: async (world, tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: `/v1/credentials/${(await world.credential({ tenant, scopes: ["apps:read"] })).id}/rotate`,
    body: {},
  }),
  createTrust: async (world, tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: `/v1/credentials/${(await world.credential({ tenant, scopes: ["apps:read"] })).id}/trusts`,
    body: newTrustBody(),
  }),
  adoptCredential: async (world, tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: `/v1/credentials/${(await world.credential({ tenant, scopes: ["apps:read"] })).id}/adopt`,
  }),
  adoptS3Key: async (world, tenant, weak) => ({
    token: await weak(["credentials:write"]),
    path: `/v1/s3/keys/${await newS3Key(world, tenant)}/adopt`,
  }),
  approveCredential: async (world, tenant, weak) => ({
    token: await weak(["credentials:write", "members:write"]),
    path: `/v1/credentials/${await pendingAt({ ...world, acme: tenant }, "/v1/credentials")}/approve`,
  }),
  approveS3Key: async (world, tenant, weak) => ({
    token: await weak(["credentials:write", "members:write"]),
    path: `/v1/s3/keys/${await pendingAt({ ...world, acme: tenant }, "/v1/s3/keys")}/approve`,
  }),
  createInvitation: async (_world, _tenant, weak) => ({
    token: await weak(["members:write"]),
    path: "/v1/invitations",
    body: { email: `${fresh("guest")}@example.org`, role: "viewer" },
  }),
  createGroup: async (_world, _tenant, weak) => ({
    token: await weak(["org:read"]),
    path: "/v1/groups",
    body: { slug: fresh("group") },
  }),
  createRole: async (_world, _tenant, weak) => ({
    token: await weak(["members:write"]),
    path: "/v1/roles",
    body: { slug: fresh("role"), kind: "organization", scopes: ["apps:read"] },
  }),
  renewInvitation: async (world, tenant, weak) => ({
    token: await weak(["members:write"]),
    path: `/v1/invitations/${(await newInvitation(world, tenant)).id}/renew`,
    body: {},
  }),
};

async function subjectAt(
  world: World,
  tenant: Tenant,
  { path, scopes, list = path }: { readonly path: string; readonly scopes: readonly Scope[]; readonly list?: string },
): Promise<Subject> {
  const owner = world.person(tenant, tenant.people.owner);
  return {
    path,
    owner,
    weak: await world.token({ tenant, by: "owner", scopes }),
    read: async () => (await world.call("GET", list, { token: owner })).json,
  };
}

async function privateProject(world: World): Promise<{ id: string; owner: string }> {
  const owner = world.person(world.acme, world.acme.people.owner);
  const body = { slug: fresh("hidden"), visibility: "private" };
  const { json } = await world.call("POST", "/v1/projects", { token: owner, body });
  return { id: String(json["id"]), owner };
}

const names = (): RowName[] => Object.keys(ROWS) as RowName[];
const changes = (): RowName[] => names().filter((name) => ["PATCH", "PUT"].includes(ROWS[name].method));
const GIVING: readonly string[] = ["credentials:write", "members:write"];
const acts = (): RowName[] =>
  names().filter((name) => ROWS[name].method === "POST" && GIVING.includes(ROWS[name].permission));

/** Returns the paths of all members of a body, including those of nested objects. */
function fieldsOf(schema: unknown): string[] {
  const { properties = {} } = schema as { properties?: Record<string, object> };
  return Object.entries(properties).flatMap(([name, inner]) =>
    "properties" in inner ? fieldsOf(inner).map((below) => `${name}.${below}`) : [name],
  );
}

function bodyOf(field: string, value: unknown): unknown {
  return field.split(".").reduceRight((inner, name) => ({ [name]: inner }), value as object);
}

function assertRefused(answer: Answer): void {
  assert.equal(answer.status, 403, answer.text);
  assert.match(String(answer.json["code"]), /^(insufficient_scope|forbidden)$/);
  assert.ok(
    SCOPES.some((scope) => String(answer.json["detail"]).includes(scope)),
    `names the missing permission: ${answer.text}`,
  );
}

describe("nobody gives a permission that they lack", () => {
  let world: World;
  before(async () => {
    world = await sharedWorld();
  });
  after(() => world.close());

  test("every PATCH and PUT of the contract has a case for each of its fields", () => {
    assert.deepEqual([...Object.keys(CHANGES), ...Object.keys(NO_CHANGES)].toSorted(), changes().toSorted());
    for (const [name, { fields }] of Object.entries(CHANGES))
      assert.deepEqual(Object.keys(fields).toSorted(), fieldsOf(ROWS[name as RowName].body).toSorted(), name);
  });

  for (const [name, { make, fields }] of Object.entries(CHANGES)) {
    for (const [field, change] of Object.entries(fields)) {
      if (typeof change === "string") continue;
      test(`${name}: ${field}`, async () => {
        const { method, permission } = ROWS[name as RowName];
        const { path, weak, owner, read } = await make(world, [permission as Scope, "org:read"]);
        const set = (token: string, value: unknown): Promise<Answer> =>
          world.call(method, path, { token, body: bodyOf(field, value) });
        const narrowed = await set(owner, change.narrow);
        assert.equal(narrowed.status, 200, narrowed.text);
        const present = await read();
        assertRefused(await set(weak, change.wide));
        assert.deepEqual(await read(), present, "nothing has changed");
        assert.equal((await set(weak, change.narrow)).status, 200, "changes that widen nothing remain possible");
        const widened = await set(owner, change.wide);
        assert.equal(widened.status, 200, widened.text);
        const again = await set(weak, change.narrow);
        assert.equal(again.status, 200, `narrowing remains possible: ${again.text}`);
      });
    }
  }

  for (const [field, asked, open] of [
    ["second_factor_required", true, false],
    ["sign_in", "provider", "any"],
  ] as const) {
    test(`updateOrganization: an actor with the permissions can undo policy.${field}`, async () => {
      const tenant = await world.tenant(fresh("people"));
      const policy = JSON.stringify({ [field]: asked });
      await world.metadata.write((tx) =>
        tx.updateTable("organization").set({ policy }).where("id", "=", tenant.id).execute(),
      );
      const change = (token: string): Promise<Answer> =>
        world.call("PATCH", "/v1/organization", { token, body: { policy: { [field]: open } } });
      assertRefused(await change(await world.token({ tenant, by: "owner", scopes: ["org:write", "org:read"] })));
      const allowed = await change(await world.token({ tenant }));
      assert.equal(allowed.status, 200, allowed.text);
    });
  }

  test("every POST that creates or approves a credential, a key or a member has a case", () => {
    assert.deepEqual([...Object.keys(ACTS), ...Object.keys(NO_ACTS)].toSorted(), acts().toSorted());
  });

  for (const [name, act] of Object.entries(ACTS)) {
    test(name, async () => {
      const tenant = await world.tenant(fresh("acts"));
      const weak = (scopes: Scope[]): Promise<string> =>
        world.token({ tenant, by: "owner", scopes: [...scopes, "org:read"] });
      const { token, path, body } = await act(world, tenant, weak);
      const ask = (as: string): Promise<Answer> =>
        world.call("POST", path, { token: as, ...(body === undefined ? {} : { body }) });
      assertRefused(await ask(token));
      const allowed = await ask(world.person(tenant, tenant.people.owner));
      assert.equal(allowed.status, ROWS[name as RowName].status, allowed.text);
    });
  }

  test("a developer can't approve a credential that may manage members, but can reduce it", async () => {
    const { acme } = world;
    const { id } = await world.credential({ by: "owner", scopes: ["members:write", "org:read"] });
    const path = `/v1/credentials/${id}`;
    const owner = world.person(acme, acme.people.owner);
    await world.call("PATCH", path, { token: owner, body: { allowed_addresses: LOCAL } });
    const developer = world.person(acme, acme.people.developer);
    const freed = await world.call("PATCH", path, { token: developer, body: { allowed_addresses: null } });
    assert.equal(freed.json["code"], "insufficient_scope");
    assert.equal(freed.json["required_scope"], "members:write");
    const body = { allowed_addresses: ["127.0.0.1"] };
    assert.equal((await world.call("PATCH", path, { token: developer, body })).status, 200);
  });

  describe("an actor that is bound to addresses or to a time", () => {
    const SCOPES_OF_ALL: readonly Scope[] = ["credentials:write", "credentials:read", "org:read"];
    const soon = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

    /** Creates a credential by the API, and a token of it. */
    async function made(bounds: object): Promise<{ id: string; token: string }> {
      const owner = world.person(world.acme, world.acme.people.owner);
      const body = { name: fresh("bound"), scopes: SCOPES_OF_ALL, ...bounds };
      const { json, status, text } = await world.call("POST", "/v1/credentials", { token: owner, body });
      assert.equal(status, 201, text);
      const client = { clientId: String(json["client_id"]), clientSecret: String(json["client_secret"]) };
      if ("allowed_addresses" in bounds && JSON.stringify(bounds.allowed_addresses).includes("192.0.2."))
        return { id: String(json["id"]), token: "" };
      const origin = { ip: "127.0.0.1", requestId: "req_test" };
      const state = await world.identity.signIn.authenticate({ ...client, ...origin });
      const { accessToken } = await world.identity.tokens.issuer.issue(state, origin);
      return { id: String(json["id"]), token: accessToken };
    }

    const WAYS: Readonly<Record<string, (id: string) => { method: string; path: string; body: unknown }>> = {
      rotate: (id) => ({ method: "POST", path: `/v1/credentials/${id}/rotate`, body: {} }),
      "trust an issuer": (id) => ({ method: "POST", path: `/v1/credentials/${id}/trusts`, body: newTrustBody() }),
    };
    const inTwoHours = soon(2);
    const BOUNDS = {
      addresses: [{ allowed_addresses: LOCAL }, { allowed_addresses: ["127.0.0.1"] }, {}],
      "another address": [{ allowed_addresses: LOCAL }, {}, { allowed_addresses: ["192.0.2.0/24"] }],
      time: [{ expires_at: soon(2) }, { expires_at: soon(1) }, {}],
      "a time before": [{ expires_at: inTwoHours }, { expires_at: inTwoHours }, { expires_at: soon(3) }],
    } as const;

    for (const [what, [own, within, beyond]] of Object.entries(BOUNDS)) {
      for (const [way, asked] of Object.entries(WAYS)) {
        test(`${what}: can't ${way} a less limited one, and can ${way} an equally limited one`, async () => {
          const { token } = await made(own);
          const ask = async (bounds: object): Promise<Answer> => {
            const { method, path, body } = asked((await made(bounds)).id);
            return world.call(method, path, { token, body });
          };
          const refused = await ask(beyond);
          assert.deepEqual([refused.status, refused.json["code"]], [403, "forbidden"], refused.text);
          if (what === "another address") return;
          const allowed = await ask(within);
          assert.equal(allowed.status, way === "rotate" ? 200 : 201, allowed.text);
        });
      }
    }

    test("it rotates its own secret, and those of credentials that it created", async () => {
      const { id, token } = await made({ allowed_addresses: LOCAL, expires_at: soon(2) });
      const body = { name: fresh("child"), scopes: ["org:read"] };
      const child = await world.call("POST", "/v1/credentials", { token, body });
      assert.equal(child.status, 201, child.text);
      for (const own of [String(child.json["id"]), id]) {
        const answer = await world.call("POST", `/v1/credentials/${own}/rotate`, { token, body: {} });
        assert.equal(answer.status, 200, answer.text);
      }
    });

    test("it can't widen the addresses of others", async () => {
      const { token } = await made({ allowed_addresses: LOCAL });
      const { id } = await made({ allowed_addresses: ["127.0.0.1"] });
      const set = (addresses: unknown): Promise<Answer> =>
        world.call("PATCH", `/v1/credentials/${id}`, { token, body: { allowed_addresses: addresses } });
      assert.equal((await set(null)).json["code"], "forbidden");
      assert.equal((await set(LOCAL)).status, 200);
    });
  });
});
