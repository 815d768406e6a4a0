import type { ReactNode } from "react";
import { Button } from "~/kit/button.tsx";
import { CopyButton } from "~/kit/copy.tsx";
import { bytesText } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { saveFile } from "~/kit/save.ts";
import { Tabs } from "~/kit/tabs.tsx";
import { hexText } from "./hex.ts";
import { JsonView } from "./json-view.tsx";

const CHARS_MAX = 200_000;
const HEX_BYTES_MAX = 32 * 1024;

interface BodyProps {
  /** The file name for saving it. */
  name: string;
  bytes: Uint8Array<ArrayBuffer>;
  /** Null: the body is not text. */
  text: string | null;
  json: unknown;
  view: string;
  onView: (view: string) => void;
  /** Called with a pointer and its value when a person clicks a value of the JSON. */
  onPointer?: (pointer: string) => void;
}

/** Shows a body as JSON, as text, and as bytes. */
export function BodyView({ name, bytes, text, json, view, onView, onPointer }: BodyProps): ReactNode {
  if (bytes.length === 0) return <p className="text-ink-2">The body is empty.</p>;
  const isJson = json !== null || text?.trim() === "null";
  const shown = text?.slice(0, CHARS_MAX);
  const tabs = [
    ...(isJson ? [{ id: "pretty", title: "Pretty", content: <JsonView value={json} onPointer={onPointer} /> }] : []),
    ...(shown === undefined
      ? []
      : [
          {
            id: "raw",
            title: "Raw",
            content: <Bytes label="Raw body" text={visibleText(shown, { lines: true })} wraps />,
          },
        ]),
    { id: "hex", title: "Hex", content: <Bytes label="Body in hex" text={hexText(bytes, HEX_BYTES_MAX)} /> },
  ];
  const value = tabs.some(({ id }) => id === view) ? view : (tabs[0]?.id ?? "hex");
  const isCut = (value === "hex" && bytes.length > HEX_BYTES_MAX) || (value === "raw" && text !== shown);
  return (
    <>
      <Tabs label="Body" tabs={tabs} value={value} onChange={onView} />
      <div className="flex flex-wrap items-center gap-2">
        {text !== null && <CopyButton label="Copy body" text={text} />}
        <Button onClick={() => saveFile(`${name}.${isJson ? "json" : "bin"}`, new Blob([bytes]))}>Save body</Button>
        {isCut && <span className="text-ink-2">The beginning of {bytesText(bytes.length)}. Save it to see all.</span>}
      </div>
    </>
  );
}

function Bytes({ label, text, wraps = false }: { label: string; text: string; wraps?: boolean }): ReactNode {
  return (
    <pre
      tabIndex={0}
      aria-label={label}
      className={`max-h-96 overflow-auto rounded border border-line bg-well p-2 text-s leading-relaxed ${wraps ? "[overflow-wrap:anywhere] whitespace-pre-wrap" : "whitespace-pre"}`}
    >
      {text}
    </pre>
  );
}
