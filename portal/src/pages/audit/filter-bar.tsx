import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { useKnown } from "~/kit/names.ts";
import { FAMILIES, NO_FILTERS, RESULTS, type Filters } from "./filters.ts";

/** The filters. An entry must match all of them. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (change: Filters) => void }): ReactNode {
  const address = JSON.stringify(filters);
  const [draft, setDraft] = useState<Filters>(filters);
  useEffect(() => setDraft(JSON.parse(address) as Filters), [address]);
  const { actor, target, request_id: request, from, to } = filters;
  const isNarrow = [actor, target, request, from, to].some((value) => value !== undefined);
  const [isOpen, setOpen] = useState(isNarrow);
  useEffect(() => {
    if (isNarrow) setOpen(true);
  }, [isNarrow]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    onChange(Object.fromEntries([...MAIN, ...MORE].map((name) => [name, draft[name]?.trim() || undefined])));
  };
  return (
    <form role="search" onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <FamilyField action={filters.action} onChange={onChange} />
      <Texts names={MAIN} draft={draft} onDraft={setDraft} />
      <SelectField
        label="Result"
        value={filters.result ?? ""}
        onChange={({ target }) => onChange({ result: target.value || undefined })}
      >
        <option value="">any</option>
        {RESULTS.map((result) => (
          <option key={result}>{result}</option>
        ))}
      </SelectField>
      <div className="flex flex-wrap gap-2 pb-1">
        <Button type="submit">Find</Button>
        {address !== "{}" && <Button onClick={() => onChange(NO_FILTERS)}>Clear</Button>}
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fewer conditions" : "More conditions"}
        </Button>
      </div>
      {isOpen && (
        <div className="flex basis-full flex-wrap items-end gap-2">
          <Texts names={MORE} draft={draft} onDraft={setDraft} />
          <Actors />
          <MomentFields from={filters.from} to={filters.to} onChange={onChange} />
        </div>
      )}
    </form>
  );
}

function FamilyField({
  action,
  onChange,
}: {
  action: string | undefined;
  onChange: (change: Filters) => void;
}): ReactNode {
  return (
    <SelectField
      label="Kind of change"
      value={FAMILIES.some(([prefix]) => prefix === action) ? action : ""}
      onChange={({ target }) => onChange({ action: target.value || undefined })}
    >
      <option value="">any</option>
      {FAMILIES.map(([prefix, title]) => (
        <option key={prefix} value={prefix}>
          {title}
        </option>
      ))}
    </SelectField>
  );
}

const ACTORS = "audit-actors";

/** Suggests members and credentials by name. The field accepts any id. */
function Actors(): ReactNode {
  return (
    <datalist id={ACTORS}>
      {[...useKnown()].map(([id, name]) => (
        <option key={id} value={id}>
          {visibleText(name)}
        </option>
      ))}
    </datalist>
  );
}

type Text = "action" | "actor" | "target" | "request_id";
const MAIN: readonly Text[] = ["action"];
const MORE: readonly Text[] = ["actor", "target", "request_id"];

const TEXTS: Readonly<Record<Text, { label: string; placeholder: string; maxLength: number }>> = {
  action: { label: "Action (or its first part)", placeholder: "credential.revoke", maxLength: 64 },
  actor: { label: "Who (id)", placeholder: "user_…", maxLength: 64 },
  target: { label: "On what (id)", placeholder: "cred_…", maxLength: 128 },
  request_id: { label: "Request id", placeholder: "", maxLength: 128 },
};

function Texts({
  names,
  draft,
  onDraft,
}: {
  names: readonly Text[];
  draft: Filters;
  onDraft: (draft: Filters) => void;
}): ReactNode {
  return names.map((name) => (
    <TextField
      key={name}
      className="mono"
      value={draft[name] ?? ""}
      onChange={(event) => onDraft({ ...draft, [name]: event.target.value })}
      {...TEXTS[name]}
      {...(name === "action" ? { "data-search": true } : {})}
      {...(name === "actor" ? { list: ACTORS } : {})}
    />
  ));
}
