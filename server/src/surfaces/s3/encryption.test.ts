import assert from "node:assert/strict";
import { createHash, randomBytes } from "node:crypto";
import { test } from "node:test";
import { cipherAt, newNonce } from "./encryption.ts";
import { refused, succeeded, useGateway } from "./testing/gateway.ts";
import { begin, completion, part } from "./testing/uploads.ts";

const shared = useGateway();
const AES = { "x-amz-server-side-encryption": "AES256" };

function customer(key: Buffer, prefix = "x-amz-"): Record<string, string> {
  const name = `${prefix}server-side-encryption-customer-`;
  const md5 = createHash("md5").update(key).digest("base64");
  return { [`${name}algorithm`]: "AES256", [`${name}key`]: key.toString("base64"), [`${name}key-md5`]: md5 };
}

/** Returns the stored bytes. */
async function stored(key: string): Promise<string> {
  const { s3 } = shared.gateway.ground;
  const caller = await shared.gateway.ground.key();
  const bucket = await s3.buckets.find(caller.principal, shared.bucket);
  return shared.gateway.ground.read(await s3.objects.head(bucket, { key }));
}

test("decrypts from any byte on", () => {
  const [key, text] = [randomBytes(32), randomBytes(200)];
  for (const nonce of [newNonce(), Buffer.alloc(16, 255).toString("base64")]) {
    const whole = cipherAt(key, nonce).update(text);
    for (const at of [0, 1, 15, 16, 17, 31, 32, 199])
      assert.deepEqual(cipherAt(key, nonce, at).update(whole.subarray(at)), text.subarray(at), `from ${at}`);
  }
});

test("stores content encrypted, and returns it decrypted, also in ranges", async () => {
  const { gateway, bucket } = shared;
  const body = "0123456789".repeat(10_000);
  const made = succeeded(await gateway.call("PUT", `/${bucket}/a`, { headers: AES, body }));
  assert.equal(made.headers["x-amz-server-side-encryption"], "AES256");
  assert.equal(made.headers.etag, `"${createHash("md5").update(body).digest("hex")}"`);
  assert.ok(!(await stored("a")).includes("0123456789"));
  const got = succeeded(await gateway.call("GET", `/${bucket}/a`));
  assert.ok(got.text === body && got.headers["x-amz-server-side-encryption"] === "AES256");
  for (const [range, text] of [
    ["bytes=17-20", "7890"],
    ["bytes=-3", "789"],
  ] as const)
    assert.equal(succeeded(await gateway.call("GET", `/${bucket}/a`, { headers: { range } }), 206).text, text);
  const copy = { "x-amz-copy-source": `${bucket}/a` };
  succeeded(await gateway.call("PUT", `/${bucket}/copy`, { headers: copy }));
  assert.ok((await gateway.call("GET", `/${bucket}/copy`)).text === body);
  const wrong = { ...AES, "content-md5": createHash("md5").update("x").digest("base64") };
  refused(await gateway.call("PUT", `/${bucket}/a`, { headers: wrong, body: "x!" }), "BadDigest", 400);
  assert.equal((await gateway.call("HEAD", `/${bucket}/a`)).headers["content-length"], "100000");
});

test("requires the customer's key, which it does not store", async () => {
  const { gateway, bucket } = shared;
  const [key, other] = [randomBytes(32), randomBytes(32)];
  const put = succeeded(await gateway.call("PUT", `/${bucket}/c`, { headers: customer(key), body: "secret content" }));
  assert.equal(put.headers["x-amz-server-side-encryption-customer-algorithm"], "AES256");
  assert.notEqual(await stored("c"), "secret content");
  const get = (headers: Record<string, string>) => gateway.call("GET", `/${bucket}/c`, { headers });
  assert.equal(succeeded(await get({ ...customer(key), range: "bytes=7-" }), 206).text, "content");
  refused(await get({}), "InvalidRequest", 400);
  refused(await get(customer(other)), "InvalidRequest", 400);
  refused(
    await get({ ...customer(key), "x-amz-server-side-encryption-customer-key-md5": "x" }),
    "InvalidArgument",
    400,
  );
  refused(
    await get({ ...customer(key), "x-amz-server-side-encryption-customer-algorithm": "ROT13" }),
    "InvalidEncryptionAlgorithmError",
    400,
  );
  refused(await gateway.call("HEAD", `/${bucket}/c`), "400");
  succeeded(await gateway.call("PUT", `/${bucket}/plain`, { body: "plain" }));
  refused(await gateway.call("GET", `/${bucket}/plain`, { headers: customer(key) }), "InvalidRequest", 400);

  const source = { "x-amz-copy-source": `${bucket}/c` };
  const copy = (headers: Record<string, string>) =>
    gateway.call("PUT", `/${bucket}/d`, { headers: { ...source, ...headers } });
  refused(await copy({}), "InvalidRequest", 400);
  const ofSource = customer(key, "x-amz-copy-source-");
  succeeded(await copy({ ...ofSource, ...customer(other) }));
  assert.equal((await gateway.call("GET", `/${bucket}/d`, { headers: customer(other) })).text, "secret content");
  succeeded(await copy(ofSource));
  assert.equal((await gateway.call("GET", `/${bucket}/d`)).text, "secret content");
});

test("encrypts each part separately", async () => {
  const { gateway, bucket } = shared;
  const target = `/${bucket}/parts`;
  const uploadId = await begin(gateway, target, AES);
  const large = Buffer.alloc(5 * 1024 * 1024, "x");
  const one = await part(gateway, target, { uploadId, number: 1, body: large });
  const copied = await gateway.call("PUT", `${target}?partNumber=2&uploadId=${uploadId}`, {
    headers: { "x-amz-copy-source": `${bucket}/a`, "x-amz-copy-source-range": "bytes=0-4" },
  });
  const two = /<ETag>&quot;(.*)&quot;</.exec(succeeded(copied).text)?.[1] ?? "";
  succeeded(
    await gateway.call("POST", `${target}?uploadId=${uploadId}`, {
      body: completion([
        [1, one],
        [2, two],
      ]),
    }),
  );
  const range = `bytes=${large.length - 3}-`;
  assert.equal((await gateway.call("GET", target, { headers: { range } })).text, "xxx01234");
  assert.equal((await gateway.call("GET", `${target}?partNumber=2`)).text, "01234");
  assert.ok(!(await stored("parts")).includes("xxxx"));
});

test("uses the bucket's default if the request names no encryption, and refuses unsupported kinds", async () => {
  const { gateway } = shared;
  succeeded(await gateway.call("PUT", "/sealed-bucket"));
  const body =
    "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm>" +
    "</ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";
  succeeded(await gateway.call("PUT", "/sealed-bucket?encryption", { body }));
  const made = succeeded(await gateway.call("PUT", "/sealed-bucket/a", { body: "a" }));
  assert.equal(made.headers["x-amz-server-side-encryption"], "AES256");
  for (const [value, code] of [
    ["aws:kms", "NotImplemented"],
    ["ROT13", "InvalidArgument"],
  ] as const)
    refused(
      await gateway.call("PUT", "/sealed-bucket/b", { headers: { "x-amz-server-side-encryption": value }, body: "b" }),
      code,
    );
});
