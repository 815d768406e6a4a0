import { elementsOf } from "#kernel/json-text.ts";
import { secretKeyOf } from "../keys.ts";
import type { CheckOptions, Outcome } from "../outcome.ts";
import type { Sent } from "../places.ts";
import { bytesOf, isSigned } from "../signatures.ts";
import { jsonBodyOf, stringIn, uniqueMembersOf } from "./unique-members.ts";

type Members = ReadonlyMap<string, string>;

const NO_ITEMS = "the body has no notificationItems, or a name repeats";

/**
 * https://docs.adyen.com/development-resources/webhooks/verify-hmac-signatures: each item has an HMAC-SHA-256 over eight
 * of its values, joined by colons. The other values are not signed.
 */
export function adyen({ request }: Sent, { secrets }: CheckOptions): Outcome {
  const items = itemsOf(request.body);
  if (items === undefined) return NO_ITEMS;
  const keys = secrets.map((secret) => secretKeyOf(secret, "hex")).filter((key) => key !== undefined);
  for (const item of items) {
    const signature = stringIn(uniqueMembersOf(item.get("additionalData") ?? "")?.get("hmacSignature"));
    const content = contentOf(item);
    if (signature === undefined) return "hmacSignature of an item is missing";
    if (content === undefined) return NO_ITEMS;
    if (!isSigned([content], { secrets: keys, algorithm: "sha256" }, [bytesOf(signature, "base64")]))
      return "hmacSignature is not the signature of its item";
  }
  return null;
}

function itemsOf(body: Buffer): Members[] | undefined {
  const list = elementsOf(uniqueMembersOf(jsonBodyOf(body) ?? "")?.get("notificationItems") ?? "");
  if (list === undefined || list.length === 0) return undefined;
  const items = list.map((each) => uniqueMembersOf(uniqueMembersOf(each)?.get("NotificationRequestItem") ?? ""));
  return items.includes(undefined) ? undefined : (items as Members[]);
}

function contentOf(item: Members): string | undefined {
  const amount = uniqueMembersOf(item.get("amount") ?? "{}");
  if (amount === undefined) return undefined;
  const values = [
    ...["pspReference", "originalReference", "merchantAccountCode", "merchantReference"].map((name) => item.get(name)),
    amount.get("value"),
    amount.get("currency"),
    item.get("eventCode"),
    item.get("success"),
  ];
  return values.map((value) => stringIn(value) ?? (value === "null" ? "" : (value ?? ""))).join(":");
}
