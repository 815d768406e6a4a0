import assert from "node:assert/strict";
import { test } from "node:test";
import { PROJECT_ROLES, type ProjectRole } from "@mooring/contract";
import {
  nameOfRole,
  ORG_ROLE_SCOPES,
  PROJECT_ROLE_SCOPES,
  rightsOfGrants,
  rightsOfRole,
  scopesOfProjectRole,
  scopesOfRole,
} from "./permissions.ts";

const NOW_MS = 1_000;
const BUILT_IN = { custom_slug: null, custom_scopes: null };
const grant = (role: ProjectRole, endsAtMs: number | null = null) => ({ role, endsAtMs, ...BUILT_IN });
const custom = (custom_scopes: string | null) => ({ role: "custom" as const, custom_slug: "auditor", custom_scopes });

test("several roles in a project give together what the highest of them gives, in any order", () => {
  for (const first of PROJECT_ROLES) {
    for (const second of PROJECT_ROLES) {
      const rights = rightsOfGrants([grant(first), grant(second)], NOW_MS);
      const both = new Set([...PROJECT_ROLE_SCOPES[first], ...PROJECT_ROLE_SCOPES[second]]);
      assert.deepEqual(rights?.scopes, both, `${first} and ${second}`);
      assert.equal(rights?.role, PROJECT_ROLE_SCOPES[first].size >= both.size ? first : second);
    }
  }
});

test("an ended role gives nothing, from the moment of its end on", () => {
  assert.equal(rightsOfGrants([], NOW_MS), undefined);
  assert.equal(rightsOfGrants([grant("writer", NOW_MS - 1)], NOW_MS), undefined);
  assert.equal(rightsOfGrants([grant("writer", NOW_MS)], NOW_MS), undefined);
  assert.deepEqual(rightsOfGrants([grant("writer", NOW_MS + 1)], NOW_MS), rightsOfRole("writer", NOW_MS + 1));
  const rights = rightsOfGrants([grant("maintainer", NOW_MS), grant("reader")], NOW_MS);
  assert.deepEqual(rights, rightsOfRole("reader"));
});

test("the end is that of the highest role, and of its longest grant", () => {
  const ends = (...grants: Parameters<typeof rightsOfGrants>[0]) => rightsOfGrants(grants, NOW_MS)?.endsAtMs;
  assert.equal(ends(grant("reader"), grant("writer", 5_000)), 5_000);
  assert.equal(ends(grant("writer", 2_000), grant("writer", 3_000)), 3_000);
  assert.equal(ends(grant("writer", 3_000), grant("writer", 2_000)), 3_000);
  assert.equal(ends(grant("writer"), grant("writer", 3_000)), null);
  assert.equal(ends(grant("writer", 3_000), grant("writer")), null);
});

test("a custom role has its own scopes, in a project only those of a maintainer, and none if it was not read", () => {
  const auditor = custom("files:read audit:read unknown:scope");
  assert.deepEqual(scopesOfRole(auditor), new Set(["files:read", "audit:read"]));
  assert.deepEqual(scopesOfProjectRole(auditor), new Set(["files:read"]));
  assert.deepEqual([scopesOfRole(custom(null)).size, scopesOfProjectRole(custom(null)).size], [0, 0]);
  assert.equal(scopesOfRole({ role: "viewer", custom_scopes: "org:write" }), ORG_ROLE_SCOPES.viewer);
  assert.equal(scopesOfProjectRole({ role: "reader", custom_scopes: "files:write" }), PROJECT_ROLE_SCOPES.reader);
});

test("the name of a custom role is its slug", () => {
  assert.equal(nameOfRole({ role: "custom", custom_slug: "auditor" }), "auditor");
  assert.equal(nameOfRole({ role: "custom", custom_slug: null }), "custom");
  assert.equal(nameOfRole({ role: "viewer", custom_slug: "auditor" }), "viewer");
});

test("roles that do not contain each other give their union, with the name and end of the larger one", () => {
  const deleter = { ...custom("files:delete credentials:read"), endsAtMs: null };
  const rights = rightsOfGrants([deleter, grant("reader", 5_000)], NOW_MS);
  assert.deepEqual([rights?.role, rights?.customRole, rights?.endsAtMs], ["reader", null, 5_000]);
  assert.deepEqual(rights?.scopes, new Set([...PROJECT_ROLE_SCOPES.reader, "files:delete", "credentials:read"]));
  const inside = { ...custom("files:read"), endsAtMs: null };
  assert.deepEqual(rightsOfGrants([inside, deleter, grant("reader", 5_000)], NOW_MS), rights);
  const part = { ...custom("files:read credentials:read"), endsAtMs: null };
  assert.ok(rightsOfGrants([part, grant("reader")], NOW_MS)?.scopes.has("credentials:read"));
});
