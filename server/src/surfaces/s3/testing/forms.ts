/** Forms that browsers post to a bucket, signed by Signature V4. */
import { deriveKey, signatureOf } from "../auth/signature-v4.ts";
import type { Key, TestGateway } from "./gateway.ts";

export type Conditions = readonly unknown[];

export const FORM_TYPE = "multipart/form-data; boundary=xyz";

interface Form {
  readonly conditions: Conditions;
  /** Fields without a signature. */
  readonly more?: Readonly<Record<string, string>>;
  readonly key?: Key;
}

/** Returns the fields of a form with its policy. */
export function signedFields(gateway: TestGateway, bucket: string, form: Form): Record<string, string> {
  const { conditions, more = {}, key = gateway.key } = form;
  const { date, scope } = gateway.signed("GET", "/");
  const credential = `${key.accessKeyId}/${scope.day}/${scope.region}/s3/aws4_request`;
  const own = { "x-amz-algorithm": "AWS4-HMAC-SHA256", "x-amz-credential": credential, "x-amz-date": date };
  const expiration = new Date(gateway.nowMs() + 60_000).toISOString();
  const all = [{ bucket }, ...conditions, ...Object.entries(own).map(([name, value]) => ({ [name]: value }))];
  const policy = Buffer.from(JSON.stringify({ expiration, conditions: all })).toString("base64");
  return { ...own, policy, "x-amz-signature": signatureOf(deriveKey(key.secret, scope), policy), ...more };
}

/** Returns the body: the fields, then the file. */
export function formBody(fields: Readonly<Record<string, string>>, content: Uint8Array, filename = "name.txt"): Buffer {
  const parts = Object.entries(fields).map(
    ([name, value]) => `--xyz\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`,
  );
  const file = `--xyz\r\nContent-Disposition: form-data; name="file"; filename="${filename}"\r\nContent-Type: text/plain\r\n\r\n`;
  return Buffer.concat([Buffer.from(parts.join("") + file), content, Buffer.from("\r\n--xyz--\r\n")]);
}
