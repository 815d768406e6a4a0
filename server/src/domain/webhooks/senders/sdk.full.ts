/**
 * The libraries of the senders sign requests that the server must verify, or verify the requests of the samples, which
 * the server verifies too. They are installed when the test runs. Without a registry the test says that it is skipped.
 */
import assert from "node:assert/strict";
import { createRequire, syncBuiltinESMExports } from "node:module";
import { PassThrough } from "node:stream";
import { after, test } from "node:test";
import type { WebhookSender } from "@mooring/contract";
import { trustedClock } from "#kernel/testing.ts";
import { fieldOf, type HookRequest } from "../request.ts";
import { FetchedKeys, verify } from "../verification/index.ts";
import { SENDERS } from "./index.ts";
import { certificateOf } from "./testing/certificates.ts";
import { SAMPLES } from "./testing/index.ts";
import { TEXT_KEYS } from "./testing/sample.ts";
import { installSdks, type Sdk } from "./testing/sdks.ts";

const URL_TEXT = "https://hooks.example/hooks/mrwh_x";

/** A request of a sample, and what a library needs of it. */
interface Sent {
  readonly request: HookRequest;
  readonly body: string;
  readonly secret: string;
  /** The libraries compare signed times with the clock. */
  readonly nowMs: number;
  readonly field: (name: string) => string;
}

/** Header fields of a library's signature, or the body with it; or whether a library verifies the request. */
type Answer = Readonly<Record<string, string>> | { readonly body: string } | boolean;

interface Use {
  readonly module: string;
  readonly run: (sdk: Sdk, sent: Sent) => Answer | Promise<Answer>;
  /** The library signs instead of verifying. */
  readonly signs?: true;
}

const standard = (module: string, family: "webhook" | "svix"): Use => ({
  module,
  signs: true,
  run: ({ Webhook }, { body, secret, nowMs }) => ({
    [`${family}-signature`]: new Webhook(secret.replace(/^v1,/, "")).sign("msg_1", new Date(nowMs), body),
  }),
});

