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

test("pages of uploads that are grouped give every prefix and every upload once, however many uploads a key has", async () => {
  const { gateway, bucket } = shared;
  const begun = ["p/x/1", "p/x/2", "p/y", "p/y", "p/y", "p/z/1"];
  for (const key of begun) await begin(gateway, `/${bucket}/${key}`);
  const seen: string[] = [];
  let markers: string | undefined = "";
  while (markers !== undefined) {
    const page = succeeded(
      await gateway.call("GET", `/${bucket}?uploads&prefix=p/&delimiter=/&max-uploads=1${markers}`),
    );
    seen.push(
      ...texts(page, "Key"),
      ...[...page.text.matchAll(/<CommonPrefixes><Prefix>([^<]*)/g)].map(([, at]) => at ?? ""),
    );
    const next = `&key-marker=${texts(page, "NextKeyMarker")[0]}&upload-id-marker=${texts(page, "NextUploadIdMarker")[0] ?? ""}`;
    markers = texts(page, "IsTruncated")[0] === "true" ? next : undefined;
    assert.ok(seen.length <= begun.length);
  }
  assert.deepEqual(seen, ["p/x/", "p/y", "p/y", "p/y", "p/z/"]);
});

test("an upload marker of a key outside of the prefix is passed over", async () => {
  const { gateway, bucket } = shared;
  for (const key of ["m", "n"]) await begin(gateway, `/${bucket}/${key}`);
  const page = await gateway.call("GET", `/${bucket}?uploads&prefix=n&key-marker=m&upload-id-marker=0`);
  assert.deepEqual(texts(page, "Key"), ["n"]);
});
