import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("answers what clients ask for on their way", async () => {
  const { gateway, bucket } = shared;
  const get = (name: string) => gateway.call("GET", `/${bucket}?${name}`);
  assert.match(succeeded(await get("requestPayment")).text, /<Payer>BucketOwner</);
  assert.match(succeeded(await get("logging")).text, /BucketLoggingStatus/);
  assert.match(succeeded(await get("accelerate")).text, /AccelerateConfiguration/);
  refused(await get("website"), "NoSuchWebsiteConfiguration", 404);
  refused(await get("replication"), "ReplicationConfigurationNotFoundError", 404);
});

test("says by name what there is not, and does not take it for something else", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "kept" }));
  for (const [method, target] of [
    ["GET", `/${bucket}?inventory`],
    ["PUT", `/${bucket}?website`],
    ["PUT", `/${bucket}?replication`],
    ["DELETE", `/${bucket}?metrics`],
    ["DELETE", `/${bucket}?something`],
    ["POST", `/${bucket}/a?select&select-type=2`],
    ["POST", `/${bucket}/a?restore`],
    ["PUT", `/${bucket}/a?something`],
    ["PUT", `/${bucket}/a?something=1`],
    ["DELETE", `/${bucket}/a?torrent`],
    ["DELETE", `/${bucket}/a?something`],
    ["GET", `/${bucket}/a?something`],
    ["GET", `/${bucket}/a?torrent`],
  ] as const) {
    const { text } = refused(
      await gateway.call(method, target, { body: method === "PUT" ? "lost" : "" }),
      "NotImplemented",
      501,
    );
    assert.match(text, /is not implemented/, `${method} ${target}`);
  }
  assert.equal(succeeded(await gateway.call("GET", `/${bucket}/a?v=1`)).text, "kept");
  refused(await gateway.call("POST", `/${bucket}/a`), "MethodNotAllowed", 405);
  refused(await gateway.call("PATCH", `/${bucket}/a`), "MethodNotAllowed", 405);
});
