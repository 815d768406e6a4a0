import { createHmac } from "node:crypto";
import { S3Error, type S3Principal } from "#domain/s3/index.ts";
import { authenticateKey, type ProofDeps } from "./admit.ts";
import { equalInConstantTime, signatureOf, V4_ALGORITHM, type SigningKeys } from "./signature-v4.ts";
import { msOfBasicDate, requireNear } from "./times.ts";
import type { V2Policy } from "./v2.ts";
import { credentialOf, mismatch, type Regions } from "./v4.ts";

/** The fields before a form's file, by lower-case name. Each was sent once. */
export type FormFields = ReadonlyMap<string, string>;

interface Deps extends ProofDeps {
  readonly regions: Regions;
  readonly v2: V2Policy;
  readonly signingKeys: SigningKeys;
  readonly nowMs: () => number;
}

/** Fields that identify the signer. A policy need not name them. */
export const SIGNATURE_FIELDS = new Set(["awsaccesskeyid", "signature", "x-amz-signature", "policy", "file"]);

/**
 * Identifies the signer of a form's policy; a form without a policy is anonymous. The operation checks the policy's
 * conditions.
 * @throws S3Error `InvalidArgument`, `InvalidAccessKeyId`, `SignatureDoesNotMatch`
 */
export async function authenticateForm(deps: Deps, form: FormFields, ip: string | null): Promise<S3Principal> {
  const policy = form.get("policy");
  const hasV4 = form.has("x-amz-algorithm") || form.has("x-amz-credential") || form.has("x-amz-signature");
  const hasV2 = form.has("awsaccesskeyid") || form.has("signature");
  if (hasV4 && hasV2) throw new S3Error("InvalidArgument", "Only one way of authentication may be used in a form.");
  if (!hasV4 && !hasV2) {
    if (policy !== undefined) throw missing("AWSAccessKeyId");
    return deps.keys.anonymous();
  }
  if (policy === undefined) throw missing("Policy");
  return hasV4 ? ofV4(deps, form, policy, ip) : ofV2(deps, form, policy, ip);
}

function missing(name: string): S3Error {
  const message = `Bucket POST must contain a field named '${name}'.  If it is specified, please check the order of the fields.`;
  return new S3Error("InvalidArgument", message, { fields: { ArgumentName: name } });
}

function required(form: FormFields, name: string): string {
  const value = form.get(name.toLowerCase());
  if (value === undefined || value === "") throw missing(name);
  return value;
}

async function ofV4(deps: Deps, form: FormFields, policy: string, ip: string | null): Promise<S3Principal> {
  const malformed = (detail: string, fields = {}): S3Error =>
    new S3Error("InvalidArgument", `The form's signature is malformed; ${detail}`, { fields });
  if (required(form, "X-Amz-Algorithm") !== V4_ALGORITHM) throw malformed(`X-Amz-Algorithm must be ${V4_ALGORITHM}`);
  const date = required(form, "X-Amz-Date");
  const ms = msOfBasicDate(date);
  if (ms === undefined) throw malformed("X-Amz-Date must be like 20130524T000000Z");
  const { accessKeyId, scope } = credentialOf(required(form, "X-Amz-Credential"), date, deps.regions, malformed);
  const given = required(form, "X-Amz-Signature");
  const { principal } = await authenticateKey(deps, { accessKeyId, ip }, ({ secret }) => {
    const right = signatureOf(deps.signingKeys.keyOf(accessKeyId, secret, scope), policy);
    if (!equalInConstantTime(given, right)) throw mismatch(accessKeyId, given, { StringToSign: policy });
  });
  // The policy has its own end, so only the start is checked here.
  if (ms > deps.nowMs()) requireNear(ms, deps.nowMs());
  return principal;
}

async function ofV2(deps: Deps, form: FormFields, policy: string, ip: string | null): Promise<S3Principal> {
  if (deps.v2 === "refuse")
    throw new S3Error(
      "InvalidRequest",
      "This server does not accept Signature V2 (setting s3_signature_v2). Sign the form with AWS4-HMAC-SHA256.",
    );
  const accessKeyId = required(form, "AWSAccessKeyId");
  const given = required(form, "Signature");
  const { principal } = await authenticateKey(deps, { accessKeyId, ip }, ({ secret }) => {
    const right = createHmac("sha1", secret).update(policy).digest("base64");
    if (!equalInConstantTime(given, right)) throw mismatch(accessKeyId, given, { StringToSign: policy });
  });
  return principal;
}
