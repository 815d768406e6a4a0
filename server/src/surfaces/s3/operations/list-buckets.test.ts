import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("lists the buckets that the key reaches, by pages", async () => {
  const { gateway } = shared;
  for (const name of ["list-a", "list-b", "list-c"]) succeeded(await gateway.call("PUT", `/${name}`));
  const all = texts(succeeded(await gateway.call("GET", "/?prefix=list-")), "Name");
  assert.deepEqual(all, ["list-a", "list-b", "list-c"]);
  const first = await gateway.call("GET", "/?prefix=list-&max-buckets=2");
  assert.deepEqual(texts(first, "Name"), ["list-a", "list-b"]);
  const [token = ""] = texts(first, "ContinuationToken");
  const second = await gateway.call("GET", `/?prefix=list-&max-buckets=2&continuation-token=${token}`);
  assert.deepEqual(texts(second, "Name"), ["list-c"]);
  assert.deepEqual(texts(second, "ContinuationToken"), []);
  const key = await gateway.newKey({ buckets: ["list-b"] });
  assert.deepEqual(texts(await gateway.call("GET", "/", { sign: { key } }), "Name"), ["list-b"]);
});

test("lists nothing without a signature, and takes no other method", async () => {
  refused(await shared.gateway.call("GET", "/", { sign: false }), "AccessDenied", 403);
  refused(await shared.gateway.call("DELETE", "/"), "MethodNotAllowed", 405);
  refused(await shared.gateway.call("GET", "/?max-buckets=x"), "InvalidArgument", 400);
});
