import { useEffect, type ReactNode } from "react";
import { Mark } from "~/app/rail.tsx";
import { cn } from "~/kit/cn.ts";

interface OpenFrameProps {
  title: string;
  about?: ReactNode;
  /** Whether the page is wide enough for commands. */
  wide?: boolean;
  /** Links below the page. */
  foot?: ReactNode;
  /** The list of steps, above the title. */
  steps?: ReactNode;
  children: ReactNode;
}

/** The frame of pages for people who are not signed in. */
export function OpenFrame({ title, about, wide = false, foot, steps, children }: OpenFrameProps): ReactNode {
  useEffect(() => {
    document.title = `${title} · Mooring`;
  }, [title]);
  return (
    <div className="relative isolate flex min-h-full flex-col items-center overflow-x-clip px-3 py-6 sm:justify-center sm:py-10">
      <DepthLines />
      <main className={cn("flex w-full min-w-0 flex-col gap-4", wide ? "max-w-[720px]" : "max-w-[420px]")}>
        <p className="flex items-center gap-2 px-1 text-[15px] font-semibold tracking-tight">
          <Mark /> Mooring
        </p>
        <div className="flex min-w-0 flex-col gap-4 rounded border border-line bg-sheet p-5 max-sm:p-4">
          {steps}
          <div>
            <h1>{title}</h1>
            {about !== undefined && <p className="mt-1 text-ink-2">{about}</p>}
          </div>
          {children}
        </div>
        {foot !== undefined && <div className="flex flex-col gap-1 px-1 text-ink-2">{foot}</div>}
      </main>
    </div>
  );
}

const DEPTHS = [0, 46, 104, 174];

/** A decoration like the depth lines of a nautical chart. */
function DepthLines(): ReactNode {
  return (
    <svg
      viewBox="0 60 1200 340"
      preserveAspectRatio="none"
      fill="none"
      stroke="var(--line)"
      aria-hidden="true"
      className="pointer-events-none fixed inset-x-0 bottom-0 -z-10 h-[26vh] w-full max-sm:hidden"
    >
      {DEPTHS.map((depth) => (
        <path
          key={depth}
          vectorEffect="non-scaling-stroke"
          d={`M-20 ${150 + depth} C 160 ${60 + depth}, 300 ${210 + depth}, 470 ${170 + depth} S 760 ${40 + depth}, 900 ${120 + depth} S 1120 ${190 + depth}, 1240 ${100 + depth}`}
        />
      ))}
    </svg>
  );
}

/** Shows the current step. */
export function Steps({ titles, current }: { titles: readonly string[]; current: number }): ReactNode {
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-4 gap-y-1 border-b border-line pb-3 text-s">
      {titles.map((title, index) => (
        <li
          key={title}
          aria-current={index === current ? "step" : undefined}
          className={cn("flex items-center gap-1.5", index === current ? "font-medium text-ink" : "text-ink-3")}
        >
          <span
            aria-hidden="true"
            className={cn(
              "inline-flex size-[18px] items-center justify-center rounded-full border text-xs",
              index === current ? "border-sea bg-sea text-on-sea" : "border-line-2",
            )}
          >
            {index < current ? "✓" : index + 1}
          </span>
          {title}
          {index < current && <span className="sr-only">(done)</span>}
        </li>
      ))}
    </ol>
  );
}
