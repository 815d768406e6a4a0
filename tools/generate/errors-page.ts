import { PROBLEMS } from "../../server/src/http/problems.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/errors.md: the table of problem codes, for developers of clients. */
export const errorsPage: Generated = { path: "docs/errors.md", render: () => renderErrors(PROBLEMS) };

type Problems = Readonly<Record<string, { readonly status: number; readonly title: string }>>;

const INTRODUCTION = `# Errors

An answer that is an error has a body of type \`application/problem+json\` (RFC 9457). Its member \`code\` is one of these and
does not change; \`status\` and \`title\` go with the code, \`detail\` gives the fault of this request, and says what to do.

In a 403, \`decided_by\` names the reason: \`scope\`, \`role\`, \`policy\`, \`project\`, \`address\`, \`approval\` or \`parent\` ([identity](identity.md)),
and \`required_scope\` names the missing scope.

\`concurrent_update\` is the answer to a PATCH or PUT whose \`If-Match\` names another version than the present one, and to one without it that another one
overtakes: read the resource again, and repeat the change on that.

OAuth, OTLP, the container registry and S3 answer in the form that their own specifications give.

This page is generated from \`server/src/kernel/problem.ts\` by \`npm run generate\`.

| code | status | title |
| --- | --- | --- |
`;

export function renderErrors(problems: Problems): string {
  const rows = Object.entries(problems).map(([code, { status, title }]) => `| \`${code}\` | ${status} | ${title} |\n`);
  return INTRODUCTION + rows.join("");
}
