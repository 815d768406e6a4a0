import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { postgresMissing, startPostgres, type PostgresServer } from "../../../../tests/fixtures/postgres-server.ts";
import type { Identity } from "./identity.ts";
import { credentialOf, ISSUER, openGround, ORG_ID, SYSTEM, tokenOf, type Ground } from "./testing.ts";

/** The same on both databases: two nodes that share one. */
function twoNodes(name: string, skip: string | undefined, urlOf: () => Promise<string | undefined>): void {
  describe(name, { skip: skip ?? false }, () => {
    let ground: Ground;
    let here: Identity;
    let there: Identity;

    before(async () => {
      const url = await urlOf();
      ground = await openGround(url === undefined ? {} : { url });
      [here, there] = await Promise.all([ground.node(), ground.node()]);
      await here.start();
      await there.start();
    });
    after(() => ground.close());

    /** Resolves with how long it took until the node refused the token. */
    async function refusedWithin(node: Identity, token: string, limitMs: number): Promise<void> {
      const started = performance.now();
      for (;;) {
        const outcome = await node.authenticator.authenticate(token).then(
          () => "accepted",
          (error: { code: string }) => error.code,
        );
        if (outcome === "invalid_token") return;
        assert.equal(outcome, "accepted");
        assert.ok(performance.now() - started < limitMs, `still accepted after ${limitMs} ms`);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
    }

    test("a token of one is good at the other, as the same principal", async () => {
      const client = await credentialOf(here);
      const token = await tokenOf(here, client);
      const [mine, other] = [await here.authenticator.authenticate(token), await there.authenticator.authenticate(token)];
      assert.deepEqual(mine, other);
      assert.deepEqual([mine.id, mine.orgId, mine.orgSlug, mine.kind], [client.id, ORG_ID, "acme", "credential"]);
    });

    test("when a revocation returns, both refuse", async () => {
      for (let i = 0; i < 10; i++) {
        const client = await credentialOf(here);
        const tokens = [await tokenOf(here, client), await tokenOf(there, client)];
        for (const token of tokens) for (const node of [here, there]) await node.authenticator.authenticate(token);
        const { propagated } = await here.credentials.revoke({ actor: SYSTEM }, client.id);
        assert.equal(propagated, true);
        for (const token of tokens) {
          for (const node of [here, there]) await assert.rejects(node.authenticator.authenticate(token), { code: "invalid_token", message: /revoked/ });
        }
        await assert.rejects(tokenOf(there, client), { code: "unauthorized" });
      }
    });

    test("a single token that is revoked is refused by both, its sister by none", async () => {
      const client = await credentialOf(here);
      const [token, sister] = [await tokenOf(here, client), await tokenOf(here, client)];
      const { claims } = await there.tokens.verifier.verify(token);
      assert.deepEqual(await there.tokens.revoke(claims, { actor: { kind: "credential", id: client.id } }), { propagated: true });
      for (const node of [here, there]) {
        await assert.rejects(node.authenticator.authenticate(token), { code: "invalid_token", message: /revoked/ });
        await node.authenticator.authenticate(sister);
      }
    });

    test("what another process changes without asking any node is seen within a second", async () => {
      const client = await credentialOf(here);
      const token = await tokenOf(here, client);
      await there.authenticator.authenticate(token);
      const visitor = await ground.node(); // never started, like the command line
      await visitor.credentials.update({ actor: SYSTEM }, client.id, { scopes: ["files:read"] });
      await Promise.all([refusedWithin(here, token, 1_000), refusedWithin(there, token, 1_000)]);
    });

    test("a creator's lowered role is felt at both within a second", async () => {
      const creator = await ground.person("developer");
      const client = await credentialOf(here, { actor: creator });
      const token = await tokenOf(here, client);
      await ground.setRole(creator.id, "viewer");
      const deadline = performance.now() + 1_000;
      for (const node of [here, there]) {
        for (;;) {
          const { scopes } = await node.authenticator.authenticate(token);
          if (!scopes.has("files:write")) break;
          assert.ok(performance.now() < deadline);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
      }
    });

    test("a token is for its issuer and audience", async () => {
      const token = await tokenOf(here, await credentialOf(here));
      for (const other of [{ issuer: `${ISSUER}/x` }, { audience: `${ISSUER}/x` }]) {
        await assert.rejects((await ground.node(other)).authenticator.authenticate(token), { code: "invalid_token", message: /another server/ });
      }
    });

    test("concurrent creations, rotations and revocations leave one unbroken order of changes", async () => {
      const clients = await Promise.all(Array.from({ length: 8 }, (_, i) => credentialOf(i % 2 === 0 ? here : there)));
      await Promise.all(clients.flatMap(({ id }, i) => [here, there].map((node) => node.credentials.rotate({ actor: SYSTEM }, id, { overlapS: i }))));
      const outcomes = await Promise.all(clients.map(({ id }, i) => (i % 2 === 0 ? there : here).credentials.revoke({ actor: SYSTEM }, id)));
      assert.ok(outcomes.every((outcome) => outcome.propagated));
      const seqs = (await ground.metadata.read.selectFrom("auth_change").select("seq").orderBy("seq").execute()).map((row) => row.seq);
      assert.deepEqual(seqs, seqs.map((_, i) => (seqs[0] ?? 0) + i));
    });
  });
}

let server: PostgresServer | undefined;
after(() => server?.stop());

twoNodes("on SQLite", undefined, async () => undefined);
twoNodes("on PostgreSQL", postgresMissing(), async () => {
  server = await startPostgres();
  return server.createDatabase("identity");
});
