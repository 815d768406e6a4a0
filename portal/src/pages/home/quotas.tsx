import { USAGE_ROUTES, type ResultOf } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { PageLink } from "~/app/page-link.tsx";
import { InlineBar } from "~/kit/chart/inline-bar.tsx";
import { Loaded, Section } from "~/kit/page.tsx";
import { State } from "~/kit/state.tsx";
import { quotaState } from "./quota.ts";

type Usage = ResultOf<typeof USAGE_ROUTES.getUsage>;

/** Shows how much of each storage quota is used. */
export function Quotas(): ReactNode {
  const usage = useRead(USAGE_ROUTES.getUsage, {}, { refetchMs: 60_000 });
  return (
    <Section title="Storage" about="of the whole organization" actions={<PageLink page="usage">Usage</PageLink>}>
      <Loaded result={usage}>
        {({ services }) => (
          <ul className="flex flex-col gap-2">
            {barsOf(services).map((bar) => (
              <QuotaBar key={bar.title} {...bar} />
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

interface Bar {
  readonly title: string;
  readonly bytes: number;
  readonly quotaBytes: number | null;
}

function barsOf({ telemetry, files, buckets, images, webhooks }: Usage["services"]): readonly Bar[] {
  return [
    { title: "Telemetry", bytes: telemetry.bytes, quotaBytes: telemetry.quota_bytes },
    { title: "Files", bytes: files.bytes + files.reserved_bytes, quotaBytes: files.quota_bytes },
    { title: "Buckets", bytes: buckets.bytes, quotaBytes: buckets.quota_bytes },
    { title: "Images", bytes: images.bytes + images.uploading_bytes, quotaBytes: images.quota_bytes },
    { title: "Webhooks", bytes: webhooks.bytes, quotaBytes: webhooks.quota_bytes },
  ];
}

function QuotaBar({ title, bytes, quotaBytes }: Bar): ReactNode {
  const { kind, share, text } = quotaState(bytes, quotaBytes);
  return (
    <li className="grid grid-cols-[88px_minmax(60px,1fr)_max-content] items-center gap-3 max-sm:grid-cols-[88px_1fr]">
      <span>{title}</span>
      <span aria-hidden="true" className="max-sm:hidden">
        {share !== null && <InlineBar share={share} kind={kind} isTracked className="w-full" />}
      </span>
      <span className="mono text-right">
        {kind === "warn" || kind === "stop" ? <State kind={kind}>{text}</State> : text}
      </span>
    </li>
  );
}
