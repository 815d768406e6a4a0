import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer, Server as HttpServer, type RequestListener } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { createServer as createTcpServer, type AddressInfo, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, test } from "node:test";
import { systemClock } from "#kernel/time.ts";
import { createOutbound, OutboundError, type OutboundFailure, type OutboundOptions } from "./index.ts";
import type { Outbound } from "./types.ts";
import { systemResolve } from "./resolve.ts";
import { startNameServer, type NameServer, type Zone } from "./testing/name-server.ts";

const servers: Server[] = [];
const names: NameServer[] = [];
after(async () => {
  for (const server of servers) {
    server.close();
    if (server instanceof HttpServer) server.closeAllConnections();
  }
  for (const server of names) await server.close();
});

function outbound(options: Partial<OutboundOptions> = {}): Outbound {
  return createOutbound({ privateAddresses: true, clock: systemClock, userAgent: "Test/1", ...options });
}

async function listening(server: Server): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  servers.push(server);
  return (server.address() as AddressInfo).port;
}

const http = (handle: RequestListener): Promise<number> => listening(createServer(handle));

async function resolving(zone: Zone): Promise<{ resolve: ReturnType<typeof systemResolve>; server: NameServer }> {
  const server = await startNameServer(zone);
  names.push(server);
  return { resolve: systemResolve({ hosts: false, servers: [server.address] }), server };
}

function post(to: Outbound, url: string, signal = new AbortController().signal) {
  return to.post({ url, headers: { "content-type": "application/json" }, body: '{"a":"ü"}', signal });
}

async function refused(promise: Promise<unknown>, code: OutboundFailure, message?: RegExp): Promise<void> {
  await assert.rejects(promise, (error: unknown) => {
    assert.ok(error instanceof OutboundError, String(error));
    assert.equal(error.code, code, error.message);
    if (message !== undefined) assert.match(error.message, message);
    return true;
  });
}

test("a request arrives unchanged, and the result is the answer's status", async () => {
  const seen: unknown[] = [];
  const port = await http((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      const { host, "user-agent": agent, "content-length": length } = request.headers;
      seen.push([request.method, request.url, host, agent, length, body]);
      response.writeHead(202, { "retry-after": "7" }).end("thanks");
    });
  });
  const answer = await post(outbound(), `http://127.0.0.1:${port}/in?x=1#part`);
  assert.deepEqual([answer.status, answer.retryAfterMs], [202, 7000]);
  assert.deepEqual(seen, [["POST", "/in?x=1", `127.0.0.1:${port}`, "Test/1", "10", '{"a":"ü"}']]);
});

/** Known tricks that led such servers to themselves, to their networks, or to a cloud's metadata. */
const ATTACKS = [
  "http://example.com/",
  "ftp://example.com/",
  "file:///etc/passwd",
  "gopher://127.0.0.1:70/",
  "data:text/plain,x",
  "//example.com/",
  "example.com",
  "",
  "https://",
  "https://user@example.com/",
  "https://user:password@example.com/",
  "https://example.com@127.0.0.1/",
  "https://127.0.0.1/",
  "https://127.0.0.1:8080/",
  "https://127.1/",
  "https://127.0.1/",
  "https://2130706433/",
  "https://0x7f000001/",
  "https://0x7f.1/",
  "https://0177.0.0.1/",
  "https://017700000001/",
  "https://0/",
  "https://0.0.0.0/",
  "https://127.0.0.1./",
  "https://127。0。0。1/",
  "https://①②⑦.0.0.1/",
  "https://127.0.0.1%2f@example.com/",
  "https://%31%32%37.0.0.1/",
  "https:127.0.0.1",
  "https:\\\\127.0.0.1\\",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.100.100.200/",
  "https://168.63.129.16/",
  "https://192.0.0.192/",
  "https://10.0.0.1/",
  "https://172.16.0.1/",
  "https://192.168.0.1/",
  "https://100.64.0.1/",
  "https://198.18.0.1/",
  "https://224.0.0.1/",
  "https://255.255.255.255/",
  "https://[::1]/",
  "https://[::]/",
  "https://[0:0:0:0:0:0:0:1]/",
  "https://[::ffff:127.0.0.1]/",
  "https://[::ffff:7f00:1]/",
  "https://[::127.0.0.1]/",
  "https://[64:ff9b::127.0.0.1]/",
  "https://[2002:7f00:1::]/",
  "https://[fe80::1]/",
  "https://[fe80::1%25eth0]/",
  "https://[fd00:ec2::254]/",
  `https://example.com/${"a".repeat(2048)}`,
];

