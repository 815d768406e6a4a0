import { statfs } from "node:fs/promises";
import { organizationBySlug } from "#domain/organizations/index.ts";
import type { FastifyBaseLogger } from "fastify";
import type { PeerShare } from "#http/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { ClockGuard } from "#stores/clock/index.ts";
import type { MetadataStore } from "#stores/metadata/index.ts";
import type { ObjectStore } from "#stores/objects/index.ts";
import type { TelemetryStore } from "#stores/telemetry/index.ts";
import type { InstanceCheck, InstanceFacts } from "#surfaces/portal/index.ts";
import { MACHINE_CHECKS } from "./commands/doctor/machine.ts";
import { buildFacts, productManifest } from "./build-facts.ts";
import type { Config } from "./config.ts";
import { changeLogLevel, type LogLevel } from "./log/level.ts";
import type { Problems } from "./problems.ts";

interface InstanceParts {
  readonly config: Config;
  readonly log: Pick<FastifyBaseLogger, "level">;
  readonly clock: ClockGuard;
  readonly metadata: MetadataStore;
  readonly telemetry: TelemetryStore;
  readonly objects: ObjectStore;
  readonly problems: Pick<Problems, "list">;
  readonly peers: Pick<PeerShare, "dominant">;
}

const DELETIONS_CHECK = "deletions";
const STATES = { ok: "ok", warn: "warning", fail: "failed" } as const;

/** Returns facts about this server for the operator's pages. */
export function instanceFactsOf(parts: InstanceParts): InstanceFacts {
  const { config } = parts;
  const build = buildFacts();
  return {
    version: productManifest().version,
    startedAtMs: parts.clock.nowMs(),
    build,
    objects: config.objects_s3_bucket === null ? "filesystem" : "s3",
    checks: async () => [
      ...(await storeChecks(parts)),
      deletionsCheck(parts.clock),
      await sandboxCheck(parts),
      ...(await machineChecks(config)),
      proxyCheck(parts.peers),
    ],
    problems: () => parts.problems.list(),
    acceptClock: () => parts.clock.accept(),
    ownTelemetryOrganization: async () => {
      const slug = config.own_telemetry_organization;
      if (slug === null) return null;
      return (await organizationBySlug(parts.metadata.read, slug))?.slug ?? null;
    },
    logLevel: {
      get: () => parts.log.level as LogLevel,
      set: (level) => changeLogLevel(parts.log, level),
      configured: config.log_level,
    },
    disk: async () => {
      const { bavail, blocks, bsize } = await statfs(config.data_dir);
      return { free_bytes: bavail * bsize, total_bytes: blocks * bsize };
    },
  };
}

async function storeChecks({ metadata, telemetry, objects }: InstanceParts): Promise<InstanceCheck[]> {
  const records = await metadata.ping().then(
    () => ({ ok: true, detail: "answer" }),
    (error: unknown) => ({ ok: false, detail: (error as Error).message }),
  );
  const stores = { records, telemetry: telemetry.health(), objects: objects.health() };
  return Object.entries(stores).map(([name, { ok, detail }]) => ({ name, state: ok ? "ok" : "failed", detail }));
}

/**
 * Warns when most requests come from one address. It may be a proxy that is missing in `trusted_proxies`, and then all
 * callers share its address.
 */
function proxyCheck(peers: Pick<PeerShare, "dominant">): InstanceCheck {
  const found = peers.dominant();
  if (found === undefined) return { name: "proxies", state: "ok", detail: "callers come from different addresses" };
  const { address, share, requests, forwards } = found;
  const says = forwards ? " but sends header fields of a proxy" : "";
  const detail =
    `${Math.round(share * 100)} % of the last ${requests} requests came from ${address}, which is not a trusted proxy${says}. If it is a proxy, name it in trusted_proxies ` +
    "and let it send X-Forwarded-For: until then, all its clients share one address for failed sign-ins, allowed addresses and the audit log. If it is one client, nothing is wrong.";
  return { name: "proxies", state: "warning", detail };
}

/** The same checks of the machine as `mooring doctor`. */
async function machineChecks(config: Config): Promise<InstanceCheck[]> {
  const context = { config, running: null };
  const checks: InstanceCheck[] = [];
  for (const check of MACHINE_CHECKS) {
    const found = await check
      .run(context)
      .catch((error: unknown) => [{ status: "fail" as const, detail: (error as Error).message }]);
    for (const { status, detail } of found) checks.push({ name: check.name, state: STATES[status], detail });
  }
  return checks;
}

/** Reports whether expired data is being deleted. */
function deletionsCheck(clock: ClockGuard): InstanceCheck {
  const { trusted, reason, heldUntilMs } = clock.state();
  if (trusted) return { name: DELETIONS_CHECK, state: "ok", detail: "expired data is deleted" };
  const until = heldUntilMs === null ? "until the clock is corrected" : `until ${isoFromMs(heldUntilMs)}`;
  return { name: DELETIONS_CHECK, state: "warning", detail: `held ${until}: ${reason ?? ""}` };
}

async function sandboxCheck({ telemetry, config }: InstanceParts): Promise<InstanceCheck> {
  const missing = (await telemetry.sandbox()).filter(({ active }) => !active).map(({ name }) => name);
  const name = "query sandbox";
  if (missing.length === 0) return { name, state: "ok", detail: "every layer is in force" };
  const refused = config.query_sandbox === "require";
  const detail = `missing: ${missing.join(", ")}; ${refused ? "SQL is refused" : "SQL runs without"} (query_sandbox=${config.query_sandbox})`;
  return { name, state: refused ? "failed" : "warning", detail };
}
