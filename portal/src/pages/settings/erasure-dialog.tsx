import { QUERY_ROUTES, TELEMETRY_SETTINGS_ROUTES } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct, useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { DangerDialog, Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { State } from "~/kit/state.tsx";
import { ConditionFields } from "./condition-fields.tsx";
import { TYPES } from "./days.ts";
import { TypesField } from "./types-field.tsx";
import { bodyOf, countSql, EMPTY, faultOf, possibleTypes, type Draft } from "./erasure.ts";

interface DialogProps {
  onClose: () => void;
  onCreated: (id: string) => void;
}

/** Requests an erasure in two steps: choose the rows, then check their number and confirm. */
export function ErasureDialog({ onClose, onCreated }: DialogProps): ReactNode {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const [isConfirming, setConfirming] = useState(false);
  const create = useAct(TELEMETRY_SETTINGS_ROUTES.createTelemetryErasure, {
    changes: [TELEMETRY_SETTINGS_ROUTES.listTelemetryErasures],
    onDone: ({ id }) => onCreated(id),
  });
  if (isConfirming)
    return (
      <DangerDialog
        title="Erase these rows permanently"
        about={
          <div className="flex flex-col gap-2">
            <Sentence draft={draft} />
            <Counted draft={draft} />
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
        onClose={() => setConfirming(false)}
        onConfirm={() => create.mutate({ body: bodyOf(draft) })}
      />
    );
  return <DraftForm draft={draft} onDraft={setDraft} onNext={() => setConfirming(true)} onClose={onClose} />;
}

function DraftForm({
  draft,
  onDraft,
  onNext,
  onClose,
}: {
  draft: Draft;
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
        <ConditionFields conditions={draft.conditions} onChange={(conditions) => onDraft({ ...draft, conditions })} />
        <TypesField
          types={TYPES}
          possible={possible}
          chosen={draft.types}
          onChange={(types) => onDraft({ ...draft, types })}
        />
        <MomentFields from={draft.from} to={draft.to} onChange={(part) => onDraft({ ...draft, ...part })} />
        <p role="status" className="text-ink-2">
          {fault ?? "The next step counts the matching rows. It does not erase them."}
        </p>
        <FormActions action="Count the rows" look="danger" disabled={fault !== null} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function Sentence({ draft: { types, conditions, from, to } }: { draft: Draft }): ReactNode {
  return (
    <>
      <p>
        From {types.join(", ")}
        {from !== undefined && ` since ${from}`}
        {to !== undefined && ` before ${to}`}, every row where:
      </p>
      <ul className="list-disc pl-6">
        {conditions.map(({ member, key, value }) => (
          <li key={`${member}/${key}`} className="[overflow-wrap:anywhere]">
            {member.replaceAll("_", " ")} {key !== "" && <code>{key}</code>} is <code>{value}</code>
          </li>
        ))}
      </ul>
    </>
  );
}

/** Counts the matching rows that the person may see. */
function Counted({ draft }: { draft: Draft }): ReactNode {
  const mayQuery = useMayIn(null, "telemetry:read");
  const sql = countSql(draft);
  const { data, error } = useRead(QUERY_ROUTES.query, { body: { sql } }, { enabled: mayQuery });
  if (!mayQuery) return <p>You need telemetry:read to see the number of rows.</p>;
  if (error !== null) return <ErrorNote error={error} />;
  if (data === undefined) return <p role="status">Counting…</p>;
  const counts = data.rows.map((row) => [String(row["type"]), Number(row["entries"])] as const);
  const total = counts.reduce((sum, [, entries]) => sum + entries, 0);
  return (
    <p>
      <State kind={total === 0 ? "none" : "stop"}>
        {plural(total, "row")} that you may see
        {total > 0 && `: ${counts.map(([type, entries]) => `${type} ${countText(entries)}`).join(", ")}`}
      </State>{" "}
      <PageLink page="sql" search={{ sql }} className="text-sea underline">
        Show them first
      </PageLink>
    </p>
  );
}
