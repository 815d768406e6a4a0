export { beginSession } from "../sessions/sessions.ts";
