import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("deleteObject", () => {
  const shared = useGateway();

  test("deletes existing and missing objects", async () => {
    const { gateway, bucket } = shared;
    succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "a" }));
    for (let i = 0; i < 2; i++) succeeded(await gateway.call("DELETE", `/${bucket}/a`), 204);
    refused(await gateway.call("HEAD", `/${bucket}/a`), "404");
  });

  test("deletes only if the conditions are true", async () => {
    const { gateway, bucket } = shared;
    const { etag = "" } = succeeded(await gateway.call("PUT", `/${bucket}/b`, { body: "b" })).headers;
    const remove = (headers: Record<string, string>) => gateway.call("DELETE", `/${bucket}/b`, { headers });
    for (const headers of [
      { "if-match": '"x"' },
      { "x-amz-if-match-size": "7" },
      { "x-amz-if-match-last-modified-time": "Mon, 01 Jan 2001 00:00:00 GMT" },
    ] as Record<string, string>[])
      refused(await remove(headers), "PreconditionFailed", 412);
    assert.equal((await gateway.call("GET", `/${bucket}/b`)).text, "b");
    succeeded(await remove({ "if-match": etag, "x-amz-if-match-size": "1" }), 204);
  });

  test("a deletion of a missing key creates a marker in a versioned bucket, except with a condition", async () => {
    const { gateway, bucket } = shared;
    const versioned = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    succeeded(await gateway.call("PUT", `/${bucket}?versioning`, { body: versioned }));
    const marked = succeeded(await gateway.call("DELETE", `/${bucket}/never`), 204);
    assert.equal(marked.headers["x-amz-delete-marker"], "true");
    const conditional = { headers: { "x-amz-if-match-size": "7" } };
    const unmarked = succeeded(await gateway.call("DELETE", `/${bucket}/nor`, conditional), 204);
    assert.equal(unmarked.headers["x-amz-delete-marker"], undefined);
  });
});

describe("deleteObjects", () => {
  const shared = useGateway();

  const doc = (keys: readonly string[], quiet = false): string =>
    `<Delete>${quiet ? "<Quiet>true</Quiet>" : ""}${keys.map((key) => `<Object><Key>${key}</Key></Object>`).join("")}</Delete>`;

  test("decides each object separately", async () => {
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

  test("a deletion of a missing key creates a marker in a versioned bucket, except with a condition", async () => {
    const { gateway, bucket } = shared;
    const versioned = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
    succeeded(await gateway.call("PUT", `/${bucket}?versioning`, { body: versioned }));
    const body = "<Delete><Object><Key>never</Key></Object><Object><Key>nor</Key><Size>7</Size></Object></Delete>";
    const answer = succeeded(await gateway.call("POST", `/${bucket}?delete`, { body }), 200);
    assert.deepEqual([texts(answer, "Key"), texts(answer, "DeleteMarker")], [["never", "nor"], ["true"]]);
    const versions = await gateway.call("GET", `/${bucket}?versions&prefix=n`);
    assert.deepEqual(texts(versions, "VersionId"), texts(answer, "DeleteMarkerVersionId"));
  });

  test("refuses invalid or too long documents", async () => {
    const { gateway, bucket } = shared;
    const remove = (body: string) => gateway.call("POST", `/${bucket}?delete`, { body });
    refused(await remove(""), "MalformedXML", 400);
    refused(await remove(doc([])), "MalformedXML", 400);
    refused(await remove(doc(Array.from({ length: 1001 }, String))), "MalformedXML", 400);
    refused(await remove("<Delete><Object><Key>a</Key><Key>b</Key></Object></Delete>"), "MalformedXML", 400);
    refused(await remove(doc(["x".repeat(2 * 1024 * 1024)])), "EntityTooLarge", 400);
    assert.deepEqual(texts(await remove(doc(["x".repeat(1025)])), "Code"), ["KeyTooLongError"]);
  });
});
