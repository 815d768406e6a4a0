import type { Surface } from "#http/index.ts";
import { mountAlerts } from "./routes.ts";
import type { AlertsSurfaceDeps } from "./deps.ts";

export function createAlertsSurface(deps: AlertsSurfaceDeps): Surface {
  return { name: "alerts", mount: (app) => mountAlerts(app, deps) };
}
