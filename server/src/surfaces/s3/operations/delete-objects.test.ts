import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const doc = (keys: readonly string[], quiet = false): string =>
  `<Delete>${quiet ? "<Quiet>true</Quiet>" : ""}${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("")}</Delete>`;

test("deletes each for itself", async () => {
  const { gateway, bucket } = shared;
  for (const key of ["a", "b", "c"]) succeeded(await gateway.call("PUT", `/${bucket}/${key}`, { body: key }));
  const remove = (body: string) => gateway.call("POST", `/${bucket}?delete`, { body });
  assert.deepEqual(texts(succeeded(await remove(doc(["a", "none"])), 200), "Key"), ["a", "none"]);
  assert.deepEqual(texts(succeeded(await remove(doc(["b"], true)), 200), "Key"), []);
  const key = await gateway.newKey({ prefix: "mine/" });
  const part = await gateway.call("POST", `/${bucket}/?delete=`, { body: doc(["c", "mine/x"]), sign: { key } });
  assert.deepEqual([texts(part, "Code"), texts(part, "Key")], [["AccessDenied"], ["mine/x", "c"]]);
  assert.deepEqual(texts(await gateway.call("GET", `/${bucket}`), "Key"), ["c"]);
});

test("refuses documents that are none, or too long", async () => {
  const { gateway, bucket } = shared;
  const remove = (body: string) => gateway.call("POST", `/${bucket}?delete`, { body });
  refused(await remove(""), "MalformedXML", 400);
  refused(await remove(doc([])), "MalformedXML", 400);
  refused(await remove(doc(Array.from({ length: 1001 }, String))), "MalformedXML", 400);
  refused(await remove("<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>"), "MalformedXML", 400);
  refused(await remove(doc(["x".repeat(2 * 1024 * 1024)])), "EntityTooLarge", 400);
  assert.deepEqual(texts(await remove(doc(["x".repeat(1025)])), "Code"), ["KeyTooLongError"]);
});
