/** Senders of an organization name the project of their rows: by a header in each protocol, or by a resource. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { refused, type Answer, type Problem } from "../fixtures/http.ts";
import { grpcClient, logsRequest, type GrpcClient } from "../fixtures/grpc.ts";
import { eventually } from "../fixtures/process.ts";
import { Person } from "../fixtures/person.ts";
import { PROTOCOL_BODIES } from "../fixtures/protocol-bodies.ts";
import { useSharedServer, type Json } from "../fixtures/server.ts";
import { ingest, logEntry, rows } from "../fixtures/telemetry.ts";

interface Project {
  readonly id: string;
  readonly slug: string;
}

let [key, ownKey] = ["", ""];
let [shop, api, hidden, old]: (Project | undefined)[] = [];
let grpc: GrpcClient;
const shared = useSharedServer(async ({ server, home }) => {
  grpc = grpcClient(server.grpcOrigin);
  [shop, api] = [home.project, await newProject("api")];
  const members = await ok<{ items: { user_id: string }[] }>("GET", "/v1/members");
  const maintainer = members.items[0]?.user_id ?? "";
  [hidden, old] = [await newProject("hidden", { visibility: "private", maintainer }), await newProject("old")];
  await ok("POST", `/v1/projects/${old.id}/archive`);
  [key, ownKey] = [await newKey({}), await newKey({ project: shop.slug })];
});
after(() => grpc.close());

async function ok<T = Project>(method: string, path: string, json?: Json): Promise<T> {
  const answer = await shared.server.call<T>(method, path, { token: shared.token, ...(json && { json }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.body;
}

const newProject = (slug: string, json: Json = {}): Promise<Project> =>
  ok("POST", "/v1/projects", { slug, name: slug, ...json });

async function newKey(json: Json): Promise<string> {
  return (await ok<{ key: string }>("POST", "/v1/ingest-keys", { name: "sender", ...json })).key;
}

function bearer(secret: string, project: string | undefined): Record<string, string> {
  return { authorization: `Bearer ${secret}`, ...(project === undefined ? {} : { "x-mooring-project": project }) };
}

/** Sends a body of a protocol with a row. */
async function send(name: string, id: string, headers: Record<string, string>): Promise<Response> {
  const {
    path,
    headers: own,
    body,
  } = (PROTOCOL_BODIES[name] ?? assert.fail(name))([id], Date.parse("2026-11-20T08:00:00Z"));
  return fetch(shared.server.origin + path, {
    method: "POST",
    headers: { ...own, ...headers },
    body: new Uint8Array(body),
  });
}

/** Returns the projects of the rows with this beginning, by message or name. */
async function placesOf(prefix: string): Promise<Record<string, (string | null)[]>> {
  const found = await rows<{ m: string; p: string | null }>(
    shared.server,
    shared.token,
    `select message as m, project_id as p from logs where message like '${prefix}%'
     union all select name as m, project_id as p from metrics where name like '${prefix}%' order by 1, 2 nulls first`,
  );
  const places: Record<string, (string | null)[]> = {};
  for (const { m, p } of found) (places[m] ??= []).push(p);
  return places;
}

test("the header names the project in each protocol, and it is part of the key of repeats", async () => {
  const names = Object.keys(PROTOCOL_BODIES);
  for (const [at, name] of names.entries()) {
    for (const project of [undefined, shop?.slug, api?.id, shop?.id]) {
      const answer = await send(name, `header_${at}`, bearer(key, project));
      assert.ok(answer.status < 300, `${name}: ${answer.status} ${await answer.text()}`);
    }
  }
  const all = [null, shop?.id ?? "", api?.id ?? ""].toSorted((a, b) => (a ?? "").localeCompare(b ?? ""));
  assert.deepEqual(await placesOf("header_"), Object.fromEntries(names.map((_, at) => [`header_${at}`, all])));
});

