import type { ReactNode } from "react";

/** A sentence with code between backticks. */
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
