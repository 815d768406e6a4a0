export { beginSession } from "../sessions/sessions.ts";
export { tidyLogins } from "../logins/logins.ts";
