import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, describe, test } from "node:test";
import { ORGANIZATION_ROUTES, TELEMETRY_ROUTES } from "@mooring/contract";
import {
  clientCredentials,
  createClient,
  UnreachableError,
  type Addresses,
  type ApiError,
  CLIENT_VERSION,
  type Client,
  type ClientOptions,
} from "./index.ts";
import { versionFields } from "./version.ts";

/** A server that numbers its tokens and gives the answers that the test sets. */
interface Api {
  readonly url: string;
  /** `Authorization` fields of requests to the token endpoint, and tokens of other requests. */
  readonly signIns: string[];
  readonly calls: string[];
  /** `User-Agent` of all requests. */
  readonly agents: (string | undefined)[];
  /** Method and target of other requests, with idempotency key and body. */
  readonly requests: {
    readonly line: string;
    readonly key: string | undefined;
    readonly ifMatch: string | undefined;
    body: string;
  }[];
  onToken: (response: ServerResponse) => boolean;
  onCall: (token: string, response: ServerResponse) => void;
  close(): void;
}

let api: Api;
let nowMs = 0;

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
    agents: [],
    requests: [],
    onToken: () => false,
    onCall: (_token, response) => void response.end("{}"),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
  const handle = (request: IncomingMessage, response: ServerResponse): void => {
    const { method = "", url = "" } = request;
    const { "idempotency-key": key, "if-match": ifMatch } = request.headers;
    const came = { line: `${method} ${url}`, key: key as string | undefined, ifMatch, body: "" };
    request.setEncoding("utf8").on("data", (text: string) => (came.body += text));
    const field = request.headers.authorization ?? "";
    made.agents.push(request.headers["user-agent"]);
    if (url === "/oauth/token") {
      made.signIns.push(field);
      if (!made.onToken(response)) {
        response.end(JSON.stringify({ access_token: `token-${made.signIns.length}`, expires_in: 1000 }));
      }
      return;
    }
    made.requests.push(came);
    made.calls.push(field.replace("Bearer ", ""));
    made.onCall(field.replace("Bearer ", ""), response);
  };
  return made;
}

function client(clientSecret = "secret", options: Partial<ClientOptions> = {}): Client {
  const addresses = { identity_url: api.url, portal_url: api.url, ingest_url: api.url } as Addresses;
  const tokens = clientCredentials(addresses, { clientId: "mrc_1", clientSecret }, () => nowMs);
  return createClient({ addresses, tokens, ...options });
}

function ask(from: Client): Promise<unknown> {
  return from.json({ purpose: "ask", url: `${api.url}/v1/x` });
}

function refuse(response: ServerResponse, status: number, body: object, headers: Record<string, string> = {}): void {
  response.writeHead(status, { "content-type": "application/problem+json", ...headers }).end(JSON.stringify(body));
}

