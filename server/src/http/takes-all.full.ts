import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, test } from "node:test";
import { text } from "node:stream/consumers";
import { startTestServer, type TestServer } from "./testing/host.ts";

let server: TestServer;

before(async () => {
  server = await startTestServer({
    principals: {},
    mount: () => ({
      name: "test",
      takesAll: true,
      mount: (app) => {
        app.all("/", (request, reply) => {
          const { method, url = "" } = request.raw;
          const body = `${method} ${url}`;
          reply.sendHead(200, { "x-target": url, "content-length": String(body.length) });
          if (method !== "HEAD") reply.raw.end(body);
        });
      },
    }),
  });
});
after(() => server.stop());

/** Sends raw bytes, because HTTP clients change targets and methods. Resolves with the whole answer. */
async function sent(requestLine: string, fields = "host: a\r\n"): Promise<string> {
  const [host = "", port] = server.address.split(":");
  const socket = connect(Number(port), host);
  socket.write(`${requestLine}\r\n${fields}connection: close\r\n\r\n`);
  return text(socket);
}

test("the only surface of a listener gets any method and any target unchanged", async () => {
  for (const target of ["/", "/a//b/../c?x=%2f&x", "/%E0%A4%A", "/a%00b", "http://a/b"])
    for (const method of ["GET", "PUT", "DELETE", "PROPFIND"]) {
      const answer = await sent(`${method} ${target} HTTP/1.1`);
      assert.match(answer, /^HTTP\/1\.1 200 /, `${method} ${target}: ${answer}`);
      assert.ok(answer.endsWith(`\r\n\r\n${method} ${target}`), answer);
    }
});

test("it sets all header fields of its answers", async () => {
  const [head = ""] = (await sent("GET /a HTTP/1.1")).split("\r\n\r\n");
  const names = head
    .split("\r\n")
    .slice(1)
    .map((field) => field.split(":")[0]?.toLowerCase() ?? "");
  assert.deepEqual(names.toSorted(), ["connection", "content-length", "date", "x-target"]);
});

test("the answer to HEAD has no body", async () => {
  const answer = await sent("HEAD /a HTTP/1.1");
  assert.match(answer, /^content-length: 7\r$/im);
  assert.ok(answer.endsWith("\r\n\r\n"), answer);
});

test("a request without a host is refused", async () => {
  assert.match(await sent("GET / HTTP/1.1", ""), /^HTTP\/1\.1 400 /);
});
