import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const retention = (mode: string, until: string): string =>
  `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;

test("locks a version until a day", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", "/held-bucket", { headers: { "x-amz-bucket-object-lock-enabled": "true" } }));
  const { headers } = succeeded(await gateway.call("PUT", "/held-bucket/a", { body: "a" }));
  const version = `versionId=${String(headers["x-amz-version-id"])}`;
  refused(await gateway.call("GET", "/held-bucket/a?retention"), "NoSuchObjectLockConfiguration", 404);
  const put = (body: string, more: Record<string, string> = {}) =>
    gateway.call("PUT", `/held-bucket/a?retention&${version}`, { body, headers: more });
  const bypass = { "x-amz-bypass-governance-retention": "true" };
  succeeded(await put(retention("GOVERNANCE", "2090-01-01T00:00:00Z")), 200);
  const got = succeeded(await gateway.call("GET", "/held-bucket/a?retention"));
  assert.match(got.text, /<Mode>GOVERNANCE<.*<RetainUntilDate>2090-01-01T00:00:00\.000Z</s);
  refused(await gateway.call("DELETE", `/held-bucket/a?${version}`), "AccessDenied", 403);
  refused(await put(retention("GOVERNANCE", "2080-01-01T00:00:00Z")), "AccessDenied", 403);
  succeeded(await put(retention("GOVERNANCE", "2080-01-01T00:00:00Z"), bypass));
  refused(await put(retention("SOMETIMES", "2090-01-01T00:00:00Z")), "MalformedXML", 400);
  refused(await put(retention("GOVERNANCE", "some day")), "MalformedXML", 400);
  const key = await gateway.newKey({ scopes: ["s3:read", "s3:write", "s3:delete"] });
  refused(
    await gateway.call("DELETE", `/held-bucket/a?${version}`, { headers: bypass, sign: { key } }),
    "AccessDenied",
    403,
  );
  succeeded(await gateway.call("DELETE", `/held-bucket/a?${version}`, { headers: bypass }), 204);
  refused(
    await gateway.call("PUT", `/${bucket}/a?retention`, { body: retention("GOVERNANCE", "2090-01-01T00:00:00Z") }),
    "InvalidRequest",
    400,
  );
});
