import { testMail, type Undelivered } from "#domain/mail/index.ts";
import { lastAccessChange } from "#domain/identity/index.ts";
import { auditInstance, migrationsOf, nodesOf } from "#domain/people/index.ts";
import { createRateLimiter } from "#http/index.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import { MailFailure } from "#stores/mail/index.ts";
import type { PortalOperation, PortalSurfaceDeps } from "../deps.ts";
import { originOf } from "../origin.ts";

const STATES = { next: "next", signing: "active", retired: "retired" } as const;

export const getInstance: PortalOperation<"getInstance"> = async (deps, _input, { reply }) => {
  const { identity, instance, metadata } = deps;
  void reply.header("cache-control", "no-store");
  const nodes = await nodesOf(metadata.read);
  return {
    version: instance.version,
    started_at: isoFromMs(instance.startedAtMs),
    metadata: metadata.dialect,
    objects: instance.objects,
    telemetry: "embedded" as const,
    master_key_id: identity.envelope.masterKeyId,
    latest_change: await lastAccessChange(metadata.read),
    nodes: nodes.map((node) => ({
      id: node.id,
      current: node.id === identity.feed.nodeId,
      applied_change: node.applied_seq,
      started_at: isoFromMs(node.started_at),
      seen_at: isoFromMs(node.seen_at),
    })),
    signing_keys: identity.keys.list().map((key) => ({
      kid: key.kid,
      alg: key.alg,
      state: STATES[key.state],
      created_at: isoFromMs(key.createdAtMs),
      active_at: isoFromMs(key.activeAtMs),
    })),
    problems: [...(await instance.problems())],
    checks: [...(await instance.checks())],
    disk: await instance.disk(),
    memory_bytes: process.memoryUsage.rss(),
    own_telemetry_organization: await instance.ownTelemetryOrganization(),
    build: {
      ...instance.build,
      migrations: (await migrationsOf(metadata.read)).map(({ name, applied_at: at }) => ({
        name,
        applied_at: isoFromMs(at),
      })),
    },
    mail: await mailBody(deps.mail),
  };
};

async function mailBody(mail: PortalSurfaceDeps["mail"]) {
  if (mail === null) return null;
  const { host, port, security, from } = mail;
  return { host, port, security, from, undelivered: (await mail.undelivered()).map(undeliveredBody) };
}

function undeliveredBody({ id, recipient, subject, attempts, failure, ...times }: Undelivered) {
  return {
    id,
    to: recipient,
    subject,
    attempts,
    failure,
    state: times.failed_at === null ? ("waiting" as const) : ("failed" as const),
    created_at: isoFromMs(times.created_at),
    next_attempt_at: times.next_at === null ? null : isoFromMs(times.next_at),
    failed_at: times.failed_at === null ? null : isoFromMs(times.failed_at),
  };
}

/** Accepts the clock of the answering node only: each node has a separate clock. */
export const acceptClock: PortalOperation<"acceptClock"> = async (deps, _input, context) => {
  const event = { action: "clock.accept", target: { kind: "instance", id: "instance" }, detail: {} };
  await auditInstance(deps.people, context.operator, event, originOf(context));
  deps.instance.acceptClock();
  return undefined;
};

export const getLogLevel: PortalOperation<"getLogLevel"> = ({ instance: { logLevel } }) => ({
  level: logLevel.get(),
  configured: logLevel.configured,
});

/** Changes the level of the answering node only: to find a fault, one node is enough. */
export const setLogLevel: PortalOperation<"setLogLevel"> = async (deps, { body: { level } }, context) => {
  const { logLevel } = deps.instance;
  const detail = { from: logLevel.get(), to: level };
  const event = { action: "log.set_level", target: { kind: "instance", id: "instance" }, detail };
  await auditInstance(deps.people, context.operator, event, originOf(context));
  logLevel.set(level);
  return { level, configured: logLevel.configured };
};

const TRIES_A_MINUTE = 10;

/** Answers with the mail server's reply, even a refusal, because the operator wants to see it. */
export function sendTestMail({ clock }: Pick<PortalSurfaceDeps, "clock">): PortalOperation<"sendTestMail"> {
  const limit = { perSecond: TRIES_A_MINUTE / 60, burst: TRIES_A_MINUTE, clock };
  const tries = createRateLimiter({ name: "person", ...limit });
  return async (deps, { body: { to } }, context) => {
    const { mail } = deps;
    if (mail === null)
      throw new Problem("conflict", "No mail server is set. Set smtp_url and mail_from, and restart the server.");
    tries.take(context.operator.actor.id);
    const begunMs = performance.now();
    const answer = await mail.sendOnce(testMail(to, deps.addresses.portal_url)).then(
      (reply) => ({ reply: { ...reply }, failure: null }),
      (error: unknown) => {
        if (!(error instanceof MailFailure)) throw error;
        return { reply: error.reply === null ? null : { ...error.reply }, failure: error.message };
      },
    );
    const event = {
      action: "mail.test",
      target: { kind: "mail", id: "test" },
      detail: { to, failure: answer.failure },
    };
    await auditInstance(deps.people, context.operator, event, originOf(context));
    return { ...answer, duration_ms: Math.round(performance.now() - begunMs) };
  };
}
