import { useEffect, useState, type ReactNode } from "react";
import { useProject } from "~/app/scope.ts";
import { useSearchState } from "~/app/search.ts";
import { useSql } from "~/kit/chart-query.ts";
import { textOf } from "~/kit/chart-rows.ts";
import { SelectField, TextField } from "~/kit/field.tsx";
import { visibleText } from "~/kit/foreign.ts";
import type { Bounds } from "~/kit/time-range.ts";
import type { TracesSearch } from "./trace-search.ts";
import { servicesStatement } from "./trace-sql.ts";

const TYPING_MS = 350;

/** The filters of the list, which are in the address. */
export function TraceFilters({ bounds }: { bounds: Bounds }): ReactNode {
  const [search, setSearch] = useSearchState<TracesSearch>();
  const projectId = useProject()?.id ?? null;
  const { rows } = useSql({ ...servicesStatement(projectId), ...bounds });
  const { service = "" } = search;
  const known = rows.map((row) => textOf(row, "service"));
  const services = service === "" || known.includes(service) ? known : [service, ...known];
  const set = (change: TracesSearch): void => setSearch(change);
  return (
    <div role="search" className="grid grid-cols-[repeat(auto-fit,minmax(125px,1fr))] gap-x-3 border-b border-line p-3">
      <Typed
        label="Name holds"
        search
        value={search.name ?? ""}
        onChange={(name) => set({ name: name || undefined })}
      />
      <SelectField
        label="Service"
        value={service}
        onChange={(event) => set({ service: event.target.value || undefined })}
      >
        <option value="">any</option>
        {services.map((each) => (
          <option key={each} value={each}>
            {visibleText(each)}
          </option>
        ))}
      </SelectField>
      <Typed
        label="Lasted at least (ms)"
        number
        value={search.least === undefined ? "" : String(search.least)}
        onChange={(text) => set({ least: Number(text) > 0 ? Number(text) : undefined })}
      />
      <SelectField
        label="Status"
        value={search.status ?? ""}
        onChange={(event) => set({ status: event.target.value || undefined })}
      >
        <option value="">any</option>
        <option value="error">with errors</option>
      </SelectField>
      <SelectField
        label="Order"
        value={search.order ?? "newest"}
        onChange={(event) => set({ order: event.target.value === "slowest" ? "slowest" : undefined })}
      >
        <option value="newest">newest first</option>
        <option value="slowest">slowest first</option>
      </SelectField>
    </div>
  );
}

/** A text field that changes the address after a pause in typing, because each address runs a query. */
function Typed({
  label,
  value,
  number = false,
  search = false,
  onChange,
}: {
  label: string;
  value: string;
  number?: boolean;
  search?: boolean;
  onChange: (text: string) => void;
}): ReactNode {
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), TYPING_MS);
    return () => clearTimeout(timer);
    // Only typing starts the timer.
  }, [text]);
  return (
    <TextField
      label={label}
      value={text}
      {...(search ? { "data-search": true } : {})}
      {...(number ? { inputMode: "decimal", type: "number", min: 0 } : {})}
      onChange={(event) => setText(event.target.value)}
    />
  );
}
