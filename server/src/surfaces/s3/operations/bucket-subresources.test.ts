import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("bucketVersioning", () => {
  const shared = useGateway();

  const versioning = (status: string): string =>
    `<VersioningConfiguration><Status>${status}</Status></VersioningConfiguration>`;

  test("turns versioning on and suspends it", async () => {
    const { gateway, bucket } = shared;
    const get = async (): Promise<string> => succeeded(await gateway.call("GET", `/${bucket}?versioning`)).text;
    assert.doesNotMatch(await get(), /Status/);
    for (const status of ["Enabled", "Suspended"]) {
      succeeded(await gateway.call("PUT", `/${bucket}?versioning`, { body: versioning(status) }), 200);
      assert.match(await get(), new RegExp(`<Status>${status}</Status>`));
    }
    const put = (body: string) => gateway.call("PUT", `/${bucket}?versioning`, { body });
    refused(await put(versioning("Sometimes")), "IllegalVersioningConfigurationException", 400);
    refused(
      await put(versioning("Enabled").replace("</V", "<MfaDelete>Enabled</MfaDelete></V")),
      "NotImplemented",
      501,
    );
    refused(await put(""), "MalformedXML", 400);
  });
});

describe("bucketTagging", () => {
  const shared = useGateway();

  const tagging = (count: number): string =>
    `<Tagging><TagSet>${Array.from({ length: count }, (_, i) => `<Tag><Key>k${i}</Key><Value>v${i}</Value></Tag>`).join("")}</TagSet></Tagging>`;

  test("stores a bucket's tags", async () => {
    const { gateway, bucket } = shared;
    refused(await gateway.call("GET", `/${bucket}?tagging`), "NoSuchTagSet", 404);
    succeeded(await gateway.call("PUT", `/${bucket}?tagging`, { body: tagging(50) }), 204);
    assert.equal(texts(await gateway.call("GET", `/${bucket}?tagging`), "Key").length, 50);
    refused(await gateway.call("PUT", `/${bucket}?tagging`, { body: tagging(51) }), "InvalidTag", 400);
    refused(await gateway.call("PUT", `/${bucket}?tagging`, { body: "<Tagging/>" }), "MalformedXML", 400);
    succeeded(await gateway.call("DELETE", `/${bucket}?tagging`), 204);
    refused(await gateway.call("GET", `/${bucket}?tagging`), "NoSuchTagSet", 404);
  });
});

describe("bucketEncryption", () => {
  const shared = useGateway();

  const encryption = (algorithm: string): string =>
    `<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>${algorithm}</SSEAlgorithm>` +
    "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";

  test("stores the default encryption of a bucket's objects", async () => {
    const { gateway, bucket } = shared;
    const absent = "ServerSideEncryptionConfigurationNotFoundError";
    refused(await gateway.call("GET", `/${bucket}?encryption`), absent, 404);
    succeeded(await gateway.call("PUT", `/${bucket}?encryption`, { body: encryption("AES256") }), 200);
    assert.match(succeeded(await gateway.call("GET", `/${bucket}?encryption`)).text, /<SSEAlgorithm>AES256</);
    refused(await gateway.call("PUT", `/${bucket}?encryption`, { body: encryption("aws:kms") }), "NotImplemented", 501);
    succeeded(await gateway.call("DELETE", `/${bucket}?encryption`), 204);
    refused(await gateway.call("GET", `/${bucket}?encryption`), absent, 404);
  });
});

describe("objectLockConfiguration", () => {
  const shared = useGateway();

  const lock = (rule: string): string =>
    `<ObjectLockConfiguration><ObjectLockEnabled>Enabled</ObjectLockEnabled><Rule><DefaultRetention>${rule}</DefaultRetention></Rule></ObjectLockConfiguration>`;

  test("stores the default lock of a bucket's objects", async () => {
    const { gateway, bucket } = shared;
    refused(await gateway.call("GET", `/${bucket}?object-lock`), "ObjectLockConfigurationNotFoundError", 404);
    const headers = { "x-amz-bucket-object-lock-enabled": "true" };
    succeeded(await gateway.call("PUT", "/locked-bucket", { headers }));
    assert.match(succeeded(await gateway.call("GET", "/locked-bucket?object-lock")).text, />Enabled</);
    const put = (rule: string) => gateway.call("PUT", "/locked-bucket?object-lock", { body: lock(rule) });
    succeeded(await put("<Mode>GOVERNANCE</Mode><Days>1</Days>"), 200);
    assert.match(
      succeeded(await gateway.call("GET", "/locked-bucket?object-lock")).text,
      /<Mode>GOVERNANCE<.*<Days>1</s,
    );
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
});

describe("bucketFixed", () => {
  const shared = useGateway();

  test("answers common read-only requests of clients", async () => {
    const { gateway, bucket } = shared;
    const get = (name: string) => gateway.call("GET", `/${bucket}?${name}`);
    assert.match(succeeded(await get("requestPayment")).text, /<Payer>BucketOwner</);
    assert.match(succeeded(await get("logging")).text, /BucketLoggingStatus/);
    assert.match(succeeded(await get("accelerate")).text, /AccelerateConfiguration/);
    refused(await get("website"), "NoSuchWebsiteConfiguration", 404);
    refused(await get("replication"), "ReplicationConfigurationNotFoundError", 404);
  });

  test("refuses unknown sub-resources by name, instead of another operation", async () => {
    const { gateway, bucket } = shared;
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "kept" }));
    for (const [method, target] of [
      ["GET", `/${bucket}?inventory`],
      ["PUT", `/${bucket}?website`],
      ["PUT", `/${bucket}?replication`],
      ["DELETE", `/${bucket}?metrics`],
      ["DELETE", `/${bucket}?something`],
      ["POST", `/${bucket}/a?select&select-type=2`],
      ["POST", `/${bucket}/a?restore`],
      ["PUT", `/${bucket}/a?something`],
      ["PUT", `/${bucket}/a?something=1`],
      ["DELETE", `/${bucket}/a?torrent`],
      ["DELETE", `/${bucket}/a?something`],
      ["GET", `/${bucket}/a?something`],
      ["GET", `/${bucket}/a?torrent`],
    ] as const) {
      const { text } = refused(
        await gateway.call(method, target, { body: method === "PUT" ? "lost" : "" }),
        "NotImplemented",
        501,
      );
      assert.match(text, /is not implemented/, `${method} ${target}`);
    }
    assert.equal(succeeded(await gateway.call("GET", `/${bucket}/a?v=1`)).text, "kept");
    refused(await gateway.call("POST", `/${bucket}/a`), "MethodNotAllowed", 405);
    refused(await gateway.call("PATCH", `/${bucket}/a`), "MethodNotAllowed", 405);
  });
});
