import type { SenderText } from "./text.ts";

/** Senders of clouds, and of identities. */
export const CLOUD = {
  aws_sns: {
    title: "Amazon SNS",
    secret: "the ARN of the topic",
    where:
      "In the console of SNS: the topic, ARN. Create a subscription with the protocol HTTPS. It is confirmed automatically.",
  },
  aws_eventbridge: {
    title: "Amazon EventBridge",
    secret: "the API key in the field X-Api-Key, or user:password",
    where: "In EventBridge: API destinations, Connections. Choose API key with the name X-Api-Key, or Basic.",
  },
  azure_event_grid: {
    title: "Azure Event Grid, with a key",
    secret: "a key",
    where:
      "You choose it. Append ?key= and the key to the address, or add the delivery property X-Api-Key as a secret.",
  },
  azure_event_grid_entra: {
    title: "Azure Event Grid, with Microsoft Entra",
    secret: "the ID of the tenant",
    where:
      "In the Azure portal: Microsoft Entra ID, Overview, Tenant ID. `audience` is the application ID URI of your application.",
  },
  google_pubsub: {
    title: "Google Pub/Sub",
    secret: "the e-mail address of the service account",
    where: "In the console of Google Cloud: the push subscription, Enable authentication, Service account.",
  },
  microsoft_graph: {
    title: "Microsoft Graph",
    secret: "the clientState of the subscription",
    where: "You choose it, and send it as clientState when you create the subscription.",
  },
  cloudevents: {
    title: "CloudEvents",
    secret: null,
    where: "CloudEvents have no signature, so only the address is a secret.",
  },
  auth0: {
    title: "Auth0 log streams",
    secret: "the text of the field Authorization Token",
    where:
      "In Auth0: Monitoring, Streams, the custom webhook, Authorization Token. Choose the content format JSON Array or JSON Object.",
  },
  okta: {
    title: "Okta event hooks and inline hooks",
    secret: "the text of the field Authentication secret",
    where: "In Okta: Workflow, Event Hooks, the hook. Authentication field: Authorization.",
  },
  workos: {
    title: "WorkOS",
    secret: "the signing secret",
    where: "In the dashboard of WorkOS: Webhooks, the endpoint, Signing secret.",
  },
} as const satisfies Record<string, SenderText>;
