import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";
import { begin } from "../testing/uploads.ts";

const shared = useGateway();

test("lists uploads by pages and prefixes", async () => {
  const { gateway, bucket } = shared;
  for (const key of ["a/1", "a/2", "b"]) await begin(gateway, `/${bucket}/${key}`);
  const list = (query: string) => gateway.call("GET", `/${bucket}?uploads${query}`);
  const first = succeeded(await list("&max-uploads=2"));
  assert.deepEqual([texts(first, "Key"), texts(first, "IsTruncated")], [["a/1", "a/2"], ["true"]]);
  const [key, id] = [texts(first, "NextKeyMarker")[0], texts(first, "NextUploadIdMarker")[0]];
  assert.deepEqual(texts(await list(`&key-marker=${key}&upload-id-marker=${id}`), "Key"), ["b"]);
  const grouped = await list("&delimiter=/");
  assert.deepEqual(texts(grouped, "Key"), ["b"]);
  assert.match(grouped.text, /<CommonPrefixes><Prefix>a\/<\/Prefix>/);
  refused(await list("&max-uploads=x"), "InvalidArgument", 400);
});
