import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import { OPENAPI_FILES } from "./openapi.ts";

/** A checked-in file that is made from the sources. */
export interface Generated {
  /** Relative to the root. */
  readonly path: string;
  render(): string | Promise<string>;
}

/** Every generated file; add yours here. */
export const GENERATED: readonly Generated[] = [configurationPage, errorsPage, ...OPENAPI_FILES];
