import assert from "node:assert/strict";
import { describe, test } from "node:test";
import {
  forStates,
  ORGANIZATION_ACTS,
  organizationAllows,
  ORG_ROLES,
  PROJECT_ROLES,
  SCOPES,
  stateAllows,
  SUSPENDED_STATES,
  UNATTENDED_ACTIONS,
  type OrganizationAct,
  type OrgRole,
  type ProjectRole,
  type Scope,
} from "@mooring/contract";
import {
  authorize,
  decide,
  forHarmless,
  heldScopes,
  holds,
  mayRevokeIn,
  reachOf,
  scopesOf,
  type Decision,
} from "./authorize.ts";
import type { Limits } from "./limits.ts";
import { ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES, rightsOfRole } from "./permissions.ts";
import type { CredentialPrincipal, PersonPrincipal, Principal } from "./principal.ts";
import type { Resource } from "#domain/projects/index.ts";
import {
  ARCHIVED_FORBIDS,
  inRole,
  ORG_TABLE,
  PROJECT_TABLE,
  READ_ONLY_SCOPES,
} from "../../../../../tests/fixtures/permissions/tables.ts";
import { clauseOf, decidedBy, lacking, type Reason, type Withheld } from "./reason.ts";

const ORGANIZATION: Resource = { orgId: "org_a" };
const OPEN: Resource = { orgId: "org_a", project: { id: "proj_open", visibility: "organization", state: "active" } };
const CLOSED: Resource = { orgId: "org_a", project: { id: "proj_closed", visibility: "private", state: "active" } };
const ARCHIVED: Resource = {
  orgId: "org_a",
  project: { id: "proj_open", visibility: "organization", state: "archived" },
};
const ELSEWHERE: Resource = { orgId: "org_b" };
const ONE_REPOSITORY: Limits = {
  repositories: new Set(["app_1"]),
  buckets: new Map(),
  webhooks: new Set(),
  services: new Set(),
};

function person(role: OrgRole, projects: Record<string, ProjectRole> = {}): PersonPrincipal {
  const scopes = ORG_ROLE_SCOPES[role];
  return {
    kind: "person",
    id: "user_1",
    email: "a@b",
    orgId: "org_a",
    orgSlug: "a",
    organization: { state: "active", reason: null },
    role,
    scopes,
    endsAtMs: null,
    projects: new Map(Object.entries(projects).map(([id, there]) => [id, rightsOfRole(there)])),
  };
}

function credential(scopes: readonly Scope[], projectId: string | null = null): CredentialPrincipal {
  return {
    kind: "credential",
    id: "cred_1",
    clientId: "mrc_1",
    orgId: "org_a",
    orgSlug: "a",
    organization: { state: "active", reason: null },
    projectId,
    scopes: new Set(scopes),
  };
}

/** For a guest, nothing outside of their projects exists. */
const outside = (role: OrgRole, decision: Decision): Decision => (role === "guest" ? "hidden" : decision);
const decided = (allowed: boolean): Decision => (allowed ? "allowed" : "insufficient_scope");

test("roles of the organization have exactly the table's scopes", () => {
  for (const role of ORG_ROLES) {
    for (const scope of SCOPES) {
      const expected = decided(inRole(ORG_TABLE, scope, role));
      assert.equal(authorize(person(role), scope, ORGANIZATION), outside(role, expected), `${role} ${scope}`);
      assert.equal(
        authorize(person(role), scope, OPEN),
        outside(role, expected),
        `${role} ${scope} in a project that all see`,
      );
      assert.equal(authorize(person(role), scope), expected, `${role} ${scope} anywhere`);
    }
  }
});

test("a role in a project adds its scopes there and nowhere else", () => {
  for (const projectRole of PROJECT_ROLES) {
    const viewer = person("viewer", { proj_open: projectRole });
    for (const scope of SCOPES) {
      const own = inRole(ORG_TABLE, scope, "viewer");
      const there = own || inRole(PROJECT_TABLE, scope, projectRole);
      assert.equal(
        PROJECT_ROLE_SCOPES[projectRole].has(scope),
        inRole(PROJECT_TABLE, scope, projectRole),
        `${projectRole} ${scope}`,
      );
      assert.equal(authorize(viewer, scope, OPEN), decided(there), `${projectRole} ${scope} there`);
      assert.equal(authorize(viewer, scope), decided(there), `${projectRole} ${scope} anywhere`);
      assert.equal(authorize(viewer, scope, ORGANIZATION), decided(own), `${projectRole} ${scope} in the organization`);
    }
  }
});