test("absent, private and archived projects, and those of other keys, are refused in each protocol's form", async () => {
  const places: [string, string, number][] = [
    [key, "nowhere", 404],
    [key, "", 404],
    [key, hidden?.slug ?? "", 404],
    [key, old?.slug ?? "", 403],
    [ownKey, api?.slug ?? "", 404],
  ];
  for (const name of Object.keys(PROTOCOL_BODIES)) {
    for (const [secret, project, status] of places) {
      const answer = await send(name, "refused", bearer(secret, project));
      const text = await answer.text();
      assert.equal(answer.status, status, `${name}: ${text}`);
      if (status === 404) assert.match(text, /project does not exist, or the sender may not write to it/, name);
    }
    assert.ok((await send(name, `own_${name.length}`, bearer(ownKey, shop?.slug))).status < 300, name);
  }
  assert.deepEqual(await placesOf("refused"), {});
});

test("gRPC has the project in its metadata", async () => {
  const message = logsRequest("grpc", ["metadata_a"]);
  const call = async (project: string): Promise<number> =>
    (await grpc.call({ token: key, message, headers: { "x-mooring-project": project } })).code;
  assert.deepEqual([await call("api"), await call("nowhere"), await call("old")], [0, 5, 7]);
  assert.deepEqual(await placesOf("metadata_"), { metadata_a: [api?.id] });
});

function resourceLogs(project: string | undefined, messages: readonly string[], more: readonly object[] = []): object {
  const named = project === undefined ? [] : [{ key: "mooring.project", value: { stringValue: project } }];
  const logRecords = messages.map((stringValue) => ({ timeUnixNano: "1790000000000000000", body: { stringValue } }));
  return { resource: { attributes: [...named, ...more] }, scopeLogs: [{ logRecords }] };
}

const otlp = (secret: string, resources: readonly object[], project?: string): Promise<Answer<unknown>> =>
  shared.server.call("POST", "/otlp/v1/logs", { headers: bearer(secret, project), json: { resourceLogs: resources } });

test("each resource of OTLP may name a project, and the others have that of the request", async () => {
  const padding = "x".repeat(100_000); // Encoded in a thread.
  const some = [resourceLogs("api", ["resource_api"]), resourceLogs(undefined, ["resource_none", padding])];
  const others = [resourceLogs(hidden?.id, ["resource_lost"]), resourceLogs("constructor", ["resource_lost"])];
  const answer = await otlp(key, [...some, ...others], shop?.slug);
  assert.equal(answer.status, 200);
  assert.match(answer.text, /"rejectedLogRecords":"2".*project does not exist/);
  const points = [{ timeUnixNano: "1790000000000000000", asDouble: 1 }];
  const resource = { attributes: [{ key: "mooring.project", value: { stringValue: shop?.id } }] };
  const json = {
    resourceMetrics: [
      { resource, scopeMetrics: [{ metrics: [{ name: "resource_m", gauge: { dataPoints: points } }] }] },
    ],
  };
  assert.equal((await shared.server.call("POST", "/v1/metrics", { headers: bearer(key, undefined), json })).text, "{}");
  const own = await otlp(ownKey, [resourceLogs("api", ["resource_lost"]), resourceLogs(shop?.slug, ["resource_own"])]);
  assert.match(own.text, /"rejectedLogRecords":"1"/);
  assert.match((await otlp(key, [resourceLogs("old", ["resource_lost"])])).text, /"rejectedLogRecords":"1".*archived/);
  assert.deepEqual(await placesOf("resource_"), {
    resource_api: [api?.id],
    resource_m: [shop?.id],
    resource_none: [shop?.id],
    resource_own: [shop?.id],
  });
});

test("records of a project that was created since their first attempt are stored", async () => {
  const resources = [resourceLogs("later", ["later_named"]), resourceLogs(undefined, ["later_none"])];
  assert.match(
    (await otlp(key, [...resources, resourceLogs("a\0b", ["later_lost"])])).text,
    /"rejectedLogRecords":"2"/,
  );
  assert.match((await otlp(key, resources)).text, /"rejectedLogRecords":"1"/);
  const later = await newProject("later");
  assert.equal((await otlp(key, resources)).text, "{}");
  assert.equal((await otlp(key, resources)).text, "{}");
  assert.deepEqual(await placesOf("later_"), { later_named: [later.id], later_none: [null, null, null] });
});

