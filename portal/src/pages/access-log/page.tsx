import { ACCESS_ACTIONS, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { Button } from "~/kit/button.tsx";
import { useSql } from "~/kit/chart-query.ts";
import type { SqlRow } from "~/kit/chart-rows.ts";
import { SelectField, TextField } from "~/kit/field.tsx";
import { bytesText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Empty, Loaded, Page as Frame, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { Time } from "~/kit/time.tsx";
import { VersionedForm } from "~/kit/versioned.tsx";
import { filtersOf, NO_FILTERS, OUTCOMES, ROWS_MAX, sqlOf, statementOf, type Filters } from "./filters.ts";
import { HoursChart } from "./hours-chart.tsx";
import { SettingsForm } from "./settings-form.tsx";

const REFRESH_MS = 10_000;

/** Who read or changed which data. */
export function Page(): ReactNode {
  const [search, change] = useSearchState<Filters>();
  const project = useProject();
  const mayReadSettings = useMayIn(null, "org:read");
  const filters = filtersOf(search);
  const statement = statementOf(filters, project?.id);
  const result = useSql(statement, { refetchMs: REFRESH_MS });
  return (
    <Frame
      title="Access"
      about="Who read or changed which data: files, objects, images, statements, exports, events and the audit log. Changes of settings are in the audit log."
      actions={
        <PageLink page="sql" search={{ sql: sqlOf(statement) }} className="self-center px-2 text-sea hover:underline">
          The same as SQL
        </PageLink>
      }
    >
      {mayReadSettings && (
        <Section title="Recording">
          <VersionedForm row={TELEMETRY_SETTINGS_ROUTES.getAccessLogSettings} params={{}}>
            {(versioned, onReload) => <SettingsForm versioned={versioned} onReload={onReload} />}
          </VersionedForm>
        </Section>
      )}
      <h2 className="sr-only">Rows</h2>
      <FilterBar filters={filters} onChange={change} />
      <HoursChart filters={filters} projectId={project?.id} />
      <Loaded result={result}>{() => <Rows rows={result.rows} isFiltered={Object.keys(filters).length > 0} />}</Loaded>
    </Frame>
  );
}

const TEXTS = { actor: "Who", target: "On what", address: "Address" } as const;

function FilterBar({ filters, onChange }: { filters: Filters; onChange: (change: Filters) => void }): ReactNode {
  const address = JSON.stringify(filters);
  const [draft, setDraft] = useState<Filters>(filters);
  useEffect(() => setDraft(JSON.parse(address) as Filters), [address]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(
      Object.fromEntries(Object.keys(TEXTS).map((name) => [name, draft[name as keyof Filters]?.trim() || undefined])),
    );
  };
  return (
    <form role="search" onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <Choice
        label="What"
        value={filters.action}
        of={Object.keys(ACCESS_ACTIONS)}
        onChange={(action) => onChange({ action })}
      />
      <Choice label="Outcome" value={filters.outcome} of={OUTCOMES} onChange={(outcome) => onChange({ outcome })} />
      {(Object.entries(TEXTS) as [keyof typeof TEXTS, string][]).map(([name, label]) => (
        <TextField
          key={name}
          label={label}
          value={draft[name] ?? ""}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        />
      ))}
      <div className="flex flex-wrap gap-2 pb-1">
        <Button type="submit">Find</Button>
        {address !== "{}" && <Button onClick={() => onChange(NO_FILTERS)}>Clear</Button>}
      </div>
    </form>
  );
}

function Choice({
  label,
  value = "",
  of,
  onChange,
}: {
  label: string;
  value: string | undefined;
  of: readonly string[];
  onChange: (value: string | undefined) => void;
}): ReactNode {
  return (
    <SelectField label={label} value={value} onChange={({ target }) => onChange(target.value || undefined)}>
      <option value="">any</option>
      {of.map((each) => (
        <option key={each}>{each}</option>
      ))}
    </SelectField>
  );
}

const textOf = (value: unknown): string =>
  typeof value === "string" || typeof value === "number" ? visibleText(String(value)) : "—";

const COLUMNS: readonly Column<SqlRow>[] = [
  { title: "When", cell: (row) => <Time at={String(row["timestamp"])} /> },
  { title: "Who", cell: (row) => <Who row={row} /> },
  { title: "What", cell: (row) => textOf(row["action"]) },
  {
    title: "On what",
    grow: true,
    cell: (row) => textOf(row["target_name"] ?? row["target_id"]),
  },
  { title: "Outcome", cell: (row) => <Outcome outcome={String(row["outcome"])} /> },
  { title: "Bytes", number: true, cell: (row) => bytesOf(row) },
  { title: "Address", cell: (row) => <span className="mono">{textOf(row["ip"])}</span> },
  { title: "How", cell: (row) => textOf(row["via"]) },
];

function Who({ row }: { row: SqlRow }): ReactNode {
  const signer = row["grant_by"];
  const name = row["actor_name"] ?? row["actor_id"] ?? row["actor_kind"];
  if (row["via"] === "presigned" && signer !== null) return <>a URL of {textOf(signer)}</>;
  return <>{textOf(name)}</>;
}

function Outcome({ outcome }: { outcome: string }): ReactNode {
  if (outcome === "success") return <State kind="go">success</State>;
  return <State kind={outcome === "aborted" ? "none" : "stop"}>{outcome}</State>;
}

function bytesOf(row: SqlRow): string {
  const bytes = row["bytes_out"] ?? row["bytes_in"];
  return typeof bytes === "number" || typeof bytes === "string" ? bytesText(Number(bytes)) : "—";
}

function Rows({ rows, isFiltered }: { rows: readonly SqlRow[]; isFiltered: boolean }): ReactNode {
  if (rows.length === 0)
    return (
      <Empty title={isFiltered ? "No row matches" : "No row yet"}>
        <p>Rows appear here as soon as the log is on and somebody reads or changes data.</p>
      </Empty>
    );
  return (
    <div className="min-h-0 overflow-auto rounded border border-line bg-sheet">
      <Table
        label="Rows of the access log"
        columns={COLUMNS}
        items={rows}
        keyOf={(row) => `${textOf(row["node"])}/${textOf(row["seq"])}`}
      />
      {rows.length >= ROWS_MAX && <p className="p-3.5 text-ink-2">Only the newest {ROWS_MAX} rows are shown.</p>}
    </div>
  );
}
