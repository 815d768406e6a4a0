/** Undo on every surface: a deleted object is absent, its name is free, and it comes back as it was. */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  GetObjectCommand,
  ListBucketsCommand,
  PutObjectCommand,
  type S3Client,
} from "@aws-sdk/client-s3";
import { DATABASES } from "../fixtures/databases.ts";
import { Person } from "../fixtures/person.ts";
import { backUp, restoreBackup } from "../fixtures/backups.ts";
import { eventually, mooring } from "../fixtures/process.ts";
import { newRepository, repositoryOf, registryRefused, unique, type RepositoryClient } from "../fixtures/registry.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { startServer, type Bootstrap, type Json, type Server } from "../fixtures/server.ts";
import { allEvents, newWebhook, post } from "../fixtures/webhooks.ts";

let server: Server;
let home: Bootstrap;
let token: string;
let s3: S3Client;
async function done(method: string, path: string, json?: object): Promise<Json> {
  const answer = await server.call(method, path, { token, ...(json === undefined ? {} : { json }) });
  assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
  return answer.status === 204 ? {} : answer.body;
}

/** Returns the item of the object that was deleted last. */
async function itemOf(object: string): Promise<string> {
  const { items } = (await done("GET", "/v1/trash")) as { items: { id: string; object_id: string }[] };
  return items.find((each) => each.object_id === object)?.id ?? assert.fail(`${object} is not in the trash`);
}

const restore = async (object: string): Promise<Json> => done("POST", `/v1/trash/${await itemOf(object)}/restore`);

/** Returns the name of the SDK's error. */
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "none",
    (error: unknown) => (error as Error).name,
  );

async function repository(): Promise<{ images: RepositoryClient; app: string }> {
  const name = await newRepository(server, token, { project: home.project.id });
  const app = (await done("GET", `/v1/apps/${name.split("/")[2] ?? ""}`)) as { id: string };
  return { images: await repositoryOf(server, home.credential, name), app: app.id };
}

const NO_BACKUP = { sqlite: false, postgres: "pg_dump backs up records in PostgreSQL" } as const;

