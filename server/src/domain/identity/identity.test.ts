import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { DATABASES, postgresUrl } from "../../../../tests/fixtures/databases.ts";
import type { Identity } from "./identity.ts";
import type { ActorContext } from "./credentials/index.ts";
import {
  credentialOf,
  ISSUER,
  openGround,
  ORG_ID,
  PRIVATE_ID,
  PROJECT_ID,
  SYSTEM,
  tokenOf,
  type Ground,
} from "./testing.ts";

interface Nodes {
  readonly ground: Ground;
  readonly here: Identity;
  readonly there: Identity;
}

/** Waits until the node's answer is true. Fails after `limitMs`. */
async function within(limitMs: number, answersSo: () => Promise<boolean>): Promise<void> {
  const started = performance.now();
  while (!(await answersSo())) {
    assert.ok(performance.now() - started < limitMs, `the answer did not come within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

async function isRefused(node: Identity, token: string): Promise<boolean> {
  try {
    await node.authenticator.authenticate(token);
    return false;
  } catch (error) {
    assert.equal((error as { code: string }).code, "invalid_token");
    return true;
  }
}

const refuses = (node: Identity, token: string): Promise<void> =>
  assert.rejects(node.authenticator.authenticate(token), { code: "invalid_token", message: /revoked/ });

/** Tests with two nodes that share a database. They run on both databases. */
const CASES: Readonly<Record<string, (nodes: Nodes) => Promise<void>>> = {
  "a token of one node is valid at the other, with the same principal": async ({ here, there }) => {
    const client = await credentialOf(here);
    const token = await tokenOf(here, client);
    const [mine, other] = [await here.authenticator.authenticate(token), await there.authenticator.authenticate(token)];
    assert.deepEqual(mine, other);
    assert.deepEqual([mine.id, mine.orgId, mine.orgSlug, mine.kind], [client.id, ORG_ID, "acme", "credential"]);
  },

  "when a revocation returns, both nodes refuse the credential": async ({ here, there }) => {
    for (let i = 0; i < 10; i++) {
      const client = await credentialOf(here);
      const tokens = [await tokenOf(here, client), await tokenOf(there, client)];
      for (const token of tokens) for (const node of [here, there]) await node.authenticator.authenticate(token);
      const { propagated } = await here.credentials.revoke({ actor: SYSTEM }, client.id);
      assert.equal(propagated, true);
      for (const token of tokens) for (const node of [here, there]) await refuses(node, token);
      await assert.rejects(tokenOf(there, client), { code: "unauthorized" });
    }
  },

  "both nodes refuse a revoked token, but not another token of the credential": async ({ here, there }) => {
    const client = await credentialOf(here);
    const [token, sister] = [await tokenOf(here, client), await tokenOf(here, client)];
    const { claims } = await there.tokens.verifier.verify(token);
    const outcome = await there.tokens.revoke(claims, { actor: { kind: "credential", id: client.id } });
    assert.deepEqual(outcome, { propagated: true });
    for (const node of [here, there]) {
      await refuses(node, token);
      await node.authenticator.authenticate(sister);
    }
  },

  "a change by another process without a node is seen within a second": async ({ ground, here, there }) => {
    const client = await credentialOf(here);
    const token = await tokenOf(here, client);
    await there.authenticator.authenticate(token);
    const visitor = await ground.node({ metadata: await ground.reopen() }); // Never started, like the command line.
    await visitor.credentials.update({ actor: SYSTEM }, client.id, { scopes: ["files:read"] });
    for (const node of [here, there]) await within(1_000, () => isRefused(node, token));
  },

  "a lower role of the creator takes effect at both nodes within a second": async ({ ground, here, there }) => {
    const creator = await ground.person("developer");
    const token = await tokenOf(here, await credentialOf(here, { actor: creator }));
    await there.authenticator.authenticate(token);
    await ground.setRole(creator.id, "viewer");
    for (const node of [here, there]) {
      await within(1_000, async () => !(await node.authenticator.authenticate(token)).scopes.has("files:write"));
    }
  },

  "a token is valid for its issuer and audience only": async ({ ground, here }) => {
    const token = await tokenOf(here, await credentialOf(here));
    for (const other of [{ issuer: `${ISSUER}/x` }, { audience: `${ISSUER}/x` }]) {
      const node = await ground.node(other);
      await assert.rejects(node.authenticator.authenticate(token), {
        code: "invalid_token",
        message: /another server/,
      });
    }
  },

  "concurrent creations, rotations and revocations leave one unbroken order of changes": async ({
    ground,
    here,
    there,
  }) => {
    const nodeOf = (i: number): Identity => (i % 2 === 0 ? here : there);
    const clients = await Promise.all(Array.from({ length: 8 }, (_, i) => credentialOf(nodeOf(i))));
    await Promise.all(
      clients.flatMap(({ id }, i) =>
        [here, there].map((node) => node.credentials.rotate({ actor: SYSTEM }, id, { overlapS: i })),
      ),
    );
    const outcomes = await Promise.all(
      clients.map(({ id }, i) => nodeOf(i + 1).credentials.revoke({ actor: SYSTEM }, id)),
    );
    assert.ok(outcomes.every((outcome) => outcome.propagated));
    const rows = await ground.metadata.read.selectFrom("auth_change").select("seq").orderBy("seq").execute();
    assert.deepEqual(
      rows.map((row) => row.seq),
      rows.map((_, i) => (rows[0]?.seq ?? 0) + i),
    );
  },

  "lists, pages, last use and refusals are the same on both databases": async ({ ground, here }) => {
    const maintainer = await ground.person("viewer", { [PRIVATE_ID]: "maintainer" });
    ground.clock.advance(1);
    const closed = await credentialOf(here, { projectId: PRIVATE_ID, actor: maintainer });
    ground.clock.advance(1);
    const open = await credentialOf(here, { projectId: PROJECT_ID });
    const idsOf = async (actor: ActorContext["actor"], cursor?: string): Promise<string[]> => {
      const page = await here.credentials.list({ actor }, { limit: 1, cursor });
      const rest = page.nextCursor === null ? [] : await idsOf(actor, page.nextCursor);
      return [...page.items.map((item) => item.id), ...rest];
    };
    assert.deepEqual((await idsOf(SYSTEM)).slice(0, 2), [open.id, closed.id]);
    assert.deepEqual(await idsOf(maintainer), [closed.id]);
    assert.deepEqual(await idsOf(await ground.person("viewer")), []);
    const visitor = await ground.node();
    await tokenOf(visitor, closed);
    await assert.rejects(tokenOf(visitor, { ...closed, clientSecret: open.clientSecret }), { code: "unauthorized" });
    await visitor.stop();
    const used = await here.credentials.get({ actor: maintainer }, closed.id);
    assert.deepEqual(
      [used.lastUsedAtMs, used.lastUsedIp, used.secrets[0]?.lastUsedAtMs],
      [ground.clock.nowMs(), "127.0.0.1", ground.clock.nowMs()],
    );
    const refused = await ground.metadata.read
      .selectFrom("audit")
      .select("detail")
      .where("target_id", "=", closed.id)
      .where("result", "=", "denied")
      .execute();
    assert.deepEqual(
      refused.map((row) => JSON.parse(row.detail)),
      [{ reason: "wrong secret", client_id: closed.clientId, count: 1 }],
    );
  },
};

for (const { kind, skip } of DATABASES) {
  describe(`two nodes on ${kind}`, { skip }, () => {
    let nodes: Nodes;
    before(async () => {
      const ground = await openGround(kind === "sqlite" ? {} : { url: await postgresUrl("identity") });
      const [here, there] = await Promise.all([ground.node(), ground.node({ metadata: await ground.reopen() })]);
      await here.start();
      await there.start();
      nodes = { ground, here, there };
    });
    after(() => nodes.ground.close());
    for (const [title, run] of Object.entries(CASES)) test(title, () => run(nodes));
  });
}
