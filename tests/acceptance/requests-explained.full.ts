/**
 * Refused requests of every kind, on every surface: each is explained rightly, to those whom it concerns and to nobody else. The
 * cells and their outcomes come from the model of permissions, which shares no code with the product.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readdirSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { basic, postForm, type Answer } from "../fixtures/http.ts";
import { newIngestKey } from "../fixtures/ingest-keys.ts";
import { bodyOf, queryOf } from "../fixtures/operation-requests.ts";
import { pathOf, publishedOperations } from "../fixtures/operations.ts";
import { actorsOf, strangers } from "../fixtures/permissions/actors.ts";
import { ask, isUseful, runAll, type Cell } from "../fixtures/permissions/cells.ts";
import {
  expected,
  expectedInProject,
  RULES,
  type Actor,
  type Outcome,
  type PlaceName,
  type Target,
} from "../fixtures/permissions/model.ts";
import { keysOf, placesOf, REGISTRY_ROWS, S3_ROWS, type Place } from "../fixtures/permissions/protocols.ts";
import { RESOURCE_TABLE } from "../fixtures/permissions/tables.ts";
import { archive, newWorld, sharedValues, targetsOf, type World } from "../fixtures/permissions/world.ts";
import { Person } from "../fixtures/person.ts";
import { send } from "../fixtures/registry.ts";
import { RELAXED, useServer, type Bootstrap, type Server } from "../fixtures/server.ts";

const OPERATIONS = publishedOperations().filter(({ scopes }) => scopes !== null);
const LIMITS = { custom_roles_max: 40 };

interface Explained {
  readonly request_id: string;
  readonly status: number;
  readonly surface: string;
  readonly actor: { readonly kind: string; readonly id: string } | null;
  readonly decided_by: {
    readonly rule: string;
    readonly resource: { readonly kind: string } | null;
    readonly policy: { statement: string } | null;
  };
  readonly would_allow: readonly { readonly act: string; readonly by: readonly string[] }[];
}

let server: Server;
let home: Bootstrap;
let operator: Person;
let main: World;
let rival: World;
let actors: readonly Actor[] = [];
const faults: string[] = [];
const counts = new Map<string, number>();
/** Requests without a known caller. One of a hundred is kept, for nobody's organization. */
const unknown: string[] = [];

useServer({ settings: { ...RELAXED, custom_roles_max: LIMITS.custom_roles_max } }, async (started) => {
  ({ server, home } = started);
  operator = await Person.setUp(server, home.owner);
  main = await newWorld(server, home, operator);
  const theirs = await server.bootstrap({ org: "rival", project: "web", app: "app-rival" });
  rival = await newWorld(server, theirs, await Person.setUp(server, theirs.owner));
});

function explain(id: string, token: string): Promise<Answer<{ readonly items: readonly Explained[] }>> {
  return server.call("GET", `/v1/requests/${id}`, { token });
}

/** The organization of a refused request, and what its explanation must say. */
interface Wanted {
  readonly about: string;
  /** Null: its caller is not known, so nobody finds it. */
  readonly rule: string | null;
  /** The organization that may read it. */
  readonly world: World;
  readonly isHidden?: boolean;
}

/** Checks the explanation of a request: for a reader who sees everything, and for those whom it does not concern. */
async function check(id: string, { about, rule, world, isHidden = false }: Wanted): Promise<void> {
  counts.set(String(rule), (counts.get(String(rule)) ?? 0) + 1);
  const other = world === main ? rival : main;
  const elsewhere = await explain(id, other.maker.token);
  if (elsewhere.status !== 404) faults.push(`${about}: another organization reads it`);
  if (rule === null) unknown.push(id);
  const answer = await explain(id, world.maker.token);
  if (rule === null) {
    if (answer.status !== 404)
      faults.push(`${about}: it has no known caller, but is found: ${answer.text.slice(0, 300)}`);
    return;
  }
  const [item] = answer.status === 200 ? answer.body.items : [];
  if (item === undefined || item.request_id !== id) {
    faults.push(`${about}: not found (${answer.status})`);
    return;
  }
  const found = item.decided_by.rule;
  if (found !== rule) faults.push(`${about}: ${found} instead of ${rule}: ${JSON.stringify(item.decided_by)}`);
  if (rule !== "absent" && rule !== "internal" && item.would_allow.length === 0)
    faults.push(`${about}: nothing would allow it (${rule})`);
  if (isHidden) await checkHidden(id, about, world);
}

