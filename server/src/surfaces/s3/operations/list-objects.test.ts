import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

describe("listObjects", () => {
  const shared = useGateway();

  const KEYS = ["a/1", "a/2", "b c", "d+e", "é"];

  test("lists by pages, in both versions", async () => {
    const { gateway, bucket } = shared;
    for (const key of KEYS)
      succeeded(await gateway.call("PUT", `/${bucket}/${encodeURIComponent(key)}`, { body: key }));
    const first = await gateway.call("GET", `/${bucket}?max-keys=2`);
    assert.deepEqual(texts(first, "Key"), ["a/1", "a/2"]);
    assert.deepEqual([texts(first, "IsTruncated"), texts(first, "NextMarker")], [["true"], []]);
    const rest = await gateway.call("GET", `/${bucket}/?marker=a/2`);
    assert.deepEqual(texts(rest, "Key"), ["b c", "d+e", "é"]);
    const prefixes = await gateway.call("GET", `/${bucket}?delimiter=/&max-keys=1`);
    assert.deepEqual([texts(prefixes, "Key"), texts(prefixes, "NextMarker")], [[], ["a/"]]);

    const second = await gateway.call("GET", `/${bucket}?list-type=2&delimiter=/&max-keys=2&encoding-type=url`);
    assert.deepEqual([texts(second, "Key"), texts(second, "KeyCount")], [["b%20c"], ["2"]]);
    const [token = ""] = texts(second, "NextContinuationToken");
    const query = `list-type=2&delimiter=/&encoding-type=url&continuation-token=${encodeURIComponent(token)}&start-after=zzz`;
    const third = await gateway.call("GET", `/${bucket}?${query}`);
    assert.deepEqual([texts(third, "Key"), texts(third, "IsTruncated")], [["d%2Be", "%C3%A9"], ["false"]]);
    assert.deepEqual([texts(third, "DisplayName"), texts(third, "ContinuationToken")], [[], [token]]);
    const owned = await gateway.call("GET", `/${bucket}?list-type=2&fetch-owner=true&start-after=d%2Be`);
    assert.equal(texts(owned, "DisplayName").length, 1);
    const nothing = await gateway.call("GET", `/${bucket}?list-type=2&max-keys=0`);
    assert.deepEqual([texts(nothing, "KeyCount"), texts(nothing, "IsTruncated")], [["0"], ["false"]]);
  });

  test("refuses invalid parameters", async () => {
    const { gateway, bucket } = shared;
    for (const query of [
      "max-keys=x",
      "max-keys=-1",
      "encoding-type=base64",
      "list-type=3",
      "list-type=2&continuation-token=x",
    ])
      refused(await gateway.call("GET", `/${bucket}?${query}`), "InvalidArgument", 400);
  });
});

describe("listObjectVersions", () => {
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
});
