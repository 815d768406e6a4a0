import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { generateKeyPairSync } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { releaseKey, signRelease } from "./signing.ts";

const folder = mkdtempSync(join(tmpdir(), "mooring-signing-"));
after(() => rmSync(folder, { recursive: true }));

const pemOf = (namedCurve: string): string =>
  generateKeyPairSync("ec", { namedCurve }).privateKey.export({ type: "pkcs8", format: "pem" }).toString();

const openssl = (...words: string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync("openssl", words, { cwd: folder, encoding: "utf8" });
  return { status, output: `${stdout}${stderr}` };
};
const skip = spawnSync("openssl", ["version"]).status === 0 ? false : "openssl is not installed";

test("openssl and sha256sum verify the signed files, and refuse a changed file", { skip }, () => {
  writeFileSync(join(folder, "a.tgz"), "a");
  writeFileSync(join(folder, "b.json"), "b");
  const made = openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "release.key");
  assert.equal(made.status, 0, made.output);
  signRelease(folder, ["b.json", "a.tgz"], releaseKey({ file: join(folder, "release.key"), isDry: false }));
  const verified = (name: string): number | null =>
    openssl("dgst", "-sha256", "-verify", "mooring-release.pub", "-signature", `${name}.sig`, name).status;
  for (const name of ["a.tgz", "b.json", "SHA256SUMS"]) assert.equal(verified(name), 0, name);
  const sums = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: folder, encoding: "utf8" });
  assert.equal(sums.stdout, "a.tgz: OK\nb.json: OK\n");
  writeFileSync(join(folder, "a.tgz"), "other");
  assert.equal(verified("a.tgz"), 1);
  const secret = readFileSync(join(folder, "release.key"), "utf8").split("\n")[1] ?? "";
  for (const name of readdirSync(folder).filter((each) => each !== "release.key"))
    assert.ok(!readFileSync(join(folder, name), "utf8").includes(secret), name);
});

test("a release needs a key; only a dry run makes a throw-away one", () => {
  assert.throws(() => releaseKey({ isDry: false }), /cannot sign the release: name the file of the key with --key/);
  assert.equal(releaseKey({ isDry: true }).asymmetricKeyDetails?.namedCurve, "prime256v1");
  assert.equal(releaseKey({ pem: pemOf("P-256"), isDry: false }).type, "private");
});

test("another kind of key is refused without showing it", () => {
  assert.throws(() => releaseKey({ pem: pemOf("P-384"), isDry: true }), /not an EC key on the curve P-256/);
  const text = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n";
  assert.throws(
    () => releaseKey({ pem: text, isDry: true }),
    (error: Error) => /not a private key in PEM/.test(error.message) && error.cause === undefined,
  );
});
