/** Configurations of agents from the table that the portal shows, with the addresses that the server publishes. */
import assert from "node:assert/strict";
import { mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AGENTS, canConnect, fillIn, type AgentAddresses } from "@mooring/contract/agents";
import { startProgram, type LineProgram } from "./line-program.ts";
import { npmModules, PYTHON } from "./packages.ts";
import { run } from "./place.ts";

export interface AgentPlace {
  readonly addresses: AgentAddresses;
  readonly key: string;
}

/** Returns the configuration of an agent. @throws AssertionError if the server lacks its address */
export function configurationOf(id: string, { addresses, key }: AgentPlace, service: string): string {
  const agent = AGENTS.find((each) => each.id === id);
  assert.ok(agent !== undefined, `no agent ${id}`);
  assert.ok(canConnect(agent, addresses), `the server has no address for ${id}`);
  return fillIn(agent, { addresses, key, service });
}

/** Replaces parts of a configuration, for a variant of it. @throws AssertionError if a part is missing */
export function replaced(text: string, changes: Readonly<Record<string, string>>): string {
  let result = text;
  for (const [from, to] of Object.entries(changes)) {
    assert.ok(result.includes(from), `${from} is not in:\n${text}`);
    result = result.replaceAll(from, to);
  }
  return result;
}

/**
 * Starts a module of Node that has the packages of tests/senders/npm. It logs each line that it gets by the statement, in
 * which the line is `message`.
 */
export function startModule(text: string, statement: string, directory: string): LineProgram {
  const home = mkdtempSync(join(directory, "module-"));
  symlinkSync(npmModules(), join(home, "node_modules"));
  writeFileSync(join(home, "main.cjs"), `${text}\nconst log = async (message) => {\n${statement}\n};\n${READ_LINES}`);
  return startProgram([process.execPath, join(home, "main.cjs")], {});
}

const READ_LINES = `
require("node:readline")
  .createInterface({ input: process.stdin })
  .on("line", (message) => log(message).then(() => console.log(message)))
  .on("close", () => process.exit());
`;

/** The same for a script of Python that has the packages of requirements.txt. */
export function startScript(text: string, statement: string, directory: string): LineProgram {
  const home = mkdtempSync(join(directory, "script-"));
  const loop = `for message in map(str.strip, sys.stdin):\n${statement.replaceAll(/^(?=.)/gm, "    ")}\n    print(message, flush=True)\n`;
  writeFileSync(join(home, "main.py"), `${text}\nimport sys\n\n${loop}`);
  return startProgram([PYTHON, join(home, "main.py")], {});
}

/** Pastes lines into a shell, in a separate directory. */
export async function runShell(text: string, directory: string): Promise<string> {
  const home = mkdtempSync(join(directory, "shell-"));
  return run("bash", ["-c", `cd "$0" && set -e\n${text}`, home]);
}
