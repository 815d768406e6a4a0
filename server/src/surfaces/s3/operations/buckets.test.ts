import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { goPastLimit } from "#domain/limits/testing/edge.ts";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("listBuckets", () => {
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

  test("lists nothing without a signature, and refuses other methods", async () => {
    refused(await shared.gateway.call("GET", "/", { sign: false }), "AccessDenied", 403);
    refused(await shared.gateway.call("DELETE", "/"), "MethodNotAllowed", 405);
    refused(await shared.gateway.call("GET", "/?max-buckets=x"), "InvalidArgument", 400);
  });
});

describe("createBucket", () => {
  const shared = useGateway();

  const located = (region: string): string =>
    `<CreateBucketConfiguration><LocationConstraint>${region}</LocationConstraint></CreateBucketConfiguration>`;

  test("creates a bucket of this location, once", async () => {
    const { gateway } = shared;
    const made = succeeded(await gateway.call("PUT", "/new-bucket", { body: located("us-east-1") }), 200);
    assert.equal(made.headers.location, "/new-bucket");
    succeeded(await gateway.call("HEAD", "/new-bucket/"));
    succeeded(await gateway.call("PUT", "/new-bucket/"), 200); // The owner sends the same request again.
    const headers = { "x-amz-acl": "public-read" };
    refused(await gateway.call("PUT", "/new-bucket/", { headers }), "BucketAlreadyExists", 409);
    refused(await gateway.call("PUT", "/other-bucket", { body: located("mars-1") }), "InvalidLocationConstraint", 400);
    refused(await gateway.call("PUT", "/other-bucket", { body: "<Wrong/>" }), "MalformedXML", 400);
    refused(await gateway.call("HEAD", "/other-bucket"), "404");
  });

  test("refuses invalid names, and keys without the permission", async () => {
    const { gateway } = shared;
    for (const name of ["ab", "Upper-Case", "a_b_c", "-abc", "192.168.1.1", "a".repeat(64)])
      refused(await gateway.call("PUT", `/${name}`), "InvalidBucketName", 400);
    const key = await gateway.newKey({ readOnly: true });
    refused(await gateway.call("PUT", "/reader-bucket", { sign: { key } }), "AccessDenied", 403);
    refused(await gateway.call("PUT", "/nobody-bucket", { sign: false }), "AccessDenied", 403);
    const headers = { "x-amz-object-ownership": "Nobody" };
    refused(await gateway.call("PUT", "/owner-bucket", { headers }), "InvalidArgument", 400);
  });

  test("the setting of apps limits an organization's buckets", async () => {
    const { gateway } = shared;
    await goPastLimit(gateway.ground.deps.metadata, "apps_max", async (n) => {
      const made = await gateway.call("PUT", `/counted-${n}`);
      if (made.status === 200) return { status: 200, json: {} };
      refused(made, "TooManyBuckets", 400);
      return { status: 409, json: { code: "limit_reached", detail: made.text } };
    });
  });
});

describe("headBucket", () => {
  const shared = useGateway();

  test("reports that a bucket exists, and its region", async () => {
    const { gateway, bucket } = shared;
    for (const target of [`/${bucket}`, `/${bucket}/`])
      assert.equal(succeeded(await gateway.call("HEAD", target)).headers["x-amz-bucket-region"], "us-east-1");
    const absent = refused(await gateway.call("HEAD", "/no-such-bucket"), "404");
    assert.equal(absent.text, "");
  });

  test("checks the bucket's owner if the caller names one", async () => {
    const { gateway, bucket } = shared;
    const headers = { "x-amz-expected-bucket-owner": "somebody-else" };
    refused(await gateway.call("HEAD", `/${bucket}`, { headers }), "403");
  });

  test("finds a bucket by the host name", async () => {
    const { gateway, bucket } = shared;
    const headers = { host: `${bucket}.s3.test` };
    succeeded(await gateway.call("HEAD", "/", { headers }));
    succeeded(await gateway.call("PUT", "/a/b", { headers, body: "by host" }));
    assert.equal((await gateway.call("GET", `/${bucket}/a/b`)).text, "by host");
    refused(await gateway.call("HEAD", "/", { headers: { host: "no-such-bucket.s3.test" } }), "404");
  });
});

describe("getBucketLocation", () => {
  const shared = useGateway();

  test("returns the location, which is empty for the first region", async () => {
    const { gateway, bucket } = shared;
    for (const query of ["location", "location="]) {
      const { text } = succeeded(await gateway.call("GET", `/${bucket}?${query}`));
      assert.match(text, /<LocationConstraint xmlns="[^"]+"(\/>|><\/LocationConstraint>)$/);
    }
    refused(await gateway.call("GET", "/no-such-bucket?location"), "NoSuchBucket", 404);
  });
});

describe("deleteBucket", () => {
  const shared = useGateway();

  test("deletes an empty bucket only", async () => {
    const { gateway } = shared;
    succeeded(await gateway.call("PUT", "/gone-bucket"));
    succeeded(await gateway.call("PUT", "/gone-bucket/a", { body: "a" }));
    refused(await gateway.call("DELETE", "/gone-bucket"), "BucketNotEmpty", 409);
    succeeded(await gateway.call("DELETE", "/gone-bucket/a"), 204);
    assert.equal(succeeded(await gateway.call("DELETE", "/gone-bucket"), 204).text, "");
    refused(await gateway.call("DELETE", "/gone-bucket"), "NoSuchBucket", 404);
  });
});
