import type { CheckOptions, Outcome } from "../outcome.ts";
import type { Sent } from "../places.ts";
import type { Code } from "../recipe.ts";
import { adyen } from "./adyen.ts";
import { contentful } from "./contentful.ts";
import { paypal } from "./paypal.ts";
import { sns } from "./sns.ts";
import { entra, google, netlify } from "./tokens.ts";
import { twilio } from "./twilio.ts";

export { confirmationUrlOf } from "./sns.ts";

/** Checks that are not a recipe of the table. */
export const CODE: Readonly<Record<Code["kind"], (sent: Sent, options: CheckOptions) => Outcome | Promise<Outcome>>> = {
  twilio,
  adyen,
  contentful,
  paypal,
  sns,
  netlify,
  google,
  entra,
};
