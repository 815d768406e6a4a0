import type { ReactNode } from "react";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { bytesText } from "~/kit/figures.ts";
import { State } from "~/kit/state.tsx";
import { fillOf, type ServiceUse } from "./services.ts";

const WORDS = { go: null, warn: "nearly full", stop: "full" } as const;

/** Shows the stored bytes and their share of the quota, with a warning when it is nearly full. */
export function QuotaBar({ service }: { service: ServiceUse }): ReactNode {
  const { bytes, pendingBytes, quotaBytes, title } = service;
  const fill = fillOf(service);
  const pending = pendingBytes === 0 ? "" : ` + ${bytesText(pendingBytes)} in progress`;
  if (fill === null || quotaBytes === null)
    return (
      <span>
        <span className="mono">
          {bytesText(bytes)}
          {pending}
        </span>{" "}
        <span className="text-ink-3">no quota</span>
      </span>
    );
  const percent = Math.round(fill.share * 100);
  return (
    <span className="flex items-center gap-3">
      <span
        role="meter"
        aria-label={`Quota of ${title.toLowerCase()}`}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={Math.min(100, percent)}
        aria-valuetext={`${percent} % of ${bytesText(quotaBytes)}`}
        className="flex"
      >
        <InlineBar share={fill.share} kind={fill.kind} isTracked className="w-40" />
      </span>
      <span className="mono">
        {bytesText(bytes)}
        {pending} of {bytesText(quotaBytes)}, {percent} %
      </span>
      {WORDS[fill.kind] !== null && <State kind={fill.kind}>{WORDS[fill.kind]}</State>}
    </span>
  );
}
