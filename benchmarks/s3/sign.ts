import { createHash, createHmac } from "node:crypto";

/** The server and the key for requests. */
export interface Access {
  readonly host: string;
  readonly port: number;
  readonly region: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
}

export interface Ask {
  readonly method: string;
  /** A path of characters that need no encoding. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** The signature covers its digest. Without it, the body is not signed. */
  readonly body?: Buffer;
}

const sha256 = (content: Buffer | string): string => createHash("sha256").update(content).digest("hex");
const hmac = (key: Buffer | string, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/** Signs a request with Signature V4. Returns its target and header fields. */
export function signed(access: Access, ask: Ask): { target: string; headers: Record<string, string> } {
  const time = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, "");
  const scope = `${time.slice(0, 8)}/${access.region}/s3/aws4_request`;
  const digest = ask.body === undefined ? "UNSIGNED-PAYLOAD" : sha256(ask.body);
  const headers = { host: `${access.host}:${access.port}`, "x-amz-content-sha256": digest, "x-amz-date": time };
  const query = Object.entries(ask.query ?? {})
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join("&");
  const names = Object.keys(headers).join(";");
  const fields = Object.entries(headers).map(([name, value]) => `${name}:${value}\n`);
  const canonical = [ask.method, ask.path, query, fields.join(""), names, digest].join("\n");
  const toSign = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = scope
    .split("/")
    .reduce<Buffer | string>((secret, part) => hmac(secret, part), `AWS4${access.secretAccessKey}`);
  const credential = `AWS4-HMAC-SHA256 Credential=${access.accessKeyId}/${scope}`;
  const authorization = `${credential}, SignedHeaders=${names}, Signature=${hmac(key, toSign).toString("hex")}`;
  return { target: query === "" ? ask.path : `${ask.path}?${query}`, headers: { ...headers, authorization } };
}

/** Returns a whole request as bytes. */
export function signedBytes(access: Access, ask: Ask): Buffer {
  const { target, headers } = signed(access, ask);
  const body = ask.body ?? Buffer.alloc(0);
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `${ask.method} ${target} HTTP/1.1\r\n${fields.join("")}content-length: ${body.length}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), body]);
}