describe("tokens of the client", () => {
  test("concurrent requests take one token", async () => {
    const from = client();
    await Promise.all([ask(from), ask(from), ask(from)]);
    await ask(from);
    assert.equal(api.signIns.length, 1);
    assert.deepEqual(api.calls, ["token-1", "token-1", "token-1", "token-1"]);
  });

  test("the client takes a new token after four fifths of its life, not before", async () => {
    const from = client();
    await ask(from);
    nowMs += 799_999;
    await ask(from);
    nowMs += 1;
    await ask(from);
    assert.deepEqual(api.calls, ["token-1", "token-1", "token-2"]);
  });

  test("a 401 renews the token once, for all running requests", async () => {
    const from = client();
    await ask(from);
    api.onCall = (token, response) =>
      token === "token-1" ? refuse(response, 401, { code: "invalid_token" }) : response.end("{}");
    await Promise.all([ask(from), ask(from)]);
    assert.equal(api.signIns.length, 2);
  });

  test("fifty calls after the token's life, and fifty after a refusal, take one token", async () => {
    const from = client();
    await ask(from);
    nowMs += 900_000;
    await Promise.all(Array.from({ length: 50 }, () => ask(from)));
    assert.equal(api.signIns.length, 2);
    api.onCall = (token, response) =>
      token === "token-2" ? refuse(response, 401, { code: "invalid_token" }) : response.end("{}");
    await Promise.all(Array.from({ length: 50 }, () => ask(from)));
    assert.equal(api.signIns.length, 3);
  });

  test("a renewal that fails fails for all waiting calls, and the next call starts another", async () => {
    const from = client();
    await ask(from);
    nowMs += 900_000;
    api.onToken = (response) => (refuse(response, 401, { error: "invalid_client" }), true);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => ask(from)));
    assert.ok(results.every(({ status }) => status === "rejected"));
    assert.equal(api.signIns.length, 2);
    api.onToken = () => false;
    await ask(from);
    assert.equal(api.signIns.length, 3);
  });

  test("a second 401 is returned to the caller", async () => {
    api.onCall = (_token, response) => refuse(response, 401, { code: "invalid_token", detail: "It was revoked." });
    await assert.rejects(ask(client()), (error: ApiError) => {
      assert.equal(error.status, 401);
      assert.match(error.message, /^cannot ask: It was revoked\. \(401 invalid_token\)/);
      return true;
    });
    assert.equal(api.signIns.length, 2);
  });

  test("a refused sign-in has OAuth's form, and the next request signs in again", async () => {
    const from = client();
    api.onToken = (response) => {
      refuse(response, 401, { error: "invalid_client", error_description: "Not right." });
      return true;
    };
    await assert.rejects(ask(from), /cannot take a token: Not right\. \(401 invalid_client\)/);
    api.onToken = () => false;
    await ask(from);
  });

  test("a 503 of the token endpoint is retried", async () => {
    api.onToken = (response) => {
      if (api.signIns.length > 2) return false;
      refuse(response, 503, {}, { "retry-after": "0" });
      return true;
    };
    await ask(client());
    assert.equal(api.signIns.length, 3);
  });

  test("the secret is encoded as in RFC 6749 section 2.3.1", async () => {
    await ask(client("a:b %+ü"));
    const pair = Buffer.from((api.signIns[0] ?? "").replace("Basic ", ""), "base64").toString();
    assert.equal(pair, "mrc_1:a%3Ab+%25%2B%C3%BC");
  });
});

describe("answers", () => {
  test("an error has the problem's places, request ID and Retry-After", async () => {
    const problem = { code: "invalid_body", detail: "No.", errors: [{ pointer: "/a", detail: "is bad" }] };
    api.onCall = (_token, response) => refuse(response, 400, problem, { "request-id": "req_1", "retry-after": "7" });
    await assert.rejects(ask(client()), (error: ApiError) => {
      assert.equal(error.message, "cannot ask: No. (400 invalid_body, request id req_1)\n  /a: is bad");
      assert.equal(error.retryAfterMs, 7000);
      assert.equal(error.requestId, "req_1");
      return true;
    });
  });

  test("an error does not repeat a proxy's HTML", async () => {
    api.onCall = (_token, response) => void response.writeHead(502).end("<html>secret</html>");
    await assert.rejects(ask(client()), (error: ApiError) => {
      assert.equal(error.status, 502);
      assert.equal(error.message, "cannot ask: Bad Gateway (502 unknown)");
      return true;
    });
  });

  test("the client follows no redirection, so a token goes to no other server", async () => {
    api.onCall = (_token, response) => void response.writeHead(307, { location: "http://127.0.0.1:1/" }).end();
    await assert.rejects(ask(client()), UnreachableError);
    assert.equal(api.calls.length, 1);
  });

  test("no server listens", async () => {
    api.close();
    await assert.rejects(ask(client()), (error: UnreachableError) => {
      assert.match(
        error.message,
        /cannot take a token: http:\/\/127\.0\.0\.1:\d+ can't be reached \(connection refused\)/,
      );
      return true;
    });
  });
});

const { listCredentials, createCredential, revokeCredential, updateProject } = ORGANIZATION_ROUTES;

/** Answers each request with the next of these answers. */
function script(...answers: readonly ((response: ServerResponse) => void)[]): void {
  const left = [...answers];
  api.onCall = (_token, response) => (left.shift() ?? ((answer) => void answer.end("{}")))(response);
}

const answer =
  (body: unknown) =>
  (response: ServerResponse): void =>
    void response.end(JSON.stringify(body));
const unavailable = (response: ServerResponse): void =>
  refuse(response, 503, { code: "unavailable" }, { "retry-after": "0" });
const cutOff = (response: ServerResponse): void => void response.socket?.destroy();

