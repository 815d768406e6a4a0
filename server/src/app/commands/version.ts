import { productManifest } from "../build-facts.ts";
import { command } from "./command.ts";

const USAGE = `
Usage: mooring version [--json]

Prints the versions of the product and of Node.
`;

export const version = command(USAGE, [{ name: "json", description: "print JSON" }], async (parsed) => {
  const facts = {
    version: productManifest().version,
    node: process.versions.node,
    platform: `${process.platform}-${process.arch}`,
  };
  const text = `mooring ${facts.version} (Node ${facts.node}, ${facts.platform})`;
  process.stdout.write(parsed.values["json"] === true ? `${JSON.stringify(facts)}\n` : `${text}\n`);
});
