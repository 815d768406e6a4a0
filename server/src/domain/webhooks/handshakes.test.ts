import assert from "node:assert/strict";
import { test } from "node:test";
import { handshakeOf } from "./handshakes.ts";
import { LazyJson } from "./request.ts";
import { NO_SECRETS } from "./secrets.ts";
import { HANDSHAKES, type Handshake } from "./types.ts";

interface Asked {
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function answered(asked: Asked, enabled: readonly Handshake[] = HANDSHAKES) {
  const { method = "POST", query = "", headers = {}, body = "" } = asked;
  const bytes = Buffer.from(body);
  const request = { method, query, headers, url: "", rawHeaders: [], body: bytes, ip: "::1" };
  const secrets = { ...NO_SECRETS, verify_token: "open sesame" };
  return handshakeOf(request, new LazyJson(bytes), { enabled, secrets });
}

const SLACK = { body: '{"type":"url_verification","challenge":"3eZ","token":"x"}' };
const META = { method: "GET", query: "hub.mode=subscribe&hub.verify_token=open+sesame&hub.challenge=1158" };
const GRAPH = { query: "validationToken=a%20b%3Cc%3E" };
const CLOUDEVENTS = { method: "OPTIONS", headers: { "webhook-request-origin": "events.example" } };

test("each handshake is answered as its sender expects, as plain text", () => {
  const expected = [
    [SLACK, 200, "3eZ"],
    [META, 200, "1158"],
    [GRAPH, 200, "a b<c>"],
    [CLOUDEVENTS, 200, ""],
  ] as const;
  for (const [asked, status, body] of expected) {
    const answer = answered(asked);
    assert.deepEqual([answer?.status, answer?.body], [status, body]);
    if (body !== "") assert.match(answer?.headers["content-type"] ?? "", /^text\/plain/);
  }
  const allowed = answered(CLOUDEVENTS)?.headers;
  assert.deepEqual([allowed?.["webhook-allowed-origin"], allowed?.["webhook-allowed-rate"]], ["events.example", "*"]);
});

test("Meta's handshake is refused without the token", () => {
  const wrong = META.query.replace("sesame", "wide");
  assert.deepEqual([answered({ ...META, query: wrong })?.status, answered({ ...META, query: wrong })?.body], [403, ""]);
});

test("a handshake that is not enabled gets no answer, and no event counts as a handshake", () => {
  for (const asked of [SLACK, META, GRAPH, CLOUDEVENTS]) assert.equal(answered(asked, []), undefined);
  for (const asked of [{ body: '{"type":"event_callback"}' }, { body: "no JSON" }, { query: "a=1" }, { method: "GET" }])
    assert.equal(answered(asked), undefined);
});

test("only handshakes that the sender signs wait for the verification", () => {
  assert.equal(answered(SLACK)?.unsigned, false);
  assert.equal(answered(META)?.unsigned, true);
});
