import { createHash, randomBytes, type Hash } from "node:crypto";
import { Agent, request, type IncomingHttpHeaders } from "node:http";

/** A registry that is measured, as one repository for one client. */
export interface Target {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** `orgs/acme/bench` */
  readonly repository: string;
  /** Null if the registry needs no authentication. */
  readonly authorization: string | null;
  /** The speed of a network. Without it, the speed is not limited. */
  readonly bytesPerSecond?: number;
  stop(): Promise<void>;
}

interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
}

const agent = new Agent({ keepAlive: true, maxSockets: 64 });
const CHUNK_BYTES = 1024 * 1024;

/** Content that repeats a few random blocks, so that large content costs no memory and little time. No two contents are the same. */
export interface Content {
  readonly digest: string;
  readonly bytes: number;
  chunks(): Generator<Buffer>;
}

const material = randomBytes(CHUNK_BYTES);

export function contentOf(bytes: number): Content {
  const salt = randomBytes(32);
  const alike = Math.max(0, bytes - salt.length);
  function* chunks(): Generator<Buffer> {
    for (let left = alike; left > 0; left -= CHUNK_BYTES) yield material.subarray(0, Math.min(left, CHUNK_BYTES));
    yield salt.subarray(0, Math.min(salt.length, bytes));
  }
  const hash = hashOfAlike(alike).update(salt.subarray(0, Math.min(salt.length, bytes)));
  return { digest: `sha256:${hash.digest("hex")}`, bytes, chunks };
}

const hashes = new Map<number, Hash>();

/** The hash of the beginning that all contents of a size share. */
function hashOfAlike(bytes: number): Hash {
  const hash = hashes.get(bytes) ?? createHash("sha256");
  if (!hashes.has(bytes)) {
    for (let left = bytes; left > 0; left -= CHUNK_BYTES)
      hash.update(material.subarray(0, Math.min(left, CHUNK_BYTES)));
    hashes.set(bytes, hash);
  }
  return hash.copy();
}

function call(target: Target, method: string, path: string, content?: Content, type?: string): Promise<Answer> {
  const headers: Record<string, string> = { ...authorizationOf(target) };
  if (content !== undefined) headers["content-length"] = String(content.bytes);
  if (type !== undefined) headers["content-type"] = type;
  const { host: hostname, port } = target;
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, path, method, headers, agent }, (response) => {
      let bytes = 0;
      response.on("data", (chunk: Buffer) => (bytes += chunk.length));
      response.on("error", reject);
      response.on("end", () => resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes }));
    });
    sent.on("error", (error) => reject(new Error(`cannot ${method} at ${target.name}`, { cause: error })));
    const chunks = content?.chunks();
    const startedMs = performance.now();
    let written = 0;
    const write = (): void => {
      for (let next = chunks?.next(); next?.done === false; next = chunks?.next()) {
        written += next.value.length;
        const hasRoom = sent.write(next.value);
        const waitMs = (written / (target.bytesPerSecond ?? Infinity)) * 1000 - (performance.now() - startedMs);
        if (waitMs > 0) return void setTimeout(write, waitMs);
        if (!hasRoom) return void sent.once("drain", write);
      }
      sent.end();
    };
    write();
  });
}

export function authorizationOf({ authorization }: Target): Record<string, string> {
  return authorization === null ? {} : { authorization };
}

function requireStatus(answer: Answer, status: number, what: string): Answer {
  if (answer.status !== status) throw new Error(`${what} answered ${answer.status}`);
  return answer;
}

/** Pushes a blob by POST and PUT, as containerd and buildkit do. */
export async function pushBlob(target: Target, content: Content): Promise<void> {
  const path = `/v2/${target.repository}/blobs/uploads/`;
  const began = requireStatus(await call(target, "POST", path), 202, "POST");
  const location = new URL(String(began.headers.location), `http://${target.host}:${target.port}`);
  location.searchParams.set("digest", content.digest);
  requireStatus(await call(target, "PUT", location.pathname + location.search, content), 201, "PUT");
}

export async function pullBlob(target: Target, content: Content): Promise<void> {
  const answer = await call(target, "GET", `/v2/${target.repository}/blobs/${content.digest}`);
  if (answer.status !== 200 || answer.bytes !== content.bytes)
    throw new Error(`GET answered ${answer.status}, ${answer.bytes} bytes`);
}

const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

/** Pushes a layer of `bytes` bytes, a config, and a manifest with a tag. */
export async function pushImage(target: Target, tag: string, layerBytes: number): Promise<void> {
  const [layer, config] = [contentOf(layerBytes), contentOf(500)];
  await pushBlob(target, layer);
  await pushBlob(target, config);
  const descriptor = (content: Content, mediaType: string) => ({
    mediaType,
    digest: content.digest,
    size: content.bytes,
  });
  const document = {
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: descriptor(config, "application/vnd.oci.image.config.v1+json"),
    layers: [descriptor(layer, "application/vnd.oci.image.layer.v1.tar")],
  };
  const text = Buffer.from(JSON.stringify(document));
  const manifest = { digest: "", bytes: text.length, chunks: () => [text][Symbol.iterator]() as Generator<Buffer> };
  const path = `/v2/${target.repository}/manifests/${tag}`;
  requireStatus(await call(target, "PUT", path, manifest, MANIFEST), 201, "PUT of a manifest");
}
