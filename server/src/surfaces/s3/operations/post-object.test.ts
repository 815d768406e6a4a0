import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { formBody, FORM_TYPE, signedFields, type Conditions } from "../testing/forms.ts";
import { refused, succeeded, texts, useGateway, type Answer, type Key } from "../testing/gateway.ts";

const shared = useGateway();

/** Returns a form whose policy is signed by Signature V4. */
function formFields(conditions: Conditions, more: Record<string, string> = {}, key?: Key): Record<string, string> {
  return signedFields(shared.gateway, shared.bucket, { conditions, more, ...(key === undefined ? {} : { key }) });
}

/** Posts the fields and then the file, as browsers do. */
function post(fields: Readonly<Record<string, string>>, content = "content", filename = "name.txt"): Promise<Answer> {
  return raw(formBody(fields, Buffer.from(content), filename).toString());
}

function raw(body: string): Promise<Answer> {
  const headers = { "content-type": FORM_TYPE };
  return shared.gateway.call("POST", `/${shared.bucket}`, { sign: false, headers, body });
}

test("accepts a form with a signed policy", async () => {
  const { gateway, bucket } = shared;
  const conditions = [
    ["starts-with", "$key", "up/"],
    ["eq", "$Content-Type", "text/plain"],
    { "x-amz-meta-a": "b" },
    ["starts-with", "$success_action_status", ""],
  ];
  const fields = formFields(conditions, {
    key: "up/${filename}",
    "content-type": "text/plain",
    "x-amz-meta-a": "b",
    success_action_status: "201",
  });
  const made = succeeded(await post(fields, "a\r\n--xy\r\ncontent", "C:\\dir\\ü.txt"), 201);
  assert.deepEqual(texts(made, "Key"), ["up/ü.txt"]);
  const got = succeeded(await gateway.call("GET", `/${bucket}/up/%C3%BC.txt`));
  assert.deepEqual(
    [got.text, got.headers["content-type"], got.headers["x-amz-meta-a"]],
    ["a\r\n--xy\r\ncontent", "text/plain", "b"],
  );
  assert.equal(succeeded(await post(formFields([["starts-with", "$key", ""]], { key: "plain" })), 204).text, "");
});

test("redirects to http and https addresses only", async () => {
  const to = async (redirect: string) => {
    const conditions = [
      ["starts-with", "$key", ""],
      ["starts-with", "$success_action_redirect", ""],
    ];
    return post(formFields(conditions, { key: "r", success_action_redirect: redirect }));
  };
  const page = await to("https://example.com/done?x=1");
  assert.equal(page.status, 303);
  assert.match(
    page.headers.location ?? "",
    /^https:\/\/example\.com\/done\?x=1&bucket=test-bucket&key=r&etag=%22[0-9a-f]{32}%22$/,
  );
  for (const redirect of ["javascript:alert(1)", "data:text/html,x", "not a page"])
    assert.equal((await to(redirect)).status, 204);
});

test("accepts a form by Signature V2", async () => {
  const { key } = shared.gateway;
  const expiration = new Date(shared.gateway.nowMs() + 60_000).toISOString();
  const policy = Buffer.from(
    JSON.stringify({ expiration, conditions: [{ bucket: shared.bucket }, { key: "v2" }] }),
  ).toString("base64");
  const signature = createHmac("sha1", key.secret).update(policy).digest("base64");
  const fields = { key: "v2", AWSAccessKeyId: key.accessKeyId, policy, signature };
  succeeded(await post(fields), 204);
  refused(await post({ ...fields, signature: "AAAA" }), "SignatureDoesNotMatch", 403);
});

