import type { Answer, Context } from "../context.ts";
import { renderDocument } from "../wire/xml.ts";

/** Empty for the region that S3 had first, as clients expect. */
export async function getBucketLocation({ deps }: Context): Promise<Answer> {
  const { region } = deps.settings;
  return { body: renderDocument("LocationConstraint", region === "us-east-1" ? "" : region) };
}
