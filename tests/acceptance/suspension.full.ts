/** A suspended organization: what read_only and blocked mean on every surface, for issued tokens, URLs and open streams. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { after, afterEach, before, test } from "node:test";
import {
  GetObjectCommand,
  ListBucketsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { askUpload, downloadUrl, fetched, granted, put, uploaded, type UploadGrant } from "../fixtures/files.ts";
import { basic, postForm, refused, type Answer } from "../fixtures/http.ts";
import { Person } from "../fixtures/person.ts";
import { eventually } from "../fixtures/process.ts";
import { startReceiver, type Receiver } from "../fixtures/receiver.ts";
import { registryRefused, registryToken, repositoryOf, send } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { startServer, type Bootstrap, type Json, type Server } from "../fixtures/server.ts";
import { logEntry, rows } from "../fixtures/telemetry.ts";
import { newDestination, newWebhook, post } from "../fixtures/webhooks.ts";

let server: Server;
/** The operator's organization, which is never suspended. */
let first: Bootstrap;
let operator: Person;
/** The organization that is suspended, and its owner. */
let home: Bootstrap;
let owner: Person;
let token: string;
let s3: S3Client;
let bucket: string;
let receiver: Receiver;
let hook: { readonly id: string; readonly url: string };
let grant: UploadGrant;
let fileUrl: string;
let repository: Awaited<ReturnType<typeof repositoryOf>>;
let name: string;
let digest: string;
let orgId: string;
const delivered = (): number => receiver.received.length;

before(async () => {
  const limits = { rate_limit_per_second: 100_000, rate_limit_burst: 100_000 };
  const settings = { ...limits, s3_public_organization: "customer", webhooks_private_addresses: "allow" };
  server = await startServer({ settings });
  receiver = await startReceiver();
  first = await server.bootstrap();
  operator = await Person.setUp(server, first.owner);
  const word = { org: "customer", project: "web", app: "shop-customer" };
  home = await server.bootstrap(word);
  owner = await Person.setUp(server, home.owner);
  token = await server.token(home.credential);
  orgId = String((await server.call("GET", "/v1/organization", { token })).body["id"]);
  bucket = word.app;
  s3 = sdkClient(await s3EndpointOf(server, home));
  await s3.send(new PutObjectCommand({ Bucket: bucket, Key: "kept", Body: "x" }));
  await s3.send(new PutBucketPolicyCommand({ Bucket: bucket, Policy: publicPolicy(bucket) }));
  hook = await newWebhook(server, token, { project: "web" });
  await newDestination(server, token, hook.id, { url: receiver.url });
  const file = await uploaded(server, token, { project: "web" });
  grant = await granted(server, token, { project: "web" });
  fileUrl = await downloadUrl(server, token, file.id);
  name = `orgs/customer/${bucket}`;
  repository = await repositoryOf(server, home.credential, name, "pull,push");
  digest = await repository.blob("layer");
  assert.equal((await ingest()).status, 202);
});
after(async () => {
  s3.destroy();
  await receiver.close();
  await server.dispose();
});

afterEach(() => become("active"));

