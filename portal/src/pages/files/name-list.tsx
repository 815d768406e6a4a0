import type { ReactNode } from "react";
import { ForeignText } from "~/kit/foreign-text.tsx";
import { isTypable } from "~/kit/foreign.ts";

interface Named {
  readonly id: string;
  readonly filename: string;
}

const SHOWN_MAX = 20;

/** Lists the files of a dialog by name. */
export function NameList({ files }: { files: readonly Named[] }): ReactNode {
  return (
    <ul className="max-h-40 overflow-auto">
      {files.slice(0, SHOWN_MAX).map(({ id, filename }) => (
        <li key={id} className="mono [overflow-wrap:anywhere]">
          <ForeignText text={filename} />
        </li>
      ))}
      {files.length > SHOWN_MAX && <li>and {files.length - SHOWN_MAX} more</li>}
    </ul>
  );
}

/** Returns the text that the person must type before files are deleted for good: the name, if it can be typed. */
export function typeOf(files: readonly Named[]): string {
  const [first] = files;
  if (files.length > 1 || first === undefined) return `delete ${files.length} files`;
  return isTypable(first.filename) ? first.filename : "delete";
}
