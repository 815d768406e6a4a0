import { explainConfig, redactedConfig } from "../config.ts";
import { SETTING_NAMES, type SettingName } from "../settings.ts";
import { CONFIG_OPTION, command, settingOptions, sourcesOf, UsageError, type Option } from "./command.ts";

const USAGE = `
Usage: mooring config print [--json] [options]

Prints every setting that serve would use with the same options, and the source of its value: a flag, a variable, the file, or the
default. Secrets are not shown. If there are mistakes, it prints all of them instead.

  mooring config print --config mooring.json
  MOORING_LISTEN=127.0.0.1:9090 mooring config print --json
`;

const OPTIONS: readonly Option[] = [
  { name: "json", description: "print JSON: {setting: {value, origin}}" },
  CONFIG_OPTION,
  ...settingOptions({ listed: "all" }),
];

export const config = command(USAGE, OPTIONS, async (parsed) => {
  if (parsed.positionals.join(" ") !== "print") throw new UsageError("say what to do: print");
  const { config: settings, origins } = explainConfig(sourcesOf(parsed));
  const shown = redactedConfig(settings);
  const rows = SETTING_NAMES.map((name) => ({ name, value: shown[name], origin: origins.get(name) ?? "default" }));
  const json = Object.fromEntries(rows.map(({ name, value, origin }) => [name, { value, origin }]));
  process.stdout.write(
    parsed.values["json"] === true ? `${JSON.stringify(json, null, 2)}\n` : rows.map(readable).join(""),
  );
});

function readable({ name, value, origin }: { name: SettingName; value: unknown; origin: string }): string {
  const text = value === null ? "(not set)" : Array.isArray(value) ? value.join(",") || "(none)" : plain(value);
  const where = origin === "default" ? "" : `  # ${origin}`;
  return `${name} = ${text}${where}\n`;
}

function plain(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
