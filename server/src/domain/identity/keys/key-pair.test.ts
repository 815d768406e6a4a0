import assert from "node:assert/strict";
import { test } from "node:test";
import { compactVerify, importJWK } from "jose";
import { generateSigningKey, privateKeyOf, publicKeyOf, signJws, SIGNING_ALGS, verifyJws } from "./key-pair.ts";

for (const alg of SIGNING_ALGS) {
  test(`jose and the server verify our ${alg} signatures`, async () => {
    const pair = await generateSigningKey(alg);
    const privateKey = privateKeyOf(alg, pair.privateKey);
    const publicKey = publicKeyOf(alg, pair.publicJwk);
    const jose = await importJWK(JSON.parse(pair.publicJwk) as Parameters<typeof importJWK>[0], alg);
    const header = Buffer.from(JSON.stringify({ alg })).toString("base64url");
    for (let round = 0; round < 20; round++) {
      const input = `${header}.${Buffer.from(`round ${round}`).toString("base64url")}`;
      const signature = await signJws({ alg, privateKey }, input);
      assert.equal(signature.length, alg === "ES256" ? 64 : 256);
      assert.ok(await verifyJws({ alg, publicKey }, input, signature), `round ${round}`);
      await compactVerify(`${input}.${signature.toString("base64url")}`, jose);
      assert.equal(await verifyJws({ alg, publicKey }, `${input}x`, signature), false);
    }
  });
}
