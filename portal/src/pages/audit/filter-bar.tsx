import { useEffect, useState, type FormEvent, type ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { SelectField, TextField } from "~/kit/field.tsx";
import { MomentFields } from "~/kit/moment-fields.tsx";
import { FAMILIES, NO_FILTERS, RESULTS, type Filters } from "./filters.ts";

const TEXTS = [
  ["action", "Action or its beginning", "credential.revoke", 64],
  ["actor", "Who (id)", "usr_…", 64],
  ["target", "On what (id)", "cred_…", 128],
  ["request_id", "Request id", "", 128],
] as const;

/** Conditions on entries; all that are given hold together. */
export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (change: Filters) => void }): ReactNode {
  const address = JSON.stringify(filters);
  const [draft, setDraft] = useState<Filters>(filters);
  useEffect(() => setDraft(JSON.parse(address) as Filters), [address]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const texts = TEXTS.map(([name]) => [name, draft[name]?.trim() || undefined] as const);
    onChange(Object.fromEntries(texts));
  };
  return (
    <form role="search" onSubmit={submit} className="flex flex-wrap items-end gap-2">
      <SelectField
        label="Kind of change"
        value={FAMILIES.some(([prefix]) => prefix === filters.action) ? filters.action : ""}
        onChange={({ target }) => onChange({ action: target.value || undefined })}
      >
        <option value="">any</option>
        {FAMILIES.map(([prefix, title]) => (
          <option key={prefix} value={prefix}>
            {title}
          </option>
        ))}
      </SelectField>
      {TEXTS.map(([name, label, placeholder, maxLength], index) => (
        <TextField
          key={name}
          label={label}
          className="mono"
          placeholder={placeholder}
          maxLength={maxLength}
          value={draft[name] ?? ""}
          {...(index === 0 ? { "data-search": true } : {})}
          onChange={(event) => setDraft({ ...draft, [name]: event.target.value })}
        />
      ))}
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
      <MomentFields from={filters.from} to={filters.to} onChange={onChange} />
      <Button type="submit">Find</Button>
      {address !== "{}" && <Button onClick={() => onChange(NO_FILTERS)}>Clear</Button>}
    </form>
  );
}
