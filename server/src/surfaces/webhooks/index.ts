import type { Surface } from "#http/index.ts";
import { mountWebhooks } from "./routes.ts";
import type { WebhooksSurfaceDeps } from "./deps.ts";

export type { WebhooksSurfaceDeps } from "./deps.ts";
export { createStreams, type Streams } from "./stream/streams.ts";

export function createWebhooksSurface(deps: WebhooksSurfaceDeps): Surface {
  return { name: "webhooks", mount: (app) => mountWebhooks(app, deps) };
}
