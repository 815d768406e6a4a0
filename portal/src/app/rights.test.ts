import assert from "node:assert/strict";
import { test } from "node:test";
import { forStates, ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES, type OrgRole, type ProjectRole } from "@mooring/contract";
import { whyNotAnywhere, whyNotIn, type Rights } from "./rights.ts";

function rightsOf(role: OrgRole, projects: Record<string, ProjectRole | null> = {}, archived: string[] = []): Rights {
  return {
    role,
    scopes: ORG_ROLE_SCOPES[role],
    projects: Object.entries(projects).map(([id, own]) => {
      const scopes = own === null ? [] : PROJECT_ROLE_SCOPES[own];
      return { id, scopes, ...forStates("", (state) => state === "archived" && archived.includes(id)) };
    }),
  };
}

test("a role in a project counts in that project, and where any project is enough", () => {
  const me = rightsOf("viewer", { proj_a: "writer", proj_b: null });
  assert.equal(whyNotIn(me, "proj_a", "webhooks:write"), undefined);
  assert.equal(whyNotIn(me, "proj_b", "webhooks:write"), "Your role lacks webhooks:write");
  assert.match(
    String(whyNotIn(me, null, "webhooks:write")),
    /in the organization lacks webhooks:write: choose a project/,
  );
  assert.equal(whyNotAnywhere(me, "webhooks:write"), undefined);
  assert.equal(whyNotAnywhere(me, "credentials:read"), "Your role lacks credentials:read");
  assert.equal(whyNotIn(me, "proj_b", "files:read"), undefined);
});

test("a role in the organization counts everywhere, except for changes of an archived project", () => {
  const me = rightsOf("developer", { proj_a: null, proj_b: "maintainer" }, ["proj_b"]);
  assert.equal(whyNotIn(me, "proj_a", "files:write"), undefined);
  assert.match(String(whyNotIn(me, "proj_b", "files:write")), /archived/);
  assert.equal(whyNotIn(me, "proj_b", "projects:write"), undefined);
  assert.equal(whyNotIn(me, "proj_b", "files:read"), undefined);
  assert.equal(whyNotAnywhere(me, "files:write"), undefined);
  assert.match(String(whyNotAnywhere(rightsOf("viewer", { proj_b: "writer" }, ["proj_b"]), "files:write")), /archived/);
});

test("nothing is allowed before the person is known", () => {
  assert.notEqual(whyNotIn(undefined, null, "org:read"), undefined);
  assert.notEqual(whyNotAnywhere(undefined, "org:read"), undefined);
});