/** A reader of the organization who may not see the private project. */
let outsider = "";

/** For those who may not see a private project, its objects are absent. */
async function checkHidden(id: string, about: string, world: World): Promise<void> {
  if (world !== main) return;
  const { status, text, body } = await explain(id, outsider);
  if (status !== 200) faults.push(`${about}: the reader outside of the project gets ${status}`);
  else if (text.includes(main.projects.private)) faults.push(`${about}: the reader outside of the project gets its id`);
  // A credential of the project may also lack a permission for the organization, which the reader knows.
  else if (body.items[0]?.decided_by.rule !== "absent" && body.items[0]?.decided_by.resource?.kind !== "organization")
    faults.push(`${about}: the reader outside of the project gets ${text.slice(0, 1_500)}`);
}

function fileOfSize(directory: string, bytes: number): string {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const found = files.map((entry) => join(entry.parentPath, entry.name)).find((path) => statSync(path).size === bytes);
  assert.ok(found !== undefined, `no file of ${bytes} bytes in ${directory}`);
  return found;
}

function assertNoFaults(): void {
  const all = faults.splice(0);
  assert.equal(all.length, 0, `${all.length} explanations are wrong:\n${all.slice(0, 80).join("\n")}`);
}

const isOneOf = (rule: keyof typeof RULES, { operation }: Target): boolean =>
  (RULES[rule].operations as readonly string[]).includes(operation.id);

/** Returns the rule that an explanation must name. Null: the caller is not known. */
function ruleOf(actor: Actor, target: Target, outcome: Outcome): string | null {
  const [permission = ""] = target.operation.scopes ?? [];
  switch (outcome) {
    case "unauthorized":
      return null;
    case "invalid_token":
      if (actor.kind === "person" || actor.client === null) return null;
      return actor.name.startsWith("expired") ? "expired" : "revoked";
    case "organization_read_only":
    case "organization_blocked":
      return "organization_state";
    case "project_archived":
      return "project_state";
    case "insufficient_user_authentication":
      return "sign_in";
    case "forbidden":
      return actor.boundTo !== null &&
        !isOneOf("owners", target) &&
        !isOneOf("people", target) &&
        !isOneOf("enters", target)
        ? "other_project"
        : "role";
    case "insufficient_scope":
      return scopeRule(actor, permission);
    case "not_found":
    case "allowed":
      return isOneOf("ofOthers", target) ? "absent" : hiddenRule(actor, target.place);
  }
}

function scopeRule(actor: Actor, permission: string): string {
  if (actor.limitedTo !== null)
    return (RESOURCE_TABLE[actor.limitedTo] as readonly string[]).includes(permission) ? "key_bounds" : "scope";
  if (actor.kind === "person")
    return actor.name.startsWith("personal token") && !actor.scopes.has(permission) ? "scope" : "role";
  return actor.name.includes("viewer now") ? "role" : "scope";
}

function hiddenRule(actor: Actor, place: PlaceName): string {
  if (place === "absent" || actor.isStranger) return "absent";
  if (actor.boundTo !== null) return "other_project";
  if (place === "private") return "private_project";
  if (actor.limitedTo !== null) return "key_bounds";
  return actor.isGuest ? "role" : "absent";
}

/** Chooses one refused cell for each operation and rule, in an order that is always the same. */
function chosenCells(cells: readonly Cell[]): Cell[] {
  const chosen = new Map<string, Cell>();
  const sorted = cells
    .map((cell, i) => ({ cell, place: (i * 7919) % cells.length }))
    .toSorted((a, b) => a.place - b.place);
  for (const { cell } of sorted) {
    const outcome = expected(cell.actor, cell.target);
    if (outcome === "allowed") continue;
    const { operation, place } = cell.target;
    const kind = cell.actor.isStranger ? "stranger" : place === "private" ? "private" : "";
    const key = `${operation.id} ${outcome} ${ruleOf(cell.actor, cell.target, outcome)} ${kind}`;
    if (!chosen.has(key)) chosen.set(key, cell);
  }
  return [...chosen.values()];
}

