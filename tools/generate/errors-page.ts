import { PROBLEMS } from "../../server/src/http/problems.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/errors.md: the table of problem codes, for developers of clients. */
export const errorsPage: Generated = { path: "docs/reference/errors.md", render: () => renderErrors(PROBLEMS) };

type Problems = Readonly<Record<string, { readonly status: number; readonly title: string }>>;

const INTRODUCTION = `# Errors

The body of an error has the type \`application/problem+json\` (RFC 9457). Its member \`code\` is one of the codes below. Codes do not
change, and each code has one \`status\` and one \`title\`. \`detail\` describes the fault of this request, and the remedy.

In a 403, \`decided_by\` names the reason: \`scope\`, \`role\`, \`policy\`, \`project\`, \`address\`, \`approval\` or \`parent\` ([identity](identity.md)).
If a scope is missing, \`required_scope\` names it.

A PATCH or PUT gets \`concurrent_update\` in two cases: its \`If-Match\` does not match the current version of the resource, or another
request changed the resource at the same time. Read the resource again, and repeat the change.

OAuth, OTLP, the container registry and S3 have other errors, in the format of their specifications.

This page is generated from \`server/src/kernel/problem.ts\` by \`npm run generate\`.

| code | status | title |
| --- | --- | --- |
`;

export function renderErrors(problems: Problems): string {
  const rows = Object.entries(problems).map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |\n`);
  return INTRODUCTION + rows.join("");
}
