import type { ReactNode } from "react";
import { cn } from "~/kit/cn.ts";
import { TextInput } from "~/kit/field.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { visibleText } from "~/kit/foreign.ts";
import { Section } from "~/kit/page.tsx";
import { Time } from "~/kit/time.tsx";
import type { MetricKind } from "~/kit/plots/plots.ts";

export interface Metric {
  readonly name: string;
  readonly points: number;
  readonly newest: string;
  readonly unit: string;
  readonly kind: MetricKind;
}

const SHOWN_MAX = 300;

/** Lists the metrics with points in the range. A click shows one; a second click removes it. */
export function MetricList({
  metrics,
  total,
  shown,
  find,
  onFind,
  onToggle,
}: {
  metrics: readonly Metric[];
  /** The number of all metrics; the list may have fewer. */
  total: number;
  shown: ReadonlySet<string>;
  find: string;
  onFind: (text: string) => void;
  onToggle: (metric: Metric) => void;
}): ReactNode {
  const wanted = find.toLowerCase();
  const found = metrics.filter(({ name }) => name.toLowerCase().includes(wanted));
  return (
    <Section title="Metrics" about={plural(total, "name")} flush>
      <div className="border-b border-line p-2">
        <TextInput
          data-search
          type="search"
          aria-label="Search metrics"
          placeholder="Search metrics"
          value={find}
          onChange={(event) => onFind(event.target.value)}
        />
      </div>
      <ul className="max-h-[60vh] overflow-y-auto p-1 max-lg:max-h-56">
        {found.slice(0, SHOWN_MAX).map((metric) => (
          <li key={metric.name}>
            <MetricButton metric={metric} isShown={shown.has(metric.name)} onToggle={() => onToggle(metric)} />
          </li>
        ))}
      </ul>
      <p role="status" className="border-t border-line px-3 py-1.5 text-s text-ink-2">
        {found.length > SHOWN_MAX
          ? `${SHOWN_MAX} of ${countText(found.length)} shown: search for more`
          : `${countText(found.length)} of ${countText(total)} shown`}
      </p>
    </Section>
  );
}

function MetricButton({
  metric: { name, points, newest, unit, kind },
  isShown,
  onToggle,
}: {
  metric: Metric;
  isShown: boolean;
  onToggle: () => void;
}): ReactNode {
  return (
    <button
      type="button"
      aria-pressed={isShown}
      onClick={onToggle}
      className={cn("flex w-full flex-col rounded px-2 py-1 text-left hover:bg-well", isShown && "bg-sea-2")}
    >
      <span className="mono max-w-full [overflow-wrap:anywhere]">{visibleText(name)}</span>
      <span className="text-s text-ink-2">
        {kind}
        {unit !== "" && `, in ${visibleText(unit)}`}, {plural(points, "point")}, <Time at={newest} />
      </span>
    </button>
  );
}
