import type { AlertsDeps } from "#domain/alerts/index.ts";
import type { HttpHost } from "#http/index.ts";

export interface AlertsSurfaceDeps extends AlertsDeps {
  readonly host: HttpHost;
}
