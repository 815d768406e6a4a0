import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

const hold = (status: string): string => `<LegalHold><Status>${status}</Status></LegalHold>`;

test("holds a version until it is let go", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", "/legal-bucket", { headers: { "x-amz-bucket-object-lock-enabled": "true" } }));
  const { headers } = succeeded(await gateway.call("PUT", "/legal-bucket/a", { body: "a" }));
  const version = `/legal-bucket/a?versionId=${String(headers["x-amz-version-id"])}`;
  const put = (body: string) => gateway.call("PUT", "/legal-bucket/a?legal-hold", { body });
  succeeded(await put(hold("ON")), 200);
  assert.match(succeeded(await gateway.call("GET", "/legal-bucket/a?legal-hold")).text, /<Status>ON</);
  refused(
    await gateway.call("DELETE", version, { headers: { "x-amz-bypass-governance-retention": "true" } }),
    "AccessDenied",
    403,
  );
  refused(await put(hold("MAYBE")), "MalformedXML", 400);
  succeeded(await put(hold("OFF")));
  succeeded(await gateway.call("DELETE", version), 204);
  refused(await gateway.call("GET", `/${bucket}/a?legal-hold`), "InvalidRequest", 400);
});
