import { USAGE_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { useOrganization } from "~/app/scope.ts";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { CopyBlock } from "~/kit/copy.tsx";
import { countText, plural } from "~/kit/figures.ts";
import { Facts, Loaded, Page as Frame, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { Table, type Column } from "~/kit/table.tsx";
import { CredentialUse } from "./credential-use.tsx";
import { History } from "./history-charts.tsx";
import { Quotas } from "./quotas.tsx";
import { QuotaBar } from "./quota-bar.tsx";
import { servicesOf, type ServiceUse, type Usage } from "./services.ts";
import { TelemetryUse } from "./telemetry-use.tsx";

const REFRESH_MS = 30_000;

/** The usage and the limits of the organization. */
export function Page(): ReactNode {
  const { slug } = useOrganization();
  const usage = useRead(USAGE_ROUTES.getUsage, {}, { refetchMs: REFRESH_MS });
  return (
    <Frame
      title="Usage and limits"
      about="The storage and requests of this organization, and its limits. Refreshed every 30 seconds."
    >
      <Loaded result={usage}>
        {(loaded) => (
          <>
            <Storage services={servicesOf(loaded, slug)} />
            <Quotas />
            <History />
            <Requests usage={loaded} />
            <Things usage={loaded} />
            <TelemetryUse />
            <CredentialUse />
            <Limits services={servicesOf(loaded, slug)} usage={loaded} slug={slug} />
          </>
        )}
      </Loaded>
    </Frame>
  );
}

const STORAGE: readonly Column<ServiceUse>[] = [
  { title: "Service", cell: ({ title }) => title },
  { title: "Stored", cell: (service) => <QuotaBar service={service} /> },
  {
    title: "Holds",
    cell: ({ counts }) =>
      counts.length === 0 ? (
        <span className="text-ink-3">identical content is counted once</span>
      ) : (
        counts.map(([count, one, many]) => plural(count, one, many)).join(", ")
      ),
  },
];

function Storage({ services }: { services: readonly ServiceUse[] }): ReactNode {
  return (
    <Section title="Storage" about="By service, with the bytes that count towards its quota." flush>
      <Table label="Storage by service" items={services} columns={STORAGE} keyOf={({ id }) => id} />
    </Section>
  );
}

type Requested = Usage["requests_last_day"][number];

function Requests({ usage }: { usage: Usage }): ReactNode {
  const { requests_last_day: rows, rate_limit: rate } = usage;
  const total = rows.reduce((sum, { requests }) => sum + requests, 0);
  const columns: readonly Column<Requested>[] = [
    { title: "Service", cell: ({ service }) => service },
    { title: "Requests", number: true, cell: ({ requests }) => countText(requests) },
    { title: "Share", cell: ({ requests }) => <Share of={requests} total={total} /> },
    {
      title: "Refused",
      cell: ({ refused }) =>
        refused === 0 ? <State kind="go">none</State> : <State kind="warn">{countText(refused)}</State>,
    },
  ];
  return (
    <Section
      title="Requests of the last day"
      about={`${plural(total, "request")} of credentials, keys and people, in whole hours`}
      flush
    >
      {rows.length === 0 ? (
        <p className="p-3.5 text-ink-2">
          No requests in the last day. The button Connect at the top shows commands to start with.
        </p>
      ) : (
        <Table label="Requests by service" items={rows} columns={columns} keyOf={({ service }) => service} />
      )}
      <p className="border-t border-line p-3.5">
        {rate.hits_last_day === 0 ? (
          <State kind="go">No request was rate limited</State>
        ) : (
          <State kind="warn">{plural(rate.hits_last_day, "request")} were rate limited (429)</State>
        )}
        <span className="text-ink-2">
          . Each credential may send {countText(rate.per_second)} a second on each server, {countText(rate.burst)} at
          once.
        </span>
      </p>
    </Section>
  );
}

function Share({ of, total }: { of: number; total: number }): ReactNode {
  const share = total === 0 ? 0 : of / total;
  return (
    <span className="flex items-center gap-2">
      <InlineBar share={share} className="w-[120px]" />
      <span className="mono">{(share * 100).toFixed(share < 0.1 ? 1 : 0)} %</span>
    </span>
  );
}

function Things({ usage }: { usage: Usage }): ReactNode {
  const soon = (count: number): ReactNode =>
    count === 0 ? null : <State kind="warn">{count} expire within 30 days</State>;
  return (
    <Section title="What there is">
      <Facts
        items={[
          [
            "Members",
            <PageLink key="members" page="members">
              {countText(usage.members)}
            </PageLink>,
          ],
          [
            "Projects",
            <PageLink key="projects" page="projects">
              {countText(usage.projects)}, with {plural(usage.apps, "app")}
            </PageLink>,
          ],
          [
            "Credentials",
            <span key="credentials" className="flex flex-wrap gap-x-3">
              <PageLink page="credentials">{countText(usage.credentials.live)} live</PageLink>
              {soon(usage.credentials.expiring_within_30_days)}
            </span>,
          ],
          [
            "S3 keys",
            <span key="keys" className="flex flex-wrap gap-x-3">
              <PageLink page="s3-keys">{countText(usage.s3_keys.live)} live</PageLink>
              {soon(usage.s3_keys.expiring_within_30_days)}
            </span>,
          ],
        ]}
      />
    </Section>
  );
}

function Limits({ services, usage, slug }: { services: readonly ServiceUse[]; usage: Usage; slug: string }): ReactNode {
  const { per_second: perSecond } = usage.rate_limit;
  return (
    <Section
      title="At the limit"
      about="The operator of the server sets these limits. The organization cannot change them."
    >
      <dl className="flex max-w-[80ch] flex-col gap-3">
        {services.map(({ id, title, atLimit, raise, quotaBytes }) => (
          <div key={id}>
            <dt className="font-medium">
              {title} {quotaBytes === null && <span className="font-normal text-ink-2">(no limit now)</span>}
            </dt>
            <dd className="text-ink-2">{atLimit}</dd>
            <dd className="pt-1">
              {raise.startsWith("npx ") ? (
                <CopyBlock label={`Command that sets the quota of ${title.toLowerCase()}`} text={raise} />
              ) : (
                <span>
                  Set by <code>{raise.split(",")[0]?.replace("the setting ", "")}</code>,
                  {raise.slice(raise.indexOf(",") + 1)}.
                </span>
              )}
            </dd>
          </div>
        ))}
        <div>
          <dt className="font-medium">Requests</dt>
          <dd className="text-ink-2">
            Beyond {countText(perSecond)} a second, a credential gets 429 rate_limited with Retry-After. Our clients
            wait and retry. The limit applies to each credential separately.
          </dd>
        </div>
      </dl>
      <p className="text-ink-2">
        Run the commands on the server. The running server applies them within seconds. The quotas of{" "}
        <code>{slug}</code> replace the settings for all organizations.
      </p>
    </Section>
  );
}
