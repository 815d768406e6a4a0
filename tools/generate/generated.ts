import { configurationPage } from "./configuration-page.ts";
import { errorsPage } from "./errors-page.ts";
import type { Generated } from "./generated-file.ts";
import { OPENAPI_FILES } from "./openapi.ts";

/** Every generated file; add yours here. */
export const GENERATED: readonly Generated[] = [configurationPage, errorsPage, ...OPENAPI_FILES];
