export { addressChangedMail, addressVerifiedMail, passwordResetMail, resetMail } from "./account-messages.ts";
export { lossMail, type ShownLoss } from "./loss-message.ts";
export { invitationMail, projectEnteredMail, setupMail, testMail } from "./messages.ts";
export { createMails, type MailParts, type Mails, type Sent, type Undelivered } from "./queue.ts";
