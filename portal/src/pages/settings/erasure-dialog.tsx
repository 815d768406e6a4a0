import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField } from "~/kit/field.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { SqlField } from "~/kit/sql-field.tsx";
import { State } from "~/kit/state.tsx";
import { Time } from "~/kit/time.tsx";
import { ConditionFields } from "./condition-fields.tsx";
import { TYPES } from "./days.ts";
import { TypesField } from "./types-field.tsx";
import { bodyOf, countSql, EMPTY, faultOf, possibleTypes, TABLES, type Draft, type SqlChoice } from "./erasure.ts";

interface DialogProps {
  onClose: () => void;
  onCreated: (id: string) => void;
}

type Preview = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.previewTelemetryErasure>;

/** Requests an erasure in two steps: choose the rows, then check their number and confirm. */
export function ErasureDialog({ onClose, onCreated }: DialogProps): ReactNode {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [preview, setPreview] = useState<Preview | null>(null);
  const count = useAct(TELEMETRY_SETTINGS_ROUTES.previewTelemetryErasure, { onDone: setPreview });
  const create = useAct(TELEMETRY_SETTINGS_ROUTES.createTelemetryErasure, {
    changes: [TELEMETRY_SETTINGS_ROUTES.listTelemetryErasures],
    onDone: ({ id }) => onCreated(id),
  });
  if (preview !== null)
    return (
      <DangerDialog
        title="Erase these rows permanently"
        about={
          <div className="flex flex-col gap-2">
            <Sentence draft={draft} />
            <Counted draft={draft} preview={preview} />
            <p>
              This cannot be undone. It erases rows of all projects, also of private ones that you cannot see. Rows that
              arrive later are not erased, so stop sending them first.
            </p>
          </div>
        }
        type="erase"
        action="Erase"
        busy={create.isPending}
        error={create.error}
        onClose={() => {
          create.reset();
          setPreview(null);
        }}
        onConfirm={() => create.mutate({ body: { ...bodyOf(draft), rows_expected: preview.rows } })}
      />
    );
  return (
    <DraftForm
      draft={draft}
      busy={count.isPending}
      error={count.error}
      onDraft={setDraft}
      onNext={() => count.mutate({ body: bodyOf(draft) })}
      onClose={onClose}
    />
  );
}

function DraftForm({
  draft,
  busy,
  error,
  onDraft,
  onNext,
  onClose,
}: {
  draft: Draft;
  busy: boolean;
  error: Error | null;
  onDraft: (draft: Draft) => void;
  onNext: () => void;
  onClose: () => void;
}): ReactNode {
  const fault = faultOf(draft);
  const possible = possibleTypes(draft.conditions);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === null) onNext();
  };
  return (
    <Dialog
      title="Erase rows"
      about="Rows of the chosen types and time range that match all conditions."
      onClose={onClose}
      wide
    >
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <SelectField
          label="Choose rows by"
          value={draft.sql === undefined ? "values" : "sql"}
          onChange={({ target }) => onDraft({ ...draft, sql: target.value === "sql" ? EMPTY_SQL : undefined })}
        >
          <option value="values">values that they have</option>
          <option value="sql">a condition in SQL</option>
        </SelectField>
        {draft.sql === undefined ? (
          <>
            <ConditionFields
              conditions={draft.conditions}
              onChange={(conditions) => onDraft({ ...draft, conditions })}
            />
            <TypesField
              types={TYPES}
              possible={possible}
              chosen={draft.types}
              onChange={(types) => onDraft({ ...draft, types })}
            />
          </>
        ) : (
          <SqlFields sql={draft.sql} onChange={(sql) => onDraft({ ...draft, sql })} />
        )}
        <MomentFields from={draft.from} to={draft.to} onChange={(part) => onDraft({ ...draft, ...part })} />
        <p role="status" className="text-ink-2">
          {fault ?? "The next step counts the matching rows. It does not erase them."}
        </p>
        {error !== null && <ErrorNote error={error} />}
        <FormActions action="Count the rows" look="danger" busy={busy} disabled={fault !== null} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

const EMPTY_SQL: SqlChoice = { table: "logs", where: "" };

function SqlFields({ sql, onChange }: { sql: SqlChoice; onChange: (sql: SqlChoice) => void }): ReactNode {
  const hint =
    sql.table === "access_log"
      ? "The rows stay, without name, session, address and user agent of the actor."
      : "The table whose rows are erased.";
  return (
    <>
      <SelectField
        label="Table"
        hint={hint}
        value={sql.table}
        onChange={({ target }) => onChange({ ...sql, table: TABLES.find((each) => each === target.value) ?? "logs" })}
      >
        {TABLES.map((table) => (
          <option key={table}>{table}</option>
        ))}
      </SelectField>
      <SqlField
        label="Condition"
        hint="As after WHERE, for example: message LIKE '%4111%'. Without subqueries."
        value={sql.where}
        onChange={(where) => onChange({ ...sql, where })}
      />
    </>
  );
}

function Sentence({ draft: { sql, types, conditions, from, to } }: { draft: Draft }): ReactNode {
  return (
    <>
      <p>
        From {sql?.table ?? types.join(", ")}
        {from !== undefined && ` since ${from}`}
        {to !== undefined && ` before ${to}`}, every row where:
      </p>
      {sql !== undefined && <CopyBlock text={sql.where} label="Condition" />}
      {sql === undefined && (
        <ul className="list-disc pl-6">
          {conditions.map(({ member, key, value }) => (
            <li key={`${member}/${key}`} className="[overflow-wrap:anywhere]">
              {member.replaceAll("_", " ")} {key !== "" && <code>{key}</code>} is <code>{value}</code>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Shows the number of matching rows that the person may see, and the backups that still have them. */
function Counted({ draft, preview }: { draft: Draft; preview: Preview }): ReactNode {
  const { rows, types, backups, is_complete: isComplete } = preview;
  const counts = types.map(
    ({ type, rows: of, files }) => `${type} ${countText(of)} (${plural(files, "file")} to read)`,
  );
  const oldest = types.flatMap((each) => (each.oldest === null ? [] : [each.oldest])).toSorted()[0];
  return (
    <>
      <p>
        <State kind={rows === 0 ? "none" : "stop"}>
          {plural(rows, "row")} that you may see{rows > 0 && `: ${counts.join(", ")}`}
        </State>{" "}
        <PageLink page="sql" search={{ sql: countSql(draft) }} className="text-sea underline">
          Show them first
        </PageLink>
      </p>
      {oldest !== undefined && (
        <p>
          The oldest is from <Time at={oldest} />.
        </p>
      )}
      {!isComplete && <p>Matching rows of projects that you cannot see are not counted, and are erased too.</p>}
      {backups.length > 0 && (
        <p>
          {plural(backups.length, "backup")} since then still {backups.length === 1 ? "has" : "have"} these rows.
        </p>
      )}
    </>
  );
}
