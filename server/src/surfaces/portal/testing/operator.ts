import { after, before } from "node:test";
import type { Browser } from "./browser.ts";
import { startPortal, type Ada, type PortalServer } from "./server.ts";

/** Set during tests only. */
interface Operated {
  readonly server: PortalServer;
  /** The first person, who is the operator. */
  readonly ada: Ada;
  readonly browser: Browser;
}

/** Starts a server for the tests of a file, with the operator's browser. */
export function useOperator(): Operated {
  const made: { -readonly [name in keyof Operated]?: Operated[name] } = {};
  before(async () => {
    made.server = await startPortal();
    made.ada = await made.server.createOwner();
    made.browser = await made.server.signedIn(made.ada);
  });
  after(() => made.server?.close());
  return made as Operated;
}
