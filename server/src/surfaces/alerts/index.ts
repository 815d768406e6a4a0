import type { AlertsDeps } from "#domain/alerts/index.ts";
import type { HttpHost, Surface } from "#http/index.ts";
import { mountAlerts } from "./routes.ts";

export interface AlertsSurfaceDeps extends AlertsDeps {
  readonly host: HttpHost;
}

export function createAlertsSurface(deps: AlertsSurfaceDeps): Surface {
  return { name: "alerts", mount: (app) => mountAlerts(app, deps) };
}
