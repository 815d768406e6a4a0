/** What the largest bodies cost the event loop, which everybody waits for: of those who may send them, and of those who may not. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { Agent, request as httpRequest } from "node:http";
import { gzipSync } from "node:zlib";
import { after, before, test } from "node:test";
import { basic } from "../fixtures/http.ts";
import { cpuOf, mainThreadMs } from "../fixtures/main-thread.ts";
import { registryToken } from "../fixtures/registry.ts";
import { s3EndpointOf, type S3Endpoint } from "../fixtures/s3.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

const LIMIT_MS = Number(process.env["MOORING_TEST_MAIN_THREAD_MS"] ?? 20);
const DEADLINE_MS = 20_000;

let server: Server;
let home: Bootstrap;
let s3: S3Endpoint;
let token: string;
let image: string;
const agent = new Agent({ keepAlive: true });
before(async () => {
  server = await startServer({
    settings: {
      rate_limit_per_second: 100_000,
      rate_limit_burst: 100_000,
      log_level: "error",
      s3_public_organization: "acme",
    },
  });
  home = await server.bootstrap();
  s3 = await s3EndpointOf(server, home);
  token = await server.token(home.credential);
  image = await registryToken(
    server.origin,
    [`repository:orgs/${home.org.slug}/${home.app.slug}:pull,push`],
    home.credential,
  );
});
after(async () => {
  agent.destroy();
  await server.dispose();
});

interface Sent {
  readonly method?: string;
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

function send({ method = "POST", url, headers = {}, body }: Sent): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method, agent, timeout: DEADLINE_MS, headers: { ...headers, "content-length": body.length } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      },
    );
    request.on("timeout", () => request.destroy(new Error("no answer came")));
    request.on("error", reject);
    request.end(body);
  });
}

const list = (count: number, one: (index: number) => string, between = ""): string =>
  Array.from({ length: count }, (_, i) => one(i)).join(between);
const filled = (bytes: number, text: string): string => text.repeat(Math.floor(bytes / text.length));

interface Case {
  readonly name: string;
  readonly statuses: readonly number[];
  /** A new body for each attempt, where the same would be answered from memory. */
  readonly request: (attempt: number) => Sent;
}

