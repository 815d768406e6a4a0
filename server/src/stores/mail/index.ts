export { openMail } from "./smtp.ts";
export { parseSmtpUrl } from "./server.ts";
export { MailFailure, type Mail, type MailMessage, type MailTaken } from "./types.ts";
