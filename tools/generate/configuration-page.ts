import { fileVariableOf, flagOf, variableOf } from "../../server/src/app/config-spelling.ts";
import { SETTING_NAMES, settingOf, type Setting } from "../../server/src/app/settings.ts";
import type { Generated } from "./generated-file.ts";

/** Generates docs/reference/configuration.md: every setting, for operators. */
export const configurationPage: Generated = {
  path: "docs/reference/configuration.md",
  render: () => renderConfiguration(SETTING_NAMES.map(settingOf)),
};

const INTRODUCTION = `# Configuration

You can set a setting in three places. A later one overrides an earlier one, and each overrides the default:

1. the settings file, one JSON object \`{"listen": "127.0.0.1:8080"}\`, named by \`--config FILE\` or \`MOORING_CONFIG\`;
2. an environment variable, \`MOORING_LISTEN=127.0.0.1:8080\`;
3. a flag, \`--listen 127.0.0.1:8080\`.

In variables and flags, lists are separated by commas.

## Secrets

A secret has no flag, because other users of a machine can see command lines. It is never printed or logged. It can be in the settings file, in its variable, or in a separate
file: \`MOORING_MASTER_KEY_FILE=/run/secrets/master-key\` reads the value from that file, without one line end. Every variable of a secret has such a variable with
\`_FILE\`; to set both is a mistake. [Kubernetes secrets](../how-to/kubernetes-secrets.md) shows a deployment.

## Mistakes

If a setting is wrong, the server does not start, reports all mistakes together and exits with 2. Each mistake has its place: file, line and column, variable or flag. An
unknown name is a mistake, too, and so is a name that the file sets twice:

\`\`\`text
mooring serve: cannot use the configuration:
  - /etc/mooring/mooring.json:3:3: "lisen" is not a setting; did you mean listen?
  - /etc/mooring/mooring.json:4:22: slow_request_ms: "fast" must be a whole number from 1 to 86400000 (requests slower than this are logged at info)
  - MOORING_LOGLEVEL: is not a setting; did you mean MOORING_LOG_LEVEL?
\`\`\`

\`mooring config check\` does only this. \`mooring config print\` shows the settings in use and the source of each, \`--changed\` those that differ from the default, and \`--json\` is for
scripts. Both take the options of \`serve\`.

Kubernetes sets variables such as \`MOORING_SERVICE_HOST\` and \`MOORING_PORT=tcp://…\` in each container beside a Service whose name is \`mooring\` or begins with
\`mooring-\`. They are ignored.

Commands that call a server read \`MOORING_URL\`, and \`MOORING_CREDENTIALS\`, or \`MOORING_CLIENT_ID\` and
\`MOORING_CLIENT_SECRET\`, or \`MOORING_TOKEN\`; without them they use [your login](../how-to/command-line.md), which \`MOORING_ORG\` can choose.

## All settings

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
  const variable = `\`${variableOf(name)}\`${secret === true ? ` or \`${fileVariableOf(name)}\`` : ""}`;
  const what = form === undefined ? description : `${description}. Must be ${form}`;
  return `| \`${name}\` | ${variable} | ${flag} | ${shown(setting.default)} | ${what.replaceAll("|", "\\|")} |\n`;
}

function shown(value: unknown): string {
  if (value === null) return "none";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.join(",");
  return `\`${typeof value === "string" ? value : JSON.stringify(value)}\``;
}
