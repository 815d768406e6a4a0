import assert from "node:assert/strict";
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { after, before, test } from "node:test";
import Type from "typebox";
import { route } from "@mooring/contract";
import { mountRoute, type HttpHost, type Surface } from "./index.ts";
import { bearer, credentialOf, startTestServer, type TestServer } from "./testing/host.ts";

const row = { tag: "t", summary: "s", problems: [], status: 200 } as const;
const open = { ...row, permission: "public", publicReason: "test" } as const;
const body = Type.Object({ name: Type.String() }, { additionalProperties: false });
const ROWS = {
  read: route({ ...open, operationId: "read", method: "GET", path: "/open" }),
  slow: route({ ...open, operationId: "slow", method: "GET", path: "/slow" }),
  begun: route({ ...open, operationId: "begun", method: "GET", path: "/begun" }),
  post: route({ ...open, operationId: "post", method: "POST", path: "/open", body }),
  make: route({ ...row, operationId: "make", method: "POST", path: "/things", permission: "apps:write", body }),
};
const BODY_TIMEOUT_MS = 300;
const HEADERS_TIMEOUT_MS = 300;

let server: TestServer;
let finishSlow: () => void = () => undefined;

function surfaceOf(host: HttpHost): Surface {
  return {
    name: "test",
    mount: (app) => {
      mountRoute(app, host, ROWS.read, async () => ({ read: true }) as never);
      mountRoute(app, host, ROWS.slow, async () => {
        await new Promise<void>((resolve) => (finishSlow = resolve));
        return { slow: true } as never;
      });
      mountRoute(app, host, ROWS.begun, async (_input, { reply }) => {
        reply.hijack();
        reply.raw.write("begun");
        return undefined;
      });
      mountRoute(app, host, ROWS.post, async () => ({ posted: true }) as never);
      mountRoute(app, host, ROWS.make, async () => ({ made: true }) as never);
    },
  };
}

before(async () => {
  server = await startTestServer({
    principals: { good: credentialOf("org_1", ["apps:write"]) },
    mount: surfaceOf,
    listener: { headersTimeoutMs: HEADERS_TIMEOUT_MS, refusedBodies: { bytesMax: 1_000_000, timeMs: 1000 } },
    publicBodyTimeoutMs: BODY_TIMEOUT_MS,
  });
});

after(() => server.stop());

interface Connection {
  readonly socket: Socket;
  /** Everything that was received, once the server has closed. */
  readonly closed: Promise<string>;
  /** Resolves when the text was received. */
  readonly received: (text: string) => Promise<void>;
}

/** Leaves its own side open, so that the server must close the connection. */
function connection(bytes: string, address = server.address): Connection {
  const [host = "", port = ""] = address.split(":");
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  let text = "";
  socket.on("data", (chunk: Buffer) => (text += chunk.toString()));
  socket.on("error", () => undefined);
  const closed = new Promise<string>((resolve) => {
    socket.once("end", () => socket.end());
    socket.once("close", () => resolve(text));
  });
  socket.write(bytes);
  const received = async (expected: string): Promise<void> => {
    while (!text.includes(expected)) {
      assert.ok(!socket.closed, `closed before ${expected} came: ${text}`);
      await Promise.race([once(socket, "data"), closed]);
    }
  };
  return { socket, closed, received };
}

const REST_OF_HEADER = "Host: x\r\nContent-Type: application/json\r\n";

/** Returns the problem in the only answer of a closed connection. */
function problemIn(text: string): Record<string, unknown> {
  const [head = "", json = ""] = text.split("\r\n\r\n");
  const fields = new Map(
    head
      .split("\r\n")
      .slice(1)
      .map((line) => [line.split(": ")[0]?.toLowerCase(), line.split(": ")[1]]),
  );
  assert.equal(fields.get("content-type"), "application/problem+json; charset=utf-8", text);
  assert.equal(fields.get("connection"), "close", text);
  assert.equal(fields.get("content-length"), String(json.length));
  assert.equal(fields.get("cache-control"), "no-store");
  assert.ok(fields.has("date"));
  const problem = JSON.parse(json) as Record<string, unknown>;
  assert.equal(problem["request_id"], fields.get("request-id"));
  assert.equal(head.split(" ")[1], String(problem["status"]));
  return problem;
}

