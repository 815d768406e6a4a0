import type { HttpHost } from "#http/index.ts";
import type { ApiAddresses } from "./document.ts";

export interface ApiSurfaceDeps {
  readonly host: HttpHost;
  readonly addresses: ApiAddresses;
}
