/** A client whose 50 MB are refused sees the reason, even if it reads the answer only after sending everything. */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { s3UrlOf } from "../fixtures/s3.ts";
import { startServer, type Server } from "../fixtures/server.ts";

const BYTES = 50_000_000;
const PIECE = Buffer.alloc(500_000, "a");
const run = promisify(execFile);

interface Refusal {
  readonly name: string;
  readonly method: "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

let server: Server;
let refusals: readonly Refusal[];
let directory: string;
let file: string;
before(async () => {
  server = await startServer({ settings: { log_level: "error" } });
  const home = await server.bootstrap();
  const token = await server.token(home.credential);
  const s3 = await s3UrlOf(server);
  const json = { "content-type": "application/json" };
  const bearer = { authorization: `Bearer ${token}` };
  const at = (path: string): string => server.origin + path;
  const presigned = (
    await server.call<{ data: { upload_url: string } }>("POST", "/v1/upload", {
      token,
      json: { filename: "a", content_type: "text/plain" },
    })
  ).body.data.upload_url;
  refusals = [
    { name: "no token", method: "POST", url: at("/v1/ingest/logs"), status: 401, headers: json },
    { name: "too large", method: "POST", url: at("/v1/ingest/logs"), status: 413, headers: { ...json, ...bearer } },
    {
      name: "wrong type",
      method: "POST",
      url: at("/v1/ingest/logs"),
      status: 415,
      headers: { "content-type": "image/png", ...bearer },
    },
    { name: "unknown path", method: "POST", url: at("/none"), status: 404, headers: json },
    { name: "wrong method", method: "DELETE", url: at("/v1/ingest/logs"), status: 405, headers: json },
    { name: "bad query", method: "POST", url: at("/v1/projects?a=%zz"), status: 400, headers: { ...json, ...bearer } },
    {
      name: "token request",
      method: "POST",
      url: at("/oauth/token"),
      status: 413,
      headers: { "content-type": "application/x-www-form-urlencoded" },
    },
    { name: "a webhook that does not exist", method: "POST", url: at("/hooks/none"), status: 404, headers: json },
    { name: "event that is too large", method: "POST", url: home.webhook.url, status: 413, headers: json },
    {
      name: "altered upload URL",
      method: "PUT",
      url: `${presigned}x`,
      status: 403,
      headers: { "content-type": "text/plain" },
    },
    { name: "wrong type of an upload", method: "PUT", url: presigned, status: 400, headers: json },
    {
      name: "push without login",
      method: "POST",
      url: at("/v2/orgs/main/web/blobs/uploads/"),
      status: 401,
      headers: {},
    },
    // To anonymous callers, a private bucket looks like one that does not exist.
    { name: "S3 for nobody", method: "PUT", url: `${s3}/${home.s3.bucket}/key`, status: 404, headers: {} },
    { name: "S3 with a bad address", method: "PUT", url: `${s3}/${home.s3.bucket}/%zz`, status: 400, headers: {} },
    { name: "S3 form to no bucket", method: "POST", url: `${s3}/none?delete`, status: 404, headers: {} },
  ];
  directory = mkdtempSync(join(tmpdir(), "mooring-refused-"));
  file = join(directory, "body");
  writeFileSync(file, Buffer.alloc(BYTES, "a"));
});
after(async () => {
  await server.dispose();
  rmSync(directory, { recursive: true });
});

/** Sends the request. Returns the status that the client saw. */
const CLIENTS: Readonly<Record<string, (refusal: Refusal) => Promise<number>>> = {
  "Python's urllib": async ({ method, url, headers }) => {
    const { stdout } = await run("python3", ["-c", PYTHON, method, url, JSON.stringify(headers), file]);
    return Number(stdout);
  },
  curl: async ({ method, url, headers }) => {
    const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Expect:", "--max-time", "60"];
    const { stdout } = await run("curl", [...words, "-X", method, "--data-binary", `@${file}`, ...fields, url]);
    return Number(stdout);
  },
  "curl, in chunks": async ({ method, url, headers }) => {
    const fields = Object.entries(headers).flatMap(([name, value]) => ["-H", `${name}: ${value}`]);
    const words = ["-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "Expect:", "--max-time", "60"];
    const { stdout } = await run("curl", [
      ...words,
      "-X",
      method,
      "-H",
      "Transfer-Encoding: chunked",
      "--data-binary",
      `@${file}`,
      ...fields,
      url,
    ]);
    return Number(stdout);
  },
  "Node's http": ({ method, url, headers }) =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(
        url,
        { method, headers: { ...headers, "content-length": BYTES }, agent: false },
        (answer) => {
          answer.resume();
          answer.once("end", () => resolve(answer.statusCode ?? 0));
        },
      );
      sent.once("error", reject);
      sent.end(Buffer.alloc(BYTES, "a"));
    }),
  "a socket at full speed": (refusal) => bySocket(refusal, { everyMs: 0, close: true }),
  "a socket that takes eight seconds": (refusal) => bySocket(refusal, { everyMs: 80, close: true }),
  "a socket that would be kept": (refusal) => bySocket(refusal, { everyMs: 0, close: false }),
};

const PYTHON = `
import json, sys, urllib.error, urllib.request
method, url, headers, path = sys.argv[1:]
body = open(path, "rb").read()
try:
    answer = urllib.request.urlopen(urllib.request.Request(url, body, json.loads(headers), method=method))
    print(answer.status)
except urllib.error.HTTPError as error:
    error.read()
    print(error.code)
`;

/** Reads nothing before everything was sent. */
async function bySocket(
  { method, url, headers }: Refusal,
  { everyMs, close }: { everyMs: number; close: boolean },
): Promise<number> {
  const { hostname, port, pathname, search, host } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  const fields = { ...headers, host, "content-length": BYTES, connection: close ? "close" : "keep-alive" };
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
  let failure: Error | undefined;
  socket.on("error", (error) => (failure = error));
  socket.write(`${method} ${pathname}${search} HTTP/1.1\r\n${lines.join("")}\r\n`);
  for (let sent = 0; sent < BYTES && failure === undefined; sent += PIECE.length) {
    if (!socket.write(PIECE)) await drained(socket);
    if (everyMs > 0) await delay(everyMs);
  }
  const heard = await new Promise<string>((resolve) => {
    let text = "";
    socket.on("data", (chunk: Buffer) => {
      text += chunk.toString("latin1");
      if (text.includes("\r\n\r\n")) resolve(text);
    });
    socket.once("close", () => resolve(text));
  });
  socket.destroy();
  assert.equal(failure, undefined, String(failure));
  return Number(/^HTTP\/1\.1 (\d+)/.exec(heard)?.[1]);
}

async function drained(socket: Socket): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  await Promise.race([once(socket, "drain", { signal }), once(socket, "close", { signal })]).catch(() => undefined);
  over.abort();
}

for (const [client, send] of Object.entries(CLIENTS)) {
  test(`${client} sees each refusal`, async () => {
    const slow = client.includes("seconds");
    const seen: Record<string, unknown> = {};
    const ask = async (refusal: Refusal): Promise<void> => {
      seen[refusal.name] = await send(refusal).catch((error: Error) => error.message);
    };
    if (slow) await Promise.all(refusals.map(ask));
    else for (const refusal of refusals) await ask(refusal);
    assert.deepEqual(seen, Object.fromEntries(refusals.map(({ name, status }) => [name, status])));
  });
}
