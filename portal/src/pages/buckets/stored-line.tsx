import { USAGE_ROUTES } from "@mooring/contract";
import type { ReactNode } from "react";
import { useRead } from "~/api/queries.ts";
import { useMayIn } from "~/app/may.ts";
import { PageLink } from "~/app/page-link.tsx";
import { bytesText, plural } from "~/kit/figures.ts";

/** Shows the size of all buckets of the organization together. Single buckets are not counted. */
export function StoredLine(): ReactNode {
  const mayRead = useMayIn(null, USAGE_ROUTES.getUsage.permission);
  const { data } = useRead(USAGE_ROUTES.getUsage, {}, { enabled: mayRead, refetchMs: 30_000 });
  if (data === undefined) return null;
  const { bytes, objects, quota_bytes: quota } = data.services.buckets;
  return (
    <p className="flex flex-wrap items-center gap-x-3 text-ink-2">
      <span>
        All buckets: {plural(objects, "object")}, {bytesText(bytes)}
        {quota !== null && ` of a quota of ${bytesText(quota)}`}, with versions and running uploads.
      </span>
      <PageLink page="usage">Usage and limits</PageLink>
    </p>
  );
}
