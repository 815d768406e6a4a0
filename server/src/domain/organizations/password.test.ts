import assert from "node:assert/strict";
import { argon2Sync } from "node:crypto";
import { test } from "node:test";
import { hashPassword, verifyPassword } from "./password.ts";

test("a password matches its hash, and no other", async () => {
  const phc = await hashPassword("correct horse battery");
  assert.match(phc, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  assert.equal(await verifyPassword("correct horse battery", phc), true);
  assert.equal(await verifyPassword("correct horse batterz", phc), false);
  assert.equal(await verifyPassword("", phc), false);
});

test("two hashes of one password differ", async () => {
  assert.notEqual(await hashPassword("correct horse battery"), await hashPassword("correct horse battery"));
});

test("composed and decomposed letters are the same password", async () => {
  const phc = await hashPassword("cafe\u0301 creme bru\u0302le\u0301e");
  assert.equal(await verifyPassword("caf\u00e9 creme br\u00fbl\u00e9e", phc), true);
});

test("a hash is verified with the costs that it was created with", async () => {
  const nonce = Buffer.alloc(16, 7);
  const hash = argon2Sync("argon2id", {
    message: "other costs",
    nonce,
    memory: 64,
    passes: 3,
    parallelism: 2,
    tagLength: 24,
  });
  const phc = `$argon2id$v=19$m=64,t=3,p=2$${nonce.toString("base64").replace(/=+$/, "")}$${hash.toString("base64").replace(/=+$/, "")}`;
  assert.equal(await verifyPassword("other costs", phc), true);
});

test("a malformed hash is an error, not a refusal", async () => {
  for (const stored of ["", "plain", "$argon2i$v=19$m=64,t=3,p=2$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAA"]) {
    await assert.rejects(verifyPassword("x", stored), /not argon2id/);
  }
});
