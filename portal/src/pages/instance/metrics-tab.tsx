import type { ReactNode } from "react";
import { useMayAnywhere } from "~/app/may.ts";
import { WithinOrganization } from "~/app/within-organization.tsx";
import { RangeControls, useChartRange } from "~/kit/chart-range.tsx";
import { ChartGroup } from "~/kit/chart/group.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { Empty, Section } from "~/kit/page.tsx";
import { MetricFigures } from "./metric-figures.tsx";
import { MetricPanel } from "./metric-panel.tsx";
import { PANELS } from "./metric-panels.ts";
import type { Instance } from "./types.ts";

/** The server's own metrics over time. They are telemetry of one organization, so its members may read them. */
export function MetricsTab({ instance }: { instance: Instance }): ReactNode {
  const slug = instance.own_telemetry_organization;
  if (slug === null) return <NotSet />;
  return (
    <WithinOrganization slug={slug} otherwise={<NotMember slug={slug} />}>
      <Panels slug={slug} />
    </WithinOrganization>
  );
}

function Panels({ slug }: { slug: string }): ReactNode {
  const range = useChartRange();
  const mayRead = useMayAnywhere("telemetry:read");
  if (!mayRead) return <NotMember slug={slug} />;
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <p className="min-w-0 flex-1 basis-64 text-ink-2">
          All nodes together, from the telemetry of the organization <code>{slug}</code>.
        </p>
        <RangeControls of={range} />
      </div>
      <MetricFigures range={range} />
      <ChartGroup>
        <div className="grid items-start gap-3 lg:grid-cols-2">
          {PANELS.map((panel) => (
            <MetricPanel key={panel.title} panel={panel} range={range} />
          ))}
        </div>
      </ChartGroup>
    </>
  );
}

function NotSet(): ReactNode {
  return (
    <Section title="Metrics" flush>
      <Empty title="The server does not store its metrics">
        <p>
          Name an organization for them, and restart the server. It then writes its logs, a span for each request, and
          its metrics every 15 seconds there. This page shows them.
        </p>
        <CopyBlock text="npx mooring serve --own-telemetry-organization ORGANIZATION --data-dir ./data" />
        <p>
          Prometheus reads the same metrics at the address of <code>metrics_listen</code>.
        </p>
      </Empty>
    </Section>
  );
}

function NotMember({ slug }: { slug: string }): ReactNode {
  return (
    <Section title="Metrics">
      <p className="text-ink-2">
        The server's metrics are in the organization <code>{slug}</code>. Its members with <code>telemetry:read</code>{" "}
        see them here. An owner of that organization can invite you.
      </p>
    </Section>
  );
}