const USES: Readonly<Partial<Record<WebhookSender, Use>>> = {
  github: {
    module: "@octokit/webhooks-methods",
    signs: true,
    run: async ({ sign }, { body, secret }) => ({ "x-hub-signature-256": await sign(secret, body) }),
  },
  stripe: {
    module: "stripe",
    signs: true,
    run: async ({ Stripe }, { body: payload, secret, nowMs }) => {
      const options = { payload, secret, timestamp: Math.floor(nowMs / 1000) };
      return { "stripe-signature": await new Stripe("sk_test_1").webhooks.generateTestHeaderStringAsync(options) };
    },
  },
  shopify: {
    module: "@shopify/shopify-api",
    run: async (sdk, { body: rawBody, request, secret }) => {
      const shopify = sdk.shopifyApi({
        apiKey: "key",
        apiSecretKey: secret,
        hostName: "hooks.example",
        apiVersion: "2026-10",
        isEmbeddedApp: false,
        logger: { level: sdk.LogSeverity.Error },
      });
      const headers = {
        "x-shopify-api-version": "2026-10",
        "x-shopify-shop-domain": "acme.myshopify.com",
        ...request.headers,
      };
      const rawRequest = new Request(URL_TEXT, {
        method: "POST",
        body: rawBody,
        headers: headers as Record<string, string>,
      });
      return (await shopify.webhooks.validate({ rawBody, rawRequest })).valid;
    },
  },
  square: {
    module: "square",
    run: ({ WebhooksHelper }, { body: requestBody, secret: signatureKey, field }) =>
      WebhooksHelper.verifySignature({
        requestBody,
        signatureHeader: field("x-square-hmacsha256-signature"),
        signatureKey,
        notificationUrl: URL_TEXT,
      }),
  },
  discord: {
    module: "discord-interactions",
    run: ({ verifyKey }, { body, field, secret }) =>
      verifyKey(body, field("x-signature-ed25519"), field("x-signature-timestamp"), secret),
  },
  twilio: {
    module: "twilio",
    signs: true,
    run: (twilio, { body, secret }) => {
      const parameters = Object.fromEntries(new URLSearchParams(body));
      return { "x-twilio-signature": twilio.getExpectedTwilioSignature(secret, URL_TEXT, parameters) };
    },
  },
  sendgrid: {
    module: "@sendgrid/eventwebhook",
    run: ({ EventWebhook, EventWebhookHeader }, { body, field, secret }) => {
      const webhook = new EventWebhook();
      const [signature, time] = [EventWebhookHeader.SIGNATURE(), EventWebhookHeader.TIMESTAMP()].map(field);
      return webhook.verifySignature(webhook.convertPublicKeyToECDSA(secret), body, signature, time);
    },
  },
  hubspot: {
    module: "@hubspot/api-client",
    signs: true,
    run: ({ Signature }, { body: requestBody, secret: clientSecret, nowMs: timestamp }) => {
      const options = { requestBody, clientSecret, url: URL_TEXT, timestamp };
      return { "x-hubspot-signature-v3": Signature.getSignature("POST", "v3", options) };
    },
  },
  linear: {
    module: "@linear/sdk/webhooks",
    run: ({ LinearWebhookClient }, { body, field, secret }) =>
      succeeds(() => new LinearWebhookClient(secret).verify(Buffer.from(body), field("linear-signature"))),
  },
  standard_webhooks: standard("standardwebhooks", "webhook"),
  supabase: standard("standardwebhooks", "webhook"),
  svix: standard("svix", "svix"),
  clerk: standard("svix", "svix"),
  resend: standard("svix", "svix"),
  openai: {
    module: "openai",
    run: ({ OpenAI }, { body, request, secret }) =>
      succeeds(() => new OpenAI({ apiKey: "sk-1" }).webhooks.verifySignature(body, request.headers, secret)),
  },
  replicate: {
    module: "replicate",
    run: ({ validateWebhook }, { body, field, secret }) =>
      validateWebhook({
        id: field("webhook-id"),
        timestamp: field("webhook-timestamp"),
        signature: field("webhook-signature"),
        body,
        secret,
      }),
  },
  aws_sns: {
    module: "sns-validator",
    run: (MessageValidator, { body }) =>
      withCertificate(
        () =>
          new Promise<boolean>((resolve) =>
            new MessageValidator().validate(JSON.parse(body), (error: unknown) => resolve(error === null)),
          ),
      ),
  },
  contentful: {
    module: "@contentful/node-apps-toolkit",
    signs: true,
    run: ({ signRequest }, { body, secret, nowMs, field }) => {
      const headers = { "x-contentful-topic": field("x-contentful-topic") };
      return signRequest(secret, { method: "POST", path: new URL(URL_TEXT).pathname, headers, body }, nowMs);
    },
  },
  paddle: {
    module: "@paddle/paddle-node-sdk",
    run: ({ Paddle }, { body, secret, field }) =>
      new Paddle("key").webhooks.isSignatureValid(body, secret, field("paddle-signature")),
  },
  line: {
    module: "@line/bot-sdk",
    run: ({ validateSignature }, { body, secret, field }) => validateSignature(body, secret, field("x-line-signature")),
  },
  razorpay: {
    module: "razorpay",
    run: (Razorpay, { body, secret, field }) =>
      Razorpay.validateWebhookSignature(body, field("x-razorpay-signature"), secret),
  },
  adyen: {
    module: "@adyen/api-library",
    signs: true,
    run: ({ hmacValidator }, { body, secret }) => {
      const message = JSON.parse(body) as { notificationItems: { NotificationRequestItem: Sdk }[] };
      for (const { NotificationRequestItem: item } of message.notificationItems)
        item.additionalData.hmacSignature = new hmacValidator().calculateHmac(item, secret);
      return { body: JSON.stringify(message) };
    },
  },
  workos: {
    module: "@workos-inc/node",
    run: ({ WorkOS }, { body, secret, field }) =>
      new WorkOS("sk_1").webhooks.verifyHeader({
        payload: JSON.parse(body),
        sigHeader: field("workos-signature"),
        secret,
      }),
  },
};

