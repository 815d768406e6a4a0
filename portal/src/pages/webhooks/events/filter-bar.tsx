import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { SCHEME_NAMES } from "../setup/presets.ts";
import { submitKeys } from "../setup/keys.ts";
import { faultOf, type Filters } from "./filters.ts";

/** The filters. Texts apply when they are submitted, choices and times at once. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (change: Filters) => void }): ReactNode {
  const [draft, setDraft] = useState<Filters>(filters);
  const address = JSON.stringify(filters);
  useEffect(() => setDraft(JSON.parse(address) as Filters), [address]);
  const { pointer, header, from, to } = filters;
  const isNarrow = [pointer, header, from, to].some((value) => value !== undefined);
  const [isOpen, setOpen] = useState(isNarrow);
  // A click on a value in an event sets a filter, so the bar opens to show it.
  useEffect(() => {
    if (isNarrow) setOpen(true);
  }, [isNarrow]);
  const set = (name: Text, value: string): void => setDraft({ ...draft, [name]: value });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const names = [...MAIN, ...MORE];
    if (names.some((name) => faultOf(name, draft[name]) !== null)) return;
    onChange(Object.fromEntries(names.map((name) => [name, draft[name] || undefined])));
  };
  return (
    <form role="search" onSubmit={submit} onKeyDown={submitKeys} className="flex flex-wrap items-start gap-2">
      <Texts names={MAIN} draft={draft} set={set} />
      <SelectField
        label="Verified"
        value={filters.verified ?? ""}
        onChange={({ target }) => onChange({ verified: target.value || undefined })}
      >
        <option value="">any</option>
        <option value="yes">yes</option>
        <option value="no">not checked</option>
        {Object.entries(SCHEME_NAMES).map(([scheme, name]) =>
          scheme === "none" ? null : (
            <option key={scheme} value={scheme}>
              {name}
            </option>
          ),
        )}
      </SelectField>
      <div className="flex gap-2 self-end pb-1">
        <Button type="submit">Find</Button>
        <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Fewer conditions" : "More conditions"}
        </Button>
      </div>
      {isOpen && (
        <div className="flex basis-full flex-wrap items-start gap-2">
          <Texts names={MORE} draft={draft} set={set} />
          <MomentFields from={filters.from} to={filters.to} onChange={onChange} />
        </div>
      )}
    </form>
  );
}

type Text = "q" | "type" | "pointer" | "header";
const MAIN: readonly Text[] = ["q", "type"];
const MORE: readonly Text[] = ["pointer", "header"];

const TEXTS: Readonly<Record<Text, { label: string; placeholder: string; maxLength: number }>> = {
  q: { label: "Text in the body", placeholder: "", maxLength: 500 },
  type: { label: "Type", placeholder: "order.paid", maxLength: 255 },
  pointer: { label: "JSON pointer", placeholder: "/order/id=17", maxLength: 1000 },
  header: { label: "Header", placeholder: "X-Region: eu", maxLength: 1000 },
};

function Texts({
  names,
  draft,
  set,
}: {
  names: readonly Text[];
  draft: Filters;
  set: (name: Text, value: string) => void;
}): ReactNode {
  return names.map((name) => (
    <TextField
      key={name}
      className="mono"
      value={draft[name] ?? ""}
      error={faultOf(name, draft[name])}
      onChange={(event) => set(name, event.target.value)}
      {...TEXTS[name]}
      {...(name === "q" ? { "data-search": true, type: "search" } : {})}
    />
  ));
}
