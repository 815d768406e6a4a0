import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("deletes a bucket when it is empty", async () => {
  const { gateway } = shared;
  succeeded(await gateway.call("PUT", "/gone-bucket"));
  succeeded(await gateway.call("PUT", "/gone-bucket/a", { body: "a" }));
  refused(await gateway.call("DELETE", "/gone-bucket"), "BucketNotEmpty", 409);
  succeeded(await gateway.call("DELETE", "/gone-bucket/a"), 204);
  assert.equal(succeeded(await gateway.call("DELETE", "/gone-bucket"), 204).text, "");
  refused(await gateway.call("DELETE", "/gone-bucket"), "NoSuchBucket", 404);
});
