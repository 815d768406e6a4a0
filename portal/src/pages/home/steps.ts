import { FILE_ROUTES, REGISTRY_API_ROUTES } from "@mooring/contract";
import { useState } from "react";
import { useRead } from "~/api/queries.ts";
import { useMayHere } from "~/app/may.ts";
import { useProject } from "~/app/scope.ts";
import { useSql } from "~/kit/chart-query.ts";
import { numberOf, textOf, type SqlRow } from "~/kit/chart-rows.ts";
import { bytesText } from "~/kit/figures.ts";
import type { StepId } from "./commands.ts";

export interface Step {
  readonly id: StepId;
  readonly todo: string;
  readonly done: string;
  /** Undefined: loading. Null: not done. Otherwise the first item and its time. */
  readonly found: { readonly what: string; readonly at: string } | null | undefined;
  readonly error: Error | null;
  /** The scope that the person lacks to see whether the step is done, or null. */
  readonly missing: string | null;
}

const POLL_MS = 2000;

type Found = Step["found"];

/** Polls until the step is done, but not in hidden tabs. */
function usePolling(): { refetchMs: number | undefined; settle: (found: Found) => Found } {
  const [isDone, setIsDone] = useState(false);
  return {
    refetchMs: isDone ? undefined : POLL_MS,
    settle: (found) => {
      if (found !== undefined && found !== null && !isDone) setIsDone(true);
      return found;
    },
  };
}

/** Returns the four first steps. Each is checked with the cheapest read. */
export function useSteps(): readonly Step[] {
  return [useLogStep(), useFileStep(), useWebhookStep(), useImageStep()];
}

/** Returns a WHERE clause for the project of the address. */
function useProjectFilter(): { where: string; parameters: Record<string, string> } {
  const project = useProject();
  return project === null
    ? { where: "", parameters: {} }
    : { where: "WHERE project_id = $project", parameters: { project: project.id } };
}

function useLogStep(): Step {
  const may = useMayHere("telemetry:read");
  const { where, parameters } = useProjectFilter();
  const sql = `SELECT timestamp, service, message FROM logs ${where} LIMIT 1`;
  const first = useRow(sql, parameters, may, (row) => ({
    what: [textOf(row, "message").slice(0, 80), textOf(row, "service")].filter((text) => text !== "").join(", from "),
    at: textOf(row, "timestamp"),
  }));
  return {
    id: "log",
    todo: "Send a log",
    done: "First log received",
    ...first,
    missing: may ? null : "telemetry:read",
  };
}

function useWebhookStep(): Step {
  const mayQuery = useMayHere("telemetry:read");
  const mayHooks = useMayHere("webhooks:read");
  const may = mayQuery && mayHooks;
  const { where, parameters } = useProjectFilter();
  const sql = `SELECT timestamp, type, size_bytes, verified, ip FROM webhook_events ${where} LIMIT 1`;
  const first = useRow(sql, parameters, may, (row) => {
    const scheme = textOf(row, "verified");
    const verified = scheme === "none" || scheme === "" ? "not signed" : "signature verified";
    return {
      what: `${textOf(row, "type") || "event"}, ${bytesText(numberOf(row, "size_bytes"))} from ${textOf(row, "ip")}, ${verified}`,
      at: textOf(row, "timestamp"),
    };
  });
  const missing = may ? null : mayQuery ? "webhooks:read" : "telemetry:read";
  return { id: "webhook", todo: "Receive a webhook", done: "First webhook received", ...first, missing };
}

/** Reads the row that shows that a step is done. */
function useRow(
  sql: string,
  parameters: Record<string, string>,
  enabled: boolean,
  tell: (row: SqlRow) => { what: string; at: string },
): Pick<Step, "found" | "error"> {
  const { refetchMs, settle } = usePolling();
  const { data, rows, error } = useSql({ sql, parameters, limit: 1 }, { enabled, refetchMs });
  const row = rows[0];
  return { found: settle(data === undefined ? undefined : row === undefined ? null : tell(row)), error };
}

function useFileStep(): Step {
  const may = useMayHere("files:read");
  const project = useProject();
  const { refetchMs, settle } = usePolling();
  const query = { limit: 1, ...(project === null ? {} : { project: project.slug }) };
  const { data, error } = useRead(FILE_ROUTES.listFiles, { query }, { enabled: may, refetchMs });
  const file = data?.data.files[0];
  const found = file && { what: `${file.filename}, ${bytesText(file.size_bytes)}`, at: file.created_at };
  return {
    id: "file",
    todo: "Store a file",
    done: "First file stored",
    found: settle(data === undefined ? undefined : (found ?? null)),
    error,
    missing: may ? null : "files:read",
  };
}

function useImageStep(): Step {
  const may = useMayHere("registry:pull");
  const project = useProject();
  const { refetchMs, settle } = usePolling();
  const { data, error } = useRead(
    REGISTRY_API_ROUTES.listImageRepositories,
    { query: { limit: 100, project: project?.slug } },
    { enabled: may, refetchMs },
  );
  const pushed = data?.items.find(({ manifests }) => manifests > 0);
  const found = pushed && { what: `${pushed.name}, ${bytesText(pushed.size_bytes)}`, at: pushed.last_push_at ?? "" };
  return {
    id: "image",
    todo: "Push an image",
    done: "First image pushed",
    found: settle(data === undefined ? undefined : (found ?? null)),
    error,
    missing: may ? null : "registry:pull",
  };
}