function publicPolicy(of: string): string {
  const Statement = [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${of}/*` }];
  return JSON.stringify({ Version: "2012-10-17", Statement });
}

async function become(state: "active" | "read_only" | "blocked", reason?: string): Promise<void> {
  const act = state === "active" ? "resume" : "suspend";
  const body = state === "active" ? {} : { state, reason };
  const answer = await operator.call("POST", `/api/instance/organizations/${orgId}/${act}`, body);
  assert.equal(answer.status, 200, answer.text);
  assert.equal(answer.body["propagated"], true);
}

const ask = (method: string, path: string, json?: Json): Promise<Answer<Json>> =>
  server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
const ingest = (): Promise<Answer<Json>> =>
  ask("POST", "/v1/ingest/logs", { entries: [logEntry("from the customer")] });
const query = (): Promise<Answer<Json>> => ask("POST", "/v1/query", { sql: "select count(*) as n from logs" });
const otlp = () =>
  post(`${server.origin}/otlp/v1/logs`, '{"resourceLogs":[]}', {
    authorization: `Bearer ${token}`,
    "content-type": "application/json",
  });
/** The answers of the other protocols to an empty body. */
const protocols = async (): Promise<string[]> => {
  const paths = [
    "/prometheus/api/v1/write",
    "/loki/api/v1/push",
    "/elasticsearch/_bulk",
    "/splunk/services/collector",
    "/raw/logs",
  ];
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const answers = await Promise.all(
    paths.map((path) => fetch(server.origin + path, { method: "POST", headers, body: "{}" })),
  );
  return Promise.all(answers.map(async (answer) => `${answer.status} ${await answer.text()}`));
};
const newToken = () => {
  const { client_id, client_secret } = home.credential;
  return postForm<Json>(
    server.origin,
    "/oauth/token",
    { grant_type: "client_credentials" },
    basic(client_id, client_secret),
  );
};
async function publicObject(): Promise<Response> {
  const { url } = await s3EndpointOf(server, home);
  return fetch(`${url}/${bucket}/kept`);
}

/** Opens a tail. `text` is its content when it ends. */
async function tail(): Promise<{ readonly text: Promise<string> }> {
  const headers = { authorization: `Bearer ${token}`, accept: "text/event-stream" };
  const response = await fetch(`${server.origin}/v1/tail/logs`, { headers, signal: AbortSignal.timeout(20_000) });
  assert.equal(response.status, 200);
  return { text: response.text() };
}

test("read_only: reading continues on every surface, and every write is refused with the reason", async () => {
  await become("read_only", "the bill is unpaid");
  const readOnly = (answer: Answer<unknown>): void =>
    assert.match(
      String(refused(answer, 403, "organization_read_only").detail),
      /The operator's reason: the bill is unpaid\./,
    );
  readOnly(await ingest());
  assert.deepEqual([(await otlp()).status, (await otlp()).json["code"]], [403, 7]); // PERMISSION_DENIED
  for (const answer of await protocols()) assert.match(answer, /^403 .*The operator's reason: the bill is unpaid\./s);
  readOnly(await askUpload(server, token, { project: "web" }));
  readOnly(await put(server, grant.upload_url, "hello world"));
  readOnly(await ask("POST", "/v1/projects", { slug: "another" }));
  readOnly(await ask("POST", "/v1/credentials", { name: "x", scopes: ["files:read"] }));
  readOnly(
    await owner.call("POST", "/api/account/tokens", { name: "x", organization: "customer", scopes: ["files:read"] }),
  );
  const write = s3.send(new PutObjectCommand({ Bucket: bucket, Key: "new", Body: "x" }));
  await assert.rejects(write, (error: Error) => error.name === "AccessDenied" && /read-only/.test(error.message));
  registryRefused(await repository.call("POST", "blobs/uploads/"), 403, "DENIED", "read-only");
  const again = await registryToken(server.origin, [`repository:${name}:pull,push`], home.credential);
  registryRefused(
    await send(server.origin, "POST", `/v2/${name}/blobs/uploads/`, { auth: again }),
    403,
    "DENIED",
    "read-only",
  );
  const event = await eventually(
    "the webhook to answer 503",
    async () => {
      const answer = await post(hook.url, "late");
      return answer.status === 503 ? answer : null;
    },
    2000,
  );
  assert.match(String(event.json["detail"]), /suspended; send the event again later/);

  assert.equal((await newToken()).status, 200);
  assert.equal((await query()).status, 200);
  assert.equal((await fetched(fileUrl)).status, 200);
  assert.equal((await s3.send(new GetObjectCommand({ Bucket: bucket, Key: "kept" }))).ContentLength, 1);
  assert.equal((await publicObject()).status, 200);
  assert.equal((await repository.call("GET", `blobs/${digest}`)).status, 200);
  assert.equal((await server.call("GET", "/v1/projects", { token: await owner.token() })).status, 200);
});

test("read_only: credentials are revoked, and memberships end", async () => {
  const made = await ask("POST", "/v1/credentials", { name: "gone", scopes: ["files:read"] });
  const member = await Person.invited(owner, "leaver@example.org", "viewer");
  await become("read_only");
  assert.equal((await ask("DELETE", `/v1/credentials/${String(made.body["id"])}`)).status, 200);
  assert.equal((await owner.api("POST", `/v1/members/${member.id}/end-access`, {})).status, 200);
  assert.equal((await owner.api("DELETE", `/v1/members/${member.id}`)).status, 204);
});

test("blocked: every surface refuses readably, public content is absent, streams end, and the data is kept", async () => {
  const stream = await tail();
  await become("blocked", "abuse");
  assert.match(await stream.text, /event: end\ndata: \{"code":"organization_blocked"/);
  const blocked = (answer: Answer<unknown>): void =>
    assert.match(String(refused(answer, 403, "organization_blocked").detail), /The operator's reason: abuse\./);
  for (const answer of [await ingest(), await query(), await ask("GET", "/v1/projects"), await ask("GET", "/v1/me")])
    blocked(answer);
  blocked(await put(server, grant.upload_url, "hello world"));
  assert.deepEqual([(await otlp()).status, (await otlp()).json["code"]], [403, 7]);
  for (const answer of await protocols()) assert.match(answer, /^403 /);
  const download = await fetched(fileUrl);
  assert.equal(download.status, 403);
  const oauth = await newToken();
  assert.deepEqual([oauth.status, oauth.body["error"]], [400, "unauthorized_client"]);
  assert.match(String(oauth.body["error_description"]), /blocked/);
  const wrong = basic(home.credential.client_id, "mrcs_wrong");
  const guess = await postForm<Json>(server.origin, "/oauth/token", { grant_type: "client_credentials" }, wrong);
  assert.ok(!guess.text.includes("blocked"), "only a caller with the secret gets the reason");
  await assert.rejects(
    s3.send(new ListBucketsCommand({})),
    (error: Error) => error.name === "AccessDenied" && /blocked/.test(error.message),
  );
  assert.equal((await publicObject()).status, 404);
  registryRefused(await repository.call("GET", `blobs/${digest}`), 403, "DENIED", "blocked");
  const { client_id, client_secret } = home.credential;
  const auth = basic(client_id, client_secret).authorization;
  registryRefused(await send(server.origin, "GET", `/v2/${name}/blobs/${digest}`, { auth }), 403, "DENIED", "blocked");
  await eventually(
    "the webhook to answer 503",
    async () => ((await post(hook.url, "x")).status === 503 ? true : null),
    2000,
  );
  refused(await owner.call("POST", "/api/session/token", { organization: "customer" }), 403, "organization_blocked");
  assert.equal((await operator.call("GET", "/api/instance/organizations")).status, 200, "the operator is not affected");

  await become("active");
  assert.equal((await fetched(fileUrl)).status, 200);
  assert.equal((await publicObject()).status, 200);
  assert.equal((await s3.send(new GetObjectCommand({ Bucket: bucket, Key: "kept" }))).ContentLength, 1);
  assert.equal((await repository.call("GET", `blobs/${digest}`)).status, 200);
  const [{ n } = { n: 0 }] = await rows<{ n: number }>(server, token, "select count(*) as n from logs");
  assert.ok(n > 0, "telemetry is kept");
});

test("deliveries wait while the organization is suspended, and continue when it is resumed", async () => {
  await eventually(
    "the webhook to be back",
    async () => ((await post(hook.url, "one")).status === 202 ? true : null),
    2000,
  );
  await eventually("the delivery", async () => (delivered() >= 1 ? true : null), 10_000);
  receiver.answer(500);
  await post(hook.url, "two");
  await eventually("a failed attempt", async () => (delivered() >= 2 ? true : null), 10_000);
  await become("blocked");
  receiver.answer(200);
  await eventually("the retry to wait", async () => (/suspended/.test(await forwardingError()) ? true : null), 60_000);
  const before = delivered();
  await become("active");
  await eventually("the delivery after the suspension", async () => (delivered() > before ? true : null), 90_000);
});

/** Returns the error of a job that forwards events, as the operator sees it. */
async function forwardingError(): Promise<string> {
  const { body } = await operator.call<{ queued: { kind: string; last_error: string | null }[] }>(
    "GET",
    "/api/instance/jobs",
  );
  return body.queued.find(({ kind }) => kind === "webhook.hand_on")?.last_error ?? "";
}

/** Loaded into the server: kills it around one commit. */
const WATCH = new URL("../fixtures/kill-at-commit.ts", import.meta.url).href;

test("a kill around the commit leaves the state before or after it, with its entries in both audit logs", async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "mooring-suspend-kill-"));
  const order = `${dataDir}.kill`;
  const environment = { NODE_OPTIONS: `--import=${WATCH}`, KILL_AT_COMMIT: order };
  let killed = await startServer({ dataDir, database: "sqlite", environment });
  try {
    const { org, owner: runner } = await killed.bootstrap();
    await Person.setUp(killed, runner);
    const path = `/api/instance/organizations/${org.id}/suspend`;
    for (const moment of ["before", "after"] as const) {
      const person = await Person.signedIn(killed, runner.email);
      writeFileSync(order, JSON.stringify({ text: '"state_reason"', value: "killed", moment }));
      await person.call("POST", path, { state: "blocked", reason: "killed" }).catch(() => undefined); // It may get no answer.
      await killed.exited;
      rmSync(order);
      const db = new DatabaseSync(join(dataDir, "mooring.db"), { readOnly: true });
      const state = db.prepare("select state from organization where id = ?").get(org.id) as { state: string };
      const audit = db.prepare("select count(*) as n from audit where action = 'organization.suspend'").get() as {
        n: number;
      };
      db.close();
      assert.deepEqual([state.state, audit.n], moment === "before" ? ["active", 0] : ["blocked", 2]);
      await killed.dispose();
      killed = await startServer({ dataDir, database: "sqlite", environment });
    }
  } finally {
    await killed.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
