import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import type { Addresses } from "../addresses.ts";
import { createClient, UnreachableError, type ApiError, type Client } from "./client.ts";
import { ExitCode } from "./command.ts";

/** A server that numbers its tokens, and answers what a test says. */
interface Api {
  readonly url: string;
  /** `Authorization` fields that came to the token endpoint, and tokens that came elsewhere. */
  readonly signIns: string[];
  readonly calls: string[];
  onToken: (response: ServerResponse) => boolean;
  onCall: (token: string, response: ServerResponse) => void;
  close(): void;
}

let api: Api;
let nowMs = 0;
const clock = { nowMs: () => nowMs };

beforeEach(async () => {
  nowMs = 1_000_000;
  api = await startApi();
});
afterEach(() => api.close());

async function startApi(): Promise<Api> {
  const server = createServer((request, response) => handle(request, response)).listen(0, "127.0.0.1");
  await once(server, "listening");
  const made: Api = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    signIns: [],
    calls: [],
    onToken: () => false,
    onCall: (_token, response) => void response.end("{}"),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    request.resume();
    const field = request.headers.authorization ?? "";
    if (request.url === "/oauth/token") {
      made.signIns.push(field);
      if (!made.onToken(response)) {
        response.end(JSON.stringify({ access_token: `token-${made.signIns.length}`, expires_in: 1000 }));
      }
      return;
    }
    made.calls.push(field.replace("Bearer ", ""));
    made.onCall(field.replace("Bearer ", ""), response);
  };
  return made;
}

function client(clientSecret = "secret"): Client {
  return createClient({ identity_url: api.url } as Addresses, { clientId: "mrc_1", clientSecret }, clock);
}

function ask(from: Client): Promise<unknown> {
  return from.json({ purpose: "ask", url: `${api.url}/v1/x` });
}

function refuse(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/problem+json", ...headers }).end(JSON.stringify(body));
}

describe("tokens of the client", () => {
  test("requests at the same time take one", async () => {
    const from = client();
    await Promise.all([ask(from), ask(from), ask(from)]);
    await ask(from);
    assert.equal(api.signIns.length, 1);
    assert.deepEqual(api.calls, ["token-1", "token-1", "token-1", "token-1"]);
  });

  test("a new one is taken at four fifths of its life, not before", async () => {
    const from = client();
    await ask(from);
    nowMs += 799_999;
    await ask(from);
    nowMs += 1;
    await ask(from);
    assert.deepEqual(api.calls, ["token-1", "token-1", "token-2"]);
  });

  test("401 renews once, for all requests that run", async () => {
    const from = client();
    await ask(from);
    api.onCall = (token, response) =>
      token === "token-1" ? refuse(response, 401, { code: "invalid_token" }) : response.end("{}");
    await Promise.all([ask(from), ask(from)]);
    assert.equal(api.signIns.length, 2);
  });

  test("a second 401 is the answer", async () => {
    api.onCall = (_token, response) => refuse(response, 401, { code: "invalid_token", detail: "It was revoked." });
    await assert.rejects(ask(client()), (error: ApiError) => {
      assert.equal(error.exitCode, ExitCode.denied);
      assert.match(error.message, /^cannot ask: It was revoked\. \(401 invalid_token\)/);
      return true;
    });
    assert.equal(api.signIns.length, 2);
  });

  test("a refused sign-in is OAuth's form, and the next request tries anew", async () => {
    const from = client();
    api.onToken = (response) => {
      refuse(response, 401, { error: "invalid_client", error_description: "Not right." });
      return true;
    };
    await assert.rejects(ask(from), /cannot take a token: Not right\. \(401 invalid_client\)/);
    api.onToken = () => false;
    await ask(from);
  });

  test("503 at the token endpoint is tried again", async () => {
    api.onToken = (response) => {
      if (api.signIns.length > 2) return false;
      refuse(response, 503, {}, { "retry-after": "0" });
      return true;
    };
    await ask(client());
    assert.equal(api.signIns.length, 3);
  });

  test("the secret is encoded as RFC 6749 section 2.3.1 says", async () => {
    await ask(client("a:b %+ü"));
    const pair = Buffer.from((api.signIns[0] ?? "").replace("Basic ", ""), "base64").toString();
    assert.equal(pair, "mrc_1:a%3Ab+%25%2B%C3%BC");
  });
});

describe("answers", () => {
  test("a problem's places, request id and Retry-After", async () => {
    const problem = { code: "invalid_body", detail: "No.", errors: [{ pointer: "/a", detail: "is bad" }] };
    api.onCall = (_token, response) => refuse(response, 400, problem, { "request-id": "req_1", "retry-after": "7" });
    await assert.rejects(ask(client()), (error: ApiError) => {
      assert.equal(error.message, "cannot ask: No. (400 invalid_body, request id req_1)\n  /a: is bad");
      assert.equal(error.retryAfterMs, 7000);
      assert.equal(error.exitCode, ExitCode.failed);
      return true;
    });
  });

  test("what a proxy says in HTML is not repeated", async () => {
    api.onCall = (_token, response) => void response.writeHead(502).end("<html>secret</html>");
    await assert.rejects(ask(client()), (error: ApiError) => {
      assert.equal(error.exitCode, ExitCode.unreachable);
      assert.equal(error.message, "cannot ask: Bad Gateway (502 unknown)");
      return true;
    });
  });

  test("a redirection is not followed: a token goes to no other place", async () => {
    api.onCall = (_token, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
    await assert.rejects(ask(client()), UnreachableError);
    assert.equal(api.calls.length, 1);
  });

  test("nobody listens", async () => {
    api.close();
    await assert.rejects(ask(client()), (error: UnreachableError) => {
      assert.equal(error.exitCode, ExitCode.unreachable);
      assert.match(
        error.message,
        /cannot take a token: http:\/\/127\.0\.0\.1:\d+ can't be reached \(connection refused\)/,
      );
      return true;
    });
  });
});
