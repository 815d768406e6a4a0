/** Who owns a credential: people leave, secrets leak, and roles change. Every reason is the same in each place. */
import assert from "node:assert/strict";
import { before, describe, test } from "node:test";
import { postForm } from "../fixtures/http.ts";
import { Person } from "../fixtures/person.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { unique } from "../fixtures/registry.ts";
import { useSharedServer, type Client } from "../fixtures/server.ts";

interface Made extends Client {
  readonly id: string;
}

interface Effects {
  readonly stops: readonly { readonly id: string; readonly reason: string }[];
  readonly adopts: readonly { readonly id: string }[];
  readonly etag: string;
}

describe("the owner of a credential", () => {
  const shared = useSharedServer();
  let owner: Person;

  before(async () => {
    owner = await Person.setUp(shared.server, shared.home.owner);
  });

  const call = <T = Record<string, unknown>>(token: string, method: string, path: string, json?: object) =>
    shared.server.call<T>(method, path, { token, ...(json === undefined ? {} : { json }) });

  async function made(person: Person, scopes: readonly string[]): Promise<Made> {
    const answer = await person.api<Made>("POST", "/v1/credentials", { name: "worker", scopes });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  }

  async function sent(token: string): Promise<number> {
    const entries = [{ timestamp: new Date().toISOString(), level: "info", message: "still here" }];
    return (await call(token, "POST", "/v1/ingest/logs", { entries })).status;
  }

  /** Returns the answer to a token request, with the reason if it is refused. */
  const asked = ({ client_id, client_secret }: Client) =>
    postForm(shared.server.origin, "/oauth/token", { grant_type: "client_credentials", client_id, client_secret });

  const member = (role: string): Promise<Person> => Person.invited(owner, `${unique(role)}@example.org`, role);

  test("a developer leaves, and nothing stops", async () => {
    const developer = await member("developer");
    const worker = await made(developer, ["telemetry:write"]);
    const key = await developer.api<{ id: string }>("POST", "/v1/s3/keys", { name: "backup" });
    const token = await shared.server.token(worker);
    const path = `/v1/members/${developer.id}`;
    const plan = await owner.api<Effects>("DELETE", `${path}?dry_run=true`);
    assert.deepEqual(plan.body.stops, [], plan.text);
    assert.deepEqual(plan.body.adopts.map(({ id }) => id).toSorted(), [worker.id, key.body.id].toSorted());
    assert.equal((await developer.api("GET", "/v1/me")).status, 200, "a dry run changes nothing");
    assert.equal((await owner.api("DELETE", path)).status, 204);
    assert.equal((await developer.api("GET", "/v1/me")).status, 401);
    assert.equal(await sent(token), 202, "the token from before");
    assert.equal(await sent(await shared.server.token(worker)), 202, "and a new one");
    for (const each of [`/v1/credentials/${worker.id}`, `/v1/s3/keys/${key.body.id}`]) {
      const { body } = await owner.api<{ state: string; responsible: { id: string }; created_by: string }>("GET", each);
      assert.deepEqual([body.state, body.responsible.id, body.created_by], ["active", owner.id, developer.id], each);
    }
  });

  test("what a thief made with a leaked secret ends with it, and nobody can adopt it", async () => {
    const leaked = await made(owner, ["credentials:write", "credentials:read", "telemetry:write"]);
    const thief = await shared.server.token(leaked);
    const child = await call<Made>(thief, "POST", "/v1/credentials", { name: "backdoor", scopes: ["telemetry:write"] });
    const token = await shared.server.token(child.body);
    assert.equal(await sent(token), 202);
    const gone = await owner.api("DELETE", `/v1/credentials/${leaked.id}?reason=leak`);
    assert.equal(gone.status, 200, gone.text);
    assert.equal(await sent(token), 401);
    assert.equal(await sent(thief), 401);
    const reason = `revoked with its parent ${leaked.id} after a leak`;
    const dead = await call(token, "GET", "/v1/me");
    assert.ok(dead.text.includes(reason), dead.text);
    assert.equal((await asked(child.body)).status, 401);
    await eventually("the refusal in the audit log", async () => {
      const refusals = await owner.api("GET", `/v1/audit?action=token.refuse&target=${child.body.id}`);
      return refusals.text.includes(reason) ? refusals : null;
    });
    const shown = await owner.api("GET", `/v1/credentials/${child.body.id}`);
    assert.deepEqual([shown.body["state"], shown.body["state_reason"]], ["ended", reason]);
    const adopted = await owner.api("POST", `/v1/credentials/${child.body.id}/adopt`);
    assert.deepEqual([adopted.status, adopted.body["code"]], [409, "conflict"]);
    assert.match(String(adopted.body["detail"]), /after a leak/);
  });

  test("the reason is the same in the API, a 403, a token request, a 409 and the audit log", async () => {
    const admin = await member("admin");
    const worker = await made(admin, ["audit:read"]);
    const token = await shared.server.token(worker);
    const lowered = await owner.api("PATCH", `/v1/members/${admin.id}`, { role: "viewer" });
    assert.equal(lowered.status, 200, lowered.text);
    const reason = /role of the person responsible for it was lowered from admin to viewer/;
    const path = `/v1/credentials/${worker.id}`;
    const shown = await owner.api("GET", path);
    assert.deepEqual(shown.body["state"], "idle");
    assert.match(String(shown.body["state_reason"]), reason);
    const forbidden = await call(token, "GET", "/v1/audit");
    assert.equal(forbidden.status, 403);
    assert.match(String(forbidden.body["detail"]), reason);
    const refused = await asked(worker);
    assert.equal(refused.status, 400);
    assert.match(String(refused.body["error_description"]), reason);
    for (const [method, act, json] of [
      ["POST", `${path}/rotate`, {}],
      ["PATCH", path, { name: "x" }],
    ] as const) {
      const conflict = await owner.api(method, act, json);
      assert.deepEqual([conflict.status, conflict.body["code"]], [409, "conflict"], conflict.text);
      assert.match(String(conflict.body["detail"]), reason);
    }
    const entries = await owner.api<{ items: { detail: { reason: string } }[] }>(
      "GET",
      `/v1/audit?target=${worker.id}&action=credential.reduced`,
    );
    assert.match(entries.body.items[0]?.detail.reason ?? "", reason);
    const adopted = await owner.api("POST", `${path}/adopt`);
    assert.deepEqual([adopted.status, adopted.body["state"]], [200, "active"], adopted.text);
    assert.equal((await call(await shared.server.token(worker), "GET", "/v1/audit")).status, 200);
  });

  test("the command line shows the effects of a revocation, and adopts", async () => {
    const parent = await made(owner, ["credentials:write", "telemetry:write"]);
    const kid = await call<Made>(await shared.server.token(parent), "POST", "/v1/credentials", {
      name: "child of a command",
      scopes: ["telemetry:write"],
    });
    const environment = {
      MOORING_URL: shared.server.origin,
      MOORING_CLIENT_ID: shared.home.credential.client_id,
      MOORING_CLIENT_SECRET: shared.home.credential.client_secret,
    };
    const run = (...words: string[]) => mooring(words, { environment });
    const plan = await run("credential", "revoke", parent.client_id, "--dry-run");
    assert.equal(plan.code, 0, plan.stderr);
    assert.match(plan.stdout, new RegExp(`${kid.body.id} +child of a command .*revoked with its parent ${parent.id}`));
    assert.match(plan.stdout, /Nothing was changed/);
    const json = await run("credential", "revoke", parent.client_id, "--dry-run", "--json");
    const { etag } = JSON.parse(json.stdout) as Effects;
    const done = await run("credential", "revoke", parent.client_id, "--if-match", etag);
    assert.match(done.stdout, /^revoked at /, done.stderr);
    const adopted = await run("credential", "adopt", kid.body.id, "--json");
    assert.equal(adopted.code, 0, adopted.stderr);
    assert.equal((JSON.parse(adopted.stdout) as { state: string }).state, "active");
  });
});
