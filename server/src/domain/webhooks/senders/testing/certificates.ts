import { execFileSync } from "node:child_process";
import { createPrivateKey, sign } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A certificate as the senders publish theirs, made by openssl when a test needs it first. */
interface Certificate {
  readonly pem: string;
  readonly key: string;
}

let made: Certificate | undefined;

/** Returns the certificate. @throws Error if openssl is not installed */
export function certificateOf(): Certificate {
  made ??= make();
  return made;
}

export const certificate = {
  paypalUrl: "https://api.paypal.com/v1/notifications/certs/CERT-360caa42-fca2a594-1d93a270",
  snsUrl: "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef0123456789abcdef.pem",
} as const;

export function signRsa(algorithm: "RSA-SHA1" | "RSA-SHA256", content: string): string {
  return sign(algorithm, Buffer.from(content), createPrivateKey(certificateOf().key)).toString("base64");
}

function make(): Certificate {
  const directory = mkdtempSync(join(tmpdir(), "mooring-certificate-"));
  const [keyFile, file] = [join(directory, "key.pem"), join(directory, "certificate.pem")];
  try {
    const words = "req -x509 -newkey rsa:2048 -nodes -days 30 -subj /CN=sender.example".split(" ");
    execFileSync("openssl", [...words, "-keyout", keyFile, "-out", file], { stdio: "pipe" });
    return { pem: readFileSync(file, "utf8"), key: readFileSync(keyFile, "utf8") };
  } finally {
    rmSync(directory, { recursive: true });
  }
}
