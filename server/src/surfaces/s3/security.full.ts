/** Attacks on every operation of the table. All must be refused and change nothing. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { OTHER_ORG_ID } from "#domain/s3/testing/ground.ts";
import type { Row } from "./route.ts";
import { ROWS } from "./routes.ts";
import { BUCKET, casesFor, everything, LOCKED, prepareCases, type Case } from "./testing/cases.ts";
import {
  openGateway,
  succeeded,
  texts,
  type Answer,
  type Call,
  type Key,
  type TestGateway,
} from "./testing/gateway.ts";

let gateway: TestGateway;
let upload: { uploadId: string; etag: string };
let cases: Readonly<Record<string, Case>>;
let keys: Readonly<Record<"foreign" | "reader" | "elsewhere" | "prefixed" | "limited" | "below", Key>>;

before(async () => {
  gateway = await openGateway();
  upload = await prepareCases(gateway);
  cases = casesFor(upload);
  succeeded(await gateway.call("PUT", "/not-of-the-cases"));
  const below = [BUCKET, LOCKED, "cases-empty"].map((name) => ({ name, prefix: "elsewhere/" }));
  keys = {
    foreign: await gateway.newKey({}, OTHER_ORG_ID),
    reader: await gateway.newKey({ readOnly: true }),
    elsewhere: await gateway.newKey({ buckets: ["cases-empty-not"] }),
    prefixed: await gateway.newKey({ prefix: "elsewhere/" }),
    limited: await gateway.newKey({ resources: { buckets: [{ name: "not-of-the-cases" }] } }),
    below: await gateway.newKey({ resources: { buckets: below } }),
  };
});
after(() => gateway.close());

/** Returns the attacks that apply to every row. */
function attacks(row: Row, given: Case): Record<string, () => Promise<Answer>> {
  const { target, headers = {}, body = "" } = given;
  const call = (more: Call = {}, to = target): Promise<Answer> =>
    gateway.call(row.method, to, { ...more, headers: { ...headers, ...more.headers }, body: more.body ?? body });
  const tampered = (change: (sent: Record<string, string>) => void): Promise<Answer> => call({ tamper: change });
  const { key } = gateway;
  const minute = 60_000;
  const mark = target.includes("?") ? "&" : "?";
  return {
    "no signature": () => call({ sign: false }),
    "wrong secret": () => call({ sign: { key: { ...key, secret: `${key.secret.slice(1)}A` } } }),
    "unknown key": () => call({ sign: { key: { ...key, accessKeyId: "MOORNONESUCHKEYXXXXX" } } }),
    "old date": () => call({ sign: { atMs: gateway.nowMs() - 16 * minute } }),
    "date to come": () => call({ sign: { atMs: gateway.nowMs() + 16 * minute } }),
    "other region": () => call({ sign: { region: "mars-1" } }),
    "other service": () => call({ sign: { service: "sqs" } }),
    "host not signed": () => call({ sign: { unsigned: ["host"] } }),
    "date not signed": () => call({ sign: { unsigned: ["x-amz-date"] } }),
    "field not signed": () => call({ headers: { "x-amz-meta-added": "1" }, sign: { unsigned: ["x-amz-meta-added"] } }),
    "field added": () => tampered((sent) => (sent["x-amz-meta-added"] = "1")),
    "field changed": () =>
      tampered((sent) => (sent["x-amz-date"] = (sent["x-amz-date"] ?? "").replace(/.Z$/, "9Z").replace(/09Z$/, "08Z"))),
    "date taken away": () => tampered((sent) => delete sent["x-amz-date"]),
    "digest taken away": () => tampered((sent) => delete sent["x-amz-content-sha256"]),
    "digest replaced": () => tampered((sent) => (sent["x-amz-content-sha256"] = "UNSIGNED-PAYLOAD")),
    "signature cut": () => tampered((sent) => (sent["authorization"] = (sent["authorization"] ?? "").slice(0, -1))),
    "signature in upper case": () =>
      tampered(
        (sent) =>
          (sent["authorization"] = (sent["authorization"] ?? "").replace(/[0-9a-f]+$/, (hex) =>
            hex.toUpperCase().replace(/^\d+$/, "x"),
          )),
      ),
    "another method": async () => {
      const { headers: signed } = gateway.signed("OPTIONS", target, { headers, body });
      return call({ sign: false, headers: signed });
    },
    "another target": async () => {
      const { headers: signed } = gateway.signed(row.method, `${target}${mark}x-id=Other`, { headers, body });
      return call({ sign: false, headers: signed });
    },
    "two kinds of credentials": () => call({}, `${target}${mark}X-Amz-Signature=00&X-Amz-Algorithm=AWS4-HMAC-SHA256`),
    "presigned by nobody": () => call({ sign: false }, presigned(`${target}${mark}`, "0".repeat(64), key)),
    "presigned without an expiry": () =>
      call({ sign: false }, presigned(`${target}${mark}`, "0".repeat(64), key).replace(/&X-Amz-Expires=\d+/, "")),
    "signed by Signature V2, with a wrong signature": () =>
      call({
        sign: false,
        headers: {
          authorization: `AWS ${key.accessKeyId}:AAAAAAAAAAAAAAAAAAAAAAAAAAA=`,
          "x-amz-date": new Date(gateway.nowMs()).toUTCString(),
        },
      }),
    "presigned by Signature V2, with a wrong signature": () =>
      call({ sign: false }, `${target}${mark}AWSAccessKeyId=${key.accessKeyId}&Expires=4000000000&Signature=AAAA`),
    "a session token": () => call({ headers: { "x-amz-security-token": "x" } }),
    "another organization's key": () => call({ sign: { key: keys.foreign } }),
    ...(given.reads === true ? {} : { "a key that may only read": () => call({ sign: { key: keys.reader } }) }),
    "a key of other buckets": () => call({ sign: { key: keys.elsewhere } }),
    "a key that is limited to another bucket": () => call({ sign: { key: keys.limited } }),
    ...(given.harmless === true ? {} : ofOtherKeys(call)),
    ...(body === "" ? {} : { "another body": () => replaced(row, given) }),
  };
}

