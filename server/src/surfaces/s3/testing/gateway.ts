/** A gateway with a real domain, on a separate port, and requests with the signatures that a test needs. */
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { request as httpRequest, type IncomingHttpHeaders } from "node:http";
import { after, before } from "node:test";
import { pino, type Logger } from "pino";
import type { NewS3Key } from "#domain/identity/index.ts";
import type { S3Settings } from "#domain/s3/index.ts";
import { openS3Ground, ORG_ID, type S3Ground } from "#domain/s3/testing/ground.ts";
import { openListener, type Listener } from "#http/index.ts";
import { serveSurface } from "#http/testing/host.ts";
import {
  canonicalRequestOf,
  deriveKey,
  signatureOf,
  stringToSignOf,
  V4_ALGORITHM,
  type Scope,
} from "../auth/signature-v4.ts";
import { basicDateOf } from "../auth/times.ts";
import type { GatewaySettings, S3GatewayDeps } from "../context.ts";
import { createDocumentReader, createS3Gateway, createS3Surface } from "../index.ts";
import { Fields } from "../wire/fields.ts";
import { parseTarget } from "../wire/target.ts";

export interface Key {
  readonly accessKeyId: string;
  readonly secret: string;
}

export interface Signing {
  readonly key?: Key;
  readonly region?: string;
  readonly service?: string;
  /** Milliseconds. The default is the gateway's time. */
  readonly atMs?: number;
  /** The value of x-amz-content-sha256. The default is the digest of the body. */
  readonly payload?: string;
  /** Names of header fields that are not signed. */
  readonly unsigned?: readonly string[];
}

export interface Call {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** False: no signature. */
  readonly sign?: Signing | false;
  /** Changes the headers after they were signed. */
  readonly tamper?: (headers: Record<string, string>) => void;
}

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** `Code` of an error document; the status of an answer without one. */
  readonly code: string;
  readonly continued: boolean;
}

export interface TestGateway {
  readonly ground: S3Ground;
  /** `host:port` */
  readonly host: string;
  readonly key: Key;
  nowMs(): number;
  /** Returns the numbers of ended and of running requests. */
  answered(): number;
  underWay(): number;
  newKey(input?: Partial<NewS3Key>, orgId?: string): Promise<Key>;
  /** Sends a request with Signature V4 in the header, unless `sign` says otherwise. */
  call(method: string, target: string, call?: Call): Promise<Answer>;
  /** Returns the signature of the header, and the state that a streaming body continues. */
  signed(
    method: string,
    target: string,
    call?: Call,
  ): { headers: Record<string, string>; signature: string; scope: Scope; date: string };
  close(): Promise<void>;
}

export const REGION = "us-east-1";

const TEST_SETTINGS: Omit<GatewaySettings, "endpoint"> = {
  domain: "s3.test",
  region: REGION,
  signatureV2: "all",
  uploadIdleTimeoutMs: 60_000,
  trustedProxies: [],
  failedSignaturesMax: 10_000,
};

export async function openGateway(
  settings: Partial<GatewaySettings> = {},
  { error = (fields, message) => console.error(message, fields) }: Partial<S3GatewayDeps["log"]> = {},
  ofDomain: Partial<S3Settings> = {},
): Promise<TestGateway> {
  const ground = await openS3Ground({ settings: ofDomain });
  const listener: Listener = await openListener("127.0.0.1:0");
  const { s3, objects, deps, identity } = ground;
  const { clock } = deps;
  const log: S3GatewayDeps["log"] = { error, debug: () => undefined };
  const documents = createDocumentReader();
  let [begun, answered] = [0, 0];
  listener.server.on("request", () => (begun += 1));
  const all = { ...TEST_SETTINGS, endpoint: `http://${listener.address}`, ...settings };
  const gateway = createS3Gateway({
    domain: s3,
    objects,
    clock,
    envelope: deps.envelope,
    log,
    documents,
    count: () => undefined,
    settings: all,
  });
  const answer = (): void => void (answered += 1);
  await serveSurface(listener, createS3Surface(gateway), { log: logTo(error), answered: answer });
  const newKey: TestGateway["newKey"] = async (input = {}, orgId = ORG_ID) => {
    const acting = { actor: { kind: "system", id: "test", orgId } } as const;
    const { key, secret } = await identity.s3Keys.create(acting, { name: "test", projectId: null, ...input });
    return { accessKeyId: key.accessKeyId, secret };
  };
  const key = await newKey();
  const host = listener.address;
  const nowMs = (): number => clock.nowMs();
  const signed: TestGateway["signed"] = (method, target, { headers = {}, body = "", sign = {} } = {}) =>
    signedHeaders(
      { method, target, body, headers: { host, ...headers } },
      { key, atMs: nowMs(), ...(sign === false ? {} : sign) },
    );
  return {
    ground,
    host,
    key,
    nowMs,
    answered: () => answered,
    underWay: () => begun - answered,
    newKey,
    signed,
    call: async (method, target, call = {}) => {
      const sent = call.sign === false ? { host, ...call.headers } : signed(method, target, call).headers;
      call.tamper?.(sent);
      return send(host, method, target, sent, call.body);
    },
    close: async () => {
      await listener.stop(0);
      await documents.close();
      await ground.close();
    },
  };
}

