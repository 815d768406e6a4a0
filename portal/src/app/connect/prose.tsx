import type { ReactNode } from "react";

/** Shows a sentence; text between backticks is code. */
export function Prose({ text }: { text: string }): ReactNode {
  return text.split("`").map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      <code key={`${index} ${part}`} className="rounded bg-well px-1">
        {part}
      </code>
    ),
  );
}
