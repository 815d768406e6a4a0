import assert from "node:assert/strict";
import { test } from "node:test";
import { succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("lists versions and delete markers, newest first", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "null version" }));
  const plain = await gateway.call("GET", `/${bucket}?versions`);
  assert.deepEqual([texts(plain, "VersionId"), texts(plain, "IsLatest")], [["null"], ["true"]]);
  const body = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  succeeded(await gateway.call("PUT", `/${bucket}?versioning`, { body }));
  const { "x-amz-version-id": id } = succeeded(await gateway.call("PUT", `/${bucket}/a`, { body: "new" })).headers;
  const deleted = succeeded(await gateway.call("DELETE", `/${bucket}/a`), 204);
  assert.equal(deleted.headers["x-amz-delete-marker"], "true");
  const all = await gateway.call("GET", `/${bucket}?versions`);
  assert.deepEqual(texts(all, "VersionId"), [id, "null", deleted.headers["x-amz-version-id"]]);
  const page = await gateway.call("GET", `/${bucket}?versions&max-keys=1`);
  assert.deepEqual([texts(page, "IsTruncated"), texts(page, "NextKeyMarker")], [["true"], ["a"]]);
  const [marker] = texts(page, "NextVersionIdMarker");
  const next = await gateway.call("GET", `/${bucket}?versions&key-marker=a&version-id-marker=${marker}&max-keys=1`);
  assert.deepEqual(texts(next, "VersionId"), [id]);
});
