import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const tagging = (count: number): string =>
  `<Tagging><TagSet>${Array.from({ length: count }, (_, i) => `<Tag><Key>k${i}</Key><Value>v${i}</Value></Tag>`).join("")}</TagSet></Tagging>`;

test("keeps a bucket's tags", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?tagging`), "NoSuchTagSet", 404);
  succeeded(await gateway.call("PUT", `/${bucket}?tagging`, { body: tagging(50) }), 204);
  assert.equal(texts(await gateway.call("GET", `/${bucket}?tagging`), "Key").length, 50);
  refused(await gateway.call("PUT", `/${bucket}?tagging`, { body: tagging(51) }), "InvalidTag", 400);
  refused(await gateway.call("PUT", `/${bucket}?tagging`, { body: "<Tagging/>" }), "MalformedXML", 400);
  succeeded(await gateway.call("DELETE", `/${bucket}?tagging`), 204);
  refused(await gateway.call("GET", `/${bucket}?tagging`), "NoSuchTagSet", 404);
});
