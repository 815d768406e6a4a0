export { addressChangedMail, addressVerifiedMail, passwordResetMail, resetMail } from "./account-messages.ts";
export { lossMail, type ShownLoss } from "./loss-message.ts";
export { invitationMail, projectEnteredMail, setupMail, testMail } from "./messages.ts";
export { sendTo, type Sent } from "./send.ts";
