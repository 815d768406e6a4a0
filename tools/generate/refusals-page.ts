import { ALLOWING_ACTS, REFUSAL_RULES } from "@mooring/contract";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/refusals.md: the rules that refuse requests, and the acts that would allow them. */
export const refusalsPage: Generated = {
  path: "docs/reference/refusals.md",
  render: () => INTRODUCTION + tableOf(REFUSAL_RULES) + ACTS + tableOf(ALLOWING_ACTS),
};

function tableOf(names: Readonly<Record<string, string>>): string {
  return Object.entries(names)
    .map(([name, meaning]) => `| \`${name}\` | ${meaning} |\n`)
    .join("");
}

const INTRODUCTION = `# Refused requests

\`GET /v1/requests/{request_id}\` explains a refused request ([how to use it](../how-to/explain-a-refused-request.md)). Its \`decided_by.rule\` is one of these rules.

This page is generated from \`contract/src/refusals.ts\` by \`npm run generate\`.

| rule | meaning |
| --- | --- |
`;

const ACTS = `
\`would_allow\` has the acts that together would have allowed the request, with the roles that can do them:

| act | meaning |
| --- | --- |
`;
