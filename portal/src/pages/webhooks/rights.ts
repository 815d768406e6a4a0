import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useRead } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";

/** Why one may not change a webhook and what belongs to it; undefined: one may. */
export function useWhyNotChange(webhookId: string): string | undefined {
  const { data } = useRead(WEBHOOK_ROUTES.getWebhook, { params: { webhook_id: webhookId } });
  return useWhyNotIn(data?.project_id ?? null, "webhooks:write");
}
