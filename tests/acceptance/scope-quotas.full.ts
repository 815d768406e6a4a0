/** Quotas of projects, buckets and webhooks: each surface refuses with the numbers and the people who may raise them. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { putObject } from "../fixtures/buckets.ts";
import { askUpload, granted, put, uploaded } from "../fixtures/files.ts";
import { refused } from "../fixtures/http.ts";
import { useSharedServer } from "../fixtures/server.ts";
import { newWebhook, post } from "../fixtures/webhooks.ts";

const shared = useSharedServer();
const KIB = 1024;

async function set(scope: string, id: string, max: number | null): Promise<void> {
  const { server, token } = shared;
  const answer = await server.call("PATCH", `/v1/quotas/${scope}/${id}`, { token, json: { max_bytes: max } });
  assert.equal(answer.status, 200, answer.text);
}

async function newProject(slug: string): Promise<string> {
  const { server, token } = shared;
  const { body, status, text } = await server.call("POST", "/v1/projects", { token, json: { slug, name: slug } });
  assert.equal(status, 201, text);
  return String(body["id"]);
}

test("files: a project's quota counts files and grants, and its deletion frees it", async () => {
  const { server, token } = shared;
  const project = "quota-files";
  const id = await newProject(project);
  await set("project", id, 10 * KIB);
  await uploaded(server, token, { project }, "x".repeat(6 * KIB));
  const { detail } = refused(
    await askUpload(server, token, { project, size_bytes: 5 * KIB }),
    413,
    "storage_quota_exceeded",
  );
  assert.match(detail, /quota of the project.* 6144 of 10240 bytes.* owner or admin/);
  await granted(server, token, { project, size_bytes: 4 * KIB });
  refused(await askUpload(server, token, { project, size_bytes: 1 }), 413, "storage_quota_exceeded");
  refused(await askUpload(server, token, { project }), 413, "storage_quota_exceeded");
  await uploaded(server, token, {}, "y".repeat(6 * KIB)); // Another place has no quota.
  await set("project", id, 20 * KIB);
  const grant = await granted(server, token, { project });
  refused(await put(server, grant.upload_url, "z".repeat(11 * KIB)), 413, "storage_quota_exceeded");
  await uploaded(server, token, { project }, "z".repeat(9 * KIB));
  await set("project", id, null);
  await uploaded(server, token, { project }, "z".repeat(11 * KIB));
});

test("a quota is exact when many uploads arrive at once", async () => {
  const { server, token } = shared;
  const project = "quota-race";
  const id = await newProject(project);
  await set("project", id, 5 * KIB);
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => askUpload(server, token, { project, size_bytes: KIB })),
  );
  assert.deepEqual(
    [200, 413].map((status) => answers.filter((answer) => answer.status === status).length),
    [5, 15],
  );
});

test("buckets: the quota of the bucket, and that of its project", async () => {
  const { server, token } = shared;
  const project = "quota-bucket";
  const projectId = await newProject(project);
  const app = await server.call("POST", "/v1/apps", { token, json: { project, slug: "quota-bucket-app" } });
  assert.equal(app.status, 201, app.text);
  const bucket = "quota-bucket-app";
  await set("bucket", String(app.body["id"]), 3 * KIB);
  await putObject(server, token, { bucket, key: "a", content: "a".repeat(2 * KIB) });
  await assert.rejects(
    putObject(server, token, { bucket, key: "b", content: "b".repeat(2 * KIB) }),
    /QuotaExceeded|quota of the bucket/,
  );
  await set("bucket", String(app.body["id"]), null);
  await set("project", projectId, 3 * KIB);
  await assert.rejects(
    putObject(server, token, { bucket, key: "b", content: "b".repeat(2 * KIB) }),
    /QuotaExceeded|quota of the project/,
  );
});

test("webhooks: senders get 429 and retry later", async () => {
  const { server, token, home } = shared;
  const webhook = await newWebhook(server, token, { project: home.project.slug });
  assert.equal((await post(webhook.url, "x".repeat(2 * KIB))).status, 202);
  await set("webhook", webhook.id, 3 * KIB);
  const answer = await post(webhook.url, "x".repeat(2 * KIB));
  assert.equal(answer.status, 429, answer.text);
  assert.match(answer.text, /quota of the webhook/);
  assert.notEqual(answer.headers.get("retry-after"), null);
  await set("webhook", webhook.id, null);
  assert.equal((await post(webhook.url, "x".repeat(2 * KIB))).status, 202);
});
