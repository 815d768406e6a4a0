import { after, before } from "node:test";
import type { Browser } from "./browser.ts";
import { startPortal, type Ada, type PortalServer } from "./server.ts";

/** There inside tests only. */
interface Operated {
  readonly server: PortalServer;
  /** The first of all, who runs the server. */
  readonly ada: Ada;
  readonly browser: Browser;
}

/** A server for the tests of a file, and the browser of the one who runs it. */
export function useOperator(): Operated {
  const made: { -readonly [name in keyof Operated]?: Operated[name] } = {};
  before(async () => {
    made.server = await startPortal();
    made.ada = await made.server.settle();
    made.browser = await made.server.signedIn(made.ada);
  });
  after(() => made.server?.close());
  return made as Operated;
}
