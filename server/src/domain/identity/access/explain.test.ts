import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ALLOWING_ACTS,
  ORG_ROLES,
  ORGANIZATION_STATES,
  PROJECT_ROLES,
  REFUSAL_RULES,
  resourceKindOf,
  SCOPES,
  type OrgRole,
  type ProjectRole,
  type Scope,
} from "@mooring/contract";
import type { Resource } from "#domain/projects/index.ts";
import type { AllowingStep } from "#kernel/refusal.ts";
import { authorize } from "./authorize.ts";
import { explain } from "./explain.ts";
import type { Limits } from "./limits.ts";
import { ORG_ROLE_SCOPES, rightsOfRole } from "./permissions.ts";
import type { CredentialPrincipal, PersonPrincipal, Principal } from "./principal.ts";
import type { Withheld } from "./reason.ts";

const CASES = 5_000;

/** A small generator, so that a failure repeats. */
function generator(seed: number): <T>(values: readonly T[]) => T {
  let state = seed;
  return (values) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return values[Math.floor((state / 2 ** 32) * values.length)] as never;
  };
}

const pick = generator(19);
const some = <T>(values: readonly T[]): T[] => values.filter(() => pick([true, false]));
const maybe = <T>(make: () => T): T | undefined => (pick([true, false]) ? make() : undefined);

const LOST: readonly Withheld[] = [
  { by: "approval" },
  { by: "policy" },
  { by: "project" },
  { by: "token" },
  { by: "resources" },
  { by: "role", role: "viewer", projectRole: null },
  { by: "parent", id: "cred_0", because: { by: "ended", how: "revoked on Monday" } },
  { by: "parent", id: "cred_0", because: { by: "policy" } },
];

function anyLimits(): Limits {
  const ids = new Set(some(["app_1", "app_2"]));
  return {
    repositories: ids,
    buckets: new Map([...ids].map((id) => [id, [pick(["", "in/"])]])),
    webhooks: new Set(some(["wh_1"])),
    services: new Set(some(["shop"])),
  };
}

function anyPrincipal(): Principal {
  const state = pick([...ORGANIZATION_STATES, "active", "active", "active"] as const);
  const place = { orgId: "org_a", orgSlug: "a", organization: { state, reason: null } } as const;
  const limits = pick([0, 1, 2]) === 0 ? anyLimits() : undefined;
  const scopes = new Set(some(SCOPES));
  const withheld = new Map(
    SCOPES.filter((scope) => !scopes.has(scope)).flatMap((scope) => maybe(() => [[scope, pick(LOST)] as const]) ?? []),
  );
  if (pick([true, false])) {
    const projectId = pick([null, "proj_1", "proj_2"]);
    return { kind: "credential", id: "cred_1", clientId: "mrc_1", ...place, projectId, scopes, withheld, limits };
  }
  const role = pick(ORG_ROLES);
  const limit = maybe(() => scopes);
  const own = [...ORG_ROLE_SCOPES[role]].filter((scope) => limit?.has(scope) !== false);
  const projects = new Map(some(["proj_1", "proj_2"]).map((id) => [id, rightsOfRole(pick(PROJECT_ROLES))]));
  const token =
    limit === undefined ? {} : { limit, withheld, limits, via: { kind: "personal_token", id: "cred_9" } as const };
  return {
    kind: "person",
    id: "user_1",
    email: "a@b",
    ...place,
    role,
    scopes: new Set(own),
    endsAtMs: null,
    projects,
    ...token,
  };
}

function anyResource(permission: Scope): Resource | undefined {
  const project = maybe(() => ({
    id: pick(["proj_1", "proj_2", "proj_3"]),
    visibility: pick(["organization", "private"] as const),
    state: pick(["active", "active", "archived"] as const),
    trashed: pick([false, false, false, true]),
  }));
  const kind = resourceKindOf(permission);
  const item =
    kind && maybe(() => ({ kind, id: pick(["app_1", "app_2", "app_3", "wh_1", "shop"]), path: pick(["in/a", "b"]) }));
  const resource = {
    orgId: pick(["org_a", "org_a", "org_a", "org_b"]),
    ...(project && { project }),
    ...(item && { item }),
  };
  return pick([0, 1, 2, 3]) === 0 ? undefined : resource;
}

interface World {
  readonly principal: Principal;
  readonly resource: Resource | undefined;
}

