import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useRead } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";

/** The project that a webhook belongs to; undefined while that is read. */
export function useProjectOf(webhookId: string): string | undefined {
  return useRead(WEBHOOK_ROUTES.getWebhook, { params: { webhook_id: webhookId } }).data?.project_id;
}

/** Why one may not change a webhook and what belongs to it; undefined: one may. */
export function useWhyNotChange(webhookId: string): string | undefined {
  return useWhyNotIn(useProjectOf(webhookId) ?? null, "webhooks:write");
}
