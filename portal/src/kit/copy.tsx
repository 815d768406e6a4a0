import { createContext, useContext, useState, type ReactNode } from "react";
import { Button } from "./button.tsx";
import { cn } from "./cn.ts";

const TOLD_MS = 1500;

/** Called with each text that a button inside copies. */
export const OnCopied = createContext<(text: string) => void>(() => undefined);

/**
 * Copies, and shows for a moment whether it succeeded. Browsers do not let a page copy if it was loaded over plain HTTP
 * from another machine.
 */
function useCopy(text: string): [copied: boolean | null, copy: () => void] {
  const [copied, setCopied] = useState<boolean | null>(null);
  const onCopied = useContext(OnCopied);
  const tell = (done: boolean): void => {
    if (done) onCopied(text);
    setCopied(done);
    setTimeout(() => setCopied(null), TOLD_MS);
  };
  const write = async (): Promise<void> => navigator.clipboard.writeText(text);
  return [
    copied,
    () =>
      void write().then(
        () => tell(true),
        () => tell(false),
      ),
  ];
}

/** A button that copies a text and confirms it. */
export function CopyButton({
  text,
  label = "Copy",
  className,
}: {
  text: string;
  label?: string;
  className?: string;
}): ReactNode {
  const [copied, copy] = useCopy(text);
  return (
    <Button onClick={copy} className={className}>
      <span aria-live="polite">{copied === null ? label : copied ? "Copied" : "Not allowed here"}</span>
    </Button>
  );
}

/** A text with a copy button: a command, a snippet, a secret. */
export function CopyBlock({ text, label, className }: { text: string; label?: string; className?: string }): ReactNode {
  return (
    <div className={cn("flex items-start gap-2 rounded border border-line bg-well py-1.5 pr-1.5 pl-2.5", className)}>
      <pre
        tabIndex={0}
        aria-label={label ?? "text to copy"}
        className="min-w-0 flex-1 overflow-auto py-1 text-s leading-relaxed whitespace-pre"
      >
        {text}
      </pre>
      <CopyButton text={text} />
    </div>
  );
}

/** An id or an address within a line. A click copies it. */
export function Copyable({ text, shown = text }: { text: string; shown?: string }): ReactNode {
  const [copied, copy] = useCopy(text);
  return (
    <button
      type="button"
      title={`Copy ${text}`}
      onClick={(event) => {
        event.stopPropagation();
        copy();
      }}
      className="mono inline-flex min-h-6 max-w-full items-center gap-1 rounded text-left hover:text-sea"
    >
      <span className="truncate">{shown}</span>
      <span aria-live="polite" className="text-xs text-go">
        {copied === null ? "" : copied ? "copied" : "not allowed here"}
      </span>
    </button>
  );
}