test("refuses a form that the policy does not cover, and stores nothing", async () => {
  const { gateway, bucket } = shared;
  const before = texts(await gateway.call("GET", `/${bucket}`), "Key");
  const anyKey = ["starts-with", "$key", "ok"] as const;
  const cases: Record<string, [Record<string, string>, string]> = {
    "another key": [formFields([anyKey], { key: "other" }), "AccessDenied"],
    "a key from the filename": [formFields([anyKey], { key: "${filename}" }), "AccessDenied"],
    "no key": [formFields([anyKey]), "UserKeyMustBeSpecified"],
    "a field that the policy does not name": [formFields([anyKey], { key: "ok", "x-amz-meta-a": "b" }), "AccessDenied"],
    "a missing field that the policy names": [formFields([anyKey, { acl: "private" }], { key: "ok" }), "AccessDenied"],
    "another value": [formFields([anyKey, { acl: "private" }], { key: "ok", acl: "public-read" }), "AccessDenied"],
    "another bucket": [formFields([anyKey], { key: "ok", bucket: "other-bucket" }), "AccessDenied"],
    "a wrong signature": [
      { ...formFields([anyKey], { key: "ok" }), "x-amz-signature": "0".repeat(64) },
      "SignatureDoesNotMatch",
    ],
    "no signature": [{ ...formFields([anyKey], { key: "ok" }), "x-amz-signature": "" }, "InvalidArgument"],
    "two kinds of signatures": [formFields([anyKey], { key: "ok", signature: "x" }), "InvalidArgument"],
    "an unknown key": [
      formFields([anyKey], { key: "ok" }, { accessKeyId: "MOORNONE", secret: "x" }),
      "InvalidAccessKeyId",
    ],
    "a key that may only read": [
      formFields([anyKey], { key: "ok" }, await gateway.newKey({ readOnly: true })),
      "AccessDenied",
    ],
    "a key of another prefix": [
      formFields([anyKey], { key: "ok" }, await gateway.newKey({ prefix: "x/" })),
      "AccessDenied",
    ],
    "no credentials": [{ key: "ok" }, "AccessDenied"],
    "a policy of an unknown key": [{ key: "ok", policy: "e30=" }, "InvalidArgument"],
    "too much": [formFields([anyKey, ["content-length-range", 0, 3]], { key: "ok" }), "EntityTooLarge"],
    "too little": [formFields([anyKey, ["content-length-range", 100, 200]], { key: "ok" }), "EntityTooSmall"],
    "a checksum of other content": [
      formFields([anyKey], { key: "ok", "x-amz-checksum-crc32": "AAAAAA==" }),
      "BadDigest",
    ],
  };
  for (const [name, [fields, code]] of Object.entries(cases)) assert.equal((await post(fields)).code, code, name);
  for (const conditions of [
    [{}],
    [{ a: 1 }],
    [["eq", "key", "ok"]],
    [["eq", "$key"]],
    [["like", "$key", "o"]],
    [["content-length-range", -1, "x"]],
  ])
    refused(await post(formFields(conditions, { key: "ok" })), "InvalidPolicyDocument", 400);
  assert.deepEqual(texts(await gateway.call("GET", `/${bucket}`), "Key"), before);
});

test("refuses an expired policy, and one without an expiry", async () => {
  const { key } = shared.gateway;
  for (const [expiration, code] of [
    [new Date(shared.gateway.nowMs() - 1).toISOString(), "AccessDenied"],
    ["some day", "InvalidPolicyDocument"],
    [undefined, "InvalidPolicyDocument"],
  ] as const) {
    const policy = Buffer.from(
      JSON.stringify({ expiration, conditions: [{ bucket: shared.bucket }, { key: "v2" }] }),
    ).toString("base64");
    const signature = createHmac("sha1", key.secret).update(policy).digest("base64");
    refused(await post({ key: "v2", AWSAccessKeyId: key.accessKeyId, policy, signature }), code);
  }
});

test("refuses bodies that are not forms", async () => {
  const part = (name: string, value = "x"): string =>
    `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  for (const [body, code] of [
    ["", "MalformedPOSTRequest"],
    ["nothing", "MalformedPOSTRequest"],
    [part("key"), "MalformedPOSTRequest"],
    [`${part("key")}--xyz--\r\n`, "InvalidArgument"],
    [`${part("key")}${part("key")}${part("file")}--xyz--\r\n`, "InvalidArgument"],
    ["--xyz\r\nno disposition\r\n\r\nx\r\n--xyz--\r\n", "MalformedPOSTRequest"],
    [part("key", "x".repeat(70_000)), "MaxPostPreDataLengthExceededError"],
    [Array.from({ length: 102 }, (_, i) => part(`field-${i}`)).join(""), "MaxPostPreDataLengthExceededError"],
  ] as const)
    assert.equal((await raw(body)).code, code, body.slice(0, 80));
});
