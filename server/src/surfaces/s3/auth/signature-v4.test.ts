import assert from "node:assert/strict";
import { test } from "node:test";
import { Fields } from "../wire/fields.ts";
import { parseTarget } from "../wire/target.ts";
import {
  canonicalRequestOf,
  deriveKey,
  EMPTY_SHA256,
  signatureOf,
  SigningKeys,
  stringToSignOf,
  type SignedRequest,
} from "./signature-v4.ts";

// The examples of "Authenticating Requests: Using the Authorization Header" in the Amazon S3 API reference.
const SECRET = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const DATE = "20130524T000000Z";
const SCOPE = { day: "20130524", region: "us-east-1", service: "s3" };

function signed(method: string, target: string, headers: Record<string, string>, payload = EMPTY_SHA256): string {
  const all = { host: "examplebucket.s3.amazonaws.com", ...headers };
  const fields = Fields.fromRaw(Object.entries(all).flat());
  const request: SignedRequest = {
    method,
    target: parseTarget(target),
    fields,
    signedHeaders: fields.names().toSorted(),
    payload,
  };
  return signatureOf(deriveKey(SECRET, SCOPE), stringToSignOf(DATE, SCOPE, canonicalRequestOf(request)));
}

const sent = (payload: string): Record<string, string> => ({ "x-amz-content-sha256": payload, "x-amz-date": DATE });

test("signs the published examples as published", () => {
  assert.equal(
    signed("GET", "/test.txt", { range: "bytes=0-9", ...sent(EMPTY_SHA256) }),
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  );
  const payload = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072";
  assert.equal(
    signed(
      "PUT",
      "/test%24file.text",
      { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY", ...sent(payload) },
      payload,
    ),
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  );
  assert.equal(
    signed("GET", "/?lifecycle", sent(EMPTY_SHA256)),
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  );
  assert.equal(
    signed("GET", "/?max-keys=2&prefix=J", sent(EMPTY_SHA256)),
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  );
});

test("signs the published presigned URL as published", () => {
  const query = [
    "X-Amz-Algorithm=AWS4-HMAC-SHA256",
    "X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request",
    "X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host",
    "X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  ].join("&");
  assert.equal(
    signed("GET", `/test.txt?${query}`, {}, "UNSIGNED-PAYLOAD"),
    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404",
  );
});

function canonical(target: string, headers: string[] = ["Host", "h"]): string {
  const fields = Fields.fromRaw(headers);
  const signedHeaders = fields.names().toSorted();
  return canonicalRequestOf({ method: "GET", target: parseTarget(target), fields, signedHeaders, payload: "p" });
}

test("equivalent requests have one canonical form, and different requests have different ones", () => {
  assert.equal(canonical("/b/a%20b"), canonical("/b/%61%20b"));
  assert.equal(canonical("/b/a%2fb"), canonical("/b/a/b"));
  assert.notEqual(canonical("/b/a+b"), canonical("/b/a%20b"));
  assert.equal(canonical("/b?x=a+b"), canonical("/b?x=a%20b"));
  assert.equal(canonical("/b?x"), canonical("/b?x="));
  for (const [one, other] of [
    ["/b//a", "/b/a"],
    ["/b/./a", "/b/a"],
    ["/b/../a", "/a"],
    ["/b/a/", "/b/a"],
    ["/b?x=1&x=2", "/b?x=1"],
    ["/b?X=1", "/b?x=1"],
  ] as const)
    assert.notEqual(canonical(one), canonical(other), `${one} and ${other}`);
  assert.equal(canonical("/b?x=2&x=1&a=3"), canonical("/b?a=3&x=1&x=2"));
  // Sorted by the encoded form: `%` comes before every letter and digit.
  assert.match(canonical("/b?a=1&%C3%A9=2").split("\n")[2] ?? "", /^%C3%A9=2&a=1$/);
});

test("folds spaces of header values and joins repeated ones", () => {
  assert.match(canonical("/", ["Host", "h", "X-A", "  a   b ", "x-a", "c"]), /\nx-a:a b,c\n/);
  assert.match(canonical("/", ["Host", "h", "X-A", 'a "b  c"']), /\nx-a:a "b c"\n/);
});

test("caches no key of an old secret, and a limited number of keys", () => {
  const keys = new SigningKeys(2);
  const signs = (secret: string): string => signatureOf(keys.keyOf("A", secret, SCOPE), "text");
  assert.equal(signs("one"), signatureOf(deriveKey("one", SCOPE), "text"));
  assert.equal(keys.keyOf("A", "one", SCOPE), keys.keyOf("A", "one", SCOPE));
  assert.equal(signs("two"), signatureOf(deriveKey("two", SCOPE), "text"));
  const first = keys.keyOf("A", "two", SCOPE);
  for (const name of ["B", "C"]) keys.keyOf(name, "s", SCOPE);
  assert.notEqual(keys.keyOf("A", "two", SCOPE), first);
});
