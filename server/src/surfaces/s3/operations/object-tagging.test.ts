import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const tagging = (count: number): string =>
  `<Tagging><TagSet>${Array.from({ length: count }, (_, i) => `<Tag><Key>k${i}</Key><Value/></Tag>`).join("")}</TagSet></Tagging>`;

test("keeps an object's tags", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "a" }));
  const get = async (): Promise<string[]> => texts(succeeded(await gateway.call("GET", `/${bucket}/a?tagging`)), "Key");
  assert.deepEqual(await get(), []);
  succeeded(await gateway.call("PUT", `/${bucket}/a?tagging`, { body: tagging(10) }), 200);
  assert.equal((await get()).length, 10);
  refused(await gateway.call("PUT", `/${bucket}/a?tagging`, { body: tagging(11) }), "InvalidTag", 400);
  refused(
    await gateway.call("PUT", `/${bucket}/a?tagging`, { body: tagging(1).replace("k0", "k".repeat(129)) }),
    "InvalidTag",
    400,
  );
  succeeded(await gateway.call("DELETE", `/${bucket}/a?tagging`), 204);
  assert.deepEqual(await get(), []);
  refused(await gateway.call("GET", `/${bucket}/none?tagging`), "NoSuchKey", 404);
});
