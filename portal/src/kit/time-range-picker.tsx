import { Popover } from "radix-ui";
import { useState, type FormEvent, type ReactNode } from "react";
import { Button, buttonClass } from "./button.tsx";
import { cn } from "./cn.ts";
import { TextField } from "./field.tsx";
import {
  boundsOf,
  momentText,
  ownZoneText,
  PRESETS,
  rangeOf,
  searchOf,
  titleOf,
  type BoundedRange,
  type TimeRange,
} from "./time-range.ts";

/** Chooses the page's time range (UTC) from a menu with presets and a custom range. */
export function TimeRangePicker({
  range,
  onChange,
  onAll,
}: {
  range: TimeRange;
  onChange: (range: BoundedRange) => void;
  /** Without it, "all time" is not offered. */
  onAll?: () => void;
}): ReactNode {
  const [open, setOpen] = useState(false);
  const choose = (chosen: BoundedRange): void => {
    setOpen(false);
    onChange(chosen);
  };
  const own = range.kind === "between" ? `${ownZoneText(range.from)} – ${ownZoneText(range.to)}, your time` : undefined;
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger
        className={buttonClass("plain", "max-w-full")}
        title={own}
        aria-label={`Range: ${titleOf(range)}`}
      >
        <span className={cn("truncate", range.kind === "between" && "mono")}>{titleOf(range)}</span>
        <span aria-hidden="true">▾</span>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label="Range of time"
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className="z-50 w-72 max-w-[calc(100vw-16px)] rounded border border-line-2 bg-sheet p-2 text-ink"
        >
          {onAll !== undefined && (
            <button
              type="button"
              aria-pressed={range.kind === "all"}
              className={cn(
                "min-h-7 w-full rounded px-2 text-left hover:bg-well",
                range.kind === "all" && "bg-sea-2 font-medium",
              )}
              onClick={() => {
                setOpen(false);
                onAll();
              }}
            >
              All time
            </button>
          )}
          <Presets range={range} onChoose={choose} />
          <Between range={range} onChoose={choose} />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function Presets({ range, onChoose }: { range: TimeRange; onChoose: (range: BoundedRange) => void }): ReactNode {
  const present = searchOf(range).range;
  return (
    <ul className="grid grid-cols-2 gap-0.5">
      {PRESETS.map(([id, title]) => (
        <li key={id}>
          <button
            type="button"
            aria-pressed={id === present}
            className={cn(
              "min-h-7 w-full rounded px-2 text-left hover:bg-well",
              id === present && "bg-sea-2 font-medium",
            )}
            onClick={() => onChoose(rangeOf({ range: id }))}
          >
            {title}
          </button>
        </li>
      ))}
    </ul>
  );
}

const LAST_HOUR: BoundedRange = { kind: "last", ms: 3_600_000 };

function Between({ range, onChoose }: { range: TimeRange; onChoose: (range: BoundedRange) => void }): ReactNode {
  const [bounds] = useState(() => boundsOf(range.kind === "all" ? LAST_HOUR : range, Date.now()));
  const [from, setFrom] = useState(bounds.from.slice(0, 19));
  const [to, setTo] = useState(bounds.to.slice(0, 19));
  const [error, setError] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const [fromMs, toMs] = [Date.parse(`${from}Z`), Date.parse(`${to}Z`)];
    if (Number.isNaN(fromMs) || Number.isNaN(toMs)) setError("Give both times.");
    else if (fromMs >= toMs) setError("The end must be after the start.");
    else onChoose({ kind: "between", from: momentText(fromMs), to: momentText(toMs) });
  };
  return (
    <form onSubmit={submit} className="mt-2 flex flex-col gap-1 border-t border-line pt-2">
      <TextField
        label="From (UTC)"
        type="datetime-local"
        step={1}
        value={from}
        title={zoneOf(from)}
        onChange={(event) => setFrom(event.target.value)}
      />
      <TextField
        label="To (UTC)"
        type="datetime-local"
        step={1}
        value={to}
        title={zoneOf(to)}
        onChange={(event) => setTo(event.target.value)}
        error={error}
      />
      <Button type="submit">Show this range</Button>
    </form>
  );
}

function zoneOf(text: string): string | undefined {
  const ms = Date.parse(`${text}Z`);
  return Number.isNaN(ms) ? undefined : `${ownZoneText(momentText(ms))}, your time`;
}
