import {
  addUsage,
  bytesLeft,
  requireQuota,
  requireScopes,
  shortageText,
  usageOf,
  type Quota,
  type Shortage,
  type Usage,
} from "#domain/quotas/index.ts";
import type { Reader, Writer } from "#stores/metadata/index.ts";
import { denied, RegistryError } from "./errors.ts";
import type { RegistryDeps } from "./types.ts";

/** Returns the quota of an organization's images. It counts each content once, and running uploads. */
export function imageQuota({ storedBytesMax }: Pick<RegistryDeps["settings"], "storedBytesMax">): Quota {
  return { kind: "images", defaultMax: storedBytesMax, refusal: quotaExceeded };
}

/** Adds to the usage of the organization. @throws RegistryError `DENIED` over the quota */
export async function countUsage(
  { metadata, settings }: Pick<RegistryDeps, "metadata" | "settings">,
  tx: Writer,
  { orgId, projectId }: { readonly orgId: string; readonly projectId: string },
  change: Partial<Usage<"images">>,
): Promise<void> {
  const { bytes: kept = 0, uploading = 0 } = change;
  const bytes = kept + uploading;
  await requireQuota(tx, imageQuota(settings), { orgId, bytes });
  await requireScopes(metadata, tx, { place: { orgId, projectId }, bytes, refusal: projectFull });
  addUsage(tx, "images", { org_id: orgId }, change);
}

function projectFull(shortage: Shortage): RegistryError {
  return new RegistryError("DENIED", denied(shortageText(shortage)));
}

/** The code must not make clients retry, because a retry can't succeed. */
function quotaExceeded(left: number): RegistryError {
  return new RegistryError(
    "DENIED",
    denied(`the organization may store ${left} more bytes of images. Delete some, or ask the operator for more`),
  );
}

/** An organization gets a warning from this share of its quota on. */
const WARN_FROM = 0.9;

/** Returns the warning. Undefined if less is used. */
export async function quotaWarning(
  db: Reader,
  orgId: string,
  settings: Parameters<typeof imageQuota>[0],
): Promise<string | undefined> {
  const left = await bytesLeft(db, imageQuota(settings), orgId);
  if (left === Number.POSITIVE_INFINITY) return undefined;
  const { bytes, uploading } = await usageOf(db, "images", { org_id: orgId });
  const used = (bytes + uploading) / Math.max(1, bytes + uploading + left);
  return used < WARN_FROM ? undefined : `the organization has used ${Math.floor(used * 100)} % of its quota for images`;
}