/** Signed by Signature V4 with an unsigned payload, as clients do over TLS. */
function signed(method: string, target: string, body: Buffer, key = s3): Sent {
  const url = new URL(key.url + target);
  const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
  const headers: Record<string, string> = {
    host: url.host,
    "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
    "x-amz-date": date,
  };
  const names = Object.keys(headers).toSorted();
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join("&");
  const canonical = [
    method,
    url.pathname,
    query,
    ...names.map((name) => `${name}:${headers[name]}`),
    "",
    names.join(";"),
    "UNSIGNED-PAYLOAD",
  ].join("\n");
  const scope = `${date.slice(0, 8)}/${key.region}/s3/aws4_request`;
  const hmac = (secret: string | Buffer, text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  const signing = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${key.secretAccessKey}`);
  const text = ["AWS4-HMAC-SHA256", date, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const signature = hmac(signing, text).toString("hex");
  headers["authorization"] =
    `AWS4-HMAC-SHA256 Credential=${key.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { method, url: url.href, headers, body };
}

function s3Case(
  name: string,
  statuses: readonly number[],
  method: string,
  query: string,
  text: string,
  key = "",
): Case {
  const body = Buffer.from(text);
  return { name: `s3 ${name}`, statuses, request: () => signed(method, `/${s3.bucket}${key}?${query}`, body) };
}

function s3Cases(): Case[] {
  const part = (i: number): string =>
    `<Part><PartNumber>${i + 1}</PartNumber><ETag>"${"a".repeat(32)}"</ETag><ChecksumSHA256>${"a".repeat(43)}=</ChecksumSHA256></Part>`;
  const rule = (i: number): string =>
    `<Rule><ID>rule-${i}</ID><Status>Enabled</Status><Filter><Prefix>${"p".repeat(200)}${i}/</Prefix></Filter><Expiration><Days>${i + 1}</Days></Expiration></Rule>`;
  const cors = (i: number): string =>
    `<CORSRule>${list(10, (n) => `<AllowedOrigin>https://a${i}-${n}.test</AllowedOrigin>`)}<AllowedMethod>GET</AllowedMethod></CORSRule>`;
  const statement = (i: number): object => ({
    Sid: `s${i}`,
    Effect: "Allow",
    Principal: { AWS: "proj_x" },
    Action: ["s3:Get*"],
    Resource: `arn:aws:s3:::${s3.bucket}/${i}*`,
  });
  const policy = (count: number): string =>
    JSON.stringify({ Version: "2012-10-17", Statement: Array.from({ length: count }, (_, i) => statement(i)) });
  const grants = list(
    100,
    () =>
      `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>${home.project.id}</ID></Grantee><Permission>READ</Permission></Grant>`,
  );
  return [
    s3Case("DeleteObjects, hostile", [400], "POST", "delete=", `<Delete>${filled(2_000_000, "<a/>")}</Delete>`),
    s3Case(
      "DeleteObjects, 1,000 keys",
      [200],
      "POST",
      "delete=",
      `<Delete>${list(1000, (i) => `<Object><Key>${"k".repeat(1000)}${i}</Key></Object>`)}</Delete>`,
    ),
    s3Case(
      "DeleteObjects, references",
      [400],
      "POST",
      "delete=",
      `<Delete><Object><Key>${filled(2_000_000, "&#x61;")}</Key></Object></Delete>`,
    ),
    s3Case("DeleteObjects, nested", [400], "POST", "delete=", filled(2_000_000, "<a>")),
    s3Case(
      "CompleteMultipartUpload, 10,000 parts",
      [404],
      "POST",
      "uploadId=none",
      `<CompleteMultipartUpload>${list(10_000, part)}</CompleteMultipartUpload>`,
      "/key",
    ),
    s3Case("CompleteMultipartUpload, hostile", [400], "POST", "uploadId=none", filled(4_000_000, "<a/>"), "/key"),
    s3Case(
      "PutBucketLifecycle, 1,000 rules",
      [200],
      "PUT",
      "lifecycle=",
      `<LifecycleConfiguration>${list(1000, rule)}</LifecycleConfiguration>`,
    ),
    s3Case("PutBucketLifecycle, hostile", [400], "PUT", "lifecycle=", filled(1_000_000, "<a/>")),
    s3Case(
      "PutBucketCors, 100 rules",
      [200],
      "PUT",
      "cors=",
      `<CORSConfiguration>${list(100, cors)}</CORSConfiguration>`,
    ),
    s3Case("PutBucketNotification, hostile", [400], "PUT", "notification=", filled(250_000, "<a/>")),
    s3Case("PutBucketTagging, hostile", [400], "PUT", "tagging=", filled(64_000, "<a/>")),
    s3Case(
      "PutBucketAcl, 100 grants",
      [200, 400],
      "PUT",
      "acl=",
      `<AccessControlPolicy><Owner><ID>${home.project.id}</ID></Owner><AccessControlList>${grants}</AccessControlList></AccessControlPolicy>`,
    ),
    s3Case("PutBucketPolicy, 20 KiB", [204], "PUT", "policy=", policy(130)),
    s3Case(
      "PutBucketPolicy, thousands of actions",
      [400],
      "PUT",
      "policy=",
      JSON.stringify({
        Statement: [
          {
            Effect: "Deny",
            Principal: "*",
            Action: Array.from({ length: 2000 }, () => "s3:*t*"),
            Resource: `arn:aws:s3:::${s3.bucket}`,
          },
        ],
      }),
    ),
    { name: "s3 form with 64 KiB of fields", statuses: [400, 403], request: () => formOf(64_000) },
  ];
}

function formOf(bytes: number): Sent {
  const fields = list(
    90,
    (i) =>
      `--b\r\ncontent-disposition: form-data; name="x-amz-meta-${i}"\r\n\r\n${"v".repeat(Math.floor(bytes / 90) - 80)}\r\n`,
  );
  const body = Buffer.from(`${fields}--b\r\ncontent-disposition: form-data; name="file"\r\n\r\ncontent\r\n--b--\r\n`);
  return { url: `${s3.url}/${s3.bucket}`, headers: { "content-type": "multipart/form-data; boundary=b" }, body };
}

const ENTRY_BYTES = 10_300;

function mainCases(): Case[] {
  const json = (
    name: string,
    statuses: readonly number[],
    path: string,
    body: Buffer | ((attempt: number) => Buffer),
    more: Record<string, string> = {},
  ): Case => ({
    name,
    statuses,
    request: (attempt) => ({
      url: server.origin + path,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json", ...more },
      body: Buffer.isBuffer(body) ? body : body(attempt),
    }),
  });
  const entry = (i: number, attempt: number): string => {
    const attributes = Object.fromEntries(
      Array.from({ length: 200 }, (_, n) => [`key_${n}`, `${attempt}-${i}-${"v".repeat(25)}`]),
    );
    const text = { timestamp: "2026-11-20T08:00:00.123456Z", level: "info", message: "", attributes };
    return JSON.stringify({ ...text, message: "m".repeat(Math.max(0, ENTRY_BYTES - JSON.stringify(text).length)) });
  };
  const entries = (attempt: number): Buffer =>
    Buffer.from(`{"entries":[${list(1000, (i) => entry(i, attempt), ",")}]}`);
  const record = (i: number): object => ({
    timeUnixNano: "1790000000000000000",
    body: { stringValue: "x".repeat(100) },
    attributes: Array.from({ length: 10 }, (_, n) => ({ key: `k${n}`, value: { stringValue: `${i}` } })),
  });
  const otlp = Buffer.from(
    JSON.stringify({
      resourceLogs: [{ scopeLogs: [{ logRecords: Array.from({ length: 12_000 }, (_, i) => record(i)) }] }],
    }),
  );
  const { pathname } = new URL(home.webhook.url);
  const hook = (name: string, body: string): Case => ({
    name,
    statuses: [202, 400, 413],
    request: (attempt) => ({
      url: server.origin + pathname,
      headers: { "content-type": "application/json" },
      body: Buffer.from(body.replace("ATTEMPT", String(attempt))),
    }),
  });
  const layer = (i: number): object => ({
    mediaType: "application/vnd.oci.image.layer.v1.tar+gzip",
    digest: `sha256:${createHash("sha256").update(String(i)).digest("hex")}`,
    size: i,
    annotations: { title: "t".repeat(180) },
  });
  const manifest = (layers: number): Buffer =>
    Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        mediaType: "application/vnd.oci.image.manifest.v1+json",
        config: layer(0),
        layers: Array.from({ length: layers }, (_, i) => layer(i)),
      }),
    );
  const put = (name: string, body: Buffer, statuses: readonly number[]): Case => ({
    name,
    statuses,
    request: () => ({
      method: "PUT",
      url: `${server.origin}/v2/orgs/${home.org.slug}/${home.app.slug}/manifests/latest`,
      headers: { authorization: image, "content-type": "application/vnd.oci.image.manifest.v1+json" },
      body,
    }),
  });
  const fields = (bytes: number): Buffer =>
    Buffer.from(list(Math.floor(bytes / 6), (i) => `&a${(i % 4096).toString(16)}=b`).slice(0, bytes));
  const form = (path: string, bytes: number): Case => ({
    name: `${path} with ${bytes} bytes of fields`,
    statuses: [400, 401, 413],
    request: () => ({
      url: server.origin + path,
      headers: {
        "content-type": "application/x-www-form-urlencoded",
        ...basic(home.credential.client_id, home.credential.client_secret),
      },
      body: fields(bytes),
    }),
  });
  const MIB = 1024 * 1024 - 64;
  return [
    json("ingest, 1,000 entries of 10 MiB", [202], "/v1/ingest/logs", entries),
    json("ingest with a key", [202], "/v1/ingest/logs", entries, { "idempotency-key": `k${Date.now()}` }),
    json("ingest, gzip", [202], "/v1/ingest/logs", (attempt) => gzipSync(entries(attempt + 10)), {
      "content-encoding": "gzip",
    }),
    json("ingest, half a MiB", [202], "/v1/ingest/logs", (attempt) =>
      Buffer.from(`{"entries":[${list(50, (i) => entry(i, attempt + 20), ",")}]}`),
    ),
    json(
      "ingest, hostile",
      [400],
      "/v1/ingest/logs",
      Buffer.from(`{"entries":[${filled(10_000_000, '{"a":[]},')}{}]}`),
    ),
    json("OTLP, 12,000 records", [200], "/otlp/v1/logs", otlp),
    json(
      "OTLP, hostile",
      [200, 400],
      "/otlp/v1/logs",
      Buffer.from(`{"resourceLogs":[${filled(8_000_000, '{"a":[]},')}{}]}`),
    ),
    json(
      "query, 1 MiB of objects",
      [400],
      "/v1/query",
      Buffer.from(`{"sql":"SELECT 1","parameters":[${filled(MIB - 100, '{"a":[]},')}1]}`),
    ),
    json(
      "query, 1 MiB of members",
      [400],
      "/v1/query",
      Buffer.from(`{"sql":"SELECT 1"${list(80_000, (i) => `,"a${i.toString(36)}":[]`)}}`.slice(0, MIB)),
    ),
    json("query, nested", [400], "/v1/query", Buffer.from(filled(MIB, "["))),
    json(
      "credential, 1 MiB of scopes",
      [400],
      "/v1/credentials",
      Buffer.from(`{"name":"x","scopes":[${filled(MIB - 100, '"s",')}"s"]}`),
    ),
    hook("webhook, 1 MiB of objects", `{"n":"ATTEMPT","a":[${filled(MIB - 100, '{"a":[]},')}1]}`),
    hook("webhook, 1 MiB of text", `{"n":"ATTEMPT","a":"${filled(MIB - 100, "text")}"}`),
    put("manifest, 10,000 layers", manifest(9_000), [201, 400, 404]),
    put("manifest, hostile", Buffer.from(`{"schemaVersion":2,"a":[${filled(4_000_000, '{"a":[]},')}1]}`), [400]),
    form("/oauth/token", 16_000),
    form("/v2/token", 64_000),
  ];
}

for (const [surface, cases] of [
  ["the main port", mainCases],
  ["the S3 gateway", s3Cases],
] as const)
  test(`the largest bodies of ${surface} cost the event loop ${LIMIT_MS} ms at most`, async (t) => {
    if (mainThreadMs(server.pid) === undefined) return t.skip("this system does not tell the time of a thread");
    const costs: string[] = [];
    const wrong: string[] = [];
    for (const { name, statuses, request } of cases()) {
      await send(request(99)).catch(() => undefined); // so that what is loaded and compiled once is there
      const ms = await cpuOf(server.pid, LIMIT_MS, async (attempt) => {
        const { status, text } = await send(request(attempt));
        if (!statuses.includes(status)) wrong.push(`${name}: ${status} ${text.slice(0, 300)}`);
      });
      t.diagnostic(`${name}: ${ms.toFixed(1)} ms`);
      if (ms > LIMIT_MS) costs.push(`${name}: ${ms.toFixed(1)} ms`);
    }
    assert.deepEqual({ costs, wrong }, { costs: [], wrong: [] });
  });