test("a guest has the scopes of their roles in projects, and nothing else exists for them", () => {
  for (const projectRole of PROJECT_ROLES) {
    const guest = person("guest", { proj_closed: projectRole });
    for (const scope of SCOPES) {
      const there = decided(inRole(PROJECT_TABLE, scope, projectRole));
      assert.equal(authorize(guest, scope, CLOSED), there, `${projectRole} ${scope} there`);
      assert.equal(authorize(guest, scope, OPEN), "hidden", `${projectRole} ${scope} in a project that others see`);
      assert.equal(authorize(guest, scope, ORGANIZATION), "hidden", `${projectRole} ${scope} in the organization`);
      assert.deepEqual(reachOf(guest, scope), {
        organization: false,
        visibleProjects: false,
        projectIds: there === "allowed" ? ["proj_closed"] : [],
        exceptStates: reachOf(guest, scope).exceptStates,
      });
    }
  }
});

test("a person's token limits every role, and gives none", () => {
  for (const projectRole of PROJECT_ROLES) {
    for (const held of SCOPES) {
      const limit = new Set([held]);
      const viewer = person("viewer", { proj_open: projectRole, proj_closed: projectRole });
      const scopes = new Set([...viewer.scopes].filter((scope) => scope === held));
      const limited: PersonPrincipal = { ...viewer, scopes, limit };
      for (const scope of SCOPES) {
        for (const resource of [ORGANIZATION, OPEN, CLOSED, undefined]) {
          const expected = scope === held ? authorize(viewer, scope, resource) : "insufficient_scope";
          assert.equal(authorize(limited, scope, resource), expected, `${projectRole} ${scope} by ${held}`);
        }
        const reach = reachOf(limited, scope);
        const whole = reachOf(viewer, scope);
        assert.deepEqual(reach.projectIds, scope === held ? whole.projectIds : [], `${scope} by ${held}`);
      }
      assert.ok([...(heldScopes(limited, OPEN) ?? [])].every((scope) => scope === held));
    }
  }
});

/** Owners see the name, the members and the credentials of every project. */
const closedTo = (role: OrgRole, scope: Scope): Decision =>
  role === "owner" && ["projects:read", "credentials:read"].includes(scope) ? "allowed" : "hidden";

test("a project in the trash is hidden from everyone, even from its members and from owners", () => {
  for (const [visibility, role] of [
    ["organization", "admin"],
    ["private", "owner"],
  ] as const) {
    const resource: Resource = {
      orgId: "org_a",
      project: { id: "proj_closed", visibility, state: "active", trashed: true },
    };
    const principal = person(role, { proj_closed: "maintainer" });
    for (const scope of SCOPES) assert.equal(authorize(principal, scope, resource), "hidden", `${role} ${scope}`);
    assert.equal(mayRevokeIn(principal, resource), false);
  }
});

test("the content of a private project is hidden from everyone except its members, even from owners", () => {
  for (const role of ORG_ROLES) {
    for (const scope of SCOPES) {
      assert.equal(authorize(person(role), scope, CLOSED), closedTo(role, scope), `${role} ${scope}`);
      assert.equal(heldScopes(person(role), CLOSED), undefined, "and nobody can give others what they only oversee");
      assert.equal(mayRevokeIn(person(role), CLOSED), role === "owner");
      assert.equal(
        authorize(person(role, { proj_open: "maintainer" }), scope, CLOSED),
        closedTo(role, scope),
        `${role} ${scope} of another project`,
      );
    }
  }
  const owner = person("owner");
  const limited: PersonPrincipal = { ...owner, scopes: new Set(["files:read"]), limit: new Set(["files:read"]) };
  assert.equal(authorize(limited, "projects:read", CLOSED), "hidden", "a token without the scope oversees nothing");
  assert.equal(mayRevokeIn(limited, CLOSED), false);
  assert.equal(authorize(owner, "projects:read", { ...CLOSED, orgId: "org_b" }), "hidden");
  assert.equal(mayRevokeIn(credential(SCOPES), CLOSED), false);
  const narrow: PersonPrincipal = { ...owner, limits: ONE_REPOSITORY };
  assert.equal(authorize(narrow, "projects:read", CLOSED), "hidden", "a token with limits oversees nothing");
  for (const other of [narrow, suspended(owner, "read_only"), suspended(owner, "blocked")])
    assert.equal(mayRevokeIn(other, CLOSED), false);
  assert.equal(mayRevokeIn(owner, { ...CLOSED, orgId: "org_b" }), false);
  assert.equal(mayRevokeIn(owner, ORGANIZATION), false);
  assert.equal(authorize(person("viewer", { proj_closed: "reader" }), "files:read", CLOSED), "allowed");
  assert.equal(authorize(person("viewer", { proj_closed: "reader" }), "files:write", CLOSED), "insufficient_scope");
  assert.equal(authorize(person("owner", { proj_closed: "reader" }), "files:delete", CLOSED), "allowed");
});

