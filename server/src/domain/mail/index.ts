export { invitationMail, setupMail, testMail } from "./messages.ts";
export { sendTo, type Sent } from "./send.ts";
