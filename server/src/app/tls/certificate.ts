import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { createSecureContext } from "node:tls";
import type { CertificatePair } from "#http/index.ts";
import type { Config } from "../config.ts";
import { TLS_ADDRESSES } from "../tls-settings.ts";

export type TlsAddress = keyof typeof TLS_ADDRESSES;

export interface TlsFiles {
  readonly address: TlsAddress;
  readonly cert: string;
  readonly key: string;
}

export interface Certificate extends CertificatePair {
  /** The certificate's names in its own format: `DNS:mooring.example.com, IP Address:192.0.2.1`. */
  readonly names: string;
  readonly validFromMs: number;
  readonly validToMs: number;
}

/** Returns the files of an address; undefined when it has no TLS. */
export function tlsFilesOf(
  config: Pick<Config, (typeof TLS_ADDRESSES)[TlsAddress][number]>,
  address: TlsAddress,
): TlsFiles | undefined {
  const [certName, keyName] = TLS_ADDRESSES[address];
  const { [certName]: cert, [keyName]: key } = config;
  return cert === null || key === null ? undefined : { address, cert, key };
}

/** Reads both files and checks that they belong together. @throws Error that names the setting and the file */
export function readCertificate({ address, cert: certPath, key: keyPath }: TlsFiles): Certificate {
  const [certName, keyName] = TLS_ADDRESSES[address];
  const cert = textOf(certName, certPath);
  const key = textOf(keyName, keyPath);
  const leaf = parsed(certName, certPath, "a PEM certificate", () => new X509Certificate(cert));
  const secret = parsed(keyName, keyPath, "a PEM private key without a passphrase", () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(secret))
    throw new Error(`cannot use ${certName} (${certPath}): its certificate does not belong to the key in ${keyPath}`);
  parsed(certName, certPath, "a PEM certificate with its chain", () => createSecureContext({ cert, key }));
  return {
    cert,
    key,
    names: leaf.subjectAltName ?? leaf.subject,
    validFromMs: Date.parse(leaf.validFrom),
    validToMs: Date.parse(leaf.validTo),
  };
}

function textOf(setting: string, path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    throw new Error(`cannot read ${setting} (${path}): ${(error as Error).message}`, { cause: error });
  }
}

/** Hides the parser's message, because it could contain a part of the key. */
function parsed<T>(setting: string, path: string, form: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw new Error(`cannot use ${setting} (${path}): the file is not ${form}`);
  }
}

const DAY_MS = 86_400_000;
/** Warns from this many days before the end, because certificates are usually renewed earlier. */
const SOON_DAYS = 14;

/** Returns the fault in the dates of a certificate; undefined when there is none. */
export function dateFaultOf({ validFromMs, validToMs }: Certificate, nowMs: number): string | undefined {
  const days = Math.floor((validToMs - nowMs) / DAY_MS);
  if (validToMs <= nowMs) return "the certificate has expired";
  if (validFromMs > nowMs) return "the certificate is not valid yet";
  if (days < SOON_DAYS) return `the certificate expires ${days < 1 ? "within a day" : `in ${days} days`}`;
  return undefined;
}