test("everything of another organization is hidden, even with all permissions", () => {
  for (const scope of SCOPES) {
    assert.equal(authorize(person("owner", { proj_open: "maintainer" }), scope, ELSEWHERE), "hidden");
    assert.equal(authorize(credential(SCOPES), scope, ELSEWHERE), "hidden");
    assert.equal(authorize(credential(SCOPES), scope, { ...OPEN, orgId: "org_b" }), "hidden");
  }
});

test("a credential of the organization reaches it and its visible projects, with its own scopes", () => {
  for (const scope of SCOPES) {
    for (const resource of [ORGANIZATION, OPEN, undefined]) {
      assert.equal(authorize(credential([scope]), scope, resource), "allowed");
      assert.equal(
        authorize(credential(SCOPES.filter((each) => each !== scope)), scope, resource),
        "insufficient_scope",
      );
    }
    assert.equal(authorize(credential(SCOPES), scope, CLOSED), "hidden");
  }
});

test("a credential of a project reaches that project alone", () => {
  for (const scope of SCOPES) {
    const bound = credential([scope], "proj_closed");
    assert.equal(authorize(bound, scope, CLOSED), "allowed");
    assert.equal(authorize(bound, scope), "allowed");
    assert.equal(authorize(bound, scope, OPEN), "hidden");
    assert.equal(authorize(bound, scope, ORGANIZATION), "hidden");
    assert.equal(authorize(credential([], "proj_closed"), scope, CLOSED), "insufficient_scope");
  }
});

test("an archived project refuses writes and deletions, and allows reading and administration; a missing permission is the stronger reason", () => {
  const forbids: readonly string[] = ARCHIVED_FORBIDS;
  for (const scope of SCOPES) {
    const expected = forbids.includes(scope) ? "state" : "allowed";
    assert.equal(authorize(person("owner"), scope, ARCHIVED), expected, scope);
    assert.equal(authorize(credential([scope]), scope, ARCHIVED), expected, scope);
    assert.equal(authorize(credential([]), scope, ARCHIVED), "insufficient_scope", scope);
    const bound = { ...credential([scope], "proj_open"), projectState: "archived" as const };
    assert.equal(authorize(bound, scope), expected, `${scope} of the project's credential, without a resource`);
    assert.equal(authorize(credential([scope], "proj_x"), scope, ARCHIVED), "hidden");
  }
});

const READ_ONLY_ACTS: readonly OrganizationAct[] = ["sign_in", "end_access", "retain"];
const FORBIDDEN_ACTS: readonly OrganizationAct[] = ["join", "keep", "webhooks:receive", "alerts:evaluate", "deliver"];

function suspended<P extends Principal>(principal: P, state: "read_only" | "blocked" | "deleting"): P {
  return { ...principal, organization: { state, reason: "unpaid" } };
}

