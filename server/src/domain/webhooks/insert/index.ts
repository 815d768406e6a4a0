export { eventInserter } from "./store.ts";
