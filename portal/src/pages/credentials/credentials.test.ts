import assert from "node:assert/strict";
import { test } from "node:test";
import { ORG_ROLE_SCOPES, PROJECT_ROLE_SCOPES, SCOPES } from "@mooring/contract";
import { cut, groupsOf, whyNot, type Grant } from "../../access/permissions.ts";
import { allowedDays, expiresAt, expiryChoices } from "../../access/draft.ts";
import { NO_TEXTS } from "../../access/resources.ts";
import { canBeAdopted, countdown, ownerLeft, stateOf, type StateInput } from "../../access/state.ts";
import { draftOf } from "./prefill.ts";
import { kubernetesName, secretSnippets } from "./secret-snippets.ts";
import { TEMPLATES } from "./templates.ts";

const NOW = Date.parse("2026-11-20T08:00:00Z");
const OWNER: Grant = {
  orgRole: "owner",
  orgScopes: ORG_ROLE_SCOPES.owner,
  project: null,
  projectRoleScopes: PROJECT_ROLE_SCOPES,
  policyScopes: null,
};

test("an owner can give every permission, and in a project every permission of a project", () => {
  assert.ok(SCOPES.every((scope) => whyNot(scope, OWNER) === null));
  const ofProject = { ...OWNER, project: { name: "web", role: null } };
  assert.deepEqual(
    SCOPES.filter((scope) => whyNot(scope, ofProject) !== null),
    ["org:read", "org:write", "members:write", "queries:manage", "audit:read"],
  );
});

test("a permission that can't be given names the rule", () => {
  const viewer: Grant = { ...OWNER, orgRole: "viewer", orgScopes: ORG_ROLE_SCOPES.viewer };
  assert.match(whyNot("telemetry:write", viewer) ?? "", /your role viewer lacks it/);
  const writer: Grant = { ...viewer, project: { name: "web", role: "writer" } };
  assert.equal(whyNot("telemetry:write", writer), null);
  assert.match(whyNot("apps:write", writer) ?? "", /viewer, writer of web/);
  assert.match(whyNot("files:read", { ...OWNER, policyScopes: ["telemetry:write"] }) ?? "", /policy/);
});

test("requested permissions are reduced to those that can be given", () => {
  const asked = cut(["telemetry:write", "files:read"], { ...OWNER, policyScopes: ["telemetry:write"] });
  assert.deepEqual(asked.given, ["telemetry:write"]);
  assert.deepEqual(
    asked.left.map(({ scope }) => scope),
    ["files:read"],
  );
});

test("the groups have every scope once", () => {
  const grouped = groupsOf(SCOPES).flatMap(({ scopes }) => scopes);
  assert.equal(grouped.length, SCOPES.length);
  assert.deepEqual(new Set(grouped), new Set(SCOPES));
});

test("a link fills in the form; invalid values are dropped", () => {
  assert.deepEqual(
    draftOf(
      { scopes: "registry:pull, nonsense registry:push", for_project: "web", expires_days: 30, name: "deploy" },
      SCOPES,
      null,
    ),
    {
      template: "custom",
      name: "deploy",
      requested: ["registry:pull", "registry:push"],
      project: "web",
      expiresDays: 30,
      addresses: "",
      resources: null,
      withoutSecret: false,
    },
  );
  assert.equal(draftOf({ template: "ci", without_secret: true }, SCOPES, null).withoutSecret, true);
  assert.equal(draftOf({ template: "ci" }, SCOPES, "web").project, "web");
  assert.deepEqual(draftOf({ template: "ci" }, SCOPES, null).requested, ["registry:pull", "registry:push"]);
  assert.equal(draftOf({ template: "ci", expires_days: "never" }, SCOPES, null).expiresDays, null);
  assert.equal(draftOf({ template: "ci", expires_days: "-5" }, SCOPES, null).expiresDays, 90);
  assert.equal(draftOf({}, SCOPES, null).template, "agent");
  const limited = draftOf({ template: "ci", repositories: ["shop", 7, {}], buckets: "shop/in/" }, SCOPES, null);
  assert.deepEqual(limited.resources, { ...NO_TEXTS, repositories: "shop\n7", buckets: "shop/in/" });
  assert.equal(draftOf({ template: "ci", services: {} }, SCOPES, null).resources, null);
  assert.deepEqual(draftOf({ template: "ci-image" }, SCOPES, null).resources, NO_TEXTS);
  assert.equal(
    draftOf({ template: 7, name: {}, scopes: [1, "files:read"] }, SCOPES, null).requested.join(),
    "files:read",
  );
});

test("a permission without resources can't be given to a limited credential", () => {
  const limited = { ...OWNER, isLimited: true };
  assert.match(whyNot("files:read", limited) ?? "", /certain resources/);
  assert.equal(whyNot("registry:push", limited), null);
  for (const { scopes, isLimited } of TEMPLATES)
    if (isLimited) assert.ok(scopes.every((scope) => whyNot(scope, limited) === null));
});

test("templates have existing scopes and distinct names", () => {
  assert.ok(TEMPLATES.every(({ scopes }) => scopes.every((scope) => SCOPES.includes(scope))));
  assert.equal(new Set(TEMPLATES.map(({ id }) => id)).size, TEMPLATES.length);
});

