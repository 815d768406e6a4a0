import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("objectTagging", () => {
  const shared = useGateway();

  const tagging = (count: number): string =>
    `<Tagging><TagSet>${Array.from({ length: count }, (_, i) => `<Tag><Key>k${i}</Key><Value/></Tag>`).join("")}</TagSet></Tagging>`;

  test("stores an object's tags", async () => {
    const { gateway, bucket } = shared;
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "a" }));
    const get = async (): Promise<string[]> =>
      texts(succeeded(await gateway.call("GET", `/${bucket}/a?tagging`)), "Key");
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
});

describe("objectAcl", () => {
  const shared = useGateway();

  test("opens an object to everybody by an ACL, and closes it again", async () => {
    const { gateway, bucket } = shared;
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "a" }));
    refused(await gateway.call("GET", `/${bucket}/a`, { sign: false }), "AccessDenied", 403);
    for (const [acl, status] of [
      ["public-read", 200],
      ["private", 403],
    ] as const) {
      succeeded(await gateway.call("PUT", `/${bucket}/a?acl`, { headers: { "x-amz-acl": acl } }), 200);
      assert.equal((await gateway.call("GET", `/${bucket}/a`, { sign: false })).status, status);
    }
    const { text } = succeeded(await gateway.call("GET", `/${bucket}/a?acl`));
    const body = text.replace("FULL_CONTROL", "READ");
    succeeded(await gateway.call("PUT", `/${bucket}/a?acl`, { body }));
    assert.deepEqual(texts(await gateway.call("GET", `/${bucket}/a?acl`), "Permission"), ["READ"]);
    refused(
      await gateway.call("PUT", `/${bucket}/a?acl`, { body: body.replace("READ", "SING") }),
      "MalformedACLError",
      400,
    );
    refused(await gateway.call("GET", `/${bucket}/none?acl`), "NoSuchKey", 404);
  });
});

describe("objectRetention", () => {
  const shared = useGateway();

  const retention = (mode: string, until: string): string =>
    `<Retention><Mode>${mode}</Mode><RetainUntilDate>${until}</RetainUntilDate></Retention>`;

  test("locks a version until a date", async () => {
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
});

describe("objectLegalHold", () => {
  const shared = useGateway();

  const hold = (status: string): string => `<LegalHold><Status>${status}</Status></LegalHold>`;

  test("keeps a version until its legal hold is removed", async () => {
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
});
