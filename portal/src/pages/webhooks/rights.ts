import { WEBHOOK_ROUTES } from "@mooring/contract";
import { useRead } from "~/api/queries.ts";
import { useWhyNotIn } from "~/app/may.ts";

/** Returns the project of a webhook, or undefined while it is loading. */
export function useProjectOf(webhookId: string): string | undefined {
  return useRead(WEBHOOK_ROUTES.getWebhook, { params: { webhook_id: webhookId } }).data?.project_id;
}

/** Returns why the person may not change a webhook and its parts. Undefined: they may. */
export function useWhyNotChange(webhookId: string): string | undefined {
  return useWhyNotIn(useProjectOf(webhookId) ?? null, "webhooks:write");
}
