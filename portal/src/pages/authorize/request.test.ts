import assert from "node:assert/strict";
import { test } from "node:test";
import { deniedAddress, loginRequestOf } from "./request.ts";

const GOOD = {
  client_id: "mooring-cli",
  response_type: "code",
  code_challenge_method: "S256",
  code_challenge: "c".repeat(43),
  redirect_uri: "http://127.0.0.1:4711/callback",
  state: "s-1",
  name: "laptop",
};

const parse = (change: object) => loginRequestOf(`?${new URLSearchParams({ ...GOOD, ...change }).toString()}`);

test("a request of the command line is read", () => {
  assert.deepEqual(parse({ organization: "acme" }), {
    redirectUri: GOOD.redirect_uri,
    state: "s-1",
    challenge: GOOD.code_challenge,
    name: "laptop",
    organization: "acme",
  });
  assert.equal((parse({ redirect_uri: "http://[::1]:4711/callback" }) as { name: string }).name, "laptop");
});

test("another client, another address and a challenge without a hash are refused", () => {
  for (const change of [
    { client_id: "other" },
    { response_type: "token" },
    { code_challenge_method: "plain" },
    { code_challenge: "short" },
    { state: "" },
    { redirect_uri: "https://evil.example/callback" },
    { redirect_uri: "http://127.0.0.1:4711@evil.example/" },
    { redirect_uri: "http://localhost:4711/callback" },
  ])
    assert.equal(typeof parse(change), "string", JSON.stringify(change));
});

test("a denial returns to the command with its state", () => {
  const request = parse({});
  assert.ok(typeof request !== "string");
  assert.equal(deniedAddress(request), "http://127.0.0.1:4711/callback?error=access_denied&state=s-1");
});