test("the API: one refusal for each operation and rule", async (context) => {
  await runAll(OPERATIONS.flatMap(targetsOf), async (target) => void (await sharedValues(main, target)));
  await archive(main);
  actors = [...(await actorsOf(main)), ...(await strangers(rival))];
  const reader = await main.keeper.api<{ client_id: string; client_secret: string }>("POST", "/v1/credentials", {
    name: "reader",
    scopes: ["audit:read"],
  });
  outsider = await server.token(reader.body);
  const cells = OPERATIONS.flatMap(targetsOf).flatMap((target) =>
    actors.filter((actor) => isUseful(actor, target)).map((actor) => ({ world: main, actor, target })),
  );
  const chosen = chosenCells(cells);
  await runAll(chosen, async ({ actor, target }) => {
    const outcome = expected(actor, target);
    const { text, outcome: found } = await ask(server, target, await sharedValues(main, target), actor.token);
    const about = `${target.operation.id} (${target.by} ${target.place}) by ${actor.name}`;
    if (found !== outcome) return void faults.push(`${about}: ${found} instead of ${outcome}`);
    const { request_id: id } = JSON.parse(text) as { request_id: string };
    const rule = ruleOf(actor, target, outcome);
    const isHidden = outcome === "not_found" && target.place === "private" && !actor.isStranger;
    await check(id, { about, rule, world: actor.isStranger ? rival : main, isHidden });
  });
  context.diagnostic(`${chosen.length} refusals of the API: ${JSON.stringify(Object.fromEntries(counts))}`);
  assert.ok(chosen.length >= 700, `only ${chosen.length} cells`);
  assertNoFaults();
});

test("the API: wrong bodies, methods, parameters and paths", async () => {
  const { token } = main.maker;
  const idOf = ({ body }: Answer): string => String(body["request_id"]);
  await runAll(
    OPERATIONS.filter(({ hasBody, id }) => hasBody && bodyOf({ id, hasBody } as never) !== undefined),
    async (operation) => {
      const values = await sharedValues(main, targetsOf(operation)[0] ?? assert.fail());
      const answer = await server.call(operation.method, pathOf(operation, values) + queryOf(operation), {
        token,
        json: { "no such member": true },
      });
      if (answer.status !== 400) return;
      await check(idOf(answer), { about: `${operation.id} with a wrong body`, rule: "validation", world: main });
    },
  );
  for (const [method, path, rule] of [
    ["GET", "/v1/projects?no_such=1", "validation"],
    ["GET", "/v1/audit?cursor=x", "validation"],
  ] as const)
    await check(idOf(await server.call(method, path, { token })), { about: `${method} ${path}`, rule, world: main });
  const duplicate = await server.call("POST", "/v1/projects", { token, json: { slug: "hidden" } });
  assert.equal(duplicate.status, 409, duplicate.text);
  await check(idOf(duplicate), { about: "a duplicate slug", rule: "conflict", world: main });
  const sql = await server.call("POST", "/v1/query", { token, json: { sql: "select nonsense from" } });
  await check(idOf(sql), { about: "wrong SQL", rule: "validation", world: main });
  const large = await server.call("POST", "/v1/query", { token, json: { sql: "select * from range(200)", limit: 10 } });
  if (large.status === 400) await check(idOf(large), { about: "too many rows", rule: "size", world: main });
  assertNoFaults();
});

test("limits, quotas and rates", async () => {
  const idOf = ({ body }: Answer): string => String(body["request_id"]);
  let limited: Answer | undefined;
  for (let i = 0; i < LIMITS.custom_roles_max + 1 && limited?.status !== 409; i++)
    limited = await rival.keeper.api("POST", "/v1/roles", {
      slug: `role-${i}`,
      kind: "organization",
      scopes: ["org:read"],
    });
  assert.equal(limited?.status, 409, limited?.text);
  await check(idOf(limited), { about: "the limit of custom roles", rule: "limit", world: rival });
  const { body } = await rival.keeper.api("GET", "/v1/organization");
  const path = `/api/instance/organizations/${String(body["id"])}/quotas`;
  const quotas = await operator.call("PATCH", path, { stored_bytes_max: 0, files_stored_bytes_max: 0 });
  assert.ok(quotas.status < 300, quotas.text);
  const entries = [{ timestamp: new Date().toISOString(), level: "info", message: "m" }];
  const deadline = performance.now() + 30_000;
  let refused = await rival.keeper.api("POST", "/v1/ingest/logs", { entries });
  while (refused.status !== 429 && performance.now() < deadline)
    refused = await rival.keeper.api("POST", "/v1/ingest/logs", { entries });
  await check(idOf(refused), { about: "the quota of telemetry", rule: "quota", world: rival });
  const upload = await rival.keeper.api("POST", "/v1/upload", {
    filename: "a",
    content_type: "text/plain",
    size_bytes: 10,
  });
  assert.equal(upload.status, 413, upload.text);
  await check(idOf(upload), { about: "the quota of files", rule: "quota", world: rival });
  const key = await newIngestKey(server, home, { requests_per_second: 1 });
  let last: Answer | undefined;
  for (let i = 0; i < 20 && last?.status !== 429; i++)
    last = await server.call("POST", "/v1/ingest/logs", { token: key, json: { entries } });
  assert.equal(last?.status, 429, last?.text);
  await check(idOf(last), { about: "the rate of an ingest key", rule: "rate", world: main });
  assertNoFaults();
});

