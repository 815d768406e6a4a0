export { createQueryEngine, type QueryEngine, type QueryEngineOptions } from "./engine.ts";
export { type SandboxLayer } from "./sandbox.ts";
export { defaultQuerySettings, type QueryEngineSettings, type QueryLog } from "./settings.ts";
export { FUNCTION_NAMES, TABLE_FUNCTION_NAMES } from "./names.ts";
