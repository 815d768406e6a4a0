import type { SenderText } from "./text.ts";

/** Senders that host code, build it, deploy it and watch it. */
export const DEVELOPMENT = {
  github: {
    title: "GitHub",
    secret: "a long random text, the same as in the field Secret",
    where: "In the repository or organization: Settings, Webhooks, the webhook, Secret.",
  },
  gitlab: {
    title: "GitLab",
    secret: "the text of the field Secret token",
    where: "In the project or group: Settings, Webhooks, the webhook, Secret token.",
  },
  bitbucket: {
    title: "Bitbucket Cloud",
    secret: "the text of the field Secret",
    where: "In the repository: Repository settings, Webhooks, the webhook, Secret.",
  },
  gitea: {
    title: "Gitea and Forgejo",
    secret: "the text of the field Secret",
    where: "In the repository or organization: Settings, Webhooks, the webhook, Secret.",
  },
  linear: {
    title: "Linear",
    secret: "the signing secret",
    where: "In the settings of Linear: API, Webhooks, the webhook, Signing secret.",
  },
  jira: {
    title: "Jira Cloud",
    secret: "the text of the field Secret",
    where: "In Jira: System, WebHooks, the webhook, Secret.",
  },
  sentry: {
    title: "Sentry",
    secret: "the client secret of the integration",
    where: "In the settings of the organization: Custom Integrations, the integration, Client Secret.",
  },
  vercel: {
    title: "Vercel",
    secret: "the secret of the webhook",
    where: "Vercel shows it once, when the webhook is created: Settings of the team, Webhooks.",
  },
  netlify: {
    title: "Netlify",
    secret: "the JWS secret token",
    where: "In the project: Notifications, the HTTP POST request, JWS secret token.",
  },
  docker_hub: {
    title: "Docker Hub",
    secret: null,
    where: "In the repository at Docker Hub: Webhooks. Docker Hub signs nothing, so only the address is a secret.",
  },
  circleci: {
    title: "CircleCI",
    secret: "the secret token",
    where: "In the settings of the project: Webhooks, the webhook, Secret token.",
  },
  pagerduty: {
    title: "PagerDuty",
    secret: "the secret of the subscription",
    where: "PagerDuty shows it once, when the webhook is created: Integrations, Generic Webhooks (v3).",
  },
  datadog: {
    title: "Datadog",
    secret: "user:password, or a key in the field X-Api-Key or Authorization",
    where: "In Datadog: Integrations, Webhooks. Put user:password@ into the URL, or the key into the custom headers.",
  },
  grafana: {
    title: "Grafana Alerting",
    secret: "the HMAC secret; or user:password, or the credentials of the Authorization header",
    where: "In the contact point: HMAC Signature, Secret. Leave its field for the timestamp header empty.",
  },
} as const satisfies Record<string, SenderText>;
