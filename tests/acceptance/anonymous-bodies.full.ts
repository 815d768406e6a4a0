/** No body is parsed without a credential: a hostile body of 2 MB, sent to every route without one, is refused at once. */
import assert from "node:assert/strict";
import { Agent, request as httpRequest } from "node:http";
import { after, before, test } from "node:test";
import { PutBucketPolicyCommand } from "@aws-sdk/client-s3";
import { PORTAL_ROUTES } from "@mooring/contract";
import { cpuOf, mainThreadMs } from "../fixtures/main-thread.ts";
import { pathOf, publishedOperations } from "../fixtures/operations.ts";
import { s3EndpointOf, type S3Endpoint } from "../fixtures/s3.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

const LIMIT_MS = 20;
const BYTES = 2_000_000;
const DEADLINE_MS = 30_000;

let server: Server;
let home: Bootstrap;
let s3: S3Endpoint;
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
  const Resource = [`arn:aws:s3:::${s3.bucket}`, `arn:aws:s3:::${s3.bucket}/*`];
  const Action = ["s3:GetObject", "s3:ListBucket"];
  const Policy = JSON.stringify({ Statement: [{ Effect: "Allow", Principal: "*", Action, Resource }] });
  await sdkClient(s3).send(new PutBucketPolicyCommand({ Bucket: s3.bucket, Policy }));
});
after(() => server.dispose());

const repeated = (text: string, start = "", end = ""): Buffer =>
  Buffer.from(start + text.repeat(Math.floor((BYTES - start.length - end.length) / text.length)) + end);
const HOSTILE = {
  "application/json": repeated('{"a":[]},', '{"entries":[', "{}]}"),
  "application/xml": repeated("<a/>", "<Delete>", "</Delete>"),
  "application/x-www-form-urlencoded": repeated("a=b&%41=%20&"),
  "multipart/form-data; boundary=b": repeated('\r\n--b\r\ncontent-disposition: form-data; name="a"\r\n\r\n', "--b"),
  "application/x-protobuf": repeated("\n\0"),
} as const;
type Kind = keyof typeof HOSTILE;

interface Door {
  readonly name: string;
  readonly url: string;
  readonly method: string;
  readonly kind: Kind;
}

const VALUES: Readonly<Record<string, string>> = { type: "logs", reference: "absent", consumer: "absent" };

function door(name: string, origin: string, method: string, path: string, kind: Kind = "application/json"): Door {
  return {
    name,
    method,
    url: origin + path.replace(/\{([a-z_]+)\}/g, (_all, parameter: string) => VALUES[parameter] ?? "0".repeat(31)),
    kind,
  };
}

function doors(): Door[] {
  const { origin } = server;
  const at = (method: string, path: string, kind?: Kind): Door => door(`${method} ${path}`, origin, method, path, kind);
  const contract = publishedOperations().map((operation) => at(operation.method, operation.path));
  const portal = Object.values(PORTAL_ROUTES).map(({ method, path }) => at(method, path));
  const { pathname } = new URL(home.webhook.url);
  const image = `/v2/orgs/${home.org.slug}/${home.app.slug}`;
  const others = [
    ...["/oauth/token", "/oauth/introspect", "/oauth/revoke"].map((path) =>
      at("POST", path, "application/x-www-form-urlencoded"),
    ),
    at("POST", "/oauth/token"),
    ...["logs", "metrics", "traces"].flatMap((type) => [
      at("POST", `/otlp/v1/${type}`),
      at("POST", `/otlp/v1/${type}`, "application/x-protobuf"),
    ]),
    at("POST", "/prometheus/api/v1/write", "application/x-protobuf"),
    ...["/loki/api/v1/push", "/elasticsearch/_bulk", "/elasticsearch/a/_doc", "/raw/logs"].map((path) =>
      at("POST", path),
    ),
    ...["/splunk/services/collector", "/splunk/services/collector/raw"].map((path) => at("POST", path)),
    at("POST", "/v2/token", "application/x-www-form-urlencoded"),
    ...["/v2/", "/v2/_catalog", `${image}/tags/list`].map((path) => at("GET", path)),
    at("POST", `${image}/blobs/uploads/`),
    ...["PATCH", "PUT", "DELETE"].map((method) => at(method, `${image}/blobs/uploads/absent`)),
    ...["PUT", "DELETE", "GET"].map((method) => at(method, `${image}/manifests/latest`)),
    at("POST", `${pathname.slice(0, -2)}xx`),
    at("POST", "/v1/uploads"),
    ...["PATCH", "DELETE"].map((method) => at(method, `/v1/uploads/file_${"0".repeat(26)}`)),
    at("PUT", `/v1/files/file_${"0".repeat(26)}/content`),
    at("POST", "/nowhere"),
    at("POST", "/", "multipart/form-data; boundary=b"),
  ];
  return [...contract, ...portal, ...others, ...s3Doors()];
}

