import { lazy, Suspense, useId, useMemo, type ReactNode } from "react";
import { TextArea } from "./field.tsx";
import { useSchema } from "./sql-schema.ts";

const SqlEditor = lazy(async () => ({ default: (await import("./editor.tsx")).SqlEditor }));

interface SqlFieldProps {
  label: string;
  hint: string;
  value: string;
  onChange: (sql: string) => void;
}

/** A statement in a form, with completion. A plain field accepts input until the editor is loaded. */
export function SqlField({ label, hint, value, onChange }: SqlFieldProps): ReactNode {
  const id = useId();
  const schema = useSchema();
  const attributes = useMemo(() => ({ "aria-label": label, "aria-describedby": `${id}-about` }), [id, label]);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <span className="font-medium" aria-hidden="true">
        {label}
      </span>
      <div className="h-32">
        <Suspense
          fallback={
            <TextArea
              className="mono h-full"
              {...attributes}
              value={value}
              onChange={(event) => onChange(event.target.value)}
            />
          }
        >
          <SqlEditor attributes={attributes} value={value} onChange={onChange} schema={schema} />
        </Suspense>
      </div>
      <p id={`${id}-about`} className="text-s text-ink-2">
        {hint}
      </p>
    </div>
  );
}
