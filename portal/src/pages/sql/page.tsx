import { useCallback, useEffect, useState, type ReactNode } from "react";
import { useProject } from "~/app/scope.ts";
import { Button } from "~/kit/button.tsx";
import { CopyButton } from "~/kit/copy.tsx";
import { SqlEditor } from "~/kit/editor.tsx";
import { TextField } from "~/kit/field.tsx";
import type { GridRow } from "~/kit/grid-table.ts";
import { WithInspector } from "~/kit/inspector.tsx";
import { Page as Frame } from "~/kit/page.tsx";
import { useSchema } from "~/kit/sql-schema.ts";
import { TimeRangePicker } from "~/kit/time-range-picker.tsx";
import { ExportMenu } from "./export-menu.tsx";
import { HistoryPanel, SchemaPanel } from "./panels.tsx";
import { parameterNames } from "./parameters.ts";
import { PlanDialog } from "./plan.tsx";
import { Results, useClosedByNewResult, useWrong } from "./results.tsx";
import { RowInspector } from "./row-inspector.tsx";
import { SaveButton, SavedPanel, searchOfSaved, useSaved, type SavedQuery } from "./saved.tsx";
import { useSql, type SqlPage } from "./use-sql.ts";

const PANELS = [
  ["saved", "Saved"],
  ["history", "History"],
  ["tables", "Tables"],
] as const;

/** `data-search` makes `/` focus the editor. */
const ATTRIBUTES = { "aria-label": "SQL statement", "data-search": "" };

/** The page for SQL over all stored data. */
export function Page(): ReactNode {
  const page = useSql();
  const schema = useSchema();
  const saved = useSaved(page.search.saved);
  const query = saved?.value;
  useSavedOfAddress(page, query);
  const wrong = useWrong(page);
  const [open, setOpen] = useState<GridRow | null>(null);
  const close = useCallback(() => setOpen(null), []);
  useClosedByNewResult(page.result.columns, close);
  const { panel } = page.search;
  const toggle = (id: string): void => {
    setOpen(null);
    page.change({ panel: panel === id ? undefined : id });
  };
  return (
    <Frame
      title={query?.name ?? "SQL"}
      fill
      about={query !== undefined && query.description !== "" ? query.description : undefined}
      actions={PANELS.map(([id, title]) => (
        <Button key={id} aria-pressed={panel === id} onClick={() => toggle(id)}>
          {title}
        </Button>
      ))}
    >
      <WithInspector
        inspector={
          open !== null ? (
            <RowInspector row={open} columns={page.result.columns} onClose={close} />
          ) : (
            <Panel page={page} onClose={() => page.change({ panel: undefined })} />
          )
        }
      >
        <div className="flex min-h-[560px] flex-1 flex-col gap-2.5">
          <div className="h-44 shrink-0">
            <SqlEditor
              attributes={ATTRIBUTES}
              value={page.text}
              onChange={page.setText}
              onRun={page.run}
              schema={schema}
              wrong={wrong}
            />
          </div>
          <Bar page={page} saved={saved} />
          <ParameterFields page={page} />
          <ProjectNote />
          <Results page={page} examples={schema?.examples} open={open} onOpen={setOpen} />
        </div>
      </WithInspector>
    </Frame>
  );
}

/** Shows the statement of a saved query if the address names the query and no statement. */
function useSavedOfAddress({ search, text, show }: SqlPage, saved: SavedQuery | undefined): void {
  const isBare = search.sql === undefined && search.z === undefined && text === "";
  useEffect(() => {
    if (isBare && saved !== undefined) show(saved.sql, searchOfSaved(saved));
  }, [isBare, saved, show]);
}

function Panel({ page, onClose }: { page: SqlPage; onClose: () => void }): ReactNode {
  const { panel } = page.search;
  if (panel === "saved") return <SavedPanel page={page} onClose={onClose} />;
  if (panel === "history") return <HistoryPanel page={page} onClose={onClose} />;
  return panel === "tables" ? <SchemaPanel onClose={onClose} /> : null;
}

function Bar({ page, saved }: { page: SqlPage; saved: ReturnType<typeof useSaved> }): ReactNode {
  const [explained, setExplained] = useState<string | null>(null);
  const { text, result, range } = page;
  const isEmpty = text.trim() === "";
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-2">
      {result.status === "running" ? (
        <Button onClick={page.cancel}>Cancel</Button>
      ) : (
        <Button
          look="main"
          disabled={isEmpty}
          onClick={() => page.run(text)}
          aria-keyshortcuts="Meta+Enter Control+Enter"
        >
          Run <span aria-hidden="true">⌘↵</span>
        </Button>
      )}
      <TimeRangePicker range={range} onChange={page.setRange} onAll={() => page.setRange({ kind: "all" })} />
      <span className="ml-auto flex flex-wrap gap-2">
        <Button disabled={isEmpty} onClick={() => setExplained(text)}>
          Explain
        </Button>
        <SaveButton page={page} saved={saved} />
        <ExportMenu page={page} sql={text} />
        <CopyButton text={location.href} label="Copy link" />
      </span>
      {explained !== null && <PlanDialog page={page} sql={explained} onClose={() => setExplained(null)} />}
    </div>
  );
}

/** Fields for the values of the statement's named parameters. */
function ParameterFields({ page }: { page: SqlPage }): ReactNode {
  const names = parameterNames(page.text);
  if (names.length === 0) return null;
  return (
    <div className="grid shrink-0 grid-cols-[repeat(auto-fill,minmax(180px,1fr))] gap-2">
      {names.map((name) => (
        <TextField
          key={name}
          label={<code>${name}</code>}
          className="mono"
          value={page.texts[name] ?? ""}
          onChange={(event) => page.change({ p: JSON.stringify({ ...page.texts, [name]: event.target.value }) })}
          onKeyDown={(event) => {
            if (event.key === "Enter") page.run(page.text);
          }}
        />
      ))}
    </div>
  );
}

/** Says that a statement reads all projects that the person may read, not only the project in the address. */
function ProjectNote(): ReactNode {
  const project = useProject();
  if (project === null) return null;
  return (
    <p className="shrink-0 text-s text-ink-2">
      Statements read all projects that you may read. For {project.slug} alone:{" "}
      <code>WHERE project_id = '{project.id}'</code>
    </p>
  );
}