test("no choice of expiry exceeds the policy's limit", () => {
  assert.deepEqual(
    expiryChoices(null, 90).map(({ days }) => days),
    [1, 7, 30, 90, 365, null],
  );
  assert.deepEqual(
    expiryChoices(60, null).map(({ days }) => days),
    [1, 7, 30, 60],
  );
  assert.ok(expiryChoices(null, 90, true).every(({ days }) => days !== null));
  assert.equal(allowedDays(null, null, true), 90);
  assert.equal(allowedDays(null, null), null);
  assert.equal(allowedDays(null, 60), 60);
  assert.equal(allowedDays(90, 60), 60);
  assert.equal(allowedDays(30, null), 30);
  assert.equal(expiresAt(1, null, NOW), "2026-11-21T08:00:00.000Z");
  assert.equal(expiresAt(60, 60, NOW), null);
  assert.equal(expiresAt(null, null, NOW), null);
});

const SECRET = { created_at: "2026-11-01T00:00:00Z", expires_at: null };

const CREDENTIAL: StateInput = {
  state: "active",
  expires_at: null,
  revoked_at: null,
  revoked_with: null,
  secrets: [SECRET],
};

test("the state first names what stops a credential, then what will stop it", () => {
  const of = (change: Partial<StateInput>) => stateOf({ ...CREDENTIAL, ...change }, NOW).text;
  assert.equal(of({}), "Active");
  assert.equal(of({ revoked_at: "2026-11-20T07:00:00Z", state: "ended" }), "Revoked");
  const parent = { revoked_at: "2026-11-20T07:00:00Z", revoked_with: "cred_parent" };
  assert.equal(of(parent), "Revoked with its parent");
  assert.equal(of({ expires_at: "2026-11-20T08:00:00Z" }), "Expired");
  assert.equal(of({ state: "pending" }), "Waits for approval");
  assert.equal(of({ state: "idle" }), "No permission");
  assert.equal(of({ state: "ended" }), "Ended with its parent");
  assert.equal(of({ expires_at: "2026-11-22T07:00:00Z" }), "Expires within 2 days");
  assert.equal(of({ secrets: [SECRET, SECRET] }), "Two secrets");
  assert.equal(of({ state: "reduced" }), "Reduced permissions");
});

test("the state of a key, which has no secrets to count and no parent", () => {
  const { revoked_with: _parent, secrets: _secrets, ...key } = CREDENTIAL;
  const of = (change: Partial<StateInput>) => stateOf({ ...key, ...change }, NOW).text;
  assert.equal(of({}), "Active");
  assert.equal(of({ state: "pending" }), "Waits for approval");
  assert.equal(of({ expires_at: "2026-11-20T08:00:00Z", state: "ended" }), "Expired");
  assert.equal(of({ expires_at: "2026-11-20T08:00:01Z" }), "Expires within a day");
  assert.equal(of({ expires_at: "2020-01-01T00:00:00Z", revoked_at: "2026-01-01T00:00:00Z" }), "Revoked");
});

test("a creator counts as having left only once all members are loaded", () => {
  assert.equal(ownerLeft("user_1", undefined), false);
  assert.equal(ownerLeft("user_1", new Set(["user_1"])), false);
  assert.equal(ownerLeft("user_1", new Set()), true);
  assert.equal(ownerLeft("system", new Set()), false);
});

test("only what adopting can help offers it", () => {
  const of = (state: StateInput["state"], reason: string | null, kind = "app") =>
    canBeAdopted({ state, state_reason: reason, kind });
  assert.ok(of("active", null) && of("idle", "the person left") && of("reduced", "a lowered role"));
  assert.ok(of("ended", "revoked with its parent cred_1"));
  assert.ok(!of("ended", "revoked") && !of("pending", "it waits"));
  assert.ok(!of("ended", "revoked with its parent cred_1 after a leak"));
  assert.ok(!of("active", null, "personal"));
});

test("a countdown has two units, and ends", () => {
  assert.equal(countdown("2026-11-21T11:00:59Z", NOW), "1 d 3 h");
  assert.equal(countdown("2026-11-20T08:04:09Z", NOW), "4 min 9 s");
  assert.equal(countdown("2026-11-20T08:00:09Z", NOW), "9 s");
  assert.equal(countdown("2026-11-20T08:00:00Z", NOW), null);
});

test("secrets go into files or standard input", () => {
  const snippets = secretSnippets({
    clientId: "mrc_1",
    clientSecret: "mrcs_1",
    name: "Größe: CI!",
    identityUrl: "https://id.example.com",
    registryDomain: "images.example.com",
    mayRegistry: true,
  });
  assert.equal(kubernetesName("Größe: CI!"), "mooring-gr-e-ci");
  assert.equal(kubernetesName("…"), "mooring");
  const commands = snippets.flatMap(({ text }) => text.split("\n")).filter((line) => /gh secret|docker/.test(line));
  for (const line of commands) assert.match(line, /^ printf %s mrcs_1 \| /);
});
