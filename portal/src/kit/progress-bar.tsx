import type { ReactNode } from "react";

/** A progress bar, from 0 to 100. */
export function ProgressBar({ label, percent }: { label: string; percent: number }): ReactNode {
  return (
    <span
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={percent}
      className="block h-2 w-40 border border-line-2 bg-well max-sm:w-24"
    >
      <span className="block h-full bg-sea" style={{ width: `${percent}%` }} />
    </span>
  );
}
