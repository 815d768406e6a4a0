import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createGroup, listGroupMembers, setGroupMember, SYSTEM } from "#domain/organizations/index.ts";
import { startProvider, type TestProvider } from "./testing/provider.ts";
import { startPortal, type Ada, type PortalServer } from "./testing/server.ts";
import { signInAtProvider, throughProvider } from "./testing/through-provider.ts";

const DAY_MS = 86_400_000;

let provider: TestProvider;
let server: PortalServer;
let ada: Ada;

before(async () => {
  provider = await startProvider();
  server = await startPortal({ oidc: provider.settings });
  ada = await server.createOwner();
  const browser = await server.signedIn(ada);
  provider.who = { sub: "ada" };
  await throughProvider(provider, browser, await browser.call("POST", "/api/account/identity", {}));
  for (const slug of ["backend", "frontend"])
    await createGroup(server, SYSTEM, ada.orgId, { slug, claim: `/teams/${slug}` });
});
after(async () => {
  await server.close();
  provider.close();
});

/** Signs in with this claim. Returns Ada's groups, with the sources. */
async function groupsAfter(groups: unknown): Promise<string[]> {
  provider.who = { sub: "ada", ...(groups === undefined ? {} : { groups }) };
  assert.equal(await signInAtProvider(provider, server.browser()), "/");
  return groupsNow();
}

async function groupsNow(): Promise<string[]> {
  const found: string[] = [];
  for (const group of ["backend", "frontend"]) {
    const { items } = await listGroupMembers(server, ada.orgId, group, { limit: 10 });
    for (const { source, expires_at: end } of items)
      if (end === null || end > server.clock.nowMs()) found.push(`${group} ${source}`);
  }
  return found.toSorted();
}

async function changesByClaim(): Promise<number> {
  const entries = server.metadata.read.selectFrom("audit").select("seq").where("action", "=", "group.member.claim");
  return (await entries.execute()).length;
}

test("the claim of the provider decides the groups with that claim, by the exact text", async () => {
  assert.deepEqual(await groupsAfter(["/teams/backend", "/teams/Frontend", "teams/frontend"]), ["backend oidc"]);
  assert.deepEqual(await groupsAfter(["/teams/frontend"]), ["frontend oidc"]);
  assert.deepEqual(await groupsAfter("/teams/backend"), ["backend oidc"], "a text counts as one group");
});

test("an absent claim, or one of another form, changes nothing, and an empty list removes", async () => {
  await groupsAfter(["/teams/backend"]);
  for (const other of [undefined, { _claim_sources: {} }, [1], ["/teams/frontend", null]])
    assert.deepEqual(await groupsAfter(other), ["backend oidc"], JSON.stringify(other));
  assert.deepEqual(await groupsAfter([]), []);
});

test("a membership by hand stays beside the one from the claim", async () => {
  await setGroupMember(server, SYSTEM, ada.orgId, {
    group: "backend",
    userId: ada.id,
    endsAtMs: null,
    ifMatch: undefined,
  });
  assert.deepEqual(await groupsAfter(["/teams/backend"]), ["backend manual", "backend oidc"]);
  assert.deepEqual(await groupsAfter([]), ["backend manual"]);
});

test("a membership from the claim lapses seven days after the last sign-in", async () => {
  await groupsAfter(["/teams/frontend"]);
  server.forward(6 * DAY_MS);
  assert.ok((await groupsNow()).includes("frontend oidc"));
  await groupsAfter(["/teams/frontend"]);
  server.forward(6 * DAY_MS);
  assert.ok((await groupsNow()).includes("frontend oidc"));
  server.forward(DAY_MS);
  assert.ok(!(await groupsNow()).includes("frontend oidc"));
  const before = await changesByClaim();
  assert.ok((await groupsAfter(["/teams/frontend"])).includes("frontend oidc"));
  assert.equal(await changesByClaim(), before + 1, "the person is in it again, which nodes and the audit log learn");
  await groupsAfter(["/teams/frontend"]);
  assert.equal(await changesByClaim(), before + 1);
});
