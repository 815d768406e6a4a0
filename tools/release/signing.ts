import {
  createHash,
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign,
  verify,
  type KeyObject,
} from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";

/** The public key beside the files of a release. */
export const PUBLIC_KEY = "mooring-release.pub";

/**
 * Returns the private key of a release: an EC key on P-256 in PEM, from a file or from a variable's text. `openssl dgst`
 * and cosign verify its signatures.
 * @throws Error when it is none, or when there is no key and `isDry` does not allow a throw-away one
 */
export function releaseKey({
  file,
  pem,
  isDry,
}: {
  file?: string | undefined;
  pem?: string | undefined;
  isDry: boolean;
}): KeyObject {
  const text = file === undefined ? pem : readFileSync(file, "utf8");
  if (text === undefined && isDry) return generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey;
  if (text === undefined)
    throw new Error(
      "cannot sign the release: name the file of the key with --key, or set MOORING_RELEASE_KEY to its text",
    );
  const key = privateKey(text);
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return key;
  throw new Error("cannot sign the release: the key is not an EC key on the curve P-256 (prime256v1)");
}

/** The cause is left out, because its message can contain a part of the text. */
function privateKey(text: string): KeyObject {
  try {
    return createPrivateKey(text);
  } catch {
    throw new Error("cannot sign the release: the key is not a private key in PEM without a passphrase");
  }
}

/** Writes SHA256SUMS in the form of `sha256sum --check`, a signature beside each file and SHA256SUMS, and the public key. */
export function signRelease(directory: string, names: readonly string[], key: KeyObject): void {
  const sums = names.toSorted().map(
    (name) =>
      `${createHash("sha256")
        .update(readFileSync(join(directory, name)))
        .digest("hex")}  ${basename(name)}\n`,
  );
  writeFileSync(join(directory, "SHA256SUMS"), sums.join(""));
  const publicKey = createPublicKey(key);
  writeFileSync(join(directory, PUBLIC_KEY), publicKey.export({ type: "spki", format: "pem" }));
  for (const name of [...names, "SHA256SUMS"]) {
    const bytes = readFileSync(join(directory, name));
    const signature = sign("sha256", bytes, key);
    if (!verify("sha256", bytes, publicKey, signature)) throw new Error(`cannot sign ${name}: its signature is wrong`);
    writeFileSync(join(directory, `${name}.sig`), signature);
  }
}
