import { createHash } from "node:crypto";
import type { DEVELOPMENT as ROWS } from "../development.ts";
import { basicOf, hmac, ofBody, ofSecret, type Sample } from "./sample.ts";

const UUID = "6f1c1a6e-0c1c-4c1f-9e5d-0a3b1f0f5c11";
const base64url = (text: string): string => Buffer.from(text).toString("base64url");
const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

export const DEVELOPMENT: Readonly<Record<keyof typeof ROWS, Sample>> = {
  github: ofBody(
    "x-hub-signature-256",
    "sha256=",
    { body: '{"ref": "refs/heads/main"}', name: `x-github-delivery ${UUID}`, type: "push" },
    { "x-github-delivery": UUID, "x-github-event": "push" },
  ),
  gitlab: ofSecret(
    "x-gitlab-token",
    { body: '{"object_kind": "push"}', name: `idempotency-key ${UUID}`, type: "Push Hook" },
    { "idempotency-key": UUID, "x-gitlab-event": "Push Hook" },
  ),
  bitbucket: ofBody(
    "x-hub-signature",
    "sha256=",
    { body: '{"push": {"changes": []}}', name: `x-request-uuid ${UUID}`, type: "repo:push" },
    { "x-request-uuid": UUID, "x-event-key": "repo:push" },
  ),
  gitea: ofBody(
    "x-gitea-signature",
    "",
    { body: '{"ref": "refs/heads/main"}', name: `x-gitea-delivery ${UUID}`, type: "push" },
    { "x-gitea-delivery": UUID, "x-gitea-event": "push" },
  ),
  linear: {
    body: '{"action": "create", "type": "Issue", "webhookTimestamp": 1795000000000}',
    lateAfterS: 60,
    name: `linear-delivery ${UUID}`,
    type: "Issue",
    sign: ({ body, key }) => ({
      headers: { "linear-signature": hmac(key.secret, body), "linear-delivery": UUID, "linear-event": "Issue" },
    }),
  },
  jira: ofBody(
    "x-hub-signature",
    "sha256=",
    {
      body: '{"webhookEvent": "jira:issue_updated", "timestamp": 1795000000000}',
      name: "x-atlassian-webhook-identifier 17",
      type: "jira:issue_updated",
    },
    { "x-atlassian-webhook-identifier": "17" },
  ),
  sentry: ofBody(
    "sentry-hook-signature",
    "",
    { body: '{"action": "created", "data": {}}', name: `request-id ${UUID}`, type: "issue" },
    { "request-id": UUID, "sentry-hook-resource": "issue" },
  ),
  vercel: {
    body: '{"id": "uev_1", "type": "deployment.created", "payload": {}}',
    name: "uev_1",
    type: "deployment.created",
    sign: ({ body, key }) => ({ headers: { "x-vercel-signature": hmac(key.secret, body, "hex", "sha1") } }),
  },
  netlify: {
    body: '{"id": "5f0c", "state": "ready"}',
    type: "deploy_created",
    sign: ({ body, key }) => {
      const head = base64url('{"alg":"HS256","typ":"JWT"}');
      const content = `${head}.${base64url(JSON.stringify({ iss: "netlify", sha256: sha256(body) }))}`;
      const signature = Buffer.from(hmac(key.secret, content, "base64"), "base64").toString("base64url");
      return { headers: { "x-webhook-signature": `${content}.${signature}`, "x-netlify-event": "deploy_created" } };
    },
  },
  docker_hub: {
    body: '{"push_data": {"pushed_at": 1795000000, "tag": "latest"}, "repository": {"repo_name": "acme/shop"}}',
    covers: false,
    name: '[["1795000000"],["acme/shop"],["latest"]]',
    sign: () => ({}),
  },
  circleci: ofBody("circleci-signature", "v1=", {
    body: '{"id": "3888f21b", "type": "workflow-completed"}',
    name: "3888f21b",
    type: "workflow-completed",
  }),
  pagerduty: {
    body: '{"event": {"id": "5ac64822", "event_type": "incident.acknowledged"}}',
    name: "5ac64822",
    type: "incident.acknowledged",
    sign: ({ body, key }) => ({
      headers: { "x-pagerduty-signature": `v1=${"0".repeat(64)},v1=${hmac(key.secret, body)}` },
    }),
  },
  datadog: {
    ...ofSecret("x-api-key", {
      body: '{"event_type": "query_alert_monitor", "title": "disk"}',
      type: "query_alert_monitor",
    }),
  },
  grafana: ofBody("x-grafana-alerting-signature", "", {
    body: '{"status": "firing", "groupKey": "{}"}',
    type: "firing",
  }),
};

/** The other ways in which these senders prove a request. */
export const OTHER_WAYS: Readonly<
  Record<"datadog" | "grafana", readonly ((secret: string) => Record<string, string>)[]>
> = {
  datadog: [(secret) => ({ authorization: secret }), (secret) => ({ authorization: basicOf(secret) })],
  grafana: [
    (secret) => ({ authorization: `Bearer ${secret}` }),
    (secret) => ({ authorization: secret }),
    (secret) => ({ authorization: basicOf(secret) }),
  ],
};
