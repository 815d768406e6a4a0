import { TELEMETRY_SETTINGS_ROUTES, type ResultOf } from "@mooring/contract";
import { useState, type FormEvent, type ReactNode } from "react";
import { useAct } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { Button, IconButton } from "~/kit/button.tsx";
import { ErrorNote } from "~/kit/error-note.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { bytesText, countText } from "~/kit/figures.ts";
import { Section } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import { useSay } from "~/kit/toast.tsx";
import { ChangeError, useVersionedChange, VersionedForm, type Versioned } from "~/kit/versioned.tsx";
import { ConditionFields } from "./condition-fields.tsx";
import { TYPES, type TypeName } from "./days.ts";
import { draftsOf, membersOf, movedUp, NEW_RULE, rulesFault, rulesOf, type RuleDraft } from "./retention-draft.ts";

type Rules = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.getRetentionRules>;
type Preview = ResultOf<typeof TELEMETRY_SETTINGS_ROUTES.previewRetentionRules>;

const CHANGES = [TELEMETRY_SETTINGS_ROUTES.getRetentionRules, TELEMETRY_SETTINGS_ROUTES.getTelemetrySettings] as const;

/** The rules that keep some rows for other days than their type, with a preview and the undo of a change. */
export function RetentionRules(): ReactNode {
  return (
    <Section
      title="Retention rules"
      about="Rows that a rule matches are kept for its days. The first rule that matches decides, and the type’s days apply to all other rows."
    >
      <VersionedForm row={TELEMETRY_SETTINGS_ROUTES.getRetentionRules} params={{}}>
        {(versioned, onReload) => <RulesForm versioned={versioned} onReload={onReload} />}
      </VersionedForm>
    </Section>
  );
}

interface FormProps {
  versioned: Versioned<Rules>;
  onReload: () => void;
}

function RulesForm({ versioned: { value, etag }, onReload }: FormProps): ReactNode {
  const mayWrite = useMayIn(null, "org:write");
  const say = useSay();
  const [drafts, setDrafts] = useState<readonly RuleDraft[]>(() => draftsOf(value.rules));
  const [preview, setPreview] = useState<Preview | null>(null);
  const count = useAct(TELEMETRY_SETTINGS_ROUTES.previewRetentionRules, { onDone: setPreview });
  const save = useVersionedChange(TELEMETRY_SETTINGS_ROUTES.updateRetentionRules, {
    changes: CHANGES,
    onDone: () => {
      say("Saved.");
      onReload();
    },
  });
  const fault = rulesFault(drafts);
  const change = (next: readonly RuleDraft[]): void => {
    setDrafts(next);
    setPreview(null);
  };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (preview === null) count.mutate({ body: { rules: rulesOf(drafts) } });
    else save.mutate({ params: {}, body: { rules: rulesOf(drafts) }, etag });
  };
  return (
    <form onSubmit={submit}>
      <fieldset disabled={!mayWrite} className="flex flex-col gap-4">
        <Former rules={value} busy={save.isPending} onUndo={(body) => save.mutate({ params: {}, body, etag })} />
        {drafts.map((draft, at) => (
          <RuleFields
            key={at}
            at={at}
            draft={draft}
            onChange={(next) => change(drafts.map((each, i) => (i === at ? next : each)))}
            onUp={() => change(movedUp(drafts, at))}
            onRemove={() => change(drafts.filter((_, i) => i !== at))}
          />
        ))}
        <div>
          <Button onClick={() => change([...drafts, NEW_RULE])}>Add a rule</Button>
        </div>
        {fault !== null && <p role="status">{fault}</p>}
        {preview !== null && <PreviewTable preview={preview} graceHours={value.grace_hours} />}
        {count.error !== null && <ErrorNote error={count.error} />}
        <ChangeError error={save.error} onReload={onReload} />
        <div>
          <Button look="main" type="submit" busy={save.isPending || count.isPending} disabled={fault !== null}>
            {preview === null ? "Preview" : "Save"}
          </Button>
        </div>
      </fieldset>
    </form>
  );
}

/** Says which earlier retention still counts, and undoes the last change. */
function Former({
  rules: { former },
  busy,
  onUndo,
}: {
  rules: Rules;
  busy: boolean;
  onUndo: (body: { rules: Rules["rules"]; retention_days: Rules["retention_days"] }) => void;
}): ReactNode {
  const last = former.at(-1);
  if (last === undefined) return null;
  const { rules, retention_days: days, until } = last;
  return (
    <div role="note" className="flex flex-wrap items-center gap-2 rounded border border-warn bg-warn-2 px-3 py-2">
      <span className="min-w-0 flex-1">
        The retention was changed. Rows that the former one keeps are still kept and shown until <Time at={until} />.
      </span>
      <Button busy={busy} onClick={() => onUndo({ rules, retention_days: days })}>
        Undo the change
      </Button>
    </div>
  );
}

function RuleFields({
  at,
  draft,
  onChange,
  onUp,
  onRemove,
}: {
  at: number;
  draft: RuleDraft;
  onChange: (draft: RuleDraft) => void;
  onUp: () => void;
  onRemove: () => void;
}): ReactNode {
  return (
    <div role="group" aria-label={`Rule ${at + 1}`} className="flex flex-col gap-3 rounded border border-line p-3">
      <div className="flex flex-wrap items-start gap-2">
        <div className="min-w-40 flex-1">
          <TextField
            label="Name"
            value={draft.name}
            onChange={({ target }) => onChange({ ...draft, name: target.value })}
          />
        </div>
        <SelectField
          label="Type"
          value={draft.type}
          onChange={({ target }) => onChange({ ...draft, type: target.value as TypeName })}
        >
          {TYPES.map((type) => (
            <option key={type}>{type}</option>
          ))}
        </SelectField>
        <TextField
          label="Days"
          type="number"
          min={1}
          max={36_500}
          value={draft.days}
          onChange={({ target }) => onChange({ ...draft, days: target.value })}
        />
        <IconButton label={`Move rule ${at + 1} up`} className="mt-[23px]" disabled={at === 0} onClick={onUp}>
          ↑
        </IconButton>
        <IconButton label={`Remove rule ${at + 1}`} className="mt-[23px]" onClick={onRemove}>
          ✕
        </IconButton>
      </div>
      <ConditionFields
        conditions={draft.conditions}
        members={membersOf(draft.type)}
        onChange={(conditions) => onChange({ ...draft, conditions })}
      />
    </div>
  );
}

function PreviewTable({ preview, graceHours }: { preview: Preview; graceHours: number }): ReactNode {
  const losing = preview.types.filter(({ rows_past: past }) => past > 0);
  return (
    <div role="status" className="flex flex-col gap-1">
      {losing.length === 0 && <p>These rules keep every row that you may see.</p>}
      {losing.map(({ type, rows_past: past, rows, share, bytes_past: bytes, oldest }) => (
        <p key={type}>
          {countText(past)} of {countText(rows)} {type} ({(share * 100).toFixed(1)} %, about {bytesText(bytes)}) are
          past these rules{oldest !== null && ", the oldest from "}
          {oldest !== null && <Time at={oldest} />}.
        </p>
      ))}
      {losing.length > 0 && graceHours > 0 && (
        <p>They are hidden after {graceHours} h. Until then, you can undo the change.</p>
      )}
      {!preview.is_complete && <p>Rows of projects that you cannot see are not counted.</p>}
    </div>
  );
}
