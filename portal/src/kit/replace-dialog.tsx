import { useState, type FormEvent, type ReactNode } from "react";
import { ProductionWarning, type ProjectsOf } from "~/app/environment.tsx";
import { Dialog, FormActions } from "./dialog.tsx";
import { ErrorNote } from "./error-note.tsx";
import { SelectField } from "./field.tsx";

/** How long the old value still works, in seconds. */
const OVERLAPS: readonly (readonly [seconds: number, title: string])[] = [
  [0, "no time: it stops working now"],
  [3600, "an hour"],
  [86_400, "a day"],
  [604_800, "a week"],
];
const MONTH: (typeof OVERLAPS)[number] = [30 * 86_400, "30 days"];

interface ReplaceProps {
  title: string;
  about: string;
  /** The label of the choice: `The old secret works for another`. */
  label: string;
  hint?: ReactNode;
  /** The label of the button. */
  action: string;
  /** The default overlap; a day if absent. */
  overlapS?: number;
  /** Whether the server allows an overlap of 30 days. */
  upToMonth?: boolean;
  /** The projects concerned; see `ProjectsOf`. */
  projectId?: ProjectsOf;
  busy: boolean;
  error: Error | null;
  onReplace: (overlapS: number) => void;
  onClose: () => void;
  /** Content above the choice. The consequences of the chosen overlap are below it. */
  children?: ReactNode;
  consequence?: (overlapS: number) => ReactNode;
}

/** Replaces a secret or an address, and asks how long the old one still works. */
export function ReplaceDialog(props: ReplaceProps): ReactNode {
  const { title, about, label, hint, action, busy, error, children, consequence } = props;
  const [overlapS, setOverlapS] = useState(props.overlapS ?? 86_400);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    props.onReplace(overlapS);
  };
  return (
    <Dialog title={title} about={about} onClose={props.onClose}>
      <form onSubmit={submit} className="flex flex-col gap-4">
        <ProductionWarning projectId={props.projectId} />
        {children}
        <SelectField
          label={label}
          hint={hint}
          value={overlapS}
          onChange={(event) => setOverlapS(Number(event.target.value))}
        >
          {[...OVERLAPS, ...(props.upToMonth === true ? [MONTH] : [])].map(([seconds, text]) => (
            <option key={seconds} value={seconds}>
              {text}
            </option>
          ))}
        </SelectField>
        {consequence?.(overlapS)}
        <ErrorNote error={error} />
        <FormActions action={action} look={overlapS === 0 ? "danger" : "main"} busy={busy} onCancel={props.onClose} />
      </form>
    </Dialog>
  );
}
