import type { PORTAL_ROUTES } from "@mooring/contract";
import { latestChange, migrationsOf, nodesOf } from "#domain/people/index.ts";
import type { Operation } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { PortalSurfaceDeps } from "../index.ts";

const STATES = { next: "next", signing: "active", retired: "retired" } as const;

export function getInstance(deps: PortalSurfaceDeps): Operation<typeof PORTAL_ROUTES.getInstance> {
  const { identity, instance, metadata } = deps;
  return async (_input, { reply }) => {
    void reply.header("cache-control", "no-store");
    const nodes = await nodesOf(metadata.read);
    return {
      version: instance.version,
      started_at: isoFromMs(instance.startedAtMs),
      metadata: metadata.dialect,
      objects: instance.objects,
      telemetry: "embedded" as const,
      master_key_id: identity.envelope.masterKeyId,
      latest_change: await latestChange(metadata.read),
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
      checks: [...(await instance.checks())],
      disk: await instance.disk(),
      memory_bytes: process.memoryUsage.rss(),
      build: {
        ...instance.build,
        migrations: (await migrationsOf(metadata.read)).map(({ name, applied_at: at }) => ({
          name,
          applied_at: isoFromMs(at),
        })),
      },
      mail: mailBody(deps.mail),
    };
  };
}

function mailBody(mail: PortalSurfaceDeps["mail"]) {
  if (mail === null) return null;
  const { host, port, security, from } = mail;
  return { host, port, security, from };
}
