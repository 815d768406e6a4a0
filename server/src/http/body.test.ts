import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, request as requestTo, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { Problem } from "#kernel/problem.ts";
import { drainBody } from "./drain-body.ts";
import { readBody } from "./body.ts";

const LIMIT = 1000;
let port: number;
let outcomes: Promise<string>[] = [];

const server = createServer((request, response) => {
  outcomes.push(outcomeOf(request));
  void outcomes.at(-1)?.then((outcome) => response.end(outcome));
});

async function outcomeOf(request: IncomingMessage): Promise<string> {
  try {
    return `${(await readBody(request, LIMIT)).length} bytes`;
  } catch (error) {
    assert.ok(error instanceof Problem, String(error));
    return error.code;
  }
}

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

async function send(body: Buffer, chunked: boolean): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${port}/`, {
    method: "POST",
    body: chunked ? new Blob([new Uint8Array(body)]).stream() : new Uint8Array(body),
    ...(chunked ? { duplex: "half" as const } : {}),
  });
  return response.text();
}

for (const chunked of [false, true]) {
  const how = chunked ? "in chunks" : "with Content-Length";
  test(`a body ${how} is read up to the limit and refused one byte past it`, async () => {
    assert.equal(await send(Buffer.alloc(0), chunked), "0 bytes");
    assert.equal(await send(Buffer.alloc(LIMIT), chunked), `${LIMIT} bytes`);
    assert.equal(await send(Buffer.alloc(LIMIT + 1), chunked), "body_too_large");
  });
}

test("a sender that disconnects before the end is distinguished from a short body", async () => {
  outcomes = [];
  const socket = connect({ port, host: "127.0.0.1" });
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc");
  while (outcomes.length === 0) await new Promise((resolve) => setImmediate(resolve));
  socket.destroy();
  assert.equal(await outcomes[0], "invalid_request");
});

test("refused bodies leave no listeners on their connection", async (t) => {
  const listeners: number[] = [];
  const refusing = createServer((request, response) => {
    drainBody(request, response);
    response.writeHead(403).end();
    listeners.push(request.socket.listenerCount("close"));
  });
  await new Promise<void>((resolve) => refusing.listen(0, "127.0.0.1", resolve));
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  t.after(() => {
    agent.destroy();
    refusing.close();
  });
  const at = { port: (refusing.address() as AddressInfo).port, host: "127.0.0.1", method: "POST", agent };
  for (let i = 0; i < 20; i++) {
    const sent = requestTo(at);
    sent.end(Buffer.alloc(200_000));
    const [response] = (await once(sent, "response")) as [IncomingMessage];
    response.resume();
    await once(response, "end");
  }
  // Listeners of the previous request may still be there.
  assert.ok(Math.max(...listeners) <= (listeners[0] ?? 0) + 2, listeners.join());
});
