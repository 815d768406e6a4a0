import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("opens an object by a list, and closes it", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "a" }));
  refused(await gateway.call("GET", `/${bucket}/a`, { sign: false }), "AccessDenied", 403);
  for (const [acl, status] of [
    ["public-read", 200],
    ["private", 403],
  ] as const) {
    succeeded(await gateway.call("PUT", `/${bucket}/a?acl`, { headers: { "x-amz-acl": acl } }), 200);
    assert.equal((await gateway.call("GET", `/${bucket}/a`, { sign: false })).status, status);
  }
  const { text } = succeeded(await gateway.call("GET", `/${bucket}/a?acl`));
  const body = text.replace("FULL_CONTROL", "READ");
  succeeded(await gateway.call("PUT", `/${bucket}/a?acl`, { body }));
  assert.deepEqual(texts(await gateway.call("GET", `/${bucket}/a?acl`), "Permission"), ["READ"]);
  refused(
    await gateway.call("PUT", `/${bucket}/a?acl`, { body: body.replace("READ", "SING") }),
    "MalformedACLError",
    400,
  );
  refused(await gateway.call("GET", `/${bucket}/none?acl`), "NoSuchKey", 404);
});
