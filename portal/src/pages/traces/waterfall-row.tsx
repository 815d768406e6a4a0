import type { ReactNode } from "react";
import { cn } from "~/kit/cn.ts";
import { durationText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { isError, type Node, type Trace } from "./trace-tree.ts";

/** The tree is at the left, the time at the right. */
export const COLUMNS = "grid grid-cols-[minmax(200px,38%)_minmax(0,1fr)] gap-x-2 pr-16";

const INDENT_PX = 14;
const INDENTS_MAX = 14;
const LEAST_SHARE = 0.0015;

interface WaterfallRowProps {
  id: string;
  node: Node;
  trace: Trace;
  place: number;
  topPx: number;
  isFolded: boolean;
  isOpen: boolean;
  isFocused: boolean;
  onOpen: () => void;
  onFold: () => void;
}

export function WaterfallRow(props: WaterfallRowProps): ReactNode {
  const { id, node, trace, place, topPx, isFolded, isOpen, isFocused, onOpen, onFold } = props;
  return (
    <div
      id={id}
      role="row"
      aria-level={node.depth + 1}
      aria-rowindex={place + 1}
      aria-selected={isOpen}
      title={titleOf(node, trace)}
      {...(node.children.length > 0 ? { "aria-expanded": !isFolded } : {})}
      onClick={onOpen}
      style={{ transform: `translateY(${topPx}px)` }}
      className={cn(
        COLUMNS,
        "absolute inset-x-0 top-0 h-[30px] cursor-pointer items-center border-b border-line hover:bg-well",
        isOpen && "bg-sea-2 hover:bg-sea-2",
        isFocused &&
          "[[role=treegrid]:focus-visible_&]:outline-2 [[role=treegrid]:focus-visible_&]:-outline-offset-2 [[role=treegrid]:focus-visible_&]:outline-focus",
      )}
    >
      <NameCell node={node} isFolded={isFolded} onFold={onFold} />
      <TimeCell node={node} trace={trace} />
    </div>
  );
}

function titleOf({ span }: Node, trace: Trace): string {
  const began = durationText(span.startMs - trace.startMs);
  return `${visibleText(span.name)}, ${durationText(span.durationMs)}, after ${began}`;
}

function NameCell({ node, isFolded, onFold }: { node: Node; isFolded: boolean; onFold: () => void }): ReactNode {
  const { span, depth, reason } = node;
  return (
    <span
      role="gridcell"
      className="flex min-w-0 items-center gap-1.5"
      style={{ paddingLeft: 8 + Math.min(depth, INDENTS_MAX) * INDENT_PX }}
    >
      {node.children.length > 0 ? (
        <button
          type="button"
          tabIndex={-1}
          aria-label={isFolded ? `Unfold ${plural(node.below, "span")}` : "Fold"}
          onClick={(event) => {
            event.stopPropagation();
            onFold();
          }}
          className="size-6 shrink-0 rounded text-ink-2 hover:bg-sea-2"
        >
          {isFolded ? "▸" : "▾"}
        </button>
      ) : (
        <span className="w-6 shrink-0" />
      )}
      {isError(span) && <Mark kind="error" />}
      {reason !== null && reason !== "root" && <Mark kind={reason} />}
      <span className="truncate">
        {visibleText(span.name)} <span className="text-ink-3">{visibleText(span.service)}</span>
      </span>
      {isFolded && (
        <span className="shrink-0 text-s text-ink-3">
          {node.below} below{node.errorsBelow > 0 && `, ${plural(node.errorsBelow, "error")}`}
        </span>
      )}
    </span>
  );
}

const MARKS = {
  error: ["error", "M0 0h9v9H0z", "text-stop"],
  orphan: ["its parent did not arrive", "M4.5 0 9 9H0z", "text-warn"],
  cycle: ["its parent is below it", "M4.5 0 9 9H0z", "text-warn"],
} as const;

/** Shows a state as a shape next to a name. */
function Mark({ kind }: { kind: keyof typeof MARKS }): ReactNode {
  const [title, path, colour] = MARKS[kind];
  return (
    <svg width="9" height="9" role="img" aria-label={title} className={cn("shrink-0", colour)}>
      <title>{title}</title>
      <path d={path} fill="currentColor" />
    </svg>
  );
}

function TimeCell({ node, trace }: { node: Node; trace: Trace }): ReactNode {
  const { span, isCritical } = node;
  const share = (ms: number): number => (trace.durationMs === 0 ? 0 : ms / trace.durationMs);
  const left = share(span.startMs - trace.startMs);
  const width = Math.max(LEAST_SHARE, share(span.durationMs));
  const isWrong = isError(span);
  return (
    <span role="gridcell" className="relative h-full">
      <span
        className={cn(
          "absolute top-[10px] h-[10px] min-w-[2px] overflow-hidden rounded-[2px] border",
          isWrong ? "border-stop" : "border-sea",
          isCritical ? (isWrong ? "bg-stop" : "bg-sea") : isWrong ? "bg-stop-2" : "bg-sea-2",
        )}
        style={{ left: `${left * 100}%`, width: `${width * 100}%` }}
      >
        {node.gaps.map((gap) => (
          <span
            key={gap.startMs}
            className="absolute inset-y-0 border-y border-dashed border-sea bg-sheet"
            style={{
              left: `${((gap.startMs - span.startMs) / span.durationMs) * 100}%`,
              width: `${(gap.durationMs / span.durationMs) * 100}%`,
            }}
          />
        ))}
      </span>
      <span
        className="mono absolute top-[6px] pl-1.5 text-s whitespace-nowrap text-ink-2"
        style={{ left: `${(left + width) * 100}%` }}
      >
        {durationText(span.durationMs)}
      </span>
    </span>
  );
}