describe("without private addresses", () => {
  for (const url of ATTACKS) {
    test(`refused at once: ${url.slice(0, 60)}`, async () => {
      const strict = outbound({ privateAddresses: false });
      assert.throws(
        () => strict.check(url),
        (error: unknown) => error instanceof OutboundError && error.code === "destination_refused",
      );
      await refused(post(strict, url), "destination_refused");
    });
  }

  test("public destinations are allowed, with any port", () => {
    const strict = outbound({ privateAddresses: false });
    for (const url of [
      "https://example.com/",
      "https://example.com:8443/x?y=z",
      "https://1.1.1.1/",
      "https://[2606:4700::1]/",
    ])
      strict.check(url);
  });

  const LEADS: Readonly<Record<string, readonly string[]>> = {
    loopback: ["127.0.0.1"],
    "loopback by IPv6": ["::1"],
    "a private network": ["192.168.7.7"],
    metadata: ["169.254.169.254"],
    "loopback beside a public address": ["93.184.215.14", "127.0.0.1"],
    "a private IPv6 address beside a public one": ["93.184.215.14", "fd00:0:0:0:0:0:0:1"],
  };
  for (const [what, addresses] of Object.entries(LEADS)) {
    test(`refused: a name that leads to ${what}`, async () => {
      let touched = 0;
      const port = await http((_request, response) => void response.end(String(++touched)));
      const { resolve } = await resolving({ "inside.example": addresses });
      const strict = outbound({ privateAddresses: false, resolve });
      await refused(post(strict, `https://inside.example:${port}/`), "destination_refused", /not public/);
      assert.equal(touched, 0);
    });
  }

  test("localhost and names of the hosts file are not resolved by the machine", async () => {
    const { resolve } = await resolving({});
    const strict = outbound({ privateAddresses: false, resolve });
    await assert.rejects(post(strict, "https://localhost/"), OutboundError);
  });
});

test("the connection goes to the address that the resolver returned", async () => {
  const port = await http((request, response) => void response.end(request.headers.host));
  const { resolve, server } = await resolving({ "receiver.example": ["127.0.0.1"] });
  const answer = await post(outbound({ resolve }), `http://receiver.example:${port}/`);
  assert.equal(answer.status, 200);
  assert.deepEqual(server.asked.toSorted(), ["receiver.example A", "receiver.example AAAA"]);
});

test("a name is resolved once, so a change after the check has no effect", async () => {
  const port = await http((_request, response) => void response.end());
  let asked = 0;
  const resolve = (): Promise<string[]> => Promise.resolve([asked++ === 0 ? "127.0.0.1" : "127.0.0.9"]);
  assert.equal((await post(outbound({ resolve }), `http://rebinding.example:${port}/`)).status, 200);
  assert.equal(asked, 1);
});

test("the next address is tried when one does not answer", async () => {
  const port = await http((_request, response) => void response.end());
  const { resolve } = await resolving({ "two.example": ["127.0.0.9", "127.0.0.1"] });
  assert.equal((await post(outbound({ resolve }), `http://two.example:${port}/`)).status, 200);
});

test("a name without an address, and a silent name server, are failures", async () => {
  const { resolve } = await resolving({ "empty.example": [], "silent.example": "silence" });
  await refused(post(outbound({ resolve }), "http://absent.example/"), "name_not_found", /has no address/);
  await refused(post(outbound({ resolve }), "http://empty.example/"), "name_not_found", /has no address/);
  await refused(post(outbound({ resolve, timeoutMs: 200 }), "http://silent.example/"), "timeout");
});

test("a redirect is an answer and not followed", async () => {
  let touched = 0;
  const inside = await http((_request, response) => void response.end(String(++touched)));
  const port = await http((_request, response) =>
    response.writeHead(307, { location: `http://127.0.0.1:${inside}/` }).end(),
  );
  assert.equal((await post(outbound(), `http://127.0.0.1:${port}/`)).status, 307);
  assert.equal(touched, 0);
});

test("a destination that never answers, or never ends, costs only the time limit", async () => {
  const silent = await http(() => undefined);
  const mute = await listening(createTcpServer(() => undefined));
  const dripping = await http((_request, response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write("x"), 20);
    response.on("close", () => clearInterval(timer));
  });
  for (const port of [silent, mute, dripping]) {
    const startedMs = performance.now();
    await refused(post(outbound({ timeoutMs: 300 }), `http://127.0.0.1:${port}/`), "timeout", /within 300 ms/);
    assert.ok(performance.now() - startedMs < 20_000);
  }
});

test("only the beginning of an endless answer is read", async () => {
  let sent = 0;
  const port = await http((_request, response) => {
    const chunk = Buffer.alloc(16 * 1024);
    const pour = (): void => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
    };
    response.on("drain", pour);
    pour();
  });
  const answer = await post(outbound(), `http://127.0.0.1:${port}/`);
  assert.equal(answer.status, 200);
  assert.ok(sent < 64 * 1024 * 1024, `${sent} bytes were sent`);
});