test("a read-only organization allows only reading, and a blocked one nothing, to everybody and everywhere", () => {
  const reads: readonly string[] = READ_ONLY_SCOPES;
  for (const scope of SCOPES) {
    for (const principal of [
      person("owner", { proj_closed: "maintainer" }),
      credential(SCOPES),
      credential(SCOPES, "proj_open"),
    ]) {
      for (const resource of [ORGANIZATION, OPEN, CLOSED, undefined]) {
        const before = authorize(principal, scope, resource);
        const readOnly = authorize(suspended(principal, "read_only"), scope, resource);
        assert.equal(readOnly, reads.includes(scope) ? before : "organization", `${scope} read-only`);
        assert.equal(authorize(suspended(principal, "blocked"), scope, resource), "organization", `${scope} blocked`);
        assert.equal(authorize(suspended(principal, "deleting"), scope, resource), "organization", `${scope} deleting`);
      }
      assert.equal(authorize(suspended(principal, "blocked"), scope, ELSEWHERE), "hidden");
      const { organization, visibleProjects, projectIds } = reachOf(suspended(principal, "read_only"), scope);
      const reach = reachOf(principal, scope);
      const expected = [reach.organization, reach.visibleProjects, reach.projectIds];
      const found = [organization, visibleProjects, projectIds];
      assert.deepEqual(found, reads.includes(scope) ? expected : [false, false, []], scope);
    }
  }
  assert.deepEqual(SUSPENDED_STATES, ["read_only", "blocked", "deleting"]);
  assert.deepEqual(ORGANIZATION_ACTS.toSorted(), [...READ_ONLY_ACTS, ...FORBIDDEN_ACTS].toSorted());
  for (const act of ORGANIZATION_ACTS) {
    assert.equal(organizationAllows("read_only", act), READ_ONLY_ACTS.includes(act), act);
    assert.equal(organizationAllows("blocked", act), false, act);
    assert.equal(organizationAllows("deleting", act), act === "keep", act);
    assert.ok(organizationAllows("active", act));
  }
});

test("an act that only takes access away is allowed in a read-only organization, and not in a blocked one", () => {
  const owner = person("owner");
  const decisions = (["read_only", "blocked", "deleting"] as const).map((state) =>
    authorize(forHarmless(suspended(owner, state)), "credentials:write", ORGANIZATION),
  );
  assert.deepEqual(decisions, ["allowed", "organization", "organization"]);
  const viewer = forHarmless(suspended(person("viewer"), "read_only"));
  assert.equal(authorize(viewer, "credentials:write", ORGANIZATION), "insufficient_scope");
});

test("a suspension takes no permissions away, so that credentials are not reduced by it", () => {
  const owner = suspended(person("owner"), "blocked");
  assert.deepEqual(heldScopes(owner, OPEN), heldScopes(person("owner"), OPEN));
});

test("the list of reachable projects agrees with the check of each row", () => {
  const principals = [
    ...ORG_ROLES.flatMap((role) => [
      person(role),
      ...PROJECT_ROLES.flatMap((own) => [person(role, { proj_open: own }), person(role, { proj_closed: own })]),
    ]),
    credential(SCOPES),
    credential(["files:read"]),
    credential(SCOPES, "proj_open"),
    credential(["files:read"], "proj_closed"),
  ];
  for (const principal of principals) {
    for (const scope of SCOPES) {
      const reach = reachOf(principal, scope);
      const reaches = (id: string, visible: boolean): boolean =>
        reach.projectIds.includes(id) || (visible && reach.visibleProjects);
      assert.equal(reach.organization, authorize(principal, scope, ORGANIZATION) === "allowed");
      assert.equal(reaches("proj_open", true), authorize(principal, scope, OPEN) === "allowed");
      const isArchivedReached = reaches("proj_open", true) && !reach.exceptStates.includes("archived");
      assert.equal(isArchivedReached, authorize(principal, scope, ARCHIVED) === "allowed");
      assert.equal(
        reaches("proj_closed", false) || reach.privateProjects === true,
        authorize(principal, scope, CLOSED) === "allowed",
      );
    }
  }
});

test("the server's own acts stop in an archived project, and the members of its state have its name", () => {
  assert.deepEqual(UNATTENDED_ACTIONS, ["webhooks:receive", "alerts:evaluate"]);
  for (const act of UNATTENDED_ACTIONS) {
    assert.equal(stateAllows("archived", act), false, act);
    assert.equal(stateAllows("active", act), true, act);
  }
  assert.deepEqual(
    forStates("_at", (state) => state),
    { archived_at: "archived" },
  );
});

test("the scopes of a principal are those that the check allows", () => {
  const writer = person("viewer", { proj_open: "writer" });
  const held = heldScopes(writer, OPEN) ?? new Set();
  const anywhere = scopesOf(writer);
  for (const scope of SCOPES) {
    assert.equal(held.has(scope), authorize(writer, scope, OPEN) === "allowed");
    assert.equal(holds(writer, scope, OPEN), authorize(writer, scope, OPEN) === "allowed");
    assert.equal(holds(writer, scope, ORGANIZATION), authorize(writer, scope, ORGANIZATION) === "allowed");
    assert.equal(anywhere.has(scope), authorize(writer, scope) === "allowed");
    for (const resource of [CLOSED, ELSEWHERE]) {
      assert.equal(holds(writer, scope, resource), false);
      assert.equal(heldScopes(writer, resource), undefined);
    }
  }
});

