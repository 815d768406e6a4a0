/** Archived projects accept no changes on any surface; apps move between projects; one entry of the audit log is read by its ID. */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import { DeleteObjectCommand, GetObjectCommand, PutObjectCommand, S3Client } from "@aws-sdk/client-s3";
import { askUpload, fetched, downloadUrl, granted, put, uploaded } from "../fixtures/files.ts";
import { refused, type Answer } from "../fixtures/http.ts";
import { eventually } from "../fixtures/process.ts";
import { newClient, registryRefused, registryToken, repositoryOf, send, unique } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { useSharedServer, type Json, type Server } from "../fixtures/server.ts";
import { logEntry, rows } from "../fixtures/telemetry.ts";
import { newWebhook, post, acceptedEvent } from "../fixtures/webhooks.ts";

const shared = useSharedServer();
const clients: S3Client[] = [];
after(() => clients.forEach((client) => client.destroy()));

const SCOPES = ["telemetry:write", "telemetry:read", "registry:push", "registry:pull", "apps:read", "files:write"];

async function made(method: string, path: string, json?: Json): Promise<Json> {
  const { server, token } = shared;
  const answer = await server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
  assert.ok(answer.status < 300, answer.text);
  return answer.status === 204 ? {} : answer.body;
}

async function newProject(more: Json = {}): Promise<string> {
  const slug = unique("project-");
  await made("POST", "/v1/projects", { slug, ...more });
  return slug;
}

function archivedRefusal(answer: Answer<unknown>): void {
  refused(answer, 403, "project_archived");
}

async function s3Of(key: Json): Promise<S3Client> {
  const { url, region } = await s3EndpointOf(shared.server, shared.home);
  const credentials = {
    accessKeyId: String(key["access_key_id"]),
    secretAccessKey: String(key["secret_access_key"]),
  };
  const client = new S3Client({ endpoint: url, region, forcePathStyle: true, maxAttempts: 1, credentials });
  clients.push(client);
  return client;
}

const named = (name: string) => (error: unknown) => (error as Error).name === name;

function ingest(server: Server, token: string): Promise<Answer<Json>> {
  return server.call("POST", "/v1/ingest/logs", { token, json: { entries: [logEntry("from the project")] } });
}

async function listedAsArchived(project: string): Promise<void> {
  const { items } = (await made("GET", "/v1/projects?archived=true&environment=production")) as { items: Json[] };
  assert.deepEqual(
    items.map(({ slug }) => slug),
    [project],
  );
  assert.deepEqual((await made("GET", "/v1/projects?archived=true&environment=staging"))["items"], []);
}

/** Asserts the audit entries of a project, newest first, and reads the newest entry by its ID. */
async function assertAudited(projectId: string): Promise<void> {
  const told = (await made("GET", `/v1/audit?target=${projectId}&limit=3`)) as { items: Json[] };
  assert.deepEqual(
    told.items.map(({ action }) => action),
    ["project.unarchive", "project.update", "project.archive"],
  );
  const [entry] = told.items;
  assert.deepEqual(await made("GET", `/v1/audit/${String(entry?.["id"])}`), entry);
}

