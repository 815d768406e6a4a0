import assert from "node:assert/strict";
import { test } from "node:test";
import { refused, succeeded, texts, useGateway } from "../testing/gateway.ts";

const shared = useGateway();

test("copies with the source's fields, or with new ones", async () => {
  const { gateway, bucket } = shared;
  const headers = { "content-type": "text/plain", "x-amz-meta-a": "b", "x-amz-tagging": "t=1" };
  succeeded(await gateway.call("PUT", `/${bucket}/from%20%C3%A9`, { headers, body: "content" }));
  const source = `/${bucket}/from%20%C3%A9`;
  const copy = (key: string, more: Record<string, string> = {}) =>
    gateway.call("PUT", `/${bucket}/${key}`, { headers: { "x-amz-copy-source": source, ...more } });
  const copied = succeeded(await copy("to"), 200);
  assert.deepEqual(texts(copied, "ETag"), ["&quot;9a0364b9e99bb480dd25e1f0284c8555&quot;"]);
  const to = succeeded(await gateway.call("GET", `/${bucket}/to`));
  assert.deepEqual([to.text, to.headers["content-type"], to.headers["x-amz-meta-a"]], ["content", "text/plain", "b"]);
  succeeded(await copy("new", { "x-amz-metadata-directive": "REPLACE", "x-amz-meta-c": "d" }));
  const { headers: fields } = await gateway.call("HEAD", `/${bucket}/new`);
  assert.deepEqual(
    [fields["x-amz-meta-a"], fields["x-amz-meta-c"], fields["x-amz-tagging-count"]],
    [undefined, "d", "1"],
  );
  refused(await copy("x", { "x-amz-metadata-directive": "MAYBE" }), "InvalidArgument", 400);
  refused(await copy("x", { "x-amz-copy-source-if-match": '"x"' }), "PreconditionFailed", 412);
  refused(await copy("to", { "if-none-match": "*" }), "PreconditionFailed", 412);
});

test("copies an object to itself only if the request changes it", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/self`, { body: "self" }));
  const headers = { "x-amz-copy-source": `${bucket}/self` };
  refused(await gateway.call("PUT", `/${bucket}/self`, { headers }), "InvalidRequest", 400);
  const changed = { ...headers, "x-amz-metadata-directive": "REPLACE", "x-amz-meta-a": "b" };
  succeeded(await gateway.call("PUT", `/${bucket}/self`, { headers: changed }));
  assert.equal((await gateway.call("HEAD", `/${bucket}/self`)).headers["x-amz-meta-a"], "b");
});

test("requires the permission to read the source, and reveals nothing about it otherwise", async () => {
  const { gateway, bucket } = shared;
  succeeded(await gateway.call("PUT", `/${bucket}/secret`, { body: "secret" }));
  const key = await gateway.newKey({ prefix: "mine/" });
  const copy = (source: string) =>
    gateway.call("PUT", `/${bucket}/mine/copy`, { headers: { "x-amz-copy-source": source }, sign: { key } });
  for (const source of [
    `${bucket}/secret`,
    `${bucket}/absent`,
    `${bucket}/mine%2F..%2Fsecret%2f..%2f..%2fsecret`.replace("mine%2F", "x/"),
  ])
    refused(await copy(source), "AccessDenied", 403);
  for (const source of ["", bucket, `${bucket}/`, "//a", `${bucket}/%zz`])
    refused(await copy(source), "InvalidArgument", 400);
  refused(await copy("no-such-bucket/a"), "NoSuchBucket", 404);
  refused(await gateway.call("GET", `/${bucket}/mine/copy`), "NoSuchKey", 404);
});
