import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import type { WebhookSender } from "@mooring/contract";
import { handshakeOf, handshakesOf } from "./handshakes.ts";
import { LazyJson } from "./request.ts";
import { NO_SECRETS } from "./secrets.ts";
import { SENDERS, type SenderHandshake } from "./senders/index.ts";
import { HANDSHAKES } from "./types.ts";

const SECRET = "a secret of ours";

interface Asked {
  readonly method?: string;
  readonly query?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

function answered(asked: Asked, enabled: readonly SenderHandshake[] = HANDSHAKES) {
  const { method = "POST", query = "", headers = {}, body = "" } = asked;
  const bytes = Buffer.from(body);
  const request = { method, query, headers, url: "", rawHeaders: [], body: bytes, ip: "::1" };
  const secrets = { ...NO_SECRETS, secret: SECRET, verify_token: "open sesame" };
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

const ofSender = (scheme: WebhookSender): SenderHandshake[] =>
  handshakesOf({ handshakes: [], verification: { scheme } });

/** A request to each sender's address before its first event, and the expected answer. */
const OF_SENDERS: readonly (readonly [WebhookSender, Asked, status: number, body: string])[] = [
  ["meta", META, 200, "1158"],
  ["microsoft_graph", GRAPH, 200, "a b<c>"],
  ["cloudevents", CLOUDEVENTS, 200, ""],
  ["azure_event_grid", CLOUDEVENTS, 200, ""],
  ["trello", { method: "HEAD" }, 200, ""],
  ["intercom", { method: "HEAD" }, 200, ""],
  ["okta", { method: "GET", headers: { "x-okta-verification-challenge": "aB3" } }, 200, '{"verification":"aB3"}'],
  ["dropbox", { method: "GET", query: "challenge=a%3Cb%3E" }, 200, "a<b>"],
  ["woocommerce", { body: "webhook_id=17" }, 200, ""],
  ["discord", { body: '{"version":1,"application_id":"1","type":0}' }, 204, ""],
  ["discord", { body: '{"id":"1","type":1,"token":"t","version":1}' }, 200, '{"type":1}'],
  [
    "azure_event_grid_entra",
    {
      body: '[{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"512d38b6"}}]',
    },
    200,
    '{"validationResponse":"512d38b6"}',
  ],
  [
    "zoom",
    { body: '{"event":"endpoint.url_validation","payload":{"plainToken":"qgg8vlvZRS6UYooatFL8Aw"}}' },
    200,
    JSON.stringify({
      plainToken: "qgg8vlvZRS6UYooatFL8Aw",
      encryptedToken: createHmac("sha256", SECRET).update("qgg8vlvZRS6UYooatFL8Aw").digest("hex"),
    }),
  ],
];

test("the handshake of a sender is answered without a setting", () => {
  for (const [sender, asked, status, body] of OF_SENDERS) {
    const answer = answered(asked, ofSender(sender));
    assert.deepEqual([answer?.status, answer?.body], [status, body], sender);
  }
  const tested = new Set(OF_SENDERS.map(([sender]) => sender));
  const rest = (Object.keys(SENDERS) as WebhookSender[]).filter(
    (name) => ofSender(name).length > 0 && !tested.has(name),
  );
  assert.deepEqual(rest, ["aws_sns"], "its test needs a signature");
  assert.deepEqual(ofSender("slack"), [], "webhooks that exist answer as before");
});

test("Zoom's handshake waits for the signature, and does not sign the text of an event", () => {
  assert.equal(answered(OF_SENDERS.at(-1)?.[1] ?? {}, ["zoom"])?.unsigned, false);
  for (const plainToken of ["v0:1795000000:{}", "", "a".repeat(101), "a b"]) {
    const body = JSON.stringify({ event: "endpoint.url_validation", payload: { plainToken } });
    assert.equal(answered({ body }, ["zoom"]), undefined, plainToken);
  }
});

test("events are not handshakes, and no event is lost beside one", () => {
  for (const [enabled, asked] of [
    ["discord", { body: '{"version":1,"type":1,"event":{}}' }],
    ["zoom", { body: '{"event":"meeting.started"}' }],
    ["form_ping", { body: "webhook_id=17&a=1" }],
    ["okta", { headers: { "x-okta-verification-challenge": "a" } }],
    ["head", { method: "GET" }],
    [
      "event_grid",
      {
        body: '[{"eventType":"Microsoft.EventGrid.SubscriptionValidationEvent","data":{"validationCode":"5"}},{"id":"1"}]',
      },
    ],
  ] as const)
    assert.equal(answered(asked, [enabled]), undefined, enabled);
});

test("the confirmation of a subscription goes to the region of its topic", () => {
  const topic = "arn:aws:sns:eu-west-1:123456789012:orders";
  const message = {
    Type: "SubscriptionConfirmation",
    TopicArn: topic,
    Token: "a&b=c",
    SubscribeURL: "https://evil.example",
  };
  const sent = (change: object): ReturnType<typeof answered> =>
    answered({ body: JSON.stringify({ ...message, ...change }) }, ofSender("aws_sns"));
  const expected = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${encodeURIComponent(topic)}&Token=a%26b%3Dc`;
  assert.deepEqual([sent({})?.visit, sent({})?.unsigned], [expected, false]);
  for (const change of [{ Type: "Notification" }, { TopicArn: "arn:aws:sns:evil.com/:123456789012:x" }, { Token: 1 }])
    assert.equal(sent(change), undefined, JSON.stringify(change));
});
