import { useMemo, type ReactNode } from "react";
import { visibleText } from "~/kit/foreign.ts";
import { jsonLines } from "./json-lines.ts";

const LINES_MAX = 2000;

/** Shows indented JSON. A click on a value makes it a filter of the list. */
export function JsonView({
  value,
  onPointer,
}: {
  value: unknown;
  onPointer?: ((pointer: string) => void) | undefined;
}): ReactNode {
  const lines = useMemo(() => jsonLines(value, LINES_MAX), [value]);
  return (
    <>
      <pre
        tabIndex={0}
        aria-label="Body as JSON"
        className="max-h-96 overflow-auto rounded border border-line bg-well p-2 text-s leading-relaxed"
      >
        {lines.map(({ text, pointer }, index) => (
          <Line key={index} text={text} pointer={pointer} onPointer={onPointer} />
        ))}
      </pre>
      {lines.length >= LINES_MAX && (
        <p className="text-ink-2">The first {LINES_MAX} lines. Save the body to see all.</p>
      )}
      {onPointer !== undefined && (
        <p className="text-s text-ink-2">Click a value to find events with the same value.</p>
      )}
    </>
  );
}

function Line({
  text,
  pointer,
  onPointer,
}: {
  text: string;
  pointer: string | null;
  onPointer: ((pointer: string) => void) | undefined;
}): ReactNode {
  if (pointer === null || onPointer === undefined)
    return <span className="block whitespace-pre">{visibleText(text)}</span>;
  const indent = /^ */.exec(text)?.[0] ?? "";
  return (
    <span className="block whitespace-pre">
      {indent}
      <button
        type="button"
        title={`Find events with ${pointer}`}
        className="min-h-6 rounded text-left hover:bg-sea-2 hover:text-sea"
        onClick={() => onPointer(pointer)}
      >
        {visibleText(text.slice(indent.length))}
      </button>
    </span>
  );
}