test("ingest keys: ended ones, other origins and wrong rows", async () => {
  const { token } = main.maker;
  const id = (answer: Answer): string => answer.headers.get("request-id") ?? "";
  const entries = [{ timestamp: new Date().toISOString(), level: "info", message: "m" }];
  const made = await server.call<{ id: string; key: string }>("POST", "/v1/ingest-keys", {
    token,
    json: { name: "ended", project: home.project.slug },
  });
  const bound = await newIngestKey(server, home, { origins: ["https://shop.example.com"] });
  const wrong = await server.call("POST", "/v1/ingest/logs", { token: made.body.key, json: { entries: [{}] } });
  await check(id(wrong), { about: "a wrong entry", rule: "validation", world: main });
  const page = await server.call("POST", "/v1/ingest/logs", {
    token: bound,
    json: { entries },
    headers: { origin: "https://evil.example.com" },
  });
  await check(id(page), { about: "another origin", rule: "origin", world: main });
  assert.ok((await server.call("DELETE", `/v1/ingest-keys/${made.body.id}`, { token })).status < 300);
  for (const path of ["/v1/ingest/logs", "/otlp/v1/logs", "/loki/api/v1/push"]) {
    const headers = { authorization: `Bearer ${made.body.key}`, "content-type": "application/json" };
    const answer = await fetch(server.origin + path, { method: "POST", headers, body: JSON.stringify({ entries }) });
    assert.equal(answer.status, 401, await answer.text());
    await check(answer.headers.get("request-id") ?? "", {
      about: `a revoked ingest key at ${path}`,
      rule: "revoked",
      world: main,
    });
  }
  const nobody = await server.call("POST", "/v1/ingest/logs", { token: "mrik_unknown", json: { entries } });
  await check(id(nobody), { about: "an unknown ingest key", rule: null, world: main });
  assertNoFaults();
});

test("S3, by every kind of key", async () => {
  const places = await placesOf(main, ["open", "private", "archived"]);
  const keys = await keysOf(main, places);
  await runAll(keys, async (key) => {
    for (const row of S3_ROWS)
      for (const place of places) {
        const failure = await row.send(key.client3, place.bucket).then(
          () => undefined,
          (error: {
            readonly name: string;
            readonly $metadata: { readonly requestId?: string; readonly httpStatusCode?: number };
          }) => error,
        );
        if (failure === undefined) continue;
        const { requestId = "" } = failure.$metadata;
        const about = `${row.name} (${place.name}) by ${key.name}: ${failure.name}`;
        await check(requestId, { about, rule: s3Rule(key, row.permission, place, failure.name), world: main });
      }
  });
  assertNoFaults();
});

function s3Rule(key: Actor, permission: string, { name }: Place, code: string): string | null {
  if (!key.isValid) return null;
  if (code === "NoSuchKey") return "absent";
  if (name === "absent") return key.limitedTo === "buckets" ? "key_bounds" : "absent";
  if (key.limitedTo === "buckets" && name !== "open") return "key_bounds";
  const outcome = expectedInProject(key, name, permission, "buckets");
  if (outcome === "project_archived") return "project_state";
  if (code === "NoSuchBucket") return key.boundTo === null ? "private_project" : "other_project";
  if (name === "archived" && /write|delete/.test(permission) && key.scopes.has(permission)) return "project_state";
  if (!key.scopes.has(permission)) return name === "archived" && permission !== "s3:read" ? "project_state" : "scope";
  return key.boundTo !== null && key.boundTo !== name ? "other_project" : "scope";
}

