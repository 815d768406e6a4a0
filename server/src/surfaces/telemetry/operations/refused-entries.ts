import { credentialNames } from "#domain/identity/index.ts";
import { projectIfNamed, visibleProjects } from "#domain/organizations/index.ts";
import { refusedSums, type RefusedSum } from "#domain/refused-entries/index.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { ResultOf, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import type { TelemetrySettingsOperation } from "../deps.ts";

type Item = ResultOf<(typeof TELEMETRY_SETTINGS_ROUTES)["listRefusedEntries"]>["items"][number];
type Sample = Item["samples"][number];

const HOURS_DEFAULT = 24;
const HOUR_MS = 3_600_000;
const ITEMS_MAX = 200;

/** @throws Problem `not_found` for a project that is absent or hidden */
export const listRefusedEntries: TelemetrySettingsOperation<"listRefusedEntries"> = async (
  deps,
  { query },
  { principal },
) => {
  const { metadata, clock } = deps;
  const { orgId } = principal;
  const project = await projectIfNamed(deps, principal, query.project, "telemetry:read");
  const nowMs = clock.nowMs();
  const sums = await refusedSums(metadata.read, orgId, {
    fromHour: nowMs - (nowMs % HOUR_MS) - ((query.hours ?? HOURS_DEFAULT) - 1) * HOUR_MS,
    projectId: project?.id,
    senderId: query.sender,
    reason: query.reason,
    visible: await visibleProjects(metadata, principal, "telemetry:read"),
    limit: ITEMS_MAX,
  });
  const senders = [...new Set(sums.map(({ sender_id: id }) => id))];
  const names = await credentialNames(metadata.read, orgId, senders);
  return {
    items: sums.map((sum) => itemOf(sum, names.get(sum.sender_id) ?? null)),
    entries: sums[0]?.total ?? 0,
  };
};

function itemOf(sum: RefusedSum, name: string | null): Item {
  const samples = JSON.parse(sum.samples) as (Omit<Sample, "at"> & { at: number })[];
  return {
    sender: { kind: sum.sender_kind, id: sum.sender_id, name },
    project_id: sum.project_id === "" ? null : sum.project_id,
    protocol: sum.protocol,
    type: sum.type as Item["type"],
    reason: sum.reason as Item["reason"],
    entries: sum.entries,
    requests: sum.requests,
    last_at: isoFromMs(sum.last_at),
    samples: samples.map((sample) => ({ ...sample, at: isoFromMs(sample.at) })),
  };
}
