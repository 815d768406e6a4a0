import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Identity } from "./identity.ts";
import { openGround, ORG_ID, SYSTEM, type Ground } from "./testing.ts";

let ground: Ground;
let identity: Identity;

before(async () => {
  ground = await openGround();
  identity = await ground.node();
});

after(() => ground.close());

test("a credential's secret becomes a token, and the token a principal", async () => {
  const { credential, clientSecret } = await identity.credentials.create(
    { actor: SYSTEM },
    { projectId: null, name: "writer", scopes: ["telemetry:write", "files:read"] },
  );
  const state = await identity.signIn.authenticate({ clientId: credential.clientId, clientSecret, ip: "127.0.0.1", requestId: "req_1" });
  const issued = await identity.tokens.issuer.issue(state, { ip: null, requestId: null });
  assert.equal(issued.expiresInS, 900);
  assert.equal(issued.scope, "telemetry:write files:read");
  const principal = await identity.authenticator.authenticate(issued.accessToken);
  assert.equal(principal.kind, "credential");
  assert.deepEqual({ ...principal, scopes: [...principal.scopes] }, {
    kind: "credential",
    id: credential.id,
    clientId: credential.clientId,
    orgId: ORG_ID,
    orgSlug: "acme",
    projectId: null,
    scopes: ["telemetry:write", "files:read"],
  });
});
