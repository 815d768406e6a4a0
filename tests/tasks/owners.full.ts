/** The owner's tasks: a private project whose team has left, and people who may work only from the office. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NO_CHROMIUM, usePortal } from "../portal/browser.ts";
import { openAs } from "../portal/people.ts";
import { api, command, member, openPage, ownerSignIn } from "./world.ts";

describe("the owner", () => {
  const portal = usePortal({ settings: { trusted_proxies: "127.0.0.1" } });

  test("sees, cleans up and enters private projects", { skip: NO_CHROMIUM }, async () => {
    const { session, home } = await ownerSignIn(portal);
    const keeper = await member(portal, "keeper", "admin");
    const projects = await Promise.all(
      ["vault-one", "vault-two", "vault-three"].map((slug) => {
        const json = { slug, name: slug, visibility: "private" };
        return api<{ id: string }>(portal, "POST", "/v1/projects", { token: keeper.token, json });
      }),
    );
    const json = { name: "worker", project: projects[0]?.id, scopes: ["telemetry:read"] };
    const worker = await api<{ id: string }>(portal, "POST", "/v1/credentials", { token: keeper.token, json });
    const size = await command<{ members: number }>(portal, ["project", "size", "vault-one", "--json"], {
      home,
    });
    assert.equal(size.members, 1);
    await api(portal, "DELETE", `/v1/credentials/${worker.id}`, { token: session });
    const reads = (project: string, status?: number) =>
      api(portal, "GET", `/v1/apps?project=${project}`, {
        token: session,
        ...(status === undefined ? {} : { status }),
      });
    for (const { id } of projects) await reads(id, 404);
    const reason = { reason: "The team has left" };
    await api(portal, "POST", "/v1/projects/vault-one/enter", { token: session, json: reason });
    await command(portal, ["project", "enter", "vault-two", "--reason", reason.reason], { home });
    const tab = await openPage(portal, `projects?open=${projects[2]?.id ?? ""}`);
    const dialog = tab.page.getByRole("dialog");
    await tab.page.getByRole("button", { name: "Enter the project" }).click();
    await dialog.getByLabel("Reason").fill(reason.reason);
    await dialog.getByRole("button", { name: "Enter", exact: true }).click();
    await dialog.waitFor({ state: "detached" });
    await tab.close();
    for (const { id } of projects) await reads(id);
    type Entries = { readonly items: readonly { readonly detail: { readonly reason: string } }[] };
    const { items } = await api<Entries>(portal, "GET", "/v1/audit?action=project.enter");
    assert.deepEqual(
      items.map(({ detail }) => detail.reason),
      [reason.reason, reason.reason, reason.reason],
    );
  });

  test(
    "binds people to the addresses of the office, and never locks out themselves",
    { skip: NO_CHROMIUM },
    async () => {
      const { session, home } = await ownerSignIn(portal);
      const far = await member(portal, "far", "viewer");
      const status = async (): Promise<number> => {
        const headers = { authorization: `Bearer ${far.token}`, "x-forwarded-for": "203.0.113.9" };
        return (await portal.shared.server.call("GET", "/v1/me", { headers })).status;
      };
      const policy = (ranges: string[] | null) => ({
        policy: { allowed_addresses: ranges, allowed_addresses_for: "people" },
      });
      const path = "/v1/organization";
      await api(portal, "PATCH", path, { token: session, json: policy(["192.0.2.0/24"]), status: 409 });
      assert.equal(await status(), 200);
      await api(portal, "PATCH", path, { token: session, json: policy(["127.0.0.0/8"]) });
      assert.equal(await status(), 403);
      const words = ["organization", "update", "--policy", JSON.stringify(policy(null).policy)];
      await command(portal, words, { home });
      assert.equal(await status(), 200);
      const tab = await openPage(portal, "settings?tab=credentials");
      const { page } = tab;
      await page.getByLabel("The organization may be used from").fill("127.0.0.0/8");
      await page.getByLabel("The list applies to").selectOption("people");
      await page.getByRole("button", { name: "Save" }).click();
      await page.getByText("The policy applies on all nodes").waitFor();
      await tab.close();
      assert.equal(await status(), 403);
      const theirs = await openAs(portal, far.email);
      await theirs.context.setExtraHTTPHeaders({ "x-forwarded-for": "203.0.113.9" });
      await theirs.go(`/o/${portal.shared.home.org.slug}/-`);
      await theirs.page.getByText("This organization does not allow your address").waitFor();
      await theirs.close();
    },
  );
});
