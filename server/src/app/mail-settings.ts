import Type from "typebox";

export const MAIL_SETTINGS = {
  smtp_url: {
    schema: Type.Union([Type.Null(), Type.String({ pattern: "^smtps?://", maxLength: 2048 })]),
    default: null,
    form: "smtps://[USER:PASSWORD@]HOST[:PORT] or smtp://…",
    description:
      "mail server for invitations and set-up links; smtp:// requires STARTTLS, except on this machine or with ?tls=none",
    secret: true,
    secretUrl: true,
  },
  mail_from: {
    schema: Type.Union([
      Type.Null(),
      Type.String({ pattern: "^([^\\r\\n<>@]*<)?[^\\s<>@,;]+@[^\\s<>@,;]+>?$", maxLength: 320 }),
    ]),
    default: null,
    form: "an address, for example noreply@example.com or Mooring <noreply@example.com>",
    description: "sender of mails",
  },
} as const;
