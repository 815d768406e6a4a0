/** After a leak: every kind of secret is found, replaced and dead, and no secret is in a log or a record. */
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { ListBucketsCommand } from "@aws-sdk/client-s3";
import { Person } from "../fixtures/person.ts";
import { mooring } from "../fixtures/process.ts";
import { unique } from "../fixtures/registry.ts";
import { s3UrlOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { useServer, type Client } from "../fixtures/server.ts";

interface Made extends Client {
  readonly id: string;
}

interface Finding {
  readonly kind: string | null;
  readonly owner: {
    readonly id: string;
    readonly is_live: boolean;
    readonly reason: string | null;
    readonly expires_at: string | null;
    readonly scopes: readonly string[];
    readonly responsible: { readonly id: string | null };
    readonly next: readonly string[];
  } | null;
}

interface Key {
  readonly id: string;
  readonly access_key_id: string;
  readonly secret_access_key: string;
  readonly former: { readonly access_key_id: string; readonly expires_at: string } | null;
}

describe("after a leak", () => {
  const shared = useServer();
  let owner: Person;
  let directory: string;
  const secrets: string[] = [];

  before(async () => {
    owner = await Person.setUp(shared.server, shared.home.owner);
    directory = mkdtempSync(join(tmpdir(), "mooring-leaks-"));
  });
  after(() => rmSync(directory, { recursive: true, force: true }));

  const call = <T = Record<string, unknown>>(token: string, method: string, path: string, json?: object) =>
    shared.server.call<T>(method, path, { token, ...(json === undefined ? {} : { json }) });

  async function found(secret: string, token?: string): Promise<Finding> {
    secrets.push(secret);
    const answer = await call<Finding>(token ?? (await owner.token()), "POST", "/v1/leaks/find", { secret });
    assert.equal(answer.status, 200, answer.text);
    assert.ok(!answer.text.includes(secret) || secret.startsWith("MOOR"), "the answer has no secret");
    return answer.body;
  }

  async function made(scopes: readonly string[], person = owner): Promise<Made> {
    const answer = await person.api<Made>("POST", "/v1/credentials", { name: "leaky", scopes });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  async function newKey(): Promise<Key> {
    const answer = await owner.api<Key>("POST", "/v1/s3/keys", { name: "leaky key" });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  test("a credential: its secret, an access token, and what it can do", async () => {
    const worker = await made(["telemetry:write"]);
    const token = await shared.server.token(worker);
    const first = await found(worker.client_secret);
    assert.deepEqual([first.kind, first.owner?.id, first.owner?.is_live], ["client_secret", worker.id, true]);
    assert.deepEqual(first.owner?.scopes, ["telemetry:write"]);
    assert.equal(first.owner?.responsible.id, owner.id);
    assert.match(first.owner?.next[0] ?? "", /^mooring credential rotate cred_\w+ --overlap-seconds 0$/);
    const second = await found(`Authorization: Bearer ${token}`);
    secrets.push(token);
    assert.deepEqual([second.kind, second.owner?.id, second.owner?.is_live], ["access_token", worker.id, true]);
    assert.equal((await owner.api("DELETE", `/v1/credentials/${worker.id}?reason=leak`)).status, 200);
    assert.deepEqual(
      [(await found(worker.client_secret)).owner?.reason, (await found(token)).owner?.is_live],
      ["revoked after a leak", false],
    );
    assert.equal((await found(`${token.slice(0, -8)}AAAAAAAA`)).owner, null, "a forged token has no owner");
  });

  test("an S3 key: its secret, its id and a presigned URL; a rotation overlaps, and then the old one is dead", async () => {
    const key = await newKey();
    const byId = await found(`https://x/b?X-Amz-Credential=${key.access_key_id}%2F20261126`);
    assert.deepEqual([byId.kind, byId.owner?.id], ["s3_access_key", key.id]);
    const bySecret = await found(key.secret_access_key);
    assert.deepEqual([bySecret.kind, bySecret.owner?.id], ["s3_secret", key.id]);
    const url = await s3UrlOf(shared.server);
    const lists = async ({ access_key_id, secret_access_key }: Key): Promise<string> => {
      const endpoint = { url, region: "us-east-1", accessKeyId: access_key_id, secretAccessKey: secret_access_key };
      const client = sdkClient({ ...endpoint, bucket: "" });
      const answer = await client.send(new ListBucketsCommand({})).then(
        () => "ok",
        (error: Error) => error.name,
      );
      client.destroy();
      return answer;
    };
    const rotate = async (overlap: number): Promise<Key> => {
      const answer = await owner.api<Key>("POST", `/v1/s3/keys/${key.id}/rotate`, { overlap_seconds: overlap });
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    const second = await rotate(3600);
    assert.equal(second.former?.access_key_id, key.access_key_id);
    assert.deepEqual([await lists(key), await lists(second)], ["ok", "ok"], "both work during the overlap");
    assert.equal((await found(key.secret_access_key)).owner?.id, key.id, "the former secret is found, too");
    const former = (await found(key.access_key_id)).owner;
    assert.deepEqual([former?.id, former?.is_live, former?.expires_at], [key.id, true, second.former?.expires_at]);
    const plan = await owner.api("DELETE", `/v1/s3/keys/${key.access_key_id}?dry_run=true`);
    assert.equal(plan.status, 200, `${plan.text}: the former ID names the key`);
    const third = await rotate(3600);
    assert.deepEqual([await lists(key), await lists(second), await lists(third)], ["InvalidAccessKeyId", "ok", "ok"]);
    const fourth = await rotate(0);
    assert.deepEqual([await lists(third), await lists(fourth)], ["InvalidAccessKeyId", "ok"]);
    assert.equal((await found(third.secret_access_key)).owner, null);
    assert.equal((await found(third.access_key_id)).owner, null);
    assert.equal((await owner.api("DELETE", `/v1/s3/keys/${key.id}`)).status, 200);
    assert.equal(await lists(fourth), "InvalidAccessKeyId");
  });

  test("links, webhooks, personal tokens and sessions", async () => {
    const invitation = await owner.api<{ id: string; link: string }>("POST", "/v1/invitations", {
      email: `${unique("invited")}@example.org`,
      role: "viewer",
    });
    const link = await found(invitation.body.link);
    assert.deepEqual([link.kind, link.owner?.id, link.owner?.is_live], ["invitation", invitation.body.id, true]);
    secrets.push(invitation.body.link.split("#")[1] ?? "");
    const hook = await found(shared.home.webhook.url);
    assert.deepEqual([hook.kind, hook.owner?.id], ["webhook_url", shared.home.webhook.id]);
    const personal = await owner.call<{ token: string; item: { id: string } }>("POST", "/api/account/tokens", {
      organization: shared.home.org.slug,
      name: "laptop",
      scopes: ["files:read"],
    });
    const token = await found(personal.body.token);
    assert.deepEqual([token.kind, token.owner?.id], ["personal_token", personal.body.item.id]);
    const session = await found(`__Host-mooring=${owner.cookie}`);
    secrets.push(owner.cookie);
    assert.deepEqual([session.kind, session.owner?.responsible.id], ["session", owner.id]);
    const portal = await found(await owner.token());
    assert.deepEqual(
      [portal.kind, portal.owner?.responsible.id, portal.owner?.is_live],
      ["session_token", owner.id, true],
    );
  });

  test("another organization's secret is unknown, and so is one that the caller may not see", async () => {
    const other = await shared.server.bootstrap({ org: unique("rival") });
    assert.equal((await found(other.credential.client_secret)).owner, null);
    assert.equal((await found(other.s3.secret_access_key)).owner, null);
    assert.equal((await found(other.webhook.url)).owner, null);
    const developer = await Person.invited(owner, `${unique("developer")}@example.org`, "developer");
    const invitation = await owner.api<{ link: string }>("POST", "/v1/invitations", {
      email: `${unique("invited")}@example.org`,
      role: "viewer",
    });
    assert.equal((await found(invitation.body.link, await developer.token())).owner, null, "it lacks members:write");
    const viewer = await Person.invited(owner, `${unique("viewer")}@example.org`, "viewer");
    const refused = await viewer.api("POST", "/v1/leaks/find", { secret: "x" });
    assert.equal(refused.status, 403, "a viewer lacks credentials:read");
  });

  test("a person's access ends at once, until they sign in again, and only in this organization", async () => {
    const ada = await Person.invited(owner, `${unique("ada")}@example.org`, "developer");
    const worker = await made(["telemetry:write"], ada);
    const before = await ada.token();
    const personal = await ada.call<{ token: string }>("POST", "/api/account/tokens", {
      organization: shared.home.org.slug,
      name: "laptop",
      scopes: ["files:read"],
    });
    assert.equal((await call(before, "GET", "/v1/me")).status, 200);
    const ended = await owner.api("POST", `/v1/members/${ada.id}/end-access`);
    assert.deepEqual([ended.status, ended.body["personal_tokens"]], [200, 1], ended.text);
    const refused = await call(before, "GET", "/v1/me");
    assert.deepEqual([refused.status, refused.body["code"]], [403, "new_sign_in_required"], refused.text);
    assert.equal((await call(personal.body.token, "GET", "/v1/files")).status, 401);
    const session = await ada.call<{ organizations: { refused: string | null }[] }>("GET", "/api/session");
    assert.equal(session.body.organizations[0]?.refused, "new_sign_in_required");
    const again = await Person.signedIn(shared.server, ada.email);
    assert.equal((await again.api("GET", "/v1/me")).status, 200);
    assert.equal((await call(await shared.server.token(worker), "GET", "/v1/me")).status, 200, "credentials stay");
    const entries = await owner.api("GET", `/v1/audit?action=member.end_access&target=${ada.id}`);
    assert.equal((entries.body["items"] as object[]).length, 1);
  });

  const command = (credential: Client, words: readonly string[], input = "") =>
    mooring(words, {
      input,
      environment: {
        MOORING_URL: shared.server.origin,
        MOORING_CLIENT_ID: credential.client_id,
        MOORING_CLIENT_SECRET: credential.client_secret,
      },
    });

  test("a leaked secret is found by command, and a plan replaces and ends all of a maker, itself last", async () => {
    const maker = await made(["credentials:write", "credentials:read", "org:read", "telemetry:write"]);
    const token = await shared.server.token(maker);
    const child = await call<Made>(token, "POST", "/v1/credentials", { name: "child", scopes: ["telemetry:write"] });
    const find = await command(maker, ["leak", "find"], `${child.body.client_secret}\n`);
    assert.equal(find.code, 0, find.stderr);
    assert.match(find.stdout, new RegExp(`^id +${child.body.id}$`, "m"));
    assert.match(find.stdout, /mooring credential rotate/);
    secrets.push(child.body.client_secret, maker.client_secret);
    assert.doesNotMatch(find.stdout + find.stderr, new RegExp(child.body.client_secret));

    const file = join(directory, "plan.json");
    const plan = await command(maker, ["leak", "rotate", "--maker", maker.id, "--plan", file]);
    assert.equal(plan.code, 0, plan.stderr);
    const { items } = JSON.parse(readFileSync(file, "utf8")) as { items: { id: string }[] };
    assert.deepEqual(
      items.map(({ id }) => id),
      [child.body.id],
      "the maker made one",
    );
    const every = join(directory, "all.json");
    const all = await command(maker, ["leak", "rotate", "--all", "--plan", every]);
    assert.equal(all.code, 0, all.stderr);
    const planned = JSON.parse(readFileSync(every, "utf8")) as { items: { id: string }[] };
    assert.equal(planned.items.at(-1)?.id, maker.id, "itself last");
    const own = { ...planned, items: planned.items.filter(({ id }) => id === child.body.id || id === maker.id) };
    writeFileSync(every, JSON.stringify(own));

    const save = join(directory, "secrets");
    const run = await command(maker, ["leak", "run", every, "--save", save]);
    assert.equal(run.code, 0, run.stderr + run.stdout);
    assert.deepEqual(readdirSync(save).toSorted(), [`${child.body.id}.json`, `${maker.id}.json`].toSorted());
    for (const name of readdirSync(save)) assert.equal(statSync(join(save, name)).mode & 0o777, 0o600);
    assert.equal((await call(token, "GET", "/v1/me")).status, 401, "the old token");
    const fresh = JSON.parse(readFileSync(join(save, `${maker.id}.json`), "utf8")) as { credential: Client };
    const again = await command(fresh.credential, ["leak", "run", every, "--save", save]);
    assert.equal(again.code, 0, again.stderr);
    assert.match(again.stdout, /rotated before/);
    assert.equal((await shared.server.token(fresh.credential)).length > 0, true, "a repeated run changed nothing");

    const revocation = join(directory, "revocation.json");
    await command(fresh.credential, ["leak", "revoke", "--maker", maker.id, "--plan", revocation]);
    for (let i = 0; i < 2; i++) {
      const revoked = await command(fresh.credential, ["leak", "run", revocation]);
      assert.match(revoked.stdout, /revoked at /, revoked.stderr);
    }
    const shown = await owner.api("GET", `/v1/credentials/${child.body.id}`);
    assert.equal(shown.body["state_reason"], "revoked after a leak");
  });

  test("the operator ends all sessions of a person", async () => {
    const grace = await Person.invited(owner, `${unique("grace")}@example.org`, "viewer");
    const ended = await mooring(
      ["account", "end-sessions", grace.email, "--data-dir", shared.server.dataDir, "--json"],
      {
        environment: shared.server.environment,
      },
    );
    assert.equal(ended.code, 0, ended.stderr);
    assert.deepEqual((JSON.parse(ended.stdout) as { sessions: number }).sessions, 1);
    assert.equal((await grace.call("GET", "/api/session")).status, 401);
  });

  test("no secret is in the server's log or in the audit log", async () => {
    const log = shared.server.stdout() + shared.server.stderr();
    const audit = (await owner.api("GET", "/v1/audit?action=leak.find&limit=100")).text;
    assert.match(audit, /client_secret/);
    assert.ok(secrets.length > 20, `${secrets.length} secrets`);
    for (const secret of secrets.filter((text) => text !== "" && !text.startsWith("http") && !text.includes("MOOR"))) {
      assert.ok(!log.includes(secret), "the log has a secret");
      assert.ok(!audit.includes(secret), "the audit log has a secret");
    }
  });
});