test("an archived project allows reads and refuses changes, on every surface, also with older tokens and URLs", async () => {
  const { server, token, home } = shared;
  const project = await newProject({ environment: "production" });
  const app = unique("app-");
  await made("POST", "/v1/apps", { project, slug: app });
  const bound = await newClient(server, token, SCOPES, project);
  const boundToken = await server.token(bound);
  const file = await uploaded(server, token, { project });
  const grant = await granted(server, token, { project });
  const hook = await newWebhook(server, token, { project });
  await acceptedEvent(hook.url, "before");
  const s3 = await s3Of(await made("POST", "/v1/s3/keys", { name: "all" }));
  await s3.send(new PutObjectCommand({ Bucket: app, Key: "kept", Body: "x" }));
  const name = `orgs/${home.org.slug}/${app}`;
  const repository = await repositoryOf(server, bound, name, "pull,push");
  const digest = await repository.blob("layer");
  assert.equal((await ingest(server, boundToken)).status, 202);

  const archived = await made("POST", `/v1/projects/${project}/archive`);
  assert.notEqual(archived["archived_at"], null);
  assert.deepEqual(await made("POST", `/v1/projects/${project}/archive`), archived);

  archivedRefusal(await ingest(server, boundToken));
  const otlp = await post(`${server.origin}/otlp/v1/logs`, '{"resourceLogs":[]}', {
    authorization: `Bearer ${boundToken}`,
    "content-type": "application/json",
  });
  assert.deepEqual([otlp.status, otlp.json["code"]], [403, 7], otlp.text); // PERMISSION_DENIED, which exporters don't retry.
  archivedRefusal(await askUpload(server, token, { project }));
  archivedRefusal(await put(server, grant.upload_url, "hello world"));
  archivedRefusal(await server.call("DELETE", `/v1/files/${file.id}`, { token }));
  archivedRefusal(await server.call("POST", "/v1/apps", { token, json: { project, slug: unique("app-") } }));
  archivedRefusal(await server.call("DELETE", `/v1/apps/${app}`, { token }));
  archivedRefusal(await server.call("POST", "/v1/webhooks", { token, json: { name: "x", project } }));
  archivedRefusal(
    await server.call("POST", "/v1/query/saved", { token, json: { name: "x", sql: "select 1", project } }),
  );
  await eventually(
    "the hook to lead nowhere, within a second",
    async () => (await post(hook.url, "after")).status === 404 || null,
    1000,
  );
  await assert.rejects(s3.send(new PutObjectCommand({ Bucket: app, Key: "new", Body: "x" })), named("AccessDenied"));
  await assert.rejects(s3.send(new DeleteObjectCommand({ Bucket: app, Key: "kept" })), /project is archived/);
  registryRefused(await repository.call("POST", "blobs/uploads/"), 403, "DENIED", "archived");
  const again = await registryToken(server.origin, [`repository:${name}:pull,push`], bound);
  registryRefused(
    await send(server.origin, "POST", `/v2/${name}/blobs/uploads/`, { auth: again }),
    403,
    "DENIED",
    "archived",
  );

  assert.equal((await repository.call("GET", `blobs/${digest}`)).status, 200);
  assert.equal((await fetched(await downloadUrl(server, token, file.id))).status, 200);
  assert.equal((await s3.send(new GetObjectCommand({ Bucket: app, Key: "kept" }))).ContentLength, 1);
  assert.equal((await rows(server, boundToken, "select message from logs")).length, 1);
  await made("PATCH", `/v1/projects/${project}`, { name: "Old things" });
  await made("DELETE", `/v1/credentials/${bound.id}`);

  await listedAsArchived(project);

  await made("POST", `/v1/projects/${project}/unarchive`);
  await s3.send(new PutObjectCommand({ Bucket: app, Key: "new", Body: "x" }));
  await made("DELETE", `/v1/files/${file.id}`);
  await eventually("the hook to be back", async () => (await post(hook.url, "back")).status === 202 || null, 1000);
  await assertAudited(String(archived["id"]));
});

test("a moved app belongs to its new project, with images, objects and access lists", async () => {
  const { server, token, home } = shared;
  const [from, to] = [await newProject(), await newProject()];
  const app = unique("app-");
  await made("POST", "/v1/apps", { project: from, slug: app });
  const [oldClient, newOne] = [
    await newClient(server, token, SCOPES, from),
    await newClient(server, token, SCOPES, to),
  ];
  const ids = await Promise.all(
    [from, to].map(async (slug) => String((await made("GET", `/v1/projects/${slug}`))["id"])),
  );
  const keyOf = (project_id: string | undefined) => made("POST", "/v1/s3/keys", { name: "one", project: project_id });
  const [old, present] = [await s3Of(await keyOf(ids[0])), await s3Of(await keyOf(ids[1]))];
  await old.send(new PutObjectCommand({ Bucket: app, Key: "plain", Body: "x" }));
  await old.send(new PutObjectCommand({ Bucket: app, Key: "listed", Body: "x", ACL: "private" }));
  const name = `orgs/${home.org.slug}/${app}`;
  const digest = await (await repositoryOf(server, oldClient, name, "pull,push")).blob("layer");
  const oldToken = await server.token(oldClient);
  assert.equal((await server.call("GET", `/v1/apps/${app}`, { token: oldToken })).status, 200);

  const moved = await made("POST", `/v1/apps/${app}/move`, { project: to });
  assert.deepEqual([moved["project_slug"], moved["slug"]], [to, app]);

  assert.equal((await server.call("GET", `/v1/apps/${app}`, { token: oldToken })).status, 404);
  for (const Key of ["plain", "listed"]) {
    await assert.rejects(old.send(new GetObjectCommand({ Bucket: app, Key })), named("AccessDenied"));
    assert.equal((await present.send(new GetObjectCommand({ Bucket: app, Key }))).ContentLength, 1);
  }
  const pulled = async (client: typeof newOne): Promise<number> =>
    (await (await repositoryOf(server, client, name, "pull")).call("GET", `blobs/${digest}`)).status;
  assert.deepEqual([await pulled(newOne), await pulled(oldClient)], [200, 403]);
  await made("POST", `/v1/projects/${to}/archive`);
  archivedRefusal(await server.call("POST", `/v1/apps/${app}/move`, { token, json: { project: from } }));
});