/** Returns a log whose errors reach the test. */
function logTo(error: S3GatewayDeps["log"]["error"]): Logger {
  const write = (line: string): void => {
    const { msg, ...fields } = JSON.parse(line) as { msg: string };
    error(fields, msg);
  };
  return pino({ level: "error" }, { write });
}

interface Unsigned {
  readonly method: string;
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

function signedHeaders(
  { method, target, headers, body }: Unsigned,
  { key, region = REGION, service = "s3", atMs = 0, payload, unsigned = [] }: Signing,
): ReturnType<TestGateway["signed"]> {
  assert.ok(key !== undefined);
  const date = basicDateOf(atMs);
  const sha256 = payload ?? createHash("sha256").update(body).digest("hex");
  const all: Record<string, string> = { ...headers, "x-amz-date": date, "x-amz-content-sha256": sha256 };
  const names = Object.keys(all)
    .map((name) => name.toLowerCase())
    .filter((name) => !unsigned.includes(name))
    .toSorted();
  const fields = Fields.fromRaw(Object.entries(all).flat());
  const canonical = canonicalRequestOf({
    method,
    target: parseTarget(target),
    fields,
    signedHeaders: names,
    payload: sha256,
  });
  const scope = { day: date.slice(0, 8), region, service };
  const signature = signatureOf(deriveKey(key.secret, scope), stringToSignOf(date, scope, canonical));
  const credential = `${key.accessKeyId}/${scope.day}/${region}/${service}/aws4_request`;
  all["authorization"] =
    `${V4_ALGORITHM} Credential=${credential}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { headers: all, signature, scope, date };
}

/** Sends the target unchanged. */
export function send(
  host: string,
  method: string,
  target: string,
  headers: Readonly<Record<string, string>>,
  body?: string | Uint8Array,
): Promise<Answer> {
  const [name, port] = host.split(":");
  return new Promise((resolve, reject) => {
    let continued = false;
    const request = httpRequest(
      { host: name, port, method, path: target, headers, agent: false, setHost: false },
      (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("error", reject);
        response.on("end", () => {
          const text = Buffer.concat(chunks).toString();
          const status = response.statusCode ?? 0;
          const code = /<Code>([^<]*)<\/Code>/.exec(text)?.[1] ?? String(status);
          resolve({ status, headers: response.headers, text, code, continued });
        });
      },
    );
    request.on("error", reject);
    if (headers["expect"] === undefined) {
      // With text, Node would use the header's encoding for it.
      request.end(body === undefined ? undefined : Buffer.from(body));
      return;
    }
    request.on("continue", () => {
      continued = true;
      request.end(body === undefined ? undefined : Buffer.from(body));
    });
    request.flushHeaders();
  });
}

/** Starts the gateway of a test file, with a bucket. The getters throw outside of a test. */
export function useGateway(settings: Partial<GatewaySettings> = {}): {
  readonly gateway: TestGateway;
  readonly bucket: string;
} {
  let made: TestGateway | undefined;
  const bucket = "test-bucket";
  before(async () => {
    made = await openGateway(settings);
    succeeded(await made.call("PUT", `/${bucket}`));
  });
  after(async () => {
    await made?.close();
  });
  return {
    bucket,
    get gateway() {
      assert.ok(made !== undefined, "the gateway exists during tests only");
      return made;
    },
  };
}

/** Asserts that the answer is not an error, and returns it. */
export function succeeded(answer: Answer, status?: number): Answer {
  if (status === undefined) assert.ok(answer.status < 300, answer.text);
  else assert.equal(answer.status, status, answer.text);
  return answer;
}

/** Asserts the code of an error. */
export function refused(answer: Answer, code: string, status?: number): Answer {
  assert.equal(answer.code, code, answer.text);
  if (status !== undefined) assert.equal(answer.status, status, answer.text);
  return answer;
}

/** Returns the texts of the elements with that name, in their order. */
export function texts(answer: Answer, name: string): string[] {
  return [...answer.text.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, "g"))].map(([, text]) => text ?? "");
}