for (const { kind, skip } of DATABASES)
  describe(`the trash, records in ${kind}`, { skip }, () => {
    before(async () => {
      server = await startServer({ database: kind });
      home = await server.bootstrap();
      token = await server.token(home.credential);
      s3 = sdkClient(await s3EndpointOf(server, home));
    });
    after(() => server.dispose());

    test("a webhook comes back with its address and its events", async () => {
      const { id, url } = await newWebhook(server, token, { project: home.project.id });
      assert.equal((await post(url, "{}")).status, 202);
      await done("DELETE", `/v1/webhooks/${id}`);
      assert.equal((await post(url, "{}")).status, 404);
      const sql = `select count(*) as n from webhook_events where webhook_id = '${id}'`;
      const count = async (): Promise<unknown> =>
        ((await done("POST", "/v1/query", { sql })) as { rows: { n: unknown }[] }).rows[0]?.n;
      assert.equal(Number(await count()), 0, "its events are absent in SQL, too");
      await restore(id);
      assert.equal((await post(url, "{}")).status, 202);
      assert.equal((await allEvents(server, token, id)).length, 2);
      assert.equal(Number(await count()), 2);
    });

    test("DELETE of the registry answers as OCI says, and the tag comes back", async () => {
      const { images, app } = await repository();
      const digest = await images.image([unique()], { tag: "1.0" });
      assert.equal((await images.call("DELETE", "manifests/1.0")).status, 202);
      registryRefused(await images.call("GET", "manifests/1.0"), 404, "MANIFEST_UNKNOWN");
      assert.equal((await images.call("DELETE", `manifests/${digest}`)).status, 202);
      registryRefused(await images.call("GET", `manifests/${digest}`), 404, "MANIFEST_UNKNOWN");
      await restore(app);
      assert.equal((await images.call("GET", `manifests/${digest}`)).status, 200);
      await images.image([unique()], { tag: "1.0" });
      const refused = await server.call("POST", `/v1/trash/${await itemOf(app)}/restore`, { token });
      assert.deepEqual([refused.status, refused.body["code"]], [409, "conflict"]);
      assert.match(refused.text, /The tag 1\.0 was pushed again.*Delete this tag/);
    });

    test("a bucket with objects is absent, its name is free, and it comes back under its name or another one", async () => {
      const name = unique("bucket-");
      const app = (await done("POST", "/v1/apps", { project: home.project.id, slug: name })) as { id: string };
      const at = { Bucket: name, Key: "a/b.txt" };
      await s3.send(new PutObjectCommand({ ...at, Body: "content" }));
      assert.equal(await refusal(s3.send(new DeleteBucketCommand({ Bucket: name }))), "BucketNotEmpty");
      await done("DELETE", `/v1/apps/${app.id}`);
      assert.equal(await refusal(s3.send(new GetObjectCommand(at))), "NoSuchBucket");
      assert.equal(await refusal(s3.send(new PutObjectCommand({ ...at, Body: "x" }))), "NoSuchBucket");
      const { Buckets: listed = [] } = await s3.send(new ListBucketsCommand({}));
      assert.ok(!listed.some((each) => each.Name === name));
      const text = async (Bucket: string): Promise<string | undefined> =>
        (await s3.send(new GetObjectCommand({ ...at, Bucket }))).Body?.transformToString();
      await restore(app.id);
      assert.equal(await text(name), "content");
      await done("DELETE", `/v1/apps/${app.id}`);
      await s3.send(new CreateBucketCommand({ Bucket: name }));
      assert.equal(await refusal(s3.send(new GetObjectCommand(at))), "NoSuchKey");
      const path = `/v1/trash/${await itemOf(app.id)}/restore`;
      const refused = await server.call("POST", path, { token });
      assert.deepEqual([refused.status, refused.body["code"]], [409, "conflict"]);
      const other = unique("other-");
      await done("POST", `${path}?slug=${other}`);
      assert.equal(await text(other), "content");
      const found = (await done("POST", "/v1/query", {
        sql: `select bucket, count(*) as n from objects where key = 'a/b.txt' group by bucket`,
      })) as { rows: { bucket: string; n: unknown }[] };
      assert.deepEqual(
        found.rows.map(({ bucket, n }) => [bucket, Number(n)]),
        [[other, 1]],
      );
      const empty = { Bucket: unique("empty-") };
      for (let round = 0; round < 2; round++) {
        await s3.send(new CreateBucketCommand(empty));
        await s3.send(new DeleteBucketCommand(empty));
      }
    });

    test("a project comes back with its webhooks, images, objects, files and credentials", async () => {
      const project = (await done("POST", "/v1/projects", { slug: unique("p-"), environment: "production" })) as {
        id: string;
      };
      const path = `/v1/projects/${project.id}`;
      const slug = unique("app-");
      await done("POST", "/v1/apps", { project: project.id, slug });
      const images = await repositoryOf(server, home.credential, `orgs/${home.org.slug}/${slug}`);
      await images.image([unique()], { tag: "v" });
      await s3.send(new PutObjectCommand({ Bucket: slug, Key: "k", Body: "content" }));
      const { url } = await newWebhook(server, token, { project: project.id });
      const client = (await done("POST", "/v1/credentials", {
        name: "of the project",
        project: project.id,
        scopes: ["files:read", "apps:read"],
      })) as { client_id: string; client_secret: string };
      const bound = await server.token(client);
      const states = async (): Promise<unknown[]> => [
        (await images.call("GET", "manifests/v")).status,
        await refusal(s3.send(new GetObjectCommand({ Bucket: slug, Key: "k" }))),
        (await post(url, "{}")).status,
        (await server.call("GET", `/v1/apps/${slug}`, { token: bound })).status,
        (await server.call("GET", path, { token })).status,
      ];
      const present = [200, "none", 202, 200, 200];
      assert.deepEqual(await states(), present);
      await done("POST", `${path}/lock`);
      assert.equal((await server.call("DELETE", path, { token })).status, 409);
      assert.equal((await server.call("DELETE", `/v1/apps/${slug}`, { token })).status, 409);
      assert.equal((await server.call("POST", `${path}/unlock`, { token })).status, 403);
      const owner = await Person.setUp(server, home.owner);
      assert.equal((await owner.api("POST", `${path}/unlock`)).status, 200);
      await done("DELETE", path);
      // Every server knows a webhook for half a second.
      await eventually("the webhook to be absent", async () => (await post(url, "{}")).status === 404 || null);
      assert.deepEqual(await states(), [404, "NoSuchBucket", 404, 403, 404]);
      await restore(project.id);
      assert.deepEqual(await states(), present);
    });

    test("a backup keeps the trash, and a restored server restores from it", { skip: NO_BACKUP[kind] }, async () => {
      const { id, url } = await newWebhook(server, token, { project: home.project.id });
      assert.equal((await post(url, "{}")).status, 202);
      const { images, app } = await repository();
      const digest = await images.image([unique()], { tag: "kept" });
      await done("DELETE", `/v1/webhooks/${id}`);
      assert.equal((await images.call("DELETE", "manifests/kept")).status, 202);
      const directory = mkdtempSync(join(tmpdir(), "mooring-trash-backup-"));
      const { dataDir, environment } = server;
      const run = async (words: readonly string[], env = {}): Promise<void> => {
        const { code, stdout, stderr } = await mooring(words, { environment: env });
        assert.equal(code, 0, stdout + stderr);
      };
      const target = join(directory, "restored");
      await backUp(join(directory, "backups"), dataDir, environment);
      await restoreBackup(join(directory, "backups"), dataDir, target);
      const original = { server, token };
      server = await startServer({ dataDir: target, database: "sqlite" });
      try {
        token = await server.token(home.credential);
        await restore(id);
        assert.equal((await allEvents(server, token, id)).length, 1);
        await restore(app);
        const again = await repositoryOf(server, home.credential, images.name);
        assert.equal((await again.call("GET", "manifests/kept")).headers["docker-content-digest"], digest);
        await run(["scrub", "--data-dir", target]);
      } finally {
        await server.dispose();
        ({ server, token } = original);
        rmSync(directory, { recursive: true, force: true });
      }
    });
  });
