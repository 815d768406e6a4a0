export { ROWS } from "./contract/rows.ts";