function ofOtherKeys(call: (more: Call) => Promise<Answer>): Record<string, () => Promise<Answer>> {
  return {
    "a key of another prefix": () => call({ sign: { key: keys.prefixed } }),
    "a key that is limited to another prefix": () => call({ sign: { key: keys.below } }),
  };
}

function presigned(target: string, signature: string, { accessKeyId }: Key): string {
  const { date, scope } = gateway.signed("GET", "/");
  const credential = encodeURIComponent(`${accessKeyId}/${scope.day}/${scope.region}/s3/aws4_request`);
  const times = `X-Amz-Date=${date}&X-Amz-Expires=60&X-Amz-SignedHeaders=host`;
  return `${target}X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=${credential}&${times}&X-Amz-Signature=${signature}`;
}

/** Replaces the body, so that its digest is not the signed one. */
function replaced(row: Row, { target, headers = {}, body = "" }: Case): Promise<Answer> {
  const { headers: signed } = gateway.signed(row.method, target, { headers, body });
  return gateway.call(row.method, target, { sign: false, headers: signed, body: body.replace(/.$/s, "?") });
}

test("every operation has a case", () => {
  assert.deepEqual(Object.keys(cases).toSorted(), ROWS.map(({ name }) => name).toSorted());
});

for (const row of ROWS) {
  test(`${row.name} is refused without the permission, and changes nothing`, async () => {
    const given = cases[row.name];
    assert.ok(given !== undefined);
    const before = await everything(gateway, upload.uploadId);
    for (const [name, attack] of Object.entries(attacks(row, given))) {
      const answer = await attack();
      if (row.name === "ListBuckets" && answer.status === 200) {
        assert.deepEqual(
          texts(answer, "Name").filter((bucket) => bucket.startsWith("cases-")),
          [],
          name,
        );
        continue;
      }
      // DeleteObjects refuses each key separately.
      if (row.name === "DeleteObjects" && answer.status === 200) {
        assert.deepEqual([texts(answer, "Code"), answer.text.includes("<Deleted>")], [["AccessDenied"], false], name);
        continue;
      }
      // Another organization's key creates a bucket of that organization, which is not ours.
      if (row.name === "CreateBucket" && name === "another organization's key") continue;
      assert.ok(answer.status >= 400 && answer.status < 500, `${name}: ${answer.status} ${answer.text}`);
      assert.ok(answer.headers["x-amz-request-id"] !== undefined, name);
    }
    assert.deepEqual(await everything(gateway, upload.uploadId), before);
  });
}
