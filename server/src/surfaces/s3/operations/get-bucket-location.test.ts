import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("tells the location, which is empty for the first region", async () => {
  const { gateway, bucket } = shared;
  for (const query of ["location", "location="]) {
    const { text } = succeeded(await gateway.call("GET", `/${bucket}?${query}`));
    assert.match(text, /<LocationConstraint xmlns="[^"]+"(\/>|><\/LocationConstraint>)$/);
  }
  refused(await gateway.call("GET", "/no-such-bucket?location"), "NoSuchBucket", 404);
});