const BUCKET_QUERIES = {
  PUT: "versioning cors policy acl tagging lifecycle notification encryption ownershipControls publicAccessBlock object-lock replication website logging",
  DELETE: "cors policy tagging lifecycle encryption ownershipControls publicAccessBlock",
  GET: "versions uploads versioning cors policy policyStatus acl tagging lifecycle notification encryption location list-type=2",
  POST: "delete",
} as const;
const OBJECT_QUERIES = {
  PUT: "acl tagging retention legal-hold uploadId=a&partNumber=1",
  POST: "uploads uploadId=a select restore",
  GET: "acl tagging retention legal-hold attributes uploadId=a",
  DELETE: "tagging uploadId=a",
} as const;

function s3Doors(): Door[] {
  const at = (method: string, path: string, kind: Kind = "application/xml"): Door =>
    door(`s3 ${method} ${path}`, s3.url, method, path, kind);
  const [bucket, object] = [`/${s3.bucket}`, `/${s3.bucket}/key`];
  const each = (place: string, queries: Readonly<Record<string, string>>): Door[] =>
    Object.entries(queries).flatMap(([method, names]) =>
      names.split(" ").map((query) => at(method, `${place}?${query}`)),
    );
  return [
    at("GET", "/"),
    ...["PUT", "DELETE", "GET"].map((method) => at(method, bucket)),
    ...["PUT", "DELETE", "GET"].map((method) => at(method, object)),
    ...each(bucket, BUCKET_QUERIES),
    ...each(object, OBJECT_QUERIES),
    ...["/absent-bucket?delete", bucket, "/"].map((path) => at("POST", path, "multipart/form-data; boundary=b")),
    at("POST", "/absent-bucket?delete"),
    at("PUT", "/new-bucket"),
  ];
}

/** A connection that was closed before its answer was read. */
const CLOSED = 499;

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
after(() => agent.destroy());

function send({ url, method, kind }: Door): Promise<{ status: number; text: string }> {
  const body = HOSTILE[kind];
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      url,
      { method, agent, timeout: DEADLINE_MS, headers: { "content-type": kind, "content-length": body.length } },
      (response) => {
        let text = "";
        response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
        response.on("end", () => resolve({ status: response.statusCode ?? 0, text }));
        response.on("error", reject);
      },
    );
    request.on("timeout", () => request.destroy(new Error("no answer came")));
    // A connection that was closed during the body counts as a refusal too.
    request.on("error", (error) =>
      error.message === "no answer came" ? reject(error) : resolve({ status: CLOSED, text: error.message }),
    );
    request.end(body);
  });
}

/** Reads may be public, and ignore the body. */
const isReading = ({ method }: Door): boolean => method === "GET";

test("every route refuses an anonymous hostile body within the limit, and the server continues to answer", async (t) => {
  if (mainThreadMs(server.pid) === undefined) return t.skip("this system does not report the CPU time of a thread");
  const all = doors();
  assert.ok(all.length > 250, `only ${all.length} routes`);
  const slow: string[] = [];
  const wrong: string[] = [];
  const closed: string[] = [];
  let worst = { name: "", ms: 0 };
  for (const each of all) {
    const ms = await cpuOf(server.pid, LIMIT_MS, async () => {
      const [answer, live] = await Promise.all([send(each), fetch(`${server.origin}/livez`)]);
      assert.equal(live.status, 200);
      const isRefused = (answer.status >= 400 && answer.status < 500) || answer.status === 501;
      if (answer.status === CLOSED) closed.push(each.name);
      if (!isRefused && !(isReading(each) && answer.status < 400))
        wrong.push(`${each.name}: ${answer.status} ${answer.text.slice(0, 200)}`);
    });
    if (ms > LIMIT_MS) slow.push(`${each.name}: ${ms.toFixed(1)} ms`);
    if (ms > worst.ms) worst = { name: each.name, ms };
  }
  t.diagnostic(
    `${all.length} routes, the worst ${worst.name} with ${worst.ms.toFixed(1)} ms; closed by ${closed.join(", ")}`,
  );
  assert.deepEqual({ slow, wrong }, { slow: [], wrong: [] });
});

test("every operation that needs a token checks it before it reads the body", async () => {
  const guarded = publishedOperations().filter(({ scopes }) => scopes !== null);
  for (const operation of guarded) {
    const names = Object.fromEntries(operation.parameters.map((name) => [name, VALUES[name] ?? "0".repeat(31)]));
    const sent = await send({
      name: operation.id,
      url: server.origin + pathOf(operation, names),
      method: operation.method,
      kind: "application/json",
    });
    assert.equal(sent.status, 401, operation.id);
  }
});
