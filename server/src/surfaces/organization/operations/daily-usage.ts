import { Readable } from "node:stream";
import type { ActivityService, ResultOf, USAGE_ROUTES } from "@mooring/contract";
import { namesOfCredentials, requireOrganization } from "#domain/identity/index.ts";
import { projectIfNamed, visibleProjects } from "#domain/organizations/index.ts";
import {
  DAY_MS,
  usageSums,
  type Dimension,
  type Grouping,
  type UsageFilter,
  type UsageKey,
  type UsageSum,
} from "#domain/usage/index.ts";
import { preferredType } from "#http/index.ts";
import { decodeCursor, encodeCursor } from "#kernel/cursor.ts";
import { Problem } from "#kernel/problem.ts";
import { isoFromMs } from "#kernel/time.ts";
import type { UsageOperation, UsageSurfaceDeps } from "../deps.ts";

type Item = ResultOf<typeof USAGE_ROUTES.listDailyUsage>["items"][number];

const DEFAULT_DAYS = 30;
const LIMIT_DEFAULT = 100;
const CSV_PAGE = 1000;

/** How the rows are made. */
type Rows = Pick<Grouping, "by" | "total">;
const TYPES = ["application/json", "text/csv"] as const;
const DIMENSIONS = { project: "project_id", credential: "credential_id", service: "service" } as const;
const COLUMNS = ["requests", "refused", "bytes_in", "bytes_out", "bytes_scanned", "bytes_stored"] as const;

/** @throws Problem `invalid_parameter`, `not_found` for a project that is absent or hidden, `not_acceptable` */
export const listDailyUsage: UsageOperation<"listDailyUsage"> = async (
  deps,
  { query },
  { principal, request, reply },
) => {
  requireOrganization(principal, "org:read");
  const type = preferredType(request.headers.accept, TYPES);
  if (type === null) throw new Problem("not_acceptable", `This operation can answer as ${TYPES.join(", ")}.`);
  const { orgId } = principal;
  const rows = { by: dimensionsOf(query.group_by ?? "day"), total: query.total ?? false };
  const filter = {
    ...daysOf(query, deps.clock.nowMs()),
    projectId: (await projectIfNamed(deps, principal, query.project, "projects:read"))?.id,
    credentialId: query.credential,
    service: query.service,
    visible: await visibleProjects(deps.metadata, principal, "projects:read"),
  };
  if (type === "text/csv") {
    await reply
      .header("content-type", "text/csv; charset=utf-8; header=present")
      .header("content-disposition", 'attachment; filename="usage.csv"')
      .send(Readable.from(linesOf(deps, orgId, filter, rows)));
    return undefined as never; // The body was streamed, so the framework serializes nothing.
  }
  const limit = query.limit ?? LIMIT_DEFAULT;
  const after =
    query.cursor === undefined ? undefined : decodeCursor(query.cursor, ["number", "string", "string", "string"]);
  const sums = await usageSums(deps.metadata.read, orgId, filter, { ...rows, after, limit: limit + 1 });
  const items = sums.slice(0, limit);
  const last = items.at(-1);
  return {
    items: await itemsOf(deps, items, rows.by),
    next_cursor: sums.length > limit && last !== undefined ? encodeCursor([...keyOf(last)]) : null,
  };
};

function dimensionsOf(group: "day" | "all" | keyof typeof DIMENSIONS): readonly Dimension[] {
  if (group === "day") return [];
  return group === "all" ? Object.values(DIMENSIONS) : [DIMENSIONS[group]];
}

function daysOf({ from, to }: { from?: string; to?: string }, nowMs: number): Pick<UsageFilter, "fromDay" | "toDay"> {
  const toDay = to === undefined ? nowMs - (nowMs % DAY_MS) : Date.parse(to);
  const fromDay = from === undefined ? toDay - (DEFAULT_DAYS - 1) * DAY_MS : Date.parse(from);
  if (fromDay > toDay) throw new Problem("invalid_parameter", "`from` must not be after `to`.");
  return { fromDay, toDay };
}

const keyOf = ({ day, project_id, credential_id, service }: UsageSum): UsageKey => [
  day,
  project_id,
  credential_id,
  service,
];

async function itemsOf(deps: UsageSurfaceDeps, sums: readonly UsageSum[], by: readonly Dimension[]): Promise<Item[]> {
  const ids = [...new Set(sums.map((sum) => sum.credential_id))];
  const names = await namesOfCredentials(deps.metadata.read, ids);
  return sums.map(({ day, project_id, credential_id, service, ...flows }) => ({
    day: isoFromMs(day).slice(0, "2026-11-27".length),
    ...(by.includes("project_id") && { project_id: project_id === "" ? null : project_id }),
    ...(by.includes("credential_id") && {
      credential_id: credential_id === "" ? null : credential_id,
      credential_name: names.get(credential_id)?.name ?? null,
    }),
    ...(by.includes("service") && { service: service as ActivityService }),
    ...flows,
  }));
}

async function* linesOf(
  deps: UsageSurfaceDeps,
  orgId: string,
  filter: UsageFilter,
  rows: Rows,
): AsyncGenerator<string, void, void> {
  const { by } = rows;
  const names = [
    "day",
    ...by.flatMap((name) => (name === "credential_id" ? [name, "credential_name"] : [name])),
    ...COLUMNS,
  ];
  yield `${names.join(",")}\r\n`;
  for (let after: UsageKey | undefined; ;) {
    const sums = await usageSums(deps.metadata.read, orgId, filter, { ...rows, after, limit: CSV_PAGE });
    const items: readonly Readonly<Record<string, string | number | null>>[] = await itemsOf(deps, sums, by);
    if (items.length > 0)
      yield items.map((item) => `${names.map((name) => fieldOf(item[name])).join(",")}\r\n`).join("");
    const last = sums.at(-1);
    if (last === undefined || sums.length < CSV_PAGE) return;
    after = keyOf(last);
  }
}

/** Quotes as RFC 4180. A spreadsheet would calculate a name that begins like a formula. */
function fieldOf(value: string | number | null | undefined): string {
  const text = String(value ?? "");
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}