test("people who may send only to some projects must name one", async () => {
  const owner = await Person.setUp(shared.server, shared.home.owner);
  for (const role of ["guest", "viewer"]) {
    const person = await Person.invited(owner, `${role}@${shared.home.org.slug}.example`, role);
    for (const [project, projectRole] of [
      [shop, "writer"],
      [api, "reader"],
    ] as const) {
      const joined = await owner.api("PUT", `/v1/projects/${project?.id}/members/${person.id}`, { role: projectRole });
      assert.ok(joined.status < 300, joined.text);
    }
    await sendAs(await person.token(), role);
  }
});

/** Sends with each protocol as a person who may write in one project, and read in another. */
async function sendAs(token: string, role: string): Promise<void> {
  for (const [at, name] of Object.keys(PROTOCOL_BODIES).entries()) {
    const sent = async (id: string, project?: string): Promise<[number, string]> => {
      const answer = await send(name, `${role}_${id}_${at}`, bearer(token, project));
      return [answer.status, await answer.text()];
    };
    const [status, text] = await sent("none");
    assert.equal(status, name.startsWith("OTLP") ? 200 : 403, `${name}: ${text}`);
    assert.match(text, /Name a project with X-Mooring-Project/, name);
    assert.equal((await sent("reader", "api"))[0], 403, name);
    assert.equal((await sent("hidden", "hidden"))[0], 404, name);
    assert.ok((await sent("named", shop?.slug))[0] < 300, name);
  }
  const entries = [logEntry(`${role}_ingest`)];
  const code = role === "guest" ? "forbidden" : "insufficient_scope";
  refused(await ingest(shared.server, token, "logs", entries), 403, code);
  const resources = [resourceLogs("shop", [`${role}_otlp`]), resourceLogs(undefined, [`${role}_none`])];
  assert.match((await otlp(token, resources)).text, /"rejectedLogRecords":"1"/);
  const call = await grpc.call({ token, message: logsRequest("grpc", [`${role}_none`]) });
  assert.equal(call.code, 0);
  const stored = Object.values(await placesOf(`${role}_`)).flat();
  assert.deepEqual(
    stored,
    Array.from({ length: Object.keys(PROTOCOL_BODIES).length + 1 }, () => shop?.id),
  );
}

test("a key that is limited to services keeps the limit in every project", async () => {
  const narrow = await newKey({ resources: { services: ["web"] } });
  const entries = [logEntry("narrow_web", { service: "web" })];
  const options = { headers: { "x-mooring-project": "api" } };
  assert.equal((await ingest(shared.server, narrow, "logs", entries, options)).status, 202);
  const foreign = await ingest(shared.server, narrow, "logs", [logEntry("narrow_no", { service: "x" })], options);
  assert.equal(foreign.status, 400);
  const services = [{ key: "service.name", value: { stringValue: "x" } }];
  assert.match((await otlp(narrow, [resourceLogs("api", ["narrow_no"], services)])).text, /"rejectedLogRecords":"1"/);
  assert.deepEqual(await placesOf("narrow_"), { narrow_web: [api?.id] });
});

test("an Idempotency-Key with another project is another request", async () => {
  const once = (project: string): Promise<Answer<Problem>> =>
    shared.server.call<Problem>("POST", "/v1/ingest/logs", {
      headers: { ...bearer(key, project), "idempotency-key": "routing-1" },
      json: { entries: [logEntry("idempotent")] },
    });
  assert.deepEqual(
    [(await once("api")).status, (await once("api")).headers.get("idempotency-replayed")],
    [202, "true"],
  );
  refused(await once(shop?.slug ?? ""), 422, "idempotency_key_reused");
});

test("a slug that moves to another project, and an archived project, count within seconds", async () => {
  const [first, second] = [await newProject("moving"), await newProject("moving-too")];
  const sent = async (): Promise<number> =>
    (await send("raw lines", `moved_${Math.random()}`, bearer(key, "moving"))).status;
  assert.equal(await sent(), 202);
  await ok("PATCH", `/v1/projects/${first.id}`, { slug: "moved" });
  await eventually("the former slug to be unknown", async () => ((await sent()) === 404 ? true : null), 5_000, 20);
  await ok("PATCH", `/v1/projects/${second.id}`, { slug: "moving" });
  await eventually("the slug to work again", async () => ((await sent()) === 202 ? true : null), 5_000, 20);
  await ok("POST", `/v1/projects/${second.id}/archive`);
  await eventually("the archived project to be refused", async () => ((await sent()) === 403 ? true : null), 5_000, 20);
});
