/** `webhooks_allowed_addresses` applies to all requests to addresses that users name. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { PutBucketNotificationConfigurationCommand, PutObjectCommand } from "@aws-sdk/client-s3";
import { Webhook } from "standardwebhooks";
import { eventually } from "../fixtures/process.ts";
import { startReceiver, type Received, type Receiver } from "../fixtures/receiver.ts";
import { sdkClient } from "../fixtures/s3-client.ts";
import { s3EndpointOf } from "../fixtures/s3.ts";
import { showLogs, startServer, type Bootstrap, type Json, type Server } from "../fixtures/server.ts";
import { newWebhook, acceptedEvent } from "../fixtures/webhooks.ts";

let server: Server;
let home: Bootstrap;
let token: string;
let receiver: Receiver;

before(async () => {
  server = await startServer({ settings: { webhooks_allowed_addresses: "127.0.0.1" } });
  home = await server.bootstrap();
  token = await server.token(home.credential);
  receiver = await startReceiver();
});
after(async () => {
  await server.dispose();
  await receiver.close();
});
showLogs(() => [server]);

async function create(path: string, json: Json): Promise<Json> {
  const answer = await server.call("POST", path, { token, json });
  assert.ok([201, 202].includes(answer.status), answer.text);
  return answer.body;
}

/** Waits for the message with this text. Asserts that this secret signed it. */
async function received(text: string, secret: unknown): Promise<void> {
  const seen = (): Promise<Received | null> =>
    Promise.resolve(receiver.received.find(({ body }) => body.includes(text)) ?? null);
  const { body, headers } = await eventually(`a message with ${text}`, seen);
  new Webhook(String(secret)).verify(body, headers as Record<string, string>);
}

test("a message of an alert is delivered", async () => {
  const { id: query_id } = await create("/v1/query/saved", { name: "errors", sql: "select message from logs" });
  const condition = { operator: ">", threshold: 0 };
  const alert = { name: "errors", query_id, every_s: 86_400, window_s: 3600, condition, url: receiver.url };
  const { id, secret } = await create("/v1/alerts", alert);
  await create(`/v1/alerts/${String(id)}/test`, {});
  await received("alert.test", secret);
});

test("a notification of a bucket is delivered", async () => {
  const { secret, arn } = await create("/v1/s3/destinations", { name: "receiver", url: receiver.url });
  const endpoint = await s3EndpointOf(server, home);
  const client = sdkClient(endpoint);
  const queue = { QueueArn: String(arn), Events: ["s3:ObjectCreated:*" as const] };
  const notification = { QueueConfigurations: [queue] };
  await client.send(
    new PutBucketNotificationConfigurationCommand({ Bucket: endpoint.bucket, NotificationConfiguration: notification }),
  );
  await client.send(new PutObjectCommand({ Bucket: endpoint.bucket, Key: "allowed", Body: "x" }));
  client.destroy();
  await received("ObjectCreated:Put", secret);
});

test("an event of a webhook is forwarded", async () => {
  const webhook = await newWebhook(server, token);
  const { secret } = await create(`/v1/webhooks/${webhook.id}/destinations`, { name: "receiver", url: receiver.url });
  await acceptedEvent(webhook.url, '{"hello":"forwarded"}');
  await received("forwarded", secret);
});

test("other addresses of this machine are refused", async () => {
  const url = receiver.url.replace("127.0.0.1", "127.0.0.2");
  const answer = await server.call("POST", "/v1/s3/destinations", { token, json: { name: "other", url } });
  assert.deepEqual([answer.status, answer.body["code"]], [400, "invalid_body"], answer.text);
});
