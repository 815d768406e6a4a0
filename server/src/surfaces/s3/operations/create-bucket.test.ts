import assert from "node:assert/strict";
import { test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const located = (region: string): string =>
  `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;

test("makes a bucket of this location, once", async () => {
  const { gateway } = shared;
  const made = succeeded(await gateway.call("PUT", "/new-bucket", { body: located("us-east-1") }), 200);
  assert.equal(made.headers.location, "/new-bucket");
  succeeded(await gateway.call("HEAD", "/new-bucket/"));
  succeeded(await gateway.call("PUT", "/new-bucket/"), 200); // the owner, again
  const headers = { "x-amz-acl": "public-read" };
  refused(await gateway.call("PUT", "/new-bucket/", { headers }), "BucketAlreadyExists", 409);
  refused(await gateway.call("PUT", "/other-bucket", { body: located("mars-1") }), "InvalidLocationConstraint", 400);
  refused(await gateway.call("PUT", "/other-bucket", { body: "<Wrong/>" }), "MalformedXML", 400);
  refused(await gateway.call("HEAD", "/other-bucket"), "404");
});

test("refuses names that are none, and keys that may not", async () => {
  const { gateway } = shared;
  for (const name of ["ab", "Upper-Case", "a_b_c", "-abc", "192.168.1.1", "a".repeat(64)])
    refused(await gateway.call("PUT", `/${name}`), "InvalidBucketName", 400);
  const key = await gateway.newKey({ readOnly: true });
  refused(await gateway.call("PUT", "/reader-bucket", { sign: { key } }), "AccessDenied", 403);
  refused(await gateway.call("PUT", "/nobody-bucket", { sign: false }), "AccessDenied", 403);
  const headers = { "x-amz-object-ownership": "Nobody" };
  refused(await gateway.call("PUT", "/owner-bucket", { headers }), "InvalidArgument", 400);
});

test("an organization has as many as the setting of its apps says, and not one more", async () => {
  const { gateway } = shared;
  await goPastLimit(gateway.ground.deps.metadata, "apps_max", async (n) => {
    const made = await gateway.call("PUT", `/counted-${n}`);
    if (made.status === 200) return { status: 200, json: {} };
    refused(made, "TooManyBuckets", 400);
    return { status: 409, json: { code: "limit_reached", detail: made.text } };
  });
});