/** Does the act as a person would: it changes only what its sentence says. */
function done({ act, value }: AllowingStep, { principal, resource }: World, permission: Scope): World {
  const project = resource?.project;
  const inProject = (change: object): World => ({
    principal: "projectState" in principal ? { ...principal, projectState: "active" } : principal,
    resource: resource && project && { ...resource, project: { ...project, ...change } },
  });
  const withScope = (): World => ({ principal: given(principal, permission), resource });
  switch (act) {
    case "grant_scope":
    case "request_token":
    case "adopt_credential":
    case "allow_in_policy":
    case "approve":
      return withScope();
    case "widen_bounds": {
      const item = resource?.item;
      if (value === null || item === undefined)
        return { principal: { ...given(principal, permission), limits: undefined }, resource };
      const old = principal.limits ?? assert.fail("it has no limits");
      const limits =
        item.kind === "buckets"
          ? { ...old, buckets: new Map([...old.buckets, [item.id, [""]]]) }
          : { ...old, [item.kind]: new Set([...old[item.kind], item.id]) };
      return { principal: { ...principal, limits }, resource };
    }
    case "raise_role":
      return { principal: withRole(principal as PersonPrincipal, value as OrgRole), resource };
    case "add_project_role": {
      const { projects } = principal as PersonPrincipal;
      const rights = rightsOfRole(value as ProjectRole);
      return {
        principal: { ...(principal as PersonPrincipal), projects: new Map([...projects, [project?.id ?? "", rights]]) },
        resource,
      };
    }
    case "use_project_credential":
      return {
        principal: { ...(principal as CredentialPrincipal), projectId: project?.id ?? assert.fail() },
        resource,
      };
    case "use_organization_credential":
      return { principal: { ...(principal as CredentialPrincipal), projectId: null }, resource };
    case "change_project_state":
      return inProject({ state: "active" });
    case "restore_project":
      return inProject({ trashed: false });
    case "resume_organization":
      return { principal: { ...principal, organization: { state: "active", reason: null } }, resource };
    default:
      return assert.fail(`an unexpected act ${act}`);
  }
}

function given(principal: Principal, scope: Scope): Principal {
  const withheld = new Map([...(principal.withheld ?? [])].filter(([each]) => each !== scope));
  const scopes = new Set([...principal.scopes, scope]);
  if (principal.kind === "credential") return { ...principal, withheld, scopes };
  const has = ORG_ROLE_SCOPES[principal.role as OrgRole].has(scope);
  return {
    ...principal,
    withheld,
    limit: new Set([...(principal.limit ?? []), scope]),
    scopes: has ? scopes : principal.scopes,
  };
}

function withRole(person: PersonPrincipal, role: OrgRole): PersonPrincipal {
  const scopes = [...ORG_ROLE_SCOPES[role]].filter((scope) => person.limit?.has(scope) !== false);
  return { ...person, role, scopes: new Set(scopes) };
}

test("an explanation exists exactly for a refusal, and its acts end the refusal", () => {
  const met = new Set<string>();
  for (let i = 0; i < CASES; i++) {
    const permission = pick(SCOPES);
    const start: World = { principal: anyPrincipal(), resource: anyResource(permission) };
    const decision = authorize(start.principal, permission, start.resource);
    const explanation = explain(start.principal, permission, start.resource);
    const about = JSON.stringify({ ...start, permission, decision, explanation, limits: start.principal.limits });
    assert.equal(explanation === undefined, decision === "allowed", about);
    if (explanation === undefined) continue;
    assert.ok(Object.hasOwn(REFUSAL_RULES, explanation.rule ?? ""), about);
    met.add(explanation.rule ?? "");
    const acts = explanation.wouldAllow ?? [];
    for (const { act, by } of acts) assert.ok(Object.hasOwn(ALLOWING_ACTS, act) && by.length > 0, about);
    if (start.resource?.orgId === "org_b") {
      assert.deepEqual(acts, [], about);
      assert.equal(explanation.resource, undefined, "another organization's resource is not mentioned");
      continue;
    }
    assert.ok(acts.length > 0, `nothing would allow it: ${about}`);
    let world = start;
    for (const step of acts) {
      assert.notEqual(authorize(world.principal, permission, world.resource), "allowed", `an act too many: ${about}`);
      world = done(step, world, permission);
    }
    assert.equal(authorize(world.principal, permission, world.resource), "allowed", about);
  }
  const rules = [
    "absent",
    "approval",
    "key_bounds",
    "organization_state",
    "other_project",
    "policy",
    "private_project",
    "project_state",
    "revoked",
    "role",
    "scope",
  ];
  assert.deepEqual([...met].toSorted(), rules);
});

test("a resource that its caller may not see is marked", () => {
  const principal: CredentialPrincipal = {
    kind: "credential",
    id: "cred_1",
    clientId: "mrc_1",
    orgId: "org_a",
    orgSlug: "a",
    organization: { state: "active", reason: null },
    projectId: null,
    scopes: new Set(["files:read"]),
  };
  const project = { id: "proj_1", visibility: "private", state: "active" } as const;
  const facts = explain(principal, "files:read", { orgId: "org_a", project });
  assert.deepEqual(facts?.resource, { kind: "project", id: "proj_1", projectId: "proj_1", isHidden: true });
  const open = { orgId: "org_a", project: { ...project, visibility: "organization" as const } };
  assert.equal(explain(principal, "files:write", open)?.resource?.isHidden, false);
});