describe("the reason of a refusal", () => {
  const lowered: Withheld = { by: "role", role: "viewer", projectRole: null };
  const whyNot = (principal: Principal, scope: Scope, resource?: Resource): Reason => {
    const verdict = decide(principal, scope, resource);
    assert.ok(!verdict.allowed);
    return verdict.reason;
  };

  test("names what removed the scope from the credential, or that it was never given", () => {
    const withheld = new Map<Scope, Withheld>([
      ["files:write", lowered],
      ["audit:read", { by: "policy" }],
    ]);
    const cut = { ...credential(["files:read"]), withheld };
    assert.deepEqual(whyNot(cut, "files:write", OPEN), lowered);
    assert.deepEqual(whyNot(cut, "audit:read"), { by: "policy" });
    assert.deepEqual(whyNot(cut, "files:delete", OPEN), { by: "scope" });
    assert.deepEqual(whyNot(cut, "files:write", CLOSED), { by: "hidden" }, "a hidden resource has no other reason");
  });

  test("names a person's roles in the organization and the project", () => {
    const viewer = person("viewer", { proj_open: "reader" });
    const reason = whyNot(viewer, "files:write", OPEN);
    assert.deepEqual(reason, { by: "own role", role: "viewer", projectRole: "reader" });
    assert.match(
      lacking("files:write", reason).message,
      /^This needs the scope files:write\. Your role viewer \(reader in the project\)/,
    );
    assert.deepEqual(whyNot(viewer, "files:write"), { by: "own role", role: "viewer", projectRole: null });
  });

  test("names what removed the scope from a person's token, or their role if the token has it", () => {
    const limit = new Set<Scope>(["files:read", "files:write"]);
    const withheld = new Map<Scope, Withheld>([["audit:read", { by: "policy" }]]);
    const limited: PersonPrincipal = { ...person("viewer"), scopes: new Set(["files:read"]), limit, withheld };
    assert.deepEqual(whyNot(limited, "files:delete", OPEN), { by: "scope" });
    assert.deepEqual(whyNot(limited, "audit:read", OPEN), { by: "policy" });
    assert.deepEqual(whyNot(limited, "files:write", OPEN), { by: "own role", role: "viewer", projectRole: null });
  });

  test("names the limits of a token, also if the scope comes from a role in the project", () => {
    const writer = { ...person("viewer", { proj_open: "writer" }), limits: ONE_REPOSITORY };
    assert.deepEqual(whyNot(writer, "registry:push", OPEN), { by: "beyond resources" });
    assert.deepEqual(whyNot(writer, "webhooks:write"), { by: "beyond resources" });
    assert.deepEqual(whyNot(writer, "registry:push", { ...OPEN, item: { kind: "repositories", id: "app_2" } }), {
      by: "hidden",
    });
  });

  test("has a text that names the deciding check and every parent", () => {
    const id = "cred_parent";
    const cases: readonly (readonly [Reason, string, RegExp])[] = [
      [{ by: "scope" }, "scope", /was not given this scope/],
      [{ by: "token" }, "scope", /this token was issued without it\. Ask for a token with that scope/],
      [{ by: "policy" }, "policy", /the organization's policy forbids it for credentials/],
      [{ by: "approval" }, "approval", /waits for an approval/],
      [{ by: "project" }, "project", /project was deleted, or is hidden/],
      [lowered, "role", /role of the person responsible for it was lowered to viewer/],
      [{ by: "role", role: null, projectRole: null }, "role", /has left the organization/],
      [{ by: "parent", id, because: { by: "scope" } }, "parent", /its parent cred_parent lost this permission/],
      [
        { by: "parent", id, because: lowered },
        "role",
        /its parent cred_parent lost it: the role .* was lowered to viewer/,
      ],
    ];
    for (const [reason, decided, words] of cases) {
      const problem = lacking("files:write", reason);
      assert.deepEqual(
        [problem.code, problem.options.scope, problem.options.decidedBy],
        ["insufficient_scope", "files:write", decided],
      );
      assert.match(problem.message, words);
      assert.equal(decidedBy(reason), decided);
    }
    assert.match(clauseOf({ by: "token" }), /issued without it/);
  });
});
