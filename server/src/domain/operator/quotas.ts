import { setStoredQuota, storedQuotaOf } from "#domain/quotas/index.ts";
import { quotaOf, setQuota, type Quota } from "#domain/telemetry/index.ts";
import { auditOperator, type OperatorCaller, type OperatorDeps } from "./caller.ts";

/** The quotas of an organization. Null: the server's setting. `NO_LIMIT`: none. */
export type Quotas = Quota & {
  readonly files_stored_bytes_max: number | null;
  readonly images_stored_bytes_max: number | null;
};

export async function readQuotas(deps: Pick<OperatorDeps, "metadata">, orgId: string): Promise<Quotas> {
  const { read } = deps.metadata;
  return {
    ...(await quotaOf(deps, orgId)),
    files_stored_bytes_max: await storedQuotaOf(read, "files", orgId),
    images_stored_bytes_max: await storedQuotaOf(read, "images", orgId),
  };
}

/**
 * Sets quotas, and returns all. Each kind is one transaction with its entry in the audit log of the organization. The
 * entry of the installation comes first, so that an interrupted change is in it.
 */
export async function setQuotas(
  deps: OperatorDeps,
  by: OperatorCaller,
  orgId: string,
  change: Partial<Quotas>,
): Promise<Quotas> {
  const target = { kind: "organization", id: orgId };
  const act = { action: "quota.update", target, detail: { ...change } };
  await deps.metadata.write((tx) => auditOperator(deps, tx, by, act));
  const { files_stored_bytes_max: files, images_stored_bytes_max: images, ...telemetry } = change;
  if (Object.keys(telemetry).length > 0) await setQuota(deps, by, orgId, telemetry);
  if (files !== undefined) await setStoredQuota(deps, "files", orgId, files, by);
  if (images !== undefined) await setStoredQuota(deps, "images", orgId, images, by);
  return readQuotas(deps, orgId);
}
