import assert from "node:assert/strict";
import { test } from "node:test";
import { effectsOf, groupsOf, isSamePolicy, type Credential, type Policy } from "./policy.ts";

const OPEN: Policy = {
  allowed_scopes: null,
  credential_lifetime_days_max: null,
  require_expiry: false,
  allowed_addresses: null,
  allowed_addresses_for: "programs",
  approval_required: false,
  second_factor_required: false,
  sign_in: "any",
  device_login: true,
  orphans: "adopt",
  heir: null,
  audit_retention_days: null,
};
const NOW = new Date("2026-03-01T00:00:00Z");

function credential(change: Partial<Credential>): Credential {
  return {
    id: "cred_1",
    kind: "app",
    client_id: "mrci_1",
    name: "ci",
    project_id: null,
    scopes: ["files:read", "files:write"],
    effective_scopes: ["files:read", "files:write"],
    created_by: "usr_1",
    created_at: "2026-02-01T00:00:00Z",
    belongs_to: { kind: "organization", id: "org_1" },
    responsible: { kind: "person", id: "usr_1", name: "Ada" },
    responsible_since: "2026-02-01T00:00:00Z",
    state: "active",
    state_reason: null,
    expires_at: null,
    revoked_at: null,
    revoked_with: null,
    pending: false,
    allowed_addresses: null,
    resources: null,
    last_used_at: null,
    last_used_ip: null,
    secrets: [],
    ...change,
  };
}

test("a policy removes scopes of existing credentials, and expires credentials that are too old", () => {
  const old = credential({ id: "old", created_at: "2026-01-01T00:00:00Z" });
  const young = credential({ id: "young", created_at: "2026-02-20T00:00:00Z" });
  const soon = credential({ id: "soon", created_at: "2026-02-20T00:00:00Z", expires_at: "2026-03-02T00:00:00Z" });
  const gone = credential({ id: "gone", revoked_at: "2026-02-02T00:00:00Z" });
  const next: Policy = { ...OPEN, allowed_scopes: ["files:read"], credential_lifetime_days_max: 30 };
  const { losing, ending, shortened } = effectsOf(next, OPEN, [old, young, soon, gone], NOW);
  assert.deepEqual(
    losing.map((each) => [each.credential.id, each.scopes]),
    [
      ["old", ["files:write"]],
      ["young", ["files:write"]],
      ["soon", ["files:write"]],
    ],
  );
  assert.deepEqual(
    ending.map(({ id }) => id),
    ["old"],
  );
  assert.deepEqual(
    shortened.map(({ id }) => id),
    ["young"],
  );
});

test("a new list of addresses names the credentials that were used from elsewhere", () => {
  const inside = credential({ id: "inside", last_used_ip: "10.1.2.3" });
  const outside = credential({ id: "outside", last_used_ip: "::ffff:192.0.2.7" });
  const next: Policy = { ...OPEN, allowed_addresses: ["10.0.0.0/8"] };
  const found = effectsOf(next, OPEN, [inside, outside, credential({})], NOW).outside;
  assert.deepEqual(
    found.map(({ id }) => id),
    ["outside"],
  );
  assert.deepEqual(effectsOf(next, next, [outside], NOW).outside, []);
  const ofPeople: Policy = { ...next, allowed_addresses_for: "people" };
  assert.deepEqual(effectsOf(ofPeople, OPEN, [outside], NOW).outside, [], "it does not bind programs");
  assert.deepEqual(effectsOf({ ...next, allowed_addresses_for: "both" }, ofPeople, [outside], NOW).outside, [outside]);
  assert.ok(!isSamePolicy(next, ofPeople));
  assert.ok(!isSamePolicy(next, OPEN) && !isSamePolicy(OPEN, { ...OPEN, approval_required: true }));
});

test("an open policy removes nothing", () => {
  const { losing, ending, shortened } = effectsOf(OPEN, OPEN, [credential({})], NOW);
  assert.deepEqual([losing.length, ending.length, shortened.length], [0, 0, 0]);
});

test("the order of scopes does not matter", () => {
  const one: Policy = { ...OPEN, allowed_scopes: ["files:read", "s3:read"], credential_lifetime_days_max: 7 };
  assert.ok(isSamePolicy(one, { ...one, allowed_scopes: ["s3:read", "files:read"] }));
  assert.ok(!isSamePolicy(one, { ...one, allowed_scopes: null }));
  assert.deepEqual(groupsOf(["files:read", "s3:read", "files:write"]), [
    ["files", ["files:read", "files:write"]],
    ["s3", ["s3:read"]],
  ]);
});
