import type { STANDARD as ROWS } from "../standard.ts";
import { hmac, seconds, type Key, type Sample } from "./sample.ts";

const keyOf = (byte: number): Buffer => Buffer.alloc(32, byte);
const KEYS: readonly [Key, Key] = [
  { secret: `whsec_${keyOf(7).toString("base64")}` },
  { secret: `whsec_${keyOf(8).toString("base64")}` },
];

function standard(family: "webhook" | "svix", rest: Partial<Sample> = {}, bytesOf = decoded): Sample {
  return {
    body: '{"type": "user.created", "data": {}}',
    keys: KEYS,
    lateAfterS: 300,
    name: `${family}-id msg_1`,
    type: "user.created",
    sign: ({ body, key, nowMs }) => {
      const time = seconds(nowMs);
      const signature = hmac(bytesOf(key.secret), `msg_1.${time}.${body}`, "base64");
      return {
        headers: {
          [`${family}-id`]: "msg_1",
          [`${family}-timestamp`]: time,
          [`${family}-signature`]: `v1,bm9uc2Vuc2U= v1,${signature}`,
        },
      };
    },
    ...rest,
  };
}

function decoded(secret: string): Buffer {
  return Buffer.from(secret.replace(/^(v1,)?whsec_/, ""), "base64");
}

export const STANDARD: Readonly<Record<keyof typeof ROWS, Sample>> = {
  standard_webhooks: standard("webhook"),
  svix: standard("svix"),
  clerk: standard("svix"),
  resend: standard("svix"),
  openai: standard("webhook"),
  replicate: standard("webhook", { body: '{"id": "p1", "status": "succeeded"}', type: "succeeded" }),
  polar: standard("webhook", { keys: [{ secret: "polar_whs_1" }, { secret: "polar_whs_2" }] }, (text) =>
    Buffer.from(text),
  ),
  supabase: standard("webhook", {
    keys: [
      { secret: `v1,whsec_${keyOf(7).toString("base64")}` },
      { secret: `v1,whsec_${keyOf(8).toString("base64")}` },
    ],
  }),
};
