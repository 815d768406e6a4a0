import assert from "node:assert/strict";
import { once } from "node:events";
import { METHODS } from "node:http";
import { connect } from "node:net";
import { after, before, describe, test } from "node:test";
import { createWorld, type World } from "../organization/testing/world.ts";
import { basicOf, newClient, tokenFor, withRegistry } from "./testing/registry.ts";

/** Every refusal below `/v2`, by any part of the server, has the form of the distribution specification. */

interface Raw {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const NAME = "orgs/acme/acme-open";
const DIGEST = `sha256:${"0".repeat(64)}`;

describe("a refusal below /v2", () => {
  let world: World;
  let token: string;
  before(async () => {
    world = await createWorld(withRegistry());
    const client = await newClient(world, { scopes: ["registry:pull", "registry:push", "registry:delete"] });
    token = await tokenFor(world, client, `repository:${NAME}:pull,push,delete`);
  });
  after(() => world.close());

  /** Sends raw bytes, and returns the whole answer. */
  async function raw(bytes: string): Promise<Raw> {
    const { hostname, port } = new URL(world.origin);
    const socket = connect(Number(port), hostname);
    let text = "";
    socket.setEncoding("latin1").on("data", (chunk: string) => (text += chunk));
    socket.on("error", () => undefined);
    socket.write(bytes);
    await Promise.race([once(socket, "close"), once(socket, "end")]);
    socket.destroy();
    const [head = "", body = ""] = text.split("\r\n\r\n");
    const [line = "", ...fields] = head.split("\r\n");
    const headers = fields.map((field) => [
      field.split(":", 1)[0]?.toLowerCase(),
      field.split(": ").slice(1).join(": "),
    ]);
    return { status: Number(line.split(" ")[1]), headers: Object.fromEntries(headers) as Raw["headers"], body };
  }

  const asking = (method: string, path: string, fields: Record<string, string> = {}, body = ""): string => {
    const all = { host: "registry.example", connection: "close", authorization: token, ...fields };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
    return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`;
  };

  function assertForm(about: string, answer: Raw, status: number, code?: string): void {
    assert.equal(answer.status, status, `${about}: ${answer.body}`);
    assert.equal(answer.headers["docker-distribution-api-version"], "registry/2.0", about);
    assert.ok(answer.headers["request-id"], about);
    assert.equal(answer.headers["content-type"], "application/json", about);
    const { errors } = JSON.parse(answer.body) as { errors: { code: string; message: string }[] };
    assert.equal(errors.length, 1, about);
    assert.match(errors[0]?.code ?? "", /^[A-Z_]+$/, about);
    assert.notEqual(errors[0]?.message ?? "", "", about);
    if (code !== undefined) assert.equal(errors[0]?.code, code, `${about}: ${answer.body}`);
  }

  test("has its form for malformed and unknown paths", async () => {
    for (const path of ["/v2/%zz", `/v2/${NAME}/manifests/%zz`, `/v2/${NAME}/blobs/%`])
      assertForm(path, await raw(asking("GET", path)), 400);
    for (const path of ["/v2/x", "/v2//", `/v2/${NAME}`, `/v2/${NAME}/blobs`, `/v2/${"a/".repeat(3000)}x`])
      assertForm(path.slice(0, 50), await raw(asking("GET", path)), 404, "NAME_UNKNOWN");
    const long = await raw(asking("GET", `/v2/${NAME}/manifests/${"x".repeat(9000)}`));
    assertForm("a long reference", long, 404, "MANIFEST_UNKNOWN");
  });

  test("has its form for every method that Node knows, with the allowed methods of the address", async () => {
    const places: readonly (readonly [string, string])[] = [
      ["/v2", "GET, HEAD"],
      ["/v2/", "GET, HEAD"],
      ["/v2/_catalog", "GET, HEAD"],
      ["/v2/token", "GET, HEAD, POST"],
      [`/v2/${NAME}/tags/list`, "GET"],
      [`/v2/${NAME}/blobs/${DIGEST}`, "HEAD, GET, DELETE"],
      [`/v2/${NAME}/blobs/uploads/`, "POST"],
      [`/v2/${NAME}/blobs/uploads/x`, "GET, PATCH, PUT, DELETE"],
      [`/v2/${NAME}/manifests/x`, "HEAD, GET, PUT, DELETE"],
      [`/v2/${NAME}/referrers/${DIGEST}`, "GET"],
    ];
    const others = METHODS.filter((method) => method !== "CONNECT" && method !== "HEAD");
    for (const [path, allow] of places)
      for (const method of others) {
        if (allow.split(", ").includes(method)) continue;
        const answer = await raw(asking(method, path));
        assertForm(`${method} ${path}`, answer, 405, "UNSUPPORTED");
        assert.equal(answer.headers["allow"], allow, `${method} ${path}`);
      }
    for (const method of ["OPTIONS", "TRACE", "PROPFIND"])
      assertForm(method, await raw(asking(method, "/v2/nowhere")), 404, "NAME_UNKNOWN");
  });

  test("has its form when the server itself refuses the bytes", async () => {
    const path = `/v2/${NAME}/tags/list`;
    assertForm("an unknown method", await raw(asking("FROBNICATE", path)), 400);
    assertForm("a long line", await raw(asking("GET", `${path}?${"x".repeat(20_000)}`)), 431);
    assertForm("a large header", await raw(asking("GET", path, { "x-large": "x".repeat(20_000) })), 431);
    assertForm("a bad header", await raw(asking("GET", path, { "x-bad": "a\u0000b" })), 400);
    assertForm("no host", await raw(`GET ${path} HTTP/1.1\r\nconnection: close\r\n\r\n`), 400);
    assertForm("two hosts", await raw(asking("GET", path, { Host: "other.example" })), 400);
    assertForm("an expectation", await raw(asking("GET", path, { expect: "tea" })), 417);
    const chunked = { "transfer-encoding": "chunked" };
    const put = `/v2/${NAME}/manifests/x`;
    assertForm("a bad chunk", await raw(asking("PUT", put, chunked, "zz\r\n")), 400);
    const other = await raw("FROBNICATE /v1/files HTTP/1.1\r\nhost: a\r\n\r\n");
    assert.match(other.headers["content-type"] ?? "", /^application\/problem\+json/, "others keep theirs");
  });

  test("has its form for requests that are too large, too many, or not signed in", async () => {
    const put = asking("PUT", `/v2/${NAME}/manifests/x`, { "content-length": String(5 * 1024 * 1024) }, "{");
    assertForm("a large manifest", await raw(put), 413, "SIZE_INVALID");
    const form = { "content-type": "application/x-www-form-urlencoded", "content-length": "70000" };
    assertForm("a large form", await raw(asking("POST", "/v2/token", form, "x".repeat(70_000))), 413, "SIZE_INVALID");
    const list = `/v2/${NAME}/tags/list`;
    assertForm("a void token", await raw(asking("GET", list, { authorization: "Bearer x" })), 401, "UNAUTHORIZED");
    assertForm("no base", await raw(asking("GET", "/v2/", { authorization: "" })), 401, "UNAUTHORIZED");
    const range = { range: "bytes=9-" };
    assertForm("a blob", await raw(asking("GET", `/v2/${NAME}/blobs/${DIGEST}`, range)), 404, "BLOB_UNKNOWN");
    assertForm("a page", await raw(asking("GET", `${list}?n=x`)), 400);
  });
});

test("a refusal below /v2 has its form for too many requests", async () => {
  const world = await createWorld({ ...withRegistry(), rateLimit: { perSecond: 1, burst: 2 } });
  try {
    const client = await newClient(world, { scopes: ["registry:pull"] });
    const headers = { authorization: basicOf(client) };
    const answers = await Promise.all(Array.from({ length: 8 }, () => world.call("GET", "/v2/", { headers })));
    const refused = answers.find(({ status }) => status === 429);
    assert.ok(refused !== undefined);
    assert.equal((refused.json["errors"] as { code: string }[])[0]?.code, "TOOMANYREQUESTS");
    assert.ok(Number(refused.headers.get("retry-after")) > 0);
  } finally {
    await world.close();
  }
});
