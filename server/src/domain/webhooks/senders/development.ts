import { header, json } from "../verification/places.ts";
import { hmacOfBody, type Sender } from "./sender.ts";

/** Senders that host code, build it, deploy it and watch it. */
export const DEVELOPMENT = {
  github: {
    verify: hmacOfBody("X-Hub-Signature-256", { prefix: "sha256=" }),
    id: [[header("X-GitHub-Delivery")]],
    type: [header("X-GitHub-Event")],
    source: "https://docs.github.com/en/webhooks/using-webhooks/validating-webhook-deliveries",
    sdk: "@octokit/webhooks-methods: sign",
  },
  gitlab: {
    verify: [{ kind: "equal", places: [header("X-Gitlab-Token")] }],
    id: [[header("Idempotency-Key")]],
    type: [header("X-Gitlab-Event")],
    source: "https://docs.gitlab.com/user/project/integrations/webhooks/",
  },
  bitbucket: {
    verify: hmacOfBody("X-Hub-Signature", { prefix: "sha256=" }),
    id: [[header("X-Request-UUID")]],
    type: [header("X-Event-Key")],
    source: "https://support.atlassian.com/bitbucket-cloud/docs/manage-webhooks/",
  },
  gitea: {
    verify: hmacOfBody("X-Gitea-Signature"),
    id: [[header("X-Gitea-Delivery")]],
    type: [header("X-Gitea-Event")],
    source: "https://docs.gitea.com/usage/webhooks",
  },
  linear: {
    verify: hmacOfBody("Linear-Signature", { time: { at: json("/webhookTimestamp"), unit: "ms", toleranceS: 60 } }),
    id: [[header("Linear-Delivery")]],
    type: [header("Linear-Event")],
    answer: { status: 200 },
    source: "https://linear.app/developers/webhooks",
    sdk: "@linear/sdk: LinearWebhookClient.verify",
  },
  jira: {
    verify: hmacOfBody("X-Hub-Signature", { prefix: "sha256=" }),
    id: [[header("X-Atlassian-Webhook-Identifier")]],
    type: [json("/webhookEvent")],
    source: "https://developer.atlassian.com/cloud/jira/platform/webhooks/",
  },
  sentry: {
    verify: hmacOfBody("Sentry-Hook-Signature"),
    id: [[header("Request-ID")]],
    type: [header("Sentry-Hook-Resource")],
    source: "https://docs.sentry.io/organization/integrations/integration-platform/webhooks/",
  },
  vercel: {
    verify: hmacOfBody("x-vercel-signature", { algorithm: "sha1" }),
    id: [[json("/id")]],
    type: [json("/type")],
    source: "https://vercel.com/docs/webhooks/webhooks-api",
  },
  netlify: {
    verify: [{ kind: "netlify" }],
    id: [],
    type: [header("X-Netlify-Event")],
    source: "https://docs.netlify.com/deploy/deploy-notifications/",
  },
  docker_hub: {
    verify: [],
    id: [[json("/push_data/pushed_at"), json("/repository/repo_name"), json("/push_data/tag")]],
    type: [],
    source: "https://docs.docker.com/docker-hub/repos/manage/webhooks/",
  },
  circleci: {
    verify: hmacOfBody("circleci-signature", { prefix: "v1=", separator: "," }),
    id: [[json("/id")]],
    type: [json("/type")],
    source: "https://circleci.com/docs/webhooks/",
  },
  pagerduty: {
    verify: hmacOfBody("X-PagerDuty-Signature", { prefix: "v1=", separator: "," }),
    id: [[json("/event/id")]],
    type: [json("/event/event_type")],
    source: "https://developer.pagerduty.com/docs/verifying-webhook-signatures",
  },
  datadog: {
    verify: [{ kind: "basic" }, { kind: "equal", places: [header("X-Api-Key"), header("Authorization")] }],
    id: [],
    type: [json("/event_type"), json("/alert_type")],
    source: "https://docs.datadoghq.com/integrations/webhooks/",
  },
  grafana: {
    verify: [
      ...hmacOfBody("X-Grafana-Alerting-Signature"),
      { kind: "basic" },
      {
        kind: "equal",
        places: [{ ...header("Authorization"), prefix: "Bearer " }, header("Authorization")],
      },
    ],
    id: [],
    type: [json("/status")],
    source:
      "https://grafana.com/docs/grafana/latest/alerting/configure-notifications/manage-contact-points/integrations/webhook-notifier/",
  },
} as const satisfies Record<string, Sender>;
