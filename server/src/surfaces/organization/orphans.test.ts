import assert from "node:assert/strict";
import { after, before, describe, test } from "node:test";
import { Compile } from "typebox/compile";
import { Plan, type Effects, type OrgRole, type Scope } from "@mooring/contract";
import { openMail } from "#stores/mail/index.ts";
import { DATABASES } from "../../../../tests/fixtures/databases.ts";
import { decodedMail, startSmtp, type SmtpServer } from "../../../../tests/fixtures/smtp-server.ts";
import { fresh, newS3Key, newToken } from "./testing/requests.ts";
import { createWorld, type Answer, type World } from "./testing/world.ts";

/** The credentials of a member who is removed or lowered, and those below a revoked credential. */

const SCHEMA = Compile(Plan);

for (const { kind: database, skip } of DATABASES)
  describe(`orphans on ${database}`, { skip }, () => {
    let world: World;
    let smtp: SmtpServer;
    before(async () => {
      smtp = await startSmtp();
      const mail = openMail({ url: `smtp://127.0.0.1:${smtp.port}`, from: "noreply@example.com" });
      world = await createWorld({ mail, database });
    });
    after(async () => {
      await world.close();
      await smtp.close();
    });

    const owner = (): string => world.person(world.acme, world.acme.people.owner);
    const ask = (method: string, path: string, token = owner(), more: object = {}): Promise<Answer> =>
      world.call(method, path, { token, ...more });
    const planOf = async (method: string, path: string, more: object = {}): Promise<Effects> => {
      const answer = await ask(method, path, owner(), more);
      assert.equal(answer.status, 200, answer.text);
      assert.ok(SCHEMA.Check(answer.json), JSON.stringify(SCHEMA.Errors(answer.json)));
      return answer.json;
    };
    const shown = async (id: string): Promise<Record<string, unknown>> =>
      (await ask("GET", `/v1/credentials/${id}`)).json;

    async function member(role: OrgRole, scopes: Scope[]) {
      const userId = await world.join(world.acme, `${fresh("member")}@example.org`, role);
      const tenant = { ...world.acme, people: { ...world.acme.people, [role]: userId } };
      const { id, token } = await world.credential({ tenant, by: role, scopes });
      return { userId, id, token, path: `/v1/members/${userId}` };
    }

    async function family() {
      const parent = await world.credential({ by: "owner", scopes: ["credentials:write", "apps:read"] });
      const body = { name: "child", scopes: ["apps:read"] };
      const child = String((await ask("POST", "/v1/credentials", parent.token, { body })).json["id"]);
      return { parent, child, token: await newToken(world, child) };
    }

    test("a developer leaves, and nothing stops", async () => {
      const { userId, id, token, path } = await member("developer", ["apps:read"]);
      const plan = await planOf("DELETE", `${path}?dry_run=true`);
      assert.deepEqual([plan.stops, plan.adopts.map((each) => each.id)], [[], [id]]);
      assert.equal(
        (await ask("GET", "/v1/me", world.person(world.acme, userId))).status,
        200,
        "a dry run writes nothing",
      );
      assert.equal((await shown(id))["created_by"], (await shown(id))["created_by"]);
      const gone = await ask("DELETE", path, owner(), { headers: { "if-match": plan.etag } });
      assert.equal(gone.status, 204, gone.text);
      assert.equal((await ask("GET", "/v1/apps", token)).status, 200, "its tokens stay valid");
      const after = await shown(id);
      assert.deepEqual(
        [(after["responsible"] as { id: string }).id, after["state"]],
        [world.acme.people.owner, "active"],
      );
    });

    test("an act that differs from its dry run is refused", async () => {
      const { userId, path } = await member("developer", ["apps:read"]);
      const { etag } = await planOf("DELETE", `${path}?dry_run=true&orphans=revoke`);
      const tenant = { ...world.acme, people: { ...world.acme.people, developer: userId } };
      await world.credential({ tenant, by: "developer", scopes: ["apps:read"] });
      const refused = await ask("DELETE", `${path}?orphans=revoke`, owner(), { headers: { "if-match": etag } });
      assert.equal(refused.json["code"], "concurrent_update", refused.text);
      assert.equal((await ask("DELETE", `${path}?orphans=revoke`)).status, 204);
    });

    test("a person needs a recent proof for an act, but not for its dry run", async () => {
      const { path } = await member("developer", ["apps:read"]);
      const late = world.person(world.acme, world.acme.people.owner, "late");
      assert.equal((await ask("DELETE", `${path}?dry_run=true`, late)).status, 200);
      for (const query of ["", "?dry_run=false", "?dry_run=true&dry_run=false", "?dry_run=1"]) {
        const refused = await ask("DELETE", `${path}${query}`, late);
        assert.deepEqual([refused.status, refused.json["code"]], [403, "confirmation_required"], query);
      }
    });

    test("orphans=revoke revokes them", async () => {
      const { id, token, path } = await member("developer", ["apps:read"]);
      await ask("GET", "/v1/apps", token);
      const plan = await planOf("DELETE", `${path}?dry_run=true&orphans=revoke`);
      assert.deepEqual(
        plan.stops.map(({ reason, loses, ...stop }) => [stop.id, reason, loses, stop.requests_24h]),
        [[id, "revoked", ["apps:read"], 1]],
      );
      assert.equal((await shown(id))["state"], "active");
      assert.equal((await ask("DELETE", `${path}?orphans=revoke`)).status, 204);
      assert.deepEqual([(await shown(id))["state"], (await shown(id))["state_reason"]], ["ended", "revoked"]);
    });

    test("automation behind which there is nobody must decide, unless there is nothing to decide", async () => {
      const { path } = await member("developer", ["apps:read"]);
      const automation = await world.token();
      const refused = await ask("DELETE", path, automation);
      assert.deepEqual([refused.status, refused.json["code"]], [409, "orphans_undecided"], refused.text);
      assert.equal((await ask("DELETE", `${path}?orphans=revoke`, automation)).status, 204);
      const alone = await world.join(world.acme, `${fresh("alone")}@example.org`, "viewer");
      assert.equal((await ask("DELETE", `/v1/members/${alone}`, automation)).status, 204);
    });

    test("the last owner does not leave by passing things on", async () => {
      const tenant = await world.tenant(fresh("last"));
      const path = `/v1/members/${tenant.people.owner}?orphans=adopt`;
      const refused = await ask("DELETE", path, world.person(tenant, tenant.people.owner));
      assert.equal(refused.json["code"], "conflict", refused.text);
    });

    test("a lowered role cuts credentials, tells it in the audit log, and old tokens do not come back with the role", async () => {
      const { id, token, path } = await member("admin", ["apps:read", "audit:read"]);
      const body = { role: "viewer" };
      const plan = await planOf("PATCH", `${path}?dry_run=true`, { body });
      assert.deepEqual(
        plan.stops.map((stop) => [stop.id, stop.loses]),
        [[id, ["audit:read"]]],
      );
      assert.match(plan.stops[0]?.reason ?? "", /lowered from admin to viewer/);
      assert.equal((await ask("GET", "/v1/audit", token)).status, 200, "a dry run writes nothing");
      const lowered = await ask("PATCH", path, owner(), { body, headers: { "if-match": plan.etag } });
      assert.equal(lowered.status, 200, lowered.text);
      assert.equal((await shown(id))["state"], "reduced");
      const { items } = (await ask("GET", `/v1/audit?target=${id}&action=credential.reduced`)).json as {
        items: { detail: { lost: string; reason: string } }[];
      };
      assert.equal(items[0]?.detail.lost, "audit:read");
      assert.match(items[0]?.detail.reason ?? "", /lowered from admin to viewer/);
      await ask("PATCH", path, owner(), { body: { role: "admin" } });
      assert.equal((await ask("GET", "/v1/audit", token)).status, 401, "the token is from before");
      assert.equal((await ask("GET", "/v1/audit", await newToken(world, id))).status, 200);
    });

    test("orphans=adopt of a lowered member keeps the scopes", async () => {
      const { id, token, path } = await member("admin", ["apps:read", "audit:read"]);
      assert.equal((await ask("PATCH", `${path}?orphans=adopt`, owner(), { body: { role: "viewer" } })).status, 200);
      assert.equal((await ask("GET", "/v1/audit", token)).status, 200);
      assert.equal(((await shown(id))["responsible"] as { id: string }).id, world.acme.people.owner);
    });

    test("credentials below a revoked one end with it, unless adopt is asked for", async () => {
      const ends = await family();
      const plan = await planOf("DELETE", `/v1/credentials/${ends.parent.id}?dry_run=true`);
      assert.deepEqual(
        plan.stops.map(({ id, reason }) => [id, reason]),
        [
          [ends.parent.id, "revoked"],
          [ends.child, `revoked with its parent ${ends.parent.id}`],
        ],
      );
      assert.equal((await ask("GET", "/v1/apps", ends.token)).status, 200, "a dry run writes nothing");
      assert.equal((await ask("DELETE", `/v1/credentials/${ends.parent.id}`)).status, 200);
      assert.equal((await ask("GET", "/v1/apps", ends.token)).status, 401);
      const stays = await family();
      assert.equal((await ask("DELETE", `/v1/credentials/${stays.parent.id}?orphans=adopt`)).status, 200);
      assert.equal((await ask("GET", "/v1/apps", stays.token)).status, 200);
      assert.equal(((await shown(stays.child))["responsible"] as { id: string }).id, world.acme.people.owner);
    });

    test("after a leak nothing below is adopted, neither with it nor later", async () => {
      const { parent, child } = await family();
      const path = `/v1/credentials/${parent.id}?reason=leak`;
      assert.equal((await ask("DELETE", `${path}&orphans=adopt`)).json["code"], "conflict");
      assert.equal((await ask("DELETE", path)).status, 200);
      const refused = await ask("POST", `/v1/credentials/${child}/adopt`);
      assert.deepEqual([refused.status, refused.json["code"]], [409, "conflict"]);
      assert.equal((await shown(child))["state_reason"], `revoked with its parent ${parent.id} after a leak`);
    });

    test("what the actor may not see is not in the answer", async () => {
      const userId = await world.join(world.acme, `${fresh("hidden")}@example.org`, "developer");
      const body = { role: "maintainer" };
      const maintainer = world.person(world.acme, world.acme.people.owner);
      await ask("PUT", `/v1/projects/${world.acme.closed.id}/members/${userId}`, maintainer, { body });
      const made = { name: "secret plan", scopes: ["apps:read"], project: world.acme.closed.id };
      await ask("POST", "/v1/credentials", world.person(world.acme, userId), { body: made });
      const admin = world.person(world.acme, world.acme.people.admin);
      const answer = await ask("DELETE", `/v1/members/${userId}?dry_run=true`, admin);
      assert.equal(answer.status, 200, answer.text);
      assert.doesNotMatch(answer.text, /secret plan|closed/);
    });

    const mailsAbout = (name: string) => smtp.received.filter(({ text }) => decodedMail(text).includes(name));
    const newPolicy = async (policy: object): Promise<void> => {
      const answer = await ask("PATCH", "/v1/organization", owner(), { body: { policy } });
      assert.equal(answer.status, 200, answer.text);
    };

    test("the policy names who adopts if a program removes a member, and what happens by default", async () => {
      const { admin } = world.acme.people;
      const { path: stranger } = await member("developer", ["apps:read"]);
      const unknown = { body: { policy: { heir: "user_nobody" } } };
      const refused = await ask("PATCH", "/v1/organization", owner(), unknown);
      assert.deepEqual([refused.status, refused.json["code"]], [400, "invalid_body"], refused.text);
      await newPolicy({ heir: admin });
      const first = await member("developer", ["apps:read"]);
      assert.equal((await ask("DELETE", first.path, await world.token())).status, 204);
      const kept = await shown(first.id);
      assert.deepEqual([(kept["responsible"] as { id: string }).id, kept["state"]], [admin, "active"]);
      await newPolicy({ orphans: "revoke", heir: null });
      const second = await member("developer", ["apps:read"]);
      assert.equal((await ask("DELETE", second.path)).status, 204);
      assert.equal((await shown(second.id))["state_reason"], "revoked");
      assert.equal(
        (await ask("DELETE", `${stranger}?orphans=adopt`)).status,
        204,
        "the request decides before the policy",
      );
      await newPolicy({ orphans: "adopt" });
    });

    async function maintainer(scopes: Scope[]) {
      const userId = await world.join(world.acme, `${fresh("member")}@example.org`, "viewer");
      const path = `/v1/projects/${world.acme.open.id}/members/${userId}`;
      assert.equal((await ask("PUT", path, owner(), { body: { role: "maintainer" } })).status, 200);
      const tenant = { ...world.acme, people: { ...world.acme.people, viewer: userId } };
      const made = await world.credential({ tenant, by: "viewer", scopes, projectId: world.acme.open.id });
      return { ...made, userId, path };
    }

    test("a person removed from a project leaves their credentials there to the actor", async () => {
      const { id, token, path } = await maintainer(["files:write"]);
      const plan = await planOf("DELETE", `${path}?dry_run=true`);
      assert.deepEqual([plan.stops, plan.adopts.map((each) => each.id)], [[], [id]]);
      const lost = await planOf("DELETE", `${path}?dry_run=true&orphans=revoke`);
      assert.deepEqual(
        lost.stops.map((stop) => [stop.id, stop.reason]),
        [[id, "revoked"]],
      );
      const stale = await ask("DELETE", path, owner(), { headers: { "if-match": lost.etag } });
      assert.equal(stale.json["code"], "concurrent_update", stale.text);
      assert.equal((await ask("DELETE", path, owner(), { headers: { "if-match": plan.etag } })).status, 204);
      assert.equal((await shown(id))["state"], "active");
      assert.equal((await ask("GET", "/v1/apps", token)).status, 403, "it works, and never had apps:read");
    });

    test("a dry run with `If-Match` is refused if somebody else has changed the record", async () => {
      const inOrganization = await member("admin", ["apps:read"]);
      const inProject = await maintainer(["files:write"]);
      const records = [
        { path: inOrganization.path, change: "PATCH", roles: ["developer", "viewer"], list: "/v1/members" },
        {
          path: inProject.path,
          change: "PUT",
          roles: ["writer", "reader"],
          list: inProject.path.replace(/\/[^/]+$/, ""),
        },
      ] as const;
      for (const { path, change, roles, list } of records) {
        const { items } = (await ask("GET", `${list}?limit=100`)).json as {
          items: { user_id: string; etag: string }[];
        };
        const read = items.find(({ user_id }) => path.endsWith(user_id))?.etag;
        assert.ok(read !== undefined);
        const body = { role: roles[0] };
        const headers = { "if-match": read };
        await planOf(change, `${path}?dry_run=true`, { body, headers });
        await planOf("DELETE", `${path}?dry_run=true`, { headers });
        assert.equal((await ask(change, path, owner(), { body: { role: roles[1] } })).status, 200);
        for (const refused of [
          await ask(change, `${path}?dry_run=true`, owner(), { body, headers }),
          await ask("DELETE", `${path}?dry_run=true`, owner(), { headers }),
        ])
          assert.deepEqual([refused.status, refused.json["code"]], [409, "concurrent_update"], refused.text);
        await planOf(change, `${path}?dry_run=true`, { body });
      }
    });

    test("a lowered role in a project cuts credentials, and old tokens do not come back with the role", async () => {
      const { id, token, path } = await maintainer(["files:write", "apps:read"]);
      const body = { role: "reader" };
      const plan = await planOf("PUT", `${path}?dry_run=true`, { body });
      assert.deepEqual(
        plan.stops.map((stop) => [stop.id, stop.loses]),
        [[id, ["files:write"]]],
      );
      const lowered = await ask("PUT", path, owner(), { body, headers: { "if-match": plan.etag } });
      assert.equal(lowered.status, 200, lowered.text);
      assert.equal((await shown(id))["state"], "reduced");
      const entries = (await ask("GET", `/v1/audit?target=${id}&action=credential.reduced`)).json["items"];
      assert.equal((entries as object[]).length, 1);
      assert.equal((await ask("PUT", path, owner(), { body: { role: "writer" } })).status, 200);
      assert.equal((await ask("GET", "/v1/apps", token)).status, 401, "the token is from before");
      assert.equal((await shown(id))["state"], "active");
    });

    test("its managers get one mail about what a credential lost, and the actor gets none", async () => {
      const { id, path } = await member("admin", ["apps:read", "audit:read"]);
      const name = "orphaned by a mail test";
      await ask("PATCH", `/v1/credentials/${id}`, owner(), { body: { name } });
      assert.equal((await ask("PATCH", path, owner(), { body: { role: "viewer" } })).status, 200);
      const mails = mailsAbout(name);
      const told = mails.flatMap(({ to }) => to);
      assert.ok(told.includes(`admin@${world.acme.slug}.example`), told.join(" "));
      assert.ok(!told.some((to) => /^(owner|developer|viewer)/.test(to)), told.join(" "));
      assert.equal(new Set(told).size, told.length, "one mail each");
      const text = decodedMail(mails[0]?.text ?? "");
      assert.match(text, /audit:read/);
      assert.match(text, /lowered from admin to viewer/);
      assert.match(text, /https:\/\/portal\.example\/credentials/);
    });

    test("a dry run of a revocation sends no mail, and shows the credential itself", async () => {
      const { parent, child } = await family();
      await planOf("DELETE", `/v1/credentials/${parent.id}?dry_run=true`);
      assert.deepEqual(mailsAbout(child), []);
      assert.equal((await ask("DELETE", `/v1/credentials/${parent.id}`)).status, 200);
      const [mail = assert.fail()] = mailsAbout(child);
      assert.doesNotMatch(decodedMail(mail.text), new RegExp(parent.id + ".:"), "only what depended on it");
    });

    test("the revocation of an S3 key has a dry run, too", async () => {
      const id = await newS3Key(world);
      const plan = await planOf("DELETE", `/v1/s3/keys/${id}?dry_run=true`);
      assert.deepEqual(
        plan.stops.map((stop) => [stop.kind, stop.id, stop.reason]),
        [["s3_key", id, "revoked"]],
      );
      const path = `/v1/s3/keys/${id}?reason=leak`;
      const refused = await ask("DELETE", path, owner(), { headers: { "if-match": plan.etag } });
      assert.equal(refused.json["code"], "concurrent_update", "its reason differs");
      assert.equal((await ask("DELETE", path)).status, 200);
      assert.equal((await ask("GET", `/v1/s3/keys/${id}`)).json["state_reason"], "revoked after a leak");
    });
  });
