import type { Surface } from "#http/index.ts";
import { mountWebhooks } from "./routes.ts";
import type { WebhooksSurfaceDeps } from "./deps.ts";

export type { WebhooksSurfaceDeps } from "./deps.ts";
export { createStreams } from "./stream/streams.ts";
export type { Streams } from "./stream/types.ts";

export function createWebhooksSurface(deps: WebhooksSurfaceDeps): Surface {
  return { name: "webhooks", mount: (app) => mountWebhooks(app, deps) };
}
