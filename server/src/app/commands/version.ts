import { readFileSync } from "node:fs";
import { ExitCode, parseCommand, type Command } from "./command.ts";

const USAGE = `
Usage: mooring version [--json]

Prints the version of the product, and of the Node that runs it.
`;

export const version: Command = {
  run: async (args) => {
    const parsed = parseCommand(USAGE, [{ name: "json", type: "boolean", description: "print JSON" }], args);
    if (parsed === null) return ExitCode.ok;
    const facts = {
      version: productVersion(),
      node: process.versions.node,
      platform: `${process.platform}-${process.arch}`,
    };
    const text = `mooring ${facts.version} (Node ${facts.node}, ${facts.platform})`;
    process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(facts)}\n` : `${text}\n`);
    return ExitCode.ok;
  },
};

/** From the package that this file belongs to. */
export function productVersion(): string {
  const manifest = JSON.parse(readFileSync(new URL("../../../package.json", import.meta.url), "utf8")) as {
    version: string;
  };
  return manifest.version;
}