describe("calls", () => {
  test("path and query have encoded parameters, without undefined ones", async () => {
    await client().call(revokeCredential, { params: { credential_id: "a/../b?c" } });
    const query = { project: undefined, limit: 5, include_revoked: true };
    script(answer({ items: [], next_cursor: null }));
    await client().call(listCredentials, { query });
    assert.deepEqual(
      api.requests.map(({ line }) => line),
      ["DELETE /v1/credentials/a%2F..%2Fb%3Fc", "GET /v1/credentials?limit=5&include_revoked=true"],
    );
  });

  test("a call that creates something keeps its idempotency key when it is retried", async () => {
    script(cutOff, unavailable, answer({ id: "cred_1" }));
    const made = await client().call(createCredential, {
      body: { name: "n", scopes: ["org:read"], project: undefined },
    });
    assert.equal(made.id, "cred_1");
    assert.equal(api.requests.length, 3);
    assert.match(api.requests[0]?.key ?? "", /^[0-9a-f-]{36}$/);
    assert.equal(new Set(api.requests.map(({ key }) => key)).size, 1);
    assert.deepEqual(JSON.parse(api.requests[2]?.body ?? ""), { name: "n", scopes: ["org:read"] });
  });

  test("an error names the action, without the rest of the row's summary", async () => {
    script((response) => refuse(response, 403, { code: "forbidden", detail: "No." }));
    await assert.rejects(client().call(listCredentials, {}), {
      message: "cannot list credentials: No. (403 forbidden)",
    });
  });

  test("the client sends the header fields that a row accepts, and returns the ETag", async () => {
    script((response) => void response.setHeader("etag", '"1"').end("{}"));
    assert.deepEqual(await client().read(listCredentials, {}), { value: {}, etag: '"1"' });
    await client().call(updateProject, {
      params: { project_id: "web" },
      body: { name: "n" },
      headers: { "If-Match": '"1"' },
    });
    await client().call(updateProject, { params: { project_id: "web" }, body: {}, headers: { "If-Match": null } });
    assert.deepEqual(
      api.requests.map(({ ifMatch }) => ifMatch),
      [undefined, '"1"', undefined],
    );
  });

  test("the client sends a given idempotency key, and then may retry the request", async () => {
    script(cutOff);
    const headers = { "Idempotency-Key": "mine", Prefer: "handling=lenient" };
    await client().call(TELEMETRY_ROUTES.ingest, { params: { type: "logs" }, body: { entries: [] }, headers });
    await client().call(createCredential, { body: { name: "n", scopes: [] }, headers: { "Idempotency-Key": "mine" } });
    assert.deepEqual(
      api.requests.map(({ key }) => key),
      ["mine", "mine", "mine"],
    );
  });

  test("a request that can't be repeated is sent once", async () => {
    const row = { ...createCredential, idempotent: false } as const;
    script(unavailable);
    await assert.rejects(client().call(row, { body: { name: "n", scopes: [] } }), { status: 503 });
    assert.equal(api.requests.length, 1);
  });

  test("a refusal or a long Retry-After ends the attempts, and so does the fourth attempt", async () => {
    const list = (): Promise<unknown> => client().call(listCredentials, {});
    script((response) => refuse(response, 403, { code: "insufficient_scope" }));
    await assert.rejects(list(), { code: "insufficient_scope" });
    script((response) => refuse(response, 429, { code: "rate_limited" }, { "retry-after": "3600" }));
    await assert.rejects(list(), { code: "rate_limited", retryAfterMs: 3_600_000 });
    assert.equal(api.requests.length, 2);
    script(...Array.from({ length: 9 }, () => unavailable));
    await assert.rejects(list(), { status: 503 });
    assert.equal(api.requests.length, 6);
  });

  test("an attempt ends at its time limit, even within the body, and is retried", async () => {
    const list = (timeoutMs: number): Promise<unknown> => client().call(listCredentials, { timeoutMs });
    const silent = (): void => undefined;
    const stops = (response: ServerResponse): void => void response.write('{"items":');
    script(silent, stops, answer({ items: [], next_cursor: null }));
    assert.deepEqual(await list(200), { items: [], next_cursor: null });
    assert.equal(api.requests.length, 3);
    script(silent, silent, silent, silent);
    await assert.rejects(list(50), (error: UnreachableError) => {
      assert.match(error.message, /^cannot list credentials: .*no answer within 0.05 s/);
      return error instanceof UnreachableError;
    });
    assert.equal(api.requests.length, 7);
  });

  test("all calls share a budget of retries, which successes refill", async () => {
    const from = client("secret", { retryBudget: { max: 2, perSuccess: 0.5 } });
    const list = (): Promise<unknown> => from.call(listCredentials, {});
    script(...Array.from({ length: 20 }, () => unavailable));
    const down = await Promise.allSettled(Array.from({ length: 10 }, list));
    assert.ok(down.every(({ status }) => status === "rejected"));
    assert.equal(api.requests.length, 12, "ten attempts and two retries");
    script();
    await list();
    await list();
    script(unavailable, unavailable);
    await assert.rejects(list(), { status: 503 });
    assert.equal(api.requests.length, 16, "two successes gave one retry back");
  });

  test("requests and sign-ins name the client's version, which is that of its package", async () => {
    await client().call(listCredentials, {});
    const { version } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as {
      version: string;
    };
    assert.equal(CLIENT_VERSION, version);
    assert.deepEqual(api.agents, [`mooring-client/${version}`, `mooring-client/${version}`]);
  });

  test("a page names the client only to its own origin", () => {
    const page = { origin: api.url };
    Object.defineProperty(globalThis, "location", { value: page, configurable: true });
    try {
      assert.deepEqual(versionFields(`${api.url}/v1/me`), { "mooring-client": `mooring-client/${CLIENT_VERSION}` });
      assert.deepEqual(versionFields("https://other.example/v1/me"), {});
    } finally {
      Reflect.deleteProperty(globalThis, "location");
    }
  });

  test("an abort ends the wait for the next attempt", async () => {
    const abort = new AbortController();
    script((response) => {
      refuse(response, 503, {}, { "retry-after": "20" });
      setTimeout(() => abort.abort(new Error("enough")), 50);
    });
    await assert.rejects(client().call(listCredentials, { signal: abort.signal }), /enough/);
  });

  test("items of a list come page after page", async () => {
    script(
      answer({ items: [{ id: "a" }, { id: "b" }], next_cursor: "c 1" }),
      answer({ items: [{ id: "c" }], next_cursor: null }),
    );
    const ids = [];
    for await (const { id } of client().items(listCredentials, { query: { project: "web" } })) ids.push(id);
    assert.deepEqual(ids, ["a", "b", "c"]);
    assert.deepEqual(
      api.requests.map(({ line }) => line),
      ["GET /v1/credentials?limit=100&project=web", "GET /v1/credentials?limit=100&project=web&cursor=c+1"],
    );
  });
});

