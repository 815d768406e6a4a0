import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("tells that a bucket is there, and where", async () => {
  const { gateway, bucket } = shared;
  for (const target of [`/${bucket}`, `/${bucket}/`])
    assert.equal(succeeded(await gateway.call("HEAD", target)).headers["x-amz-bucket-region"], "us-east-1");
  const absent = refused(await gateway.call("HEAD", "/no-such-bucket"), "404");
  assert.equal(absent.text, "");
});

test("checks whose bucket it is when the caller says so", async () => {
  const { gateway, bucket } = shared;
  const headers = { "x-amz-expected-bucket-owner": "somebody-else" };
  refused(await gateway.call("HEAD", `/${bucket}`, { headers }), "403");
});

test("finds a bucket in the name of the host", async () => {
  const { gateway, bucket } = shared;
  const headers = { host: `${bucket}.s3.test` };
  succeeded(await gateway.call("HEAD", "/", { headers }));
  succeeded(await gateway.call("PUT", "/a/b", { headers, body: "by host" }));
  assert.equal((await gateway.call("GET", `/${bucket}/a/b`)).text, "by host");
  refused(await gateway.call("HEAD", "/", { headers: { host: "no-such-bucket.s3.test" } }), "404");
});
