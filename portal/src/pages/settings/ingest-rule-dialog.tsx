import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button } from "~/kit/button.tsx";
import { Dialog, FormActions } from "~/kit/dialog.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { Checkbox, SelectField, TextField } from "~/kit/field.tsx";
import { plural } from "~/kit/figures.ts";
import { Table, type Column } from "~/kit/table.tsx";
import { TYPES } from "./days.ts";
import {
  ACTIONS,
  bodyOf,
  EMPTY,
  faultOf,
  MASKS,
  possibleTypes,
  previewOf,
  type Action,
  type Draft,
} from "./ingest-rule.ts";
import { SenderFields } from "./ingest-rule-senders.tsx";
import { TypesField } from "./types-field.tsx";

type Preview = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.previewIngestRule>;

interface DialogProps {
  onClose: () => void;
  onCreated: (id: string) => void;
}

interface DraftProps {
  draft: Draft;
  onDraft: (change: Partial<Draft>) => void;
}

/** Creates a rule, after a preview on recent rows. */
export function IngestRuleDialog({ onClose, onCreated }: DialogProps): ReactNode {
  const [draft, setDraft] = useState<Draft>(EMPTY);
  const create = useAct(TELEMETRY_SETTINGS_ROUTES.createIngestRule, {
    changes: [TELEMETRY_SETTINGS_ROUTES.listIngestRules],
    onDone: ({ id }) => onCreated(id),
  });
  const onDraft = (change: Partial<Draft>): void => setDraft({ ...draft, ...change });
  const fault = faultOf(draft);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (fault === null) create.mutate({ body: bodyOf(draft) });
  };
  return (
    <Dialog title="Create an ingest rule" about="It applies to rows that arrive from now on." onClose={onClose} wide>
      <form className="flex flex-col gap-4" onSubmit={submit}>
        <TextField label="Name" value={draft.name} onChange={({ target }) => onDraft({ name: target.value })} />
        <SenderFields draft={draft} onDraft={onDraft} />
        <TypesField
          types={TYPES}
          possible={possibleTypes(draft)}
          chosen={draft.types}
          onChange={(types) => onDraft({ types })}
        />
        <MatchFields draft={draft} onDraft={onDraft} />
        <ActionFields draft={draft} onDraft={onDraft} />
        <Tried draft={draft} />
        <p role="status" className="text-ink-2">
          {fault ?? "Senders get the usual answer for removed rows."}
        </p>
        <ErrorNote error={create.error} />
        <FormActions action="Create" busy={create.isPending} disabled={fault !== null} onCancel={onClose} />
      </form>
    </Dialog>
  );
}

function toggled<T>(list: readonly T[], item: T, isOn: boolean): readonly T[] {
  return isOn ? [...list, item] : list.filter((each) => each !== item);
}

const MATCHED = [
  ["service", "Service"],
  ["level", "Level of a log"],
  ["member", "Name of a metric or span"],
  ["contains", "Message contains"],
  ["attribute", "Attribute or tag"],
  ["value", "Its value"],
] as const;

function MatchFields({ draft, onDraft }: DraftProps): ReactNode {
  return (
    <fieldset>
      <legend className="pb-1 font-medium">Rows that match all of these (empty: every row)</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {MATCHED.map(([name, label]) => (
          <TextField
            key={name}
            label={label}
            className="mono"
            value={draft[name]}
            onChange={({ target }) => onDraft({ [name]: target.value })}
          />
        ))}
      </div>
    </fieldset>
  );
}

function ActionFields({ draft, onDraft }: DraftProps): ReactNode {
  return (
    <>
      <SelectField
        label="Action"
        value={draft.action}
        onChange={({ target }) => onDraft({ action: target.value as Action })}
      >
        {ACTIONS.map(([action, title]) => (
          <option key={action} value={action}>
            {title}
          </option>
        ))}
      </SelectField>
      {draft.action === "sample" && (
        <TextField
          label="Keep one of"
          hint="All rows of a trace have the same result."
          type="number"
          min={2}
          max={999_999}
          value={draft.keepOneOf}
          onChange={({ target }) => onDraft({ keepOneOf: target.value })}
        />
      )}
      {draft.action === "mask" && (
        <div className="flex flex-wrap gap-x-6">
          {MASKS.map(([mask, title]) => (
            <Checkbox
              key={mask}
              label={title}
              checked={draft.masks.includes(mask)}
              onChange={({ target }) => onDraft({ masks: toggled(draft.masks, mask, target.checked) })}
            />
          ))}
        </div>
      )}
    </>
  );
}

/** Tries the rule on recent rows of the first type. */
function Tried({ draft }: { draft: Draft }): ReactNode {
  const mayRead = useMayIn(null, "telemetry:read");
  const preview = useAct(TELEMETRY_SETTINGS_ROUTES.previewIngestRule, {});
  const [type] = draft.types;
  const isReady = mayRead && type !== undefined && faultOf({ ...draft, name: "preview" }) === null;
  return (
    <div className="flex flex-col gap-2">
      <div>
        <Button
          disabled={!isReady}
          busy={preview.isPending}
          title={mayRead ? undefined : "Your role lacks telemetry:read"}
          onClick={() => type !== undefined && preview.mutate({ body: previewOf(draft, type) })}
        >
          Preview on recent rows
        </Button>
      </div>
      <ErrorNote error={preview.error} />
      {preview.data !== undefined && <Outcome preview={preview.data} />}
    </div>
  );
}

function Outcome({ preview }: { preview: Preview }): ReactNode {
  const { rows, rows_matched: matched, rows_removed: removed, rows_masked: masked, examples } = preview;
  return (
    <>
      <p role="status">
        {preview.type}: the rule meets {matched} of the newest {plural(rows, "row")}, removes {removed} and masks{" "}
        {masked}.
      </p>
      {examples.length > 0 && (
        <div className="rounded border border-line">
          <Table label="Preview" items={examples} columns={EXAMPLES} keyOf={(example) => JSON.stringify(example)} />
        </div>
      )}
    </>
  );
}

type Example = Preview["examples"][number];

const EXAMPLES: readonly Column<Example>[] = [
  { title: "Before", cell: ({ before }) => <Shown row={before} /> },
  { title: "After", cell: ({ after }) => (after === null ? "removed" : <Shown row={after} />) },
];

function Shown({ row }: { row: Example["before"] }): ReactNode {
  const { message, name, attributes, tags } = row;
  const title = message ?? name;
  const details = attributes ?? tags;
  return (
    <span className="mono [overflow-wrap:anywhere]">
      {typeof title === "string" ? title : ""}{" "}
      {details === undefined || details === null ? "" : JSON.stringify(details)}
    </span>
  );
}