test("an answer that is not HTTP, a header that is too long, an upgrade and a closed connection are failures", async () => {
  const replies = [
    "nonsense\r\n\r\n",
    `HTTP/1.1 200 OK\r\nx: ${"y".repeat(40_000)}\r\n\r\n`,
    "HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n",
    "",
  ];
  for (const reply of replies) {
    const port = await listening(createTcpServer((socket) => void socket.once("data", () => socket.end(reply))));
    await refused(post(outbound(), `http://127.0.0.1:${port}/`), "connection_failed");
  }
  const closed = createTcpServer();
  const port = await listening(closed);
  closed.close();
  await refused(post(outbound(), `http://127.0.0.1:${port}/`), "connection_failed", /ECONNREFUSED/);
});

test("the caller can cancel", async () => {
  const port = await http(() => undefined);
  const controller = new AbortController();
  const pending = post(outbound(), `http://127.0.0.1:${port}/`, controller.signal);
  controller.abort();
  await refused(pending, "cancelled");
});

const openssl = existsSync("/usr/bin/openssl");

test("certificates are verified, their names too", { skip: openssl ? false : "openssl is not installed" }, async () => {
  const directory = mkdtempSync(join(tmpdir(), "mooring-tls-"));
  const [keyFile, certificateFile] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=receiver.example", "-addext", "subjectAltName=DNS:receiver.example"];
  const made = ["-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", ...made, "-keyout", keyFile, "-out", certificateFile, ...subject], {
    stdio: "ignore",
  });
  const [key, cert] = [readFileSync(keyFile, "utf8"), readFileSync(certificateFile, "utf8")];
  rmSync(directory, { recursive: true });
  const port = await listening(createSecureServer({ key, cert }, (_request, response) => void response.end()));
  const { resolve } = await resolving({ "receiver.example": ["127.0.0.1"], "other.example": ["127.0.0.1"] });
  assert.equal((await post(outbound({ resolve, ca: cert }), `https://receiver.example:${port}/`)).status, 200);
  await refused(post(outbound({ resolve, ca: cert }), `https://other.example:${port}/`), "tls_failed");
  await refused(post(outbound({ resolve }), `https://receiver.example:${port}/`), "tls_failed");
});

test("listed addresses are reached by any spelling, also by plain HTTP; others are not", async () => {
  const port = await http((_request, response) => void response.end());
  const { resolve } = await resolving({ "listed.example": ["127.0.0.1"], "both.example": ["127.0.0.1", "127.0.0.9"] });
  const guarded = outbound({ privateAddresses: false, allowedAddresses: ["127.0.0.1/32", "fd00::/8"], resolve });
  for (const host of ["127.0.0.1", "2130706433", "0x7f.1", "127.1", "[::ffff:127.0.0.1]", "listed.example"])
    assert.equal((await post(guarded, `http://${host}:${port}/`)).status, 200, host);
  for (const host of ["127.0.0.9", "[::ffff:127.0.0.9]", "[::1]", "10.0.0.1", "169.254.169.254", "both.example"])
    await refused(post(guarded, `http://${host}:${port}/`), "destination_refused");
  // Public addresses still need TLS.
  await refused(post(guarded, "http://93.184.216.34/"), "destination_refused", /https/);
});

