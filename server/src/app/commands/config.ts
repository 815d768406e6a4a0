import { explainConfig, loadConfig, type ExplainedConfig } from "../config.ts";
import { originText, type Origin } from "../config-origin.ts";
import { shownConfig } from "../config-shown.ts";
import { SETTING_NAMES } from "../settings.ts";
import { CONFIG_OPTION, command, settingOptions, sourcesOf, UsageError, type Option } from "./command.ts";
import { printable } from "./printable.ts";

const USAGE = `
Usage: mooring config print [--changed] [--json] [options]
       mooring config check [options]

print shows every setting that serve would use with the same options, and where its value is from: default, file with line and
column, variable, or flag. Secrets are not shown, also not within addresses. check only checks them. If there are mistakes, both print all
of them and exit with 2.

  mooring config print --config mooring.json
  MOORING_LISTEN=127.0.0.1:9090 mooring config print --json
  mooring config check --config /etc/mooring/mooring.json
`;

const OPTIONS: readonly Option[] = [
  { name: "json", description: "print JSON: {setting: {value, origin, source, …}}" },
  { name: "changed", description: "print only settings that a file, a variable or a flag sets" },
  CONFIG_OPTION,
  ...settingOptions({ listed: "all" }),
];

export const config = command(USAGE, OPTIONS, async (parsed) => {
  const words = parsed.positionals.join(" ");
  const { json = false, changed = false } = parsed.values;
  if (words === "print")
    return print(explainConfig(sourcesOf(parsed)), { json: json === true, changed: changed === true });
  if (words !== "check") throw new UsageError("name a subcommand: print or check");
  loadConfig(sourcesOf(parsed));
  process.stdout.write("the settings are valid\n");
});

interface Row {
  readonly name: string;
  readonly value: unknown;
  readonly origin: Origin | undefined;
}

function print({ config: settings, origins }: ExplainedConfig, options: { json: boolean; changed: boolean }): void {
  const shown = shownConfig(settings);
  const rows = SETTING_NAMES.map((name): Row => ({ name, value: shown[name], origin: origins.get(name) })).filter(
    ({ origin }) => !options.changed || origin !== undefined,
  );
  const json = Object.fromEntries(rows.map(({ name, ...row }) => [name, described(row)]));
  process.stdout.write(options.json ? `${JSON.stringify(json, null, 2)}\n` : rows.map(readable).join(""));
}

function described({ value, origin }: Omit<Row, "name">): Record<string, unknown> {
  return origin === undefined
    ? { value, origin: "default", source: "default" }
    : { value, origin: originText(origin), ...origin };
}

function readable({ name, value, origin }: Row): string {
  const text = value === null ? "(not set)" : Array.isArray(value) ? value.join(",") || "(none)" : plain(value);
  return `${name} = ${printable(text)}  # ${origin === undefined ? "default" : printable(originText(origin))}\n`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
