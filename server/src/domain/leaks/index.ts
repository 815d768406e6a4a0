export { findLeak, type Finding, type FoundSecret, type LeaksDeps } from "./find.ts";
