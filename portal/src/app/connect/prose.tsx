import type { ReactNode } from "react";

/** A sentence in which what stands between backticks is to be typed. */
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