const CASES: readonly (readonly [what: string, bytes: string, status: number, code: string, instance: string])[] = [
  ["no HTTP", "hello\r\n\r\n", 400, "invalid_request", "*"],
  ["a TLS greeting", "\x16\x03\x01\x02\x00\x01\x00", 400, "invalid_request", "*"],
  ["a broken field", "GET /open HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n", 400, "invalid_request", "*"],
  [
    "two lengths",
    "POST /open HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\na",
    400,
    "invalid_request",
    "*",
  ],
  [
    "a large header",
    `GET /open HTTP/1.1\r\nHost: x\r\nA: ${"a".repeat(500_000)}\r\n\r\n`,
    431,
    "header_too_large",
    "*",
  ],
  ["a header without end", "GET /open HTTP/1.1\r\nHost: x\r\n", 408, "request_timeout", "*"],
  ["two Hosts", "GET /open?a=1 HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n", 400, "invalid_request", "/open"],
  ["two Hosts in HTTP/1.0", "GET /open HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n", 400, "invalid_request", "/open"],
  ["two Hosts at an unknown path", "GET /no HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", 400, "invalid_request", "/no"],
  ["an invalid Host", "GET /open HTTP/1.1\r\nHost: a b\r\n\r\n", 400, "invalid_request", "/open"],
  ["a Host with a path", "GET /open HTTP/1.1\r\nHost: a/b\r\n\r\n", 400, "invalid_request", "/open"],
  ["a query with a lone %", "GET /open?a=%zz HTTP/1.1\r\nHost: x\r\n\r\n", 400, "invalid_request", "/open"],
  ["a query that is not UTF-8", "GET /open?a=%ff HTTP/1.1\r\nHost: x\r\n\r\n", 400, "invalid_request", "/open"],
  ["no Host", "GET /open?secret=1 HTTP/1.1\r\n\r\n", 400, "invalid_request", "/open"],
  ["no Host at an unknown path", "GET /nothing HTTP/1.1\r\n\r\n", 400, "invalid_request", "/nothing"],
  [
    "an unknown expectation",
    "GET /open HTTP/1.1\r\nHost: x\r\nExpect: a miracle\r\n\r\n",
    417,
    "expectation_failed",
    "/open",
  ],
  [
    "a broken chunk",
    `POST /open?secret=1 HTTP/1.1\r\n${REST_OF_HEADER}Transfer-Encoding: chunked\r\n\r\n2\r\n{"\r\nbroken\r\n`,
    400,
    "invalid_request",
    "/open",
  ],
  [
    "large chunk extensions",
    `POST /open HTTP/1.1\r\n${REST_OF_HEADER}Transfer-Encoding: chunked\r\n\r\n2;${"a".repeat(100_000)}\r\n{}\r\n`,
    413,
    "body_too_large",
    "/open",
  ],
];

for (const [what, bytes, status, code, instance] of CASES) {
  test(`${what} is refused with ${status} ${code}, and the connection closed`, async () => {
    const problem = problemIn(await connection(bytes).closed);
    assert.deepEqual([problem["status"], problem["code"], problem["instance"]], [status, code, instance]);
    assert.match(String(problem["request_id"]), /^req_[0-9a-z]{26}$/);
  });
}

test("HTTP/1.0 needs no Host", async () => {
  assert.match(await connection("GET /open HTTP/1.0\r\n\r\n").closed, /^HTTP\/1\.1 200 [^]*\{"read":true\}$/);
});

test("the caller's Request-Id is kept if the server has read it", async () => {
  const own = "Request-Id: my-request-0001\r\n";
  const refused = connection(`GET /open HTTP/1.1\r\nHost: x\r\n${own}Expect: a miracle\r\n\r\n`);
  assert.equal(problemIn(await refused.closed)["request_id"], "my-request-0001");
  const broken = connection(
    `POST /open HTTP/1.1\r\n${REST_OF_HEADER}${own}Transfer-Encoding: chunked\r\n\r\nbroken\r\n`,
  );
  assert.equal(problemIn(await broken.closed)["request_id"], "my-request-0001");
});

