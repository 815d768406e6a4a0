import { QUERY_ROUTES } from "@mooring/contract";
import { useEffect, useState, type ReactNode } from "react";
import type { QueryStatistics } from "~/api/stream.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { bytesText, countText, durationText } from "~/kit/figures.ts";
import { Loading } from "~/kit/page.tsx";
import type { SqlPage } from "./use-sql.ts";

interface Step {
  readonly operator: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly rows?: number;
  readonly elapsed_ms?: number;
  readonly children: readonly Step[];
}

interface Plan {
  readonly plan: Step;
  readonly statistics: QueryStatistics;
}

/** Shows the plan of a statement. After a run it also shows the rows and the time of each step. */
export function PlanDialog({ page, sql, onClose }: { page: SqlPage; sql: string; onClose: () => void }): ReactNode {
  const [analyze, setAnalyze] = useState(false);
  const { plan, error } = usePlan(page, sql, analyze);
  return (
    <Dialog title="Plan" about="Each step reads its rows from the steps below it." onClose={onClose} wide>
      <ErrorNote error={error} />
      {plan === null && error === null && <Loading what={analyze ? "Running" : "Asking"} />}
      {plan !== null && (
        <>
          <p className="text-ink-2">
            {analyze ? `Ran in ${durationText(plan.statistics.elapsed_ms)}` : "Nothing was run"}
            {plan.statistics.files_total > 0 &&
              ` · ${countText(plan.statistics.files_scanned)} of ${countText(plan.statistics.files_total)} files · ${bytesText(plan.statistics.bytes_scanned)}`}
          </p>
          <ul>
            <StepLine step={plan.plan} />
          </ul>
        </>
      )}
      {!analyze && <Button onClick={() => setAnalyze(true)}>Run it, and show rows and times</Button>}
    </Dialog>
  );
}

function StepLine({ step }: { step: Step }): ReactNode {
  const info = Object.entries(step.info).filter(([, value]) => value !== "" && value !== null);
  return (
    <li className="border-l border-line py-1 pl-3">
      <p className="flex flex-wrap gap-x-3">
        <code className="font-medium">{step.operator}</code>
        {step.rows !== undefined && <span className="mono text-ink-2">{countText(step.rows)} rows</span>}
        {step.elapsed_ms !== undefined && <span className="mono text-ink-2">{durationText(step.elapsed_ms)}</span>}
      </p>
      {info.map(([name, value]) => (
        <p key={name} className="text-s [overflow-wrap:anywhere] text-ink-2">
          {name}: <code>{typeof value === "string" ? value : JSON.stringify(value)}</code>
        </p>
      ))}
      {step.children.length > 0 && (
        <ul>
          {step.children.map((child, index) => (
            <StepLine key={index} step={child} />
          ))}
        </ul>
      )}
    </li>
  );
}

function usePlan(
  { client, requestOf }: SqlPage,
  sql: string,
  analyze: boolean,
): { plan: Plan | null; error: Error | null } {
  const [plan, setPlan] = useState<Plan | null>(null);
  const [error, setError] = useState<Error | null>(null);
  useEffect(() => {
    const stop = new AbortController();
    setPlan(null);
    setError(null);
    client
      .json<Plan>({
        purpose: "explain the query",
        method: "POST",
        url: client.addresses.query_url + QUERY_ROUTES.query.path,
        body: JSON.stringify({ ...requestOf(sql), explain: analyze ? "analyze" : true }),
        signal: stop.signal,
      })
      .then(setPlan)
      .catch((reason: unknown) => {
        if (!stop.signal.aborted) setError(reason as Error);
      });
    return () => stop.abort();
  }, [client, requestOf, sql, analyze]);
  return { plan, error };
}
