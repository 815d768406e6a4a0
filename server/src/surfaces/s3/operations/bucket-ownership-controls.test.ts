import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const ownership = (text: string): string =>
  `<OwnershipControls><Rule><ObjectOwnership>${text}</ObjectOwnership></Rule></OwnershipControls>`;

test("keeps who owns objects; without lists none can be set", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?ownershipControls`), "OwnershipControlsNotFoundError", 404);
  succeeded(await gateway.call("PUT", `/${bucket}?ownershipControls`, { body: ownership("BucketOwnerEnforced") }), 200);
  assert.match(succeeded(await gateway.call("GET", `/${bucket}?ownershipControls`)).text, />BucketOwnerEnforced</);
  const headers = { "x-amz-acl": "public-read" };
  refused(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "a" }), "AccessControlListNotSupported", 400);
  refused(
    await gateway.call("PUT", `/${bucket}?ownershipControls`, { body: ownership("Nobody") }),
    "MalformedXML",
    400,
  );
  succeeded(await gateway.call("DELETE", `/${bucket}?ownershipControls`), 204);
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { headers, body: "a" }));
});