test("S3: a policy that denies is named", async () => {
  const { keeper } = main;
  const { body } = await keeper.api<{ bucket: string }>("GET", `/v1/apps/${home.app.id}`);
  const [key] = await keysOf(main, [{ name: "open", bucket: body.bucket, repository: "" }]);
  const { PutBucketPolicyCommand, GetObjectCommand, DeleteBucketPolicyCommand } = await import("@aws-sdk/client-s3");
  const Bucket = body.bucket;
  const statement = {
    Sid: "NobodyReads",
    Effect: "Deny",
    Principal: "*",
    Action: "s3:GetObject",
    Resource: `arn:aws:s3:::${Bucket}/*`,
  };
  const client = key?.client3 ?? assert.fail();
  await client.send(
    new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: "2012-10-17", Statement: [statement] }) }),
  );
  const failure = await client.send(new GetObjectCommand({ Bucket, Key: "a" })).then(
    () => assert.fail("it was allowed"),
    (error: { readonly $metadata: { readonly requestId?: string } }) => error,
  );
  const id = failure.$metadata.requestId ?? "";
  await check(id, { about: "a denying policy", rule: "bucket_policy", world: main });
  const [item] = (await explain(id, main.maker.token)).body.items;
  assert.equal(item?.decided_by.policy?.statement, "NobodyReads");
  await client.send(new DeleteBucketPolicyCommand({ Bucket }));
  assertNoFaults();
});

test("the registry, by every kind of credential", async () => {
  const places = await placesOf(main, ["open", "private", "archived"]);
  const clients = actors.filter(
    ({ client, isValid, name }) => client !== null && isValid && !/^credential without (?!registry)/.test(name),
  );
  await runAll(clients, async (actor) => {
    for (const row of REGISTRY_ROWS)
      for (const place of places) {
        const { client } = actor;
        const auth = client === null ? undefined : basic(client.client_id, client.client_secret).authorization;
        const answer = await send(server.origin, row.method, `/v2/${place.repository}/${row.rest}`, { auth });
        if (answer.status < 400) continue;
        const about = `${row.name} (${place.name}) by ${actor.name}: ${answer.content.toString().slice(0, 120)}`;
        const outcome =
          place.name === "absent" ? "not_found" : expectedInProject(actor, place.name, row.permission, "repositories");
        const rule = registryRule(actor, row.permission, place, outcome);
        const world = actor.isStranger ? rival : main;
        await check(String(answer.headers["request-id"]), { about, rule, world });
      }
  });
  assertNoFaults();
});

function registryRule(actor: Actor, permission: string, { name }: Place, outcome: Outcome): string {
  if (outcome === "allowed") return "absent"; // The manifest does not exist.
  if (!actor.scopes.has(permission)) return scopeRule(actor, permission);
  if (actor.isStranger || name === "absent") return "absent";
  if (outcome === "not_found") return hiddenRule(actor, name);
  return outcome === "project_archived" ? "project_state" : scopeRule(actor, permission);
}

