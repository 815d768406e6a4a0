import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const BLOCK =
  "<PublicAccessBlockConfiguration><BlockPublicAcls>true</BlockPublicAcls><IgnorePublicAcls>true</IgnorePublicAcls></PublicAccessBlockConfiguration>";

test("blocks what lists would open", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?publicAccessBlock`), "NoSuchPublicAccessBlockConfiguration", 404);
  const headers = { "x-amz-acl": "public-read" };
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "a" }));
  succeeded(await gateway.call("GET", `/${bucket}/a`, { sign: false }));
  succeeded(await gateway.call("PUT", `/${bucket}?publicAccessBlock`, { body: BLOCK }), 200);
  const { text } = succeeded(await gateway.call("GET", `/${bucket}?publicAccessBlock`));
  assert.match(text, /<BlockPublicAcls>true<.*<BlockPublicPolicy>false</s);
  refused(await gateway.call("GET", `/${bucket}/a`, { sign: false }), "AccessDenied", 403);
  refused(await gateway.call("PUT", `/${bucket}/b`, { headers, body: "b" }), "AccessDenied", 403);
  succeeded(await gateway.call("DELETE", `/${bucket}?publicAccessBlock`), 204);
  succeeded(await gateway.call("GET", `/${bucket}/a`, { sign: false }));
});