describe("a call that needs a new proof of the person (RFC 9470)", () => {
  const challenge = (token: string, response: ServerResponse): void => {
    if (token.includes("proved")) return void response.end(JSON.stringify({ ok: true }));
    response.statusCode = 401;
    response.setHeader("www-authenticate", 'Bearer error="insufficient_user_authentication", max_age=600');
    response.end(JSON.stringify({ code: "insufficient_user_authentication", detail: "sign in again" }));
  };

  const person = (prove: (() => Promise<boolean>) | undefined): { client: Client; asked: () => number } => {
    let [token, asked] = ["old", 0];
    const tokens = {
      get: async () => token,
      ...(prove === undefined
        ? {}
        : {
            prove: async () => {
              asked += 1;
              const proved = await prove();
              if (proved) token = "proved";
              return proved;
            },
          }),
    };
    const addresses = { identity_url: api.url, portal_url: api.url } as Addresses;
    return { client: createClient({ addresses, tokens }), asked: () => asked };
  };

  test("asks for it once, and repeats the call with the new token", async () => {
    api.onCall = challenge;
    const { client, asked } = person(async () => true);
    assert.deepEqual(await client.call(ORGANIZATION_ROUTES.getMe, {}), { ok: true });
    assert.deepEqual([asked(), api.calls.length], [1, 2]);
  });

  test("fails if nobody can be asked, without another token", async () => {
    api.onCall = challenge;
    for (const prove of [undefined, async () => false]) {
      const { client } = person(prove);
      api.calls.length = 0;
      await assert.rejects(client.call(ORGANIZATION_ROUTES.getMe, {}), (error: ApiError) => {
        assert.deepEqual([error.status, error.code], [401, "insufficient_user_authentication"]);
        return true;
      });
      assert.equal(api.calls.length, 1);
    }
  });
});