test("a peer that keeps sending after a refusal is cut off", async () => {
  const [host = "", port = ""] = server.address.split(":");
  const socket = connect({ host, port: Number(port), allowHalfOpen: true });
  socket.on("error", () => undefined);
  const drip = setInterval(() => socket.write("more"), 20);
  const closed = new Promise((resolve) => socket.once("close", resolve));
  socket.resume();
  socket.write("hello\r\n\r\n");
  await closed;
  clearInterval(drip);
});

test("the answer to a whole request precedes the refusal of the next one", async () => {
  const { closed, received, socket } = connection("GET /slow HTTP/1.1\r\nHost: x\r\n\r\nhello\r\n\r\n");
  const other = connection("hello\r\n\r\n");
  await other.closed; // By now the bytes of the first connection are parsed, too.
  assert.equal(socket.bytesRead, 0);
  finishSlow();
  await received('{"slow":true}');
  const text = await closed;
  assert.match(text, /^HTTP\/1\.1 200 /);
  assert.equal(problemIn(text.slice(text.lastIndexOf("HTTP/1.1 400")))["code"], "invalid_request");
});

test("an answer that has begun is cut off, and no second answer follows", async () => {
  const { closed, received, socket } = connection(
    "GET /begun HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n",
  );
  await received("begun");
  socket.write("broken\r\n");
  assert.doesNotMatch(await closed, /problem\+json/);
});

test("a body without a token must arrive in time; with a token it may take longer", async () => {
  const token = `Authorization: ${bearer("good")["authorization"]}\r\n`;
  const patient = connection(`POST /things HTTP/1.1\r\n${REST_OF_HEADER}${token}Content-Length: 12\r\n\r\n{`);
  const { closed, socket } = connection(`POST /open HTTP/1.1\r\n${REST_OF_HEADER}Content-Length: 1000\r\n\r\n{`);
  const drip = setInterval(() => socket.write(" "), 20);
  const problem = problemIn(await closed);
  clearInterval(drip);
  assert.deepEqual([problem["status"], problem["code"]], [408, "request_timeout"]);
  assert.match(String(problem["detail"]), /within 0\.3 seconds/);
  patient.socket.write('"name":"a"}');
  await patient.received('{"made":true}');
  patient.socket.destroy();
});

test("a body that arrives in time leaves no deadline behind", async () => {
  const slow = connection(`POST /open HTTP/1.1\r\n${REST_OF_HEADER}Content-Length: 12\r\n\r\n{`);
  slow.socket.write('"name":"a"}');
  await slow.received('{"posted":true}');
  const late = connection(`POST /open HTTP/1.1\r\n${REST_OF_HEADER}Content-Length: 12\r\n\r\n{`);
  await late.closed; // Later than the first body's deadline.
  slow.socket.write("GET /open HTTP/1.1\r\nHost: x\r\n\r\n");
  await slow.received('{"read":true}');
  slow.socket.destroy();
});

test("connections past the limit are closed on arrival", async () => {
  const small = await startTestServer({ principals: {}, mount: surfaceOf, listener: { connectionsMax: 1 } });
  const request = "GET /open HTTP/1.1\r\nHost: x\r\n\r\n";
  const first = connection(request, small.address);
  await first.received('{"read":true}');
  assert.equal(await connection(request, small.address).closed, "");
  first.socket.destroy();
  await first.closed;
  const deadlineMs = performance.now() + 5000;
  for (;;) {
    assert.ok(performance.now() < deadlineMs, "no other connection took the place of the first");
    const next = connection(`${request.trimEnd()}\r\nConnection: close\r\n\r\n`, small.address);
    if ((await next.closed).includes('{"read":true}')) break; // The server has seen that the first connection is closed.
  }
  await small.stop();
});
