import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const policyFor = (bucket: string): string =>
  JSON.stringify({
    Version: "2012-10-17",
    Statement: [{ Effect: "Allow", Principal: "*", Action: "s3:GetObject", Resource: `arn:aws:s3:::${bucket}/open/*` }],
  });

test("opens to everybody what a policy opens, and no more", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?policy`), "NoSuchBucketPolicy", 404);
  for (const key of ["open/a", "closed/a"]) succeeded(await gateway.call("PUT", `/${bucket}/${key}`, { body: key }));
  refused(await gateway.call("GET", `/${bucket}/open/a`, { sign: false }), "AccessDenied", 403);
  const body = policyFor(bucket);
  succeeded(await gateway.call("PUT", `/${bucket}?policy`, { body }), 204);
  assert.equal(succeeded(await gateway.call("GET", `/${bucket}?policy`)).text, body);
  assert.match(succeeded(await gateway.call("GET", `/${bucket}?policyStatus`)).text, /<IsPublic>true<\/IsPublic>/);
  assert.equal(succeeded(await gateway.call("GET", `/${bucket}/open/a`, { sign: false })).text, "open/a");
  refused(await gateway.call("GET", `/${bucket}/closed/a`, { sign: false }), "AccessDenied", 403);
  refused(await gateway.call("PUT", `/${bucket}/open/a`, { sign: false, body: "x" }), "AccessDenied", 403);
  succeeded(await gateway.call("DELETE", `/${bucket}?policy`), 204);
  refused(await gateway.call("GET", `/${bucket}/open/a`, { sign: false }), "AccessDenied", 403);
});

test("refuses a policy that is none, or too large", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("PUT", `/${bucket}?policy`, { body: "" }), "MalformedPolicy", 400);
  refused(await gateway.call("PUT", `/${bucket}?policy`, { body: "{}" }), "MalformedPolicy", 400);
  refused(await gateway.call("PUT", `/${bucket}?policy`, { body: " ".repeat(20_481) }), "EntityTooLarge", 400);
});
