import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const lock = (rule: string): string =>
  `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>${rule}</DefaultRetention></Rule></ObjectLockConfiguration>`;

test("keeps how long objects are locked unless they say so themselves", async () => {
  const { gateway, bucket } = shared;
  refused(await gateway.call("GET", `/${bucket}?object-lock`), "ObjectLockConfigurationNotFoundError", 404);
  const headers = { "x-amz-bucket-object-lock-enabled": "true" };
  succeeded(await gateway.call("PUT", "/locked-bucket", { headers }));
  assert.match(succeeded(await gateway.call("GET", "/locked-bucket?object-lock")).text, />Enabled</);
  const put = (rule: string) => gateway.call("PUT", "/locked-bucket?object-lock", { body: lock(rule) });
  succeeded(await put("<Mode>GOVERNANCE</Mode><Days>1</Days>"), 200);
  assert.match(succeeded(await gateway.call("GET", "/locked-bucket?object-lock")).text, /<Mode>GOVERNANCE<.*<Days>1</s);
  const made = succeeded(await gateway.call("PUT", "/locked-bucket/a", { body: "a" }));
  const { headers: head } = succeeded(await gateway.call("HEAD", "/locked-bucket/a"));
  assert.equal(head["x-amz-object-lock-mode"], "GOVERNANCE");
  const version = `/locked-bucket/a?versionId=${String(made.headers["x-amz-version-id"])}`;
  refused(await gateway.call("DELETE", version), "AccessDenied", 403);
  for (const rule of ["<Mode>GOVERNANCE</Mode><Days>0</Days>", "<Mode>GOVERNANCE</Mode><Years>-1</Years>"])
    refused(await put(rule), "InvalidRetentionPeriod", 400);
  for (const rule of [
    "<Mode>SOME</Mode><Days>1</Days>",
    "<Mode>GOVERNANCE</Mode>",
    "<Mode>GOVERNANCE</Mode><Days>1</Days><Years>1</Years>",
  ])
    refused(await put(rule), "MalformedXML", 400);
  const disabled = lock("").replace(">Enabled<", ">Disabled<");
  refused(await gateway.call("PUT", "/locked-bucket?object-lock", { body: disabled }), "MalformedXML", 400);
});
