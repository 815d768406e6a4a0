import { verify as verifySignature } from "node:crypto";
import { crc32 } from "node:zlib";
import { fieldOf } from "../../request.ts";
import { missing, twice, type CheckOptions, type Outcome } from "../outcome.ts";
import { isRepeated, type Sent } from "../places.ts";
import { bytesOf } from "../signatures.ts";
import { withKeys } from "./with-keys.ts";

const FIELDS = [
  "PayPal-Transmission-Sig",
  "PayPal-Transmission-Id",
  "PayPal-Transmission-Time",
  "PayPal-Cert-Url",
  "PayPal-Auth-Algo",
] as const;
const HOSTS = ["api.paypal.com", "api-m.paypal.com", "api.sandbox.paypal.com", "api-m.sandbox.paypal.com"];
const CERTIFICATE = new RegExp(
  `^https://(?:${HOSTS.join("|").replaceAll(".", "\\.")})/v1/notifications/certs/[\\w-]+$`,
);

/**
 * https://developer.paypal.com/api/rest/webhooks/rest/: RSA-SHA-256 over the id and time of the transmission, the
 * webhook's id and the CRC-32 of the body. The certificate is fetched, only from PayPal's hosts.
 */
export function paypal({ request }: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  for (const name of FIELDS) {
    if (fieldOf(request, name) === undefined) return missing(name);
    if (isRepeated(request, name)) return twice(name);
  }
  const [signature = "", id, time, url = "", algorithm] = FIELDS.map((name) => fieldOf(request, name));
  if (algorithm !== "SHA256withRSA") return "PayPal-Auth-Algo must be SHA256withRSA";
  if (!CERTIFICATE.test(url)) return "PayPal-Cert-Url is not the address of a certificate of PayPal";
  return withKeys(options, async (keys) => {
    const { publicKey } = await keys.certificate(url);
    const bytes = bytesOf(signature, "base64");
    const contents = options.secrets.map((webhookId) =>
      Buffer.from(`${id}|${time}|${webhookId}|${crc32(request.body)}`),
    );
    const isGood = contents.some((content) => verifySignature("RSA-SHA256", content, publicKey, bytes));
    return isGood ? null : "PayPal-Transmission-Sig is not the signature of this body";
  });
}