test("OAuth: wrong secrets, scopes, addresses and forms", async () => {
  const { token } = main.maker;
  const made = async (json: object): Promise<{ client_id: string; client_secret: string }> => {
    const answer = await server.call<{ client_id: string; client_secret: string }>("POST", "/v1/credentials", {
      token,
      json: { name: "oauth", scopes: ["org:read"], ...json },
    });
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const good = await made({});
  const far = await made({ allowed_addresses: ["192.0.2.1"] });
  const client = ({ client_id, client_secret }: typeof good, more: object = {}): Record<string, string> => ({
    grant_type: "client_credentials",
    client_id,
    client_secret,
    ...more,
  });
  const table: readonly (readonly [string, Record<string, string>, string | null])[] = [
    [
      "a wrong secret",
      client({ ...good, client_secret: good.client_secret.replace(/.$/, (last) => (last === "x" ? "y" : "x")) }),
      "credentials",
    ],
    ["an unknown client", client({ client_id: `mrc_${"0".repeat(26)}`, client_secret: good.client_secret }), null],
    ["a scope that it does not have", client(good, { scope: "files:read" }), "scope"],
    ["another address", client(far), "address"],
    ["no grant type", { client_id: good.client_id, client_secret: good.client_secret }, null],
    ["another grant type", client(good, { grant_type: "password" }), "validation"],
    ["no client", { grant_type: "client_credentials" }, null],
  ];
  for (const [about, form, rule] of table) {
    const answer = await postForm(server.origin, "/oauth/token", form);
    assert.ok(answer.status >= 400, `${about}: ${answer.text}`);
    await check(answer.headers.get("request-id") ?? "", { about, rule, world: main });
  }
  assertNoFaults();
});

test("webhooks: paused, refused and unknown", async () => {
  const { token } = main.maker;
  const hook = async (json: object): Promise<{ id: string; url: string }> => {
    const answer = await server.call("POST", "/v1/webhooks", {
      token,
      json: { name: "in", project: home.project.slug, ...json },
    });
    assert.equal(answer.status, 201, answer.text);
    return { id: String(answer.body["id"]), url: String(answer.body["webhook_url"] ?? answer.body["url"]) };
  };
  const signed = await hook({ verification: { scheme: "github" }, secret: "0123456789abcdef" });
  const post = (url: string): Promise<Response> =>
    fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  const refused = await post(signed.url);
  assert.equal(refused.status, 401);
  const id = refused.headers.get("request-id") ?? "";
  await check(id, { about: "a wrong signature", rule: "credentials", world: main });
  const [item] = (await explain(id, token)).body.items;
  assert.deepEqual([item?.actor?.kind, item?.actor?.id], ["webhook", signed.id]);
  const nowhere = await post(`${server.origin}/hooks/mrwh_${"0".repeat(49)}`);
  await check(nowhere.headers.get("request-id") ?? "", { about: "an unknown webhook", rule: null, world: main });
  assertNoFaults();
});

test("an answer that breaks after its first byte is explained", async () => {
  const { token } = main.maker;
  const { body } = await main.keeper.api<{ bucket: string }>("GET", `/v1/apps/${home.app.id}`);
  const [key] = await keysOf(main, [{ name: "open", bucket: body.bucket, repository: "" }]);
  const { GetObjectCommand, PutObjectCommand } = await import("@aws-sdk/client-s3");
  const client = key?.client3 ?? assert.fail();
  // Larger than all buffers on the way, so that the server is still reading when the file is cut.
  const content = randomBytes(64 * 1024 * 1024 + 17);
  await client.send(new PutObjectCommand({ Bucket: body.bucket, Key: "broken", Body: content }));
  const download = await client.send(new GetObjectCommand({ Bucket: body.bucket, Key: "broken" }));
  const reader = download.Body?.transformToWebStream().getReader() ?? assert.fail();
  await reader.read();
  truncateSync(fileOfSize(join(server.dataDir, "objects", "blobs"), content.length), 1024);
  await assert.rejects(async () => {
    while (!(await reader.read()).done);
  });
  const query = await fetch(`${server.origin}/v1/query`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json", accept: "text/csv" },
    body: JSON.stringify({
      sql: "SELECT CAST(CASE WHEN range = 999999 THEN 'x' ELSE '1' END AS INTEGER) AS n FROM range(1000000)",
      limit: 1_000_000,
    }),
  });
  assert.equal(query.status, 200);
  await assert.rejects(query.text());
  for (const [id = "", status, rule] of [
    [download.$metadata.requestId, 500, "internal"],
    [query.headers.get("request-id") ?? "", 400, "validation"],
  ] as const) {
    await check(id, { about: `a broken answer (${rule})`, rule, world: main });
    const [item] = (await explain(id, token)).body.items;
    assert.equal(item?.status, status);
  }
  assertNoFaults();
});

test("the portal: a person finds their own refused requests, and nobody else does", async () => {
  const someone = await Person.invited(main.keeper, "portal-person@example.org", "developer");
  const refused = await someone.call("GET", "/api/instance");
  assert.equal(refused.status, 403, refused.text);
  const id = String(refused.body["request_id"]);
  const own = await explain(id, await someone.token());
  assert.equal(own.status, 200, own.text);
  assert.equal(own.body.items[0]?.decided_by.rule, "role");
  for (const reader of [main, rival]) assert.equal((await explain(id, reader.maker.token)).status, 404);
});

test("at least a thousand refusals were explained, of every surface", async (context) => {
  const total = [...counts].reduce((sum, [rule, count]) => sum + (rule === "null" ? 0 : count), 0);
  context.diagnostic(
    `${total} explained, ${unknown.length} without a known caller: ${JSON.stringify(Object.fromEntries(counts))}`,
  );
  assert.ok(total >= 1000, `only ${total}`);
  const rules = [
    "absent",
    "scope",
    "role",
    "private_project",
    "other_project",
    "project_state",
    "key_bounds",
    "sign_in",
    "address",
    "expired",
    "revoked",
    "credentials",
    "origin",
    "rate",
    "quota",
    "limit",
    "validation",
    "conflict",
    "bucket_policy",
  ];
  assert.deepEqual(
    rules.filter((rule) => !counts.has(rule)),
    [],
  );
});
