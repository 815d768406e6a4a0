import { verify as verifySignature } from "node:crypto";
import type { HookRequest } from "../../request.ts";
import { missing, type CheckOptions, type Outcome } from "../outcome.ts";
import type { Sent } from "../places.ts";
import { bytesOf, isOneOf } from "../signatures.ts";
import { jsonBodyOf, stringIn, uniqueMembersOf } from "./unique-members.ts";
import { withKeys } from "./with-keys.ts";

const NOTIFICATION = ["Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"];
const CONTROL = ["Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"];
const ALGORITHMS: Readonly<Record<string, string>> = { "1": "RSA-SHA1", "2": "RSA-SHA256" };
const TOPIC = /^arn:(aws|aws-cn|aws-us-gov):sns:([a-z0-9-]{3,30}):\d{12}:[\w-]{1,256}(?:\.fifo)?$/;

type Message = ReadonlyMap<string, string>;

/**
 * https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message.html: RSA over the names and values of some
 * members. Everybody with an account of AWS can sign a message of a topic, so the topic must be the one that is set.
 */
export function sns({ request }: Sent, options: CheckOptions): Outcome | Promise<Outcome> {
  const message = messageOf(request);
  if (message === undefined) return "the body is not a message of SNS, or a name repeats";
  const [topic = "", url = "", signature, version = ""] = [
    "TopicArn",
    "SigningCertURL",
    "Signature",
    "SignatureVersion",
  ].map((name) => message.get(name));
  if (!isOneOf(topic, options.secrets)) return "TopicArn is not the topic of this webhook";
  if (signature === undefined) return missing("Signature");
  const algorithm = Object.hasOwn(ALGORITHMS, version) ? ALGORITHMS[version] : undefined;
  if (algorithm === undefined) return "SignatureVersion must be 1 or 2";
  if (!isCertificateUrl(url, topic)) return "SigningCertURL is not the address of a certificate of the topic's region";
  return withKeys(options, async (keys) => {
    const { publicKey } = await keys.certificate(url);
    const isGood = verifySignature(algorithm, contentOf(message), publicKey, bytesOf(signature, "base64"));
    return isGood ? null : "Signature is not the signature of this message";
  });
}

/** Returns the strings of a message; undefined for another body. */
function messageOf({ body }: Pick<HookRequest, "body">): Message | undefined {
  const members = uniqueMembersOf(jsonBodyOf(body) ?? "");
  if (members === undefined) return undefined;
  const strings = [...members].map(([name, value]) => [name, stringIn(value)] as const);
  const message = new Map(strings.filter((pair): pair is [string, string] => pair[1] !== undefined));
  // A signed name with another value than a string would be left out of the signed text.
  return [...CONTROL, ...NOTIFICATION].some((name) => members.has(name) && !message.has(name)) ? undefined : message;
}

function contentOf(message: Message): Buffer {
  const names = message.get("Type") === "Notification" ? NOTIFICATION : CONTROL;
  const lines = names.filter((name) => message.has(name)).map((name) => `${name}\n${message.get(name)}\n`);
  return Buffer.from(lines.join(""));
}

/** Compares the text, so that no spelling of a URL leads elsewhere. */
function isCertificateUrl(url: string, topic: string): boolean {
  const origin = originOf(topic);
  return origin !== undefined && url.startsWith(`${origin}/`) && CERTIFICATE.test(url.slice(origin.length));
}

const CERTIFICATE = /^\/SimpleNotificationService(?:-[0-9A-Za-z]{1,64})?\.pem$/;

function originOf(topic: string): string | undefined {
  const [, partition, region] = TOPIC.exec(topic) ?? [];
  if (region === undefined) return undefined;
  return `https://sns.${region}.amazonaws.com${partition === "aws-cn" ? ".cn" : ""}`;
}

/**
 * Returns the URL that confirms a subscription; undefined for other messages. It is built from the verified topic and
 * token, and not taken from the message, so its host is that of the topic's region.
 */
export function confirmationUrlOf(request: HookRequest): string | undefined {
  const message = messageOf(request);
  const [topic = "", token] = [message?.get("TopicArn"), message?.get("Token")];
  const origin = originOf(topic);
  if (message?.get("Type") !== "SubscriptionConfirmation" || token === undefined || origin === undefined)
    return undefined;
  return `${origin}/?${new URLSearchParams({ Action: "ConfirmSubscription", TopicArn: topic, Token: token }).toString()}`;
}
