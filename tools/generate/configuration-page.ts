import { flagOf, variableOf } from "../../server/src/app/config.ts";
import { SETTING_NAMES, settingOf, type Setting } from "../../server/src/app/settings.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/configuration.md: every setting, for operators. */
export const configurationPage: Generated = {
  path: "docs/configuration.md",
  render: () => renderConfiguration(SETTING_NAMES.map(settingOf)),
};

const INTRODUCTION = `# Configuration

You can set a setting in three places. A later one overrides an earlier one:

1. a JSON file, \`{"listen": "127.0.0.1:8080"}\`, named by \`--config FILE\` or \`MOORING_CONFIG\`;
2. an environment variable, \`MOORING_LISTEN=127.0.0.1:8080\`;
3. a flag, \`--listen 127.0.0.1:8080\`.

If a setting is wrong, the server does not start, and reports all mistakes together. Each mistake has the name as it was written. An unknown name in the
file and an unknown \`MOORING_\` variable are mistakes, too. In variables and flags, lists are separated by commas.
\`mooring config print\` shows the settings in use and the source of each. Settings marked as secret are never printed. They have no flag, because other users of a
machine can see command lines.

Commands that call a server read four variables: \`MOORING_URL\`, \`MOORING_CREDENTIALS\`, \`MOORING_CLIENT_ID\` and
\`MOORING_CLIENT_SECRET\`.

This page is generated from \`server/src/app/settings.ts\` by \`npm run generate\`.

| setting | variable | flag | default | what it does |
| --- | --- | --- | --- | --- |
`;

export function renderConfiguration(settings: readonly Setting[]): string {
  return INTRODUCTION + settings.map(row).join("");
}

function row(setting: Setting): string {
  const { name, description, form, secret } = setting;
  const flag = secret === true ? "secret, no flag" : `\`${flagOf(name)}\``;
  const what = form === undefined ? description : `${description}. Must be ${form}`;
  return `| \`${name}\` | \`${variableOf(name)}\` | ${flag} | ${shown(setting.default)} | ${what.replaceAll("|", "\\|")} |\n`;
}

function shown(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(",");
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
