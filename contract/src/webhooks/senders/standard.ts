import type { SenderText } from "./text.ts";

/** Standard Webhooks, and senders that sign with it. */
export const STANDARD = {
  standard_webhooks: {
    title: "Standard Webhooks",
    secret: "whsec_… of the sender, or whpk_… for its public key",
    where:
      "If the sender creates the secret, it shows it with the endpoint. Otherwise enter the secret of this webhook there.",
  },
  svix: {
    title: "Svix",
    secret: "whsec_…",
    where: "In the application portal of Svix: Endpoints, the endpoint, Signing Secret.",
  },
  clerk: {
    title: "Clerk",
    secret: "whsec_…",
    where: "In the dashboard of Clerk: Configure, Webhooks, the endpoint, Signing Secret.",
  },
  resend: {
    title: "Resend",
    secret: "whsec_…",
    where: "In the dashboard of Resend: Webhooks, the webhook, Signing Secret.",
  },
  openai: {
    title: "OpenAI",
    secret: "whsec_…",
    where: "In the settings of the project at OpenAI: Webhooks. It is shown once, when the webhook is created.",
  },
  replicate: {
    title: "Replicate",
    secret: "whsec_…",
    where: "In the web settings of Replicate: Webhooks. The API has it at /v1/webhooks/default/secret.",
  },
  polar: {
    title: "Polar",
    secret: "the secret of the endpoint, as Polar shows it",
    where: "In the settings of the organization at Polar: Webhooks, the endpoint.",
  },
  supabase: {
    title: "Supabase Auth hooks",
    secret: "v1,whsec_…",
    where: "In the dashboard of Supabase: Authentication, Hooks, the hook.",
  },
} as const satisfies Record<string, SenderText>;
