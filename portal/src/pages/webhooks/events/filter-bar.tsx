import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { SCHEME_NAMES } from "../setup/presets.ts";
import { submitKeys } from "../setup/keys.ts";
import { faultOf, type Filters } from "./filters.ts";

/** Conditions on events. Texts count when they are sent; choices and times at once. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (change: Filters) => void }): ReactNode {
  const [draft, setDraft] = useState<Filters>(filters);
  const address = JSON.stringify(filters);
  useEffect(() => setDraft(JSON.parse(address) as Filters), [address]);
  const set = (name: keyof Filters, value: string): void => setDraft({ ...draft, [name]: value });
  const faults = { header: faultOf("header", draft.header), pointer: faultOf("pointer", draft.pointer) };
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (faults.header !== null || faults.pointer !== null) return;
    const { type, header, pointer, q } = draft;
    onChange({
      type: type || undefined,
      header: header || undefined,
      pointer: pointer || undefined,
      q: q || undefined,
    });
  };
  return (
    <form role="search" onSubmit={submit} onKeyDown={submitKeys} className="flex flex-wrap items-start gap-2">
      <TextField
        label="Text in the body"
        data-search
        type="search"
        maxLength={500}
        value={draft.q ?? ""}
        onChange={(event) => set("q", event.target.value)}
      />
      <TextField
        label="Type"
        className="mono"
        placeholder="order.paid"
        maxLength={255}
        value={draft.type ?? ""}
        onChange={(event) => set("type", event.target.value)}
      />
      <TextField
        label="JSON pointer"
        className="mono"
        placeholder="/order/id=17"
        maxLength={1000}
        value={draft.pointer ?? ""}
        error={faults.pointer}
        onChange={(event) => set("pointer", event.target.value)}
      />
      <TextField
        label="Header"
        className="mono"
        placeholder="X-Region: eu"
        maxLength={1000}
        value={draft.header ?? ""}
        error={faults.header}
        onChange={(event) => set("header", event.target.value)}
      />
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
      <MomentFields from={filters.from} to={filters.to} onChange={onChange} />
      <Button type="submit" className="mt-[23px]">
        Find
      </Button>
    </form>
  );
}
