/** Tests attacks that use a bucket policy or an old signature. */
import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { PRIVATE_ID } from "#domain/identity/testing.ts";
import { refused, succeeded, useGateway } from "./testing/gateway.ts";

const it = useGateway();
const NS = "http://s3.amazonaws.com/doc/2006-03-01/";

async function setPolicy(statement: object): Promise<void> {
  const body = JSON.stringify({ Version: "2012-10-17", Statement: [statement] });
  succeeded(await it.gateway.call("PUT", `/${it.bucket}?policy`, { body }), 204);
}

const all = () => [`arn:aws:s3:::${it.bucket}`, `arn:aws:s3:::${it.bucket}/*`];

test("a public policy leaves administration to the owner", async () => {
  const anonymous = { sign: false } as const;
  const calls: readonly [string, string, string?][] = [
    ["PUT", "?policy", JSON.stringify({ Statement: [] })],
    ["DELETE", "?policy"],
    ["GET", "?policy"],
    ["PUT", "?ownershipControls", "<OwnershipControls/>"],
    ["DELETE", "?ownershipControls"],
    ["PUT", "?publicAccessBlock", "<PublicAccessBlockConfiguration/>"],
    ["DELETE", "?publicAccessBlock"],
    ["PUT", "?acl", `<AccessControlPolicy xmlns="${NS}"/>`],
    ["PUT", "?versioning", "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"],
    ["PUT", "?lifecycle", "<LifecycleConfiguration/>"],
    ["DELETE", "?lifecycle"],
    ["PUT", "?notification", "<NotificationConfiguration/>"],
    ["PUT", "?encryption", "<ServerSideEncryptionConfiguration/>"],
    ["PUT", "?object-lock", "<ObjectLockConfiguration/>"],
    ["PUT", "?tagging", "<Tagging/>"],
    ["PUT", "?cors", "<CORSConfiguration/>"],
    ["DELETE", ""],
  ];
  for (const statement of [
    { Effect: "Allow", Principal: "*", Action: "s3:*", Resource: all() },
    { Effect: "Allow", Principal: "*", NotAction: "s3:PutObject", Resource: all() },
  ]) {
    await setPolicy(statement);
    for (const [method, query, body] of calls)
      refused(
        await it.gateway.call(method, `/${it.bucket}${query}`, { ...anonymous, body: body ?? "" }),
        "AccessDenied",
        403,
      );
    succeeded(await it.gateway.call("GET", `/${it.bucket}`, anonymous), 200);
  }
  succeeded(await it.gateway.call("DELETE", `/${it.bucket}?policy`), 204);
});

test("a policy lets a key of another project replace the access control list, but not the policy", async () => {
  const sign = { key: await it.gateway.newKey({ projectId: PRIVATE_ID }) };
  const putAcl = () => it.gateway.call("PUT", `/${it.bucket}?acl`, { headers: { "x-amz-acl": "private" }, sign });
  refused(await putAcl(), "AccessDenied", 403);
  await setPolicy({ Effect: "Allow", Principal: "*", Action: "s3:*", Resource: all() });
  succeeded(await putAcl());
  refused(await it.gateway.call("DELETE", `/${it.bucket}?policy`, { sign }), "AccessDenied", 403);
  refused(await it.gateway.call("GET", `/${it.bucket}?policy`, { sign }), "AccessDenied", 403);
  succeeded(await it.gateway.call("DELETE", `/${it.bucket}?policy`), 204);
  refused(await putAcl(), "AccessDenied", 403);
});

test("a policy with an unknown name is refused with that name", async () => {
  const statement = { Effect: "Deny", Principal: "*", Action: "s3:Frobnicate", Resource: all() };
  const body = JSON.stringify({ Statement: [statement] });
  const answer = refused(await it.gateway.call("PUT", `/${it.bucket}?policy`, { body }), "MalformedPolicy", 400);
  assert.match(answer.text, /s3:Frobnicate/);
});

test("DeleteObjects checks the permission before it reads the body", async () => {
  const hostile = `<Delete>${"<a/>".repeat(500_000)}</Delete>`;
  const anonymous = await it.gateway.call("POST", `/${it.bucket}?delete`, { sign: false, body: hostile });
  refused(anonymous, "AccessDenied", 403);
  const reader = await it.gateway.newKey({ readOnly: true });
  refused(
    await it.gateway.call("POST", `/${it.bucket}?delete`, { sign: { key: reader }, body: "<no" }),
    "AccessDenied",
    403,
  );
});

test("a URL of Signature V2 covers every sub-resource", async () => {
  const { gateway, bucket } = it;
  const expires = Math.floor(gateway.nowMs() / 1000) + 60;
  const url = (method: string, signed: string, added: string): string => {
    const text = `${method}\n\n\n${expires}\n/${bucket}${signed}`;
    const signature = createHmac("sha1", gateway.key.secret).update(text).digest("base64");
    const query = `AWSAccessKeyId=${gateway.key.accessKeyId}&Expires=${expires}&Signature=${encodeURIComponent(signature)}`;
    return `/${bucket}?${query}${added}`;
  };
  for (const name of "ownershipControls publicAccessBlock encryption object-lock replication policy lifecycle tagging attributes".split(
    " ",
  )) {
    const appended = await gateway.call("PUT", url("PUT", "", `&${name}`), { sign: false });
    refused(appended, "SignatureDoesNotMatch", 403);
  }
  refused(
    await gateway.call("DELETE", url("DELETE", "", "&publicAccessBlock"), { sign: false }),
    "SignatureDoesNotMatch",
  );
  const own = url("DELETE", "?publicAccessBlock", "&publicAccessBlock");
  succeeded(await gateway.call("DELETE", own, { sign: false }), 204);
  succeeded(await gateway.call("GET", url("GET", "", "&list-type=2"), { sign: false }), 200);
});

test("chunked content whose framing would be stored is refused", async () => {
  const { gateway, bucket } = it;
  const framed = "5\r\nhello\r\n0\r\n\r\n";
  const cases: readonly [Record<string, string>, { payload?: string }][] = [
    [{ "x-amz-decoded-content-length": "5" }, { payload: "UNSIGNED-PAYLOAD" }],
    [{ "content-encoding": "aws-chunked" }, { payload: "UNSIGNED-PAYLOAD" }],
    [{ "x-amz-decoded-content-length": "5" }, {}],
  ];
  for (const [headers, sign] of cases)
    refused(await gateway.call("PUT", `/${bucket}/framed`, { body: framed, headers, sign }), "InvalidRequest", 400);
  refused(await gateway.call("GET", `/${bucket}/framed`), "NoSuchKey", 404);
  succeeded(await gateway.call("PUT", `/${bucket}/plain`, { body: framed, sign: { payload: "UNSIGNED-PAYLOAD" } }));
});