describe("kept connections", () => {
  /** Starts a server that records the peers' connections, on every address of loopback. */
  async function counting(options: { keepAliveTimeout?: number } = {}) {
    const connections: string[] = [];
    const server = createServer((_request, response) => void response.end());
    if (options.keepAliveTimeout !== undefined) server.keepAliveTimeout = options.keepAliveTimeout;
    server.on("connection", (socket) => connections.push(socket.localAddress ?? ""));
    server.listen(0, "0.0.0.0");
    await once(server, "listening");
    servers.push(server);
    return { port: (server.address() as AddressInfo).port, connections, server };
  }

  test("requests to one destination share a connection, and the name is resolved once in a while", async () => {
    const { port, connections } = await counting();
    const { resolve, server } = await resolving({ "receiver.example": ["127.0.0.1"] });
    const to = outbound({ resolve });
    for (let i = 0; i < 5; i++) assert.equal((await post(to, `http://receiver.example:${port}/`)).status, 200);
    assert.equal(connections.length, 1);
    assert.equal(server.asked.length, 2, "an A and an AAAA");
  });

  test("a connection that the destination has closed is replaced, not reported as a failure", async () => {
    const { port, connections, server } = await counting();
    const to = outbound();
    for (let i = 0; i < 3; i++) {
      assert.equal((await post(to, `http://127.0.0.1:${port}/`)).status, 200);
      server.closeAllConnections(); // The next request finds the connection closed or closing.
    }
    assert.equal(connections.length, 3);
  });

  test("a connection is not used after its name resolves to another address", async () => {
    const { port, connections } = await counting();
    let present = "127.0.0.1";
    const resolve = (): Promise<string[]> => Promise.resolve([present]);
    const to = outbound({ resolve, resolvedMs: 0 });
    assert.equal((await post(to, `http://moving.example:${port}/`)).status, 200);
    present = "127.0.0.9";
    assert.equal((await post(to, `http://moving.example:${port}/`)).status, 200);
    assert.deepEqual(connections, ["127.0.0.1", "127.0.0.9"]);
  });

  test("a connection does not help a name that now leads to a forbidden address", async () => {
    const { port, connections } = await counting();
    let present = ["127.0.0.1"];
    const { resolve } = await resolving({ "turning.example": () => present });
    const to = outbound({ privateAddresses: false, allowedAddresses: ["127.0.0.1"], resolve, resolvedMs: 0 });
    assert.equal((await post(to, `http://turning.example:${port}/`)).status, 200);
    for (const turned of [["127.0.0.9"], ["127.0.0.1", "127.0.0.9"], ["::1"], ["169.254.169.254"], ["10.0.0.1"]]) {
      present = turned;
      await refused(post(to, `http://turning.example:${port}/`), "destination_refused");
    }
    assert.deepEqual(connections, ["127.0.0.1"]);
  });

  test("a connection whose answer was not read completely is not used again", async () => {
    let requests = 0;
    const port = await http((_request, response) => {
      requests += 1;
      response.end(Buffer.alloc(1024 * 1024));
    });
    const to = outbound();
    for (let i = 0; i < 3; i++) assert.equal((await post(to, `http://127.0.0.1:${port}/`)).status, 200);
    assert.equal(requests, 3);
  });
});

describe("the answer", () => {
  const get = (to: Outbound, url: string, bytesMax = 10) =>
    to.get({ url, headers: { accept: "text/plain" }, bytesMax, signal: new AbortController().signal });

  test("is the body, with its status, up to a limit of bytes", async () => {
    const seen: unknown[] = [];
    const port = await http((request, response) => {
      seen.push([request.method, request.headers.accept, request.headers["content-length"]]);
      response
        .writeHead(request.url === "/none" ? 404 : 200)
        .end(request.url === "/long" ? "01234567890" : "0123456789");
    });
    const to = outbound();
    const answer = await get(to, `http://127.0.0.1:${port}/`);
    assert.deepEqual([answer.status, answer.body.toString()], [200, "0123456789"]);
    assert.equal((await get(to, `http://127.0.0.1:${port}/none`)).status, 404);
    await refused(get(to, `http://127.0.0.1:${port}/long`), "too_large", /more than 10 bytes/);
    assert.deepEqual(
      seen,
      [1, 2, 3].map(() => ["GET", "text/plain", undefined]),
    );
  });

  test("ends in time though the body never does", async () => {
    const port = await http((_request, response) => void response.write("0"));
    await refused(get(outbound({ timeoutMs: 100 }), `http://127.0.0.1:${port}/`), "timeout");
  });

  test("comes from no address that is not public", async () => {
    await refused(get(outbound({ privateAddresses: false }), "https://127.0.0.1/"), "destination_refused");
  });
});

test("check returns the normalized URL, and refuses a URL with another meaning than its text", () => {
  const strict = outbound({ privateAddresses: false });
  assert.equal(strict.check("HTTPS://Receiver.EXAMPLE:443/a/../b?x=%20#y"), "https://receiver.example/b?x=%20#y");
  for (const url of ["https://localhost:8443/", "https://LOCALHOST/", "https://x.localhost/", "https://localhost./"])
    assert.throws(() => strict.check(url), { code: "destination_refused", message: /not public/ });
  for (const url of ["https://a.example/\r\nx", "https://a.example/\tx", " https://a.example/", "https://a.exa\nmple/"])
    assert.throws(() => strict.check(url), { code: "destination_refused", message: /control characters/ });
  assert.equal(strict.check("https://localhost.example/"), "https://localhost.example/");
  for (const allowedAddresses of [["127.0.0.1"], ["::1"], ["127.0.0.0/8"]])
    assert.equal(
      outbound({ privateAddresses: false, allowedAddresses }).check("http://localhost:1/"),
      "http://localhost:1/",
    );
  assert.equal(outbound().check("http://localhost:1"), "http://localhost:1/");
});
