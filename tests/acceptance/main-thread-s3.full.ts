/** The time of the event loop for the largest bodies of the S3 gateway. All requests wait for it. */
import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { after, before, test } from "node:test";
import { filled, list, send, testCosts, type HeavyCase, type Sent } from "../fixtures/heavy-requests.ts";
import { s3EndpointOf, type S3Endpoint } from "../fixtures/s3.ts";
import { startServer, type Bootstrap, type Server } from "../fixtures/server.ts";

let server: Server;
let home: Bootstrap;
let s3: S3Endpoint;
before(async () => {
  const limits = { rate_limit_per_second: 100_000, rate_limit_burst: 100_000 };
  server = await startServer({ settings: { ...limits, log_level: "error", s3_public_organization: "acme" } });
  home = await server.bootstrap();
  s3 = await s3EndpointOf(server, home);
});
after(() => server.dispose());

test("the largest bodies of the S3 gateway block the event loop for at most 20 ms", (t) =>
  testCosts(t, server.pid, [...objectCases(), completion(), ...bucketCases()]));

/** Signs by Signature V4 with an unsigned payload, as clients do over TLS. */
function signed(method: string, target: string, body: Buffer, more: Readonly<Record<string, string>> = {}): Sent {
  const url = new URL(s3.url + target);
  const date = new Date().toISOString().replace(/[-:]|\.\d{3}/g, "");
  const headers: Record<string, string> = {
    host: url.host,
    "x-amz-content-sha256": "UNSIGNED-PAYLOAD",
    "x-amz-date": date,
    ...more,
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
  const scope = `${date.slice(0, 8)}/${s3.region}/s3/aws4_request`;
  const hmac = (secret: string | Buffer, text: string): Buffer => createHmac("sha256", secret).update(text).digest();
  const signing = scope
    .split("/")
    .reduce<string | Buffer>((secret, part) => hmac(secret, part), `AWS4${s3.secretAccessKey}`);
  const text = ["AWS4-HMAC-SHA256", date, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const signature = hmac(signing, text).toString("hex");
  headers["authorization"] =
    `AWS4-HMAC-SHA256 Credential=${s3.accessKeyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { method, url: url.href, headers, body };
}

function s3Case(
  name: string,
  statuses: readonly number[],
  method: string,
  query: string,
  text: string,
  key = "",
): HeavyCase {
  const body = Buffer.from(text);
  return { name: `s3 ${name}`, statuses, request: () => signed(method, `/${s3.bucket}${key}?${query}`, body) };
}

/** Returns a policy with the maximum of patterns. None of them matches its action at once. */
function policyOf500(): string {
  const actions = list(500, (i) => `"s3:*${"get*"[i % 4] ?? ""}*t*"`, ",");
  const statement = `{"Effect":"Deny","Principal":{"AWS":"nobody"},"Action":[${actions}],"Resource":"arn:aws:s3:::${s3.bucket}/*"}`;
  return `{"Version":"2012-10-17","Statement":[${statement}]}`;
}

/** Returns a deletion of existing objects, so that the rows of each are deleted with it. */
function deletionOfObjects(): HeavyCase {
  const keys = Array.from({ length: 1000 }, (_, i) => `there/${i}`);
  const body = Buffer.from(`<Delete>${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("")}</Delete>`);
  const put = async (key: string): Promise<void> => {
    const { status, text } = await send(signed("PUT", `/${s3.bucket}/${key}`, Buffer.from("content")));
    assert.equal(status, 200, text);
  };
  return {
    name: "s3 DeleteObjects, 1,000 objects",
    statuses: [200],
    prepare: async () => {
      for (let at = 0; at < keys.length; at += 50) await Promise.all(keys.slice(at, at + 50).map(put));
    },
    request: () => signed("POST", `/${s3.bucket}?delete=`, body),
  };
}

function elementOf(document: string, name: string): string {
  const [, text = ""] = new RegExp(`<${name}>(.*?)</${name}>`).exec(document) ?? [];
  assert.notEqual(text, "", `no ${name} in ${document}`);
  return text;
}

const PARTS = 10_000;
const AT_ONCE = 40;

/** Returns a completion of parts that are copies of one object. They share its content, so that ten thousand of 5 MiB need no space. */
function completion(): HeavyCase {
  const target = `/${s3.bucket}/of-parts`;
  let upload = "";
  let [etag, checksum] = ["", ""];
  const put = async (to: string, method: string, body: Buffer, more: Readonly<Record<string, string>>) => {
    const { status, text } = await send(signed(method, to, body, more));
    assert.equal(status, 200, text);
    return text;
  };
  const copy = async (number: number): Promise<void> => {
    const source = { "x-amz-copy-source": `/${s3.bucket}/part` };
    const text = await put(`${target}?partNumber=${number}&uploadId=${upload}`, "PUT", Buffer.alloc(0), source);
    [etag, checksum] = ["ETag", "ChecksumSHA256"].map((name) => elementOf(text, name)) as [string, string];
  };
  return {
    name: `s3 CompleteMultipartUpload, ${PARTS} existing parts`,
    statuses: [200],
    prepare: async () => {
      await put(`/${s3.bucket}/part`, "PUT", Buffer.alloc(5 * 1024 * 1024, "a"), {});
      const begun = await put(`${target}?uploads=`, "POST", Buffer.alloc(0), {
        "x-amz-checksum-algorithm": "SHA256",
      });
      upload = elementOf(begun, "UploadId");
      for (let at = 1; at <= PARTS; at += AT_ONCE)
        await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => copy(at + i)));
    },
    request: () => {
      const rest = `<ETag>${etag}</ETag><ChecksumSHA256>${checksum}</ChecksumSHA256>`;
      const parts = list(PARTS, (i) => `<Part><PartNumber>${i + 1}</PartNumber>${rest}</Part>`);
      const body = Buffer.from(`<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`);
      return signed("POST", `${target}?uploadId=${upload}`, body);
    },
  };
}

const part = (i: number): string =>
  `<Part><PartNumber>${i + 1}</PartNumber><ETag>"${"a".repeat(32)}"</ETag><ChecksumSHA256>${"a".repeat(43)}=</ChecksumSHA256></Part>`;

function objectCases(): HeavyCase[] {
  return [
    deletionOfObjects(),
    s3Case("DeleteObjects, hostile", [400], "POST", "delete=", `<Delete>${filled(2_000_000, "<a/>")}</Delete>`),
    s3Case(
      "DeleteObjects, 1,000 keys of 1,000 bytes",
      [200],
      "POST",
      "delete=",
      `<Delete>${list(1000, (i) => `<Object><Key>${"k".repeat(1000)}${i}</Key></Object>`)}</Delete>`,
    ),
    s3Case(
      "DeleteObjects, references",
      [200],
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
  ];
}

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

function bucketCases(): HeavyCase[] {
  const grants = list(
    100,
    () =>
      `<Grant><Grantee xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="CanonicalUser"><ID>${home.project.id}</ID></Grantee><Permission>READ</Permission></Grant>`,
  );
  return [
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
    s3Case("PutBucketPolicy, 500 actions", [204], "PUT", "policy=", policyOf500()),
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