async function succeeds(run: () => unknown): Promise<boolean> {
  try {
    return (await run()) !== false;
  } catch {
    return false;
  }
}

/** Answers the library's request for the certificate, because Amazon's server has another one. */
async function withCertificate<T>(run: () => Promise<T>): Promise<T> {
  const https = createRequire(import.meta.url)("node:https") as { get: unknown };
  const { get } = https;
  https.get = (_url: string, answered: (response: Sdk) => void) => {
    answered(Object.assign(new PassThrough().end(certificateOf().pem), { statusCode: 200 }));
    return new PassThrough();
  };
  syncBuiltinESMExports();
  try {
    return await run();
  } finally {
    https.get = get;
    syncBuiltinESMExports();
  }
}

const outbound = { get: () => Promise.resolve({ status: 200, body: Buffer.from(certificateOf().pem) }) };
const keys = new FetchedKeys({ outbound, clock: trustedClock({ nowMs: () => Date.now() }) }).of("org_1");

function sentBy(name: WebhookSender, nowMs: number): Sent {
  const sample = SAMPLES[name];
  const [key] = sample.keys ?? TEXT_KEYS;
  const source = sample.body.replace("1795000000000", String(nowMs)); // Linear's time is in the body.
  const signed = sample.sign({ body: source, key, nowMs, url: URL_TEXT });
  const body = signed.body ?? source;
  const headers = signed.headers ?? {};
  const request = {
    method: "POST",
    query: "",
    url: URL_TEXT,
    rawHeaders: Object.entries(headers).flat(),
    headers,
    body: Buffer.from(body),
    ip: "192.0.2.1",
  };
  const field = (each: string): string => fieldOf(request, each) ?? "";
  return { request, body, secret: key.secret, nowMs, field };
}

const isVerified = async (name: WebhookSender, request: HookRequest, { secret, nowMs }: Sent): Promise<boolean> =>
  (await verify(request, { secrets: [secret], nowMs, verification: { scheme: name }, keys })) === null;

const sdks = installSdks();
after(() => typeof sdks === "string" || sdks.remove());
const skip = typeof sdks === "string" ? `NOT RUN: ${sdks}` : false;

test("every sender that the table marks has a use of its library, and no other", () => {
  const marked = Object.entries(SENDERS).filter(([, { sdk }]) => sdk !== undefined);
  assert.deepEqual(marked.map(([name]) => name).toSorted(), Object.keys(USES).toSorted());
  for (const [name, use] of Object.entries(USES)) {
    const { sdk = "" } = SENDERS[name as WebhookSender];
    assert.ok(sdk.startsWith(`${use.module.replace("@linear/sdk/webhooks", "@linear/sdk")}: `), `${name}: ${sdk}`);
  }
});

for (const [name, use] of Object.entries(USES) as [WebhookSender, Use][]) {
  test(
    `${name}: ${use.module} ${use.signs === true ? "signs for the server" : "verifies what the server verifies"}`,
    { skip },
    async () => {
      if (typeof sdks === "string") return;
      if (name === "shopify") await sdks.load("@shopify/shopify-api/adapters/web-api");
      const sdk = await sdks.load(use.module);
      const sent = sentBy(name, Date.now());
      assert.ok(await isVerified(name, sent.request, sent), "the sample");
      const answer = await use.run(sdk, sent);
      if (typeof answer === "boolean") {
        assert.equal(use.signs, undefined);
        assert.ok(answer, "the library does not verify the sample");
        const body = sent.body.replace(/[a-z](?=[^a-z]*$)/, "Z");
        assert.equal(
          await succeeds(async () => use.run(sdk, { ...sent, body })),
          false,
          "the library verifies any body",
        );
        return;
      }
      const request =
        "body" in answer
          ? { ...sent.request, body: Buffer.from(String(answer["body"])) }
          : { ...sent.request, headers: { ...sent.request.headers, ...answer } };
      assert.ok(await isVerified(name, request, sent), JSON.stringify(answer));
      assert.equal(await isVerified(name, { ...request, body: Buffer.from("{}") }, sent), false);
    },
  );
}
