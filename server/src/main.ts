import { API_NOUNS } from "./app/commands/api/nouns.ts";
import { commandNamed, COMMANDS } from "./app/commands/index.ts";
import { ExitCode, exitCodeOf, messageOf, UsageError } from "./app/commands/command.ts";
import { printableLines } from "./app/commands/printable.ts";

/** Runs one command. Resolves with the exit code: 0 done, 1 failed, 2 wrong usage, 3 not permitted, 4 cannot reach the server. */
export async function main(argv: readonly string[]): Promise<number> {
  const [name = "help", ...rest] = argv;
  if (name === "help" && rest[0] !== undefined) return main([rest[0], "--help"]);
  if (name === "help" || name === "--help" || name === "-h") {
    process.stdout.write(overview());
    return ExitCode.ok;
  }
  if (name === "--version" || name === "-v") return main(["version", ...rest]);
  const command = commandNamed(name, rest[0]);
  if (command === undefined) {
    process.stderr.write(`mooring: there is no command ${JSON.stringify(name)}\n\n${overview()}`);
    return ExitCode.usage;
  }
  try {
    return await (await command.load()).run(rest);
  } catch (error) {
    return report(error, name);
  }
}

function report(error: unknown, name: string): number {
  process.stderr.write(`mooring ${name}: ${printableLines(messageOf(error))}\n`);
  if (error instanceof UsageError) process.stderr.write(`See: mooring ${name} --help\n`);
  return exitCodeOf(error);
}

function overview(): string {
  const width = Math.max(...COMMANDS.map((command) => command.name.length));
  const lines = COMMANDS.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`);
  return `mooring: what an organization's apps need from a platform, in one process\n\nUsage: mooring <command> [options]\n\n${lines.join("\n")}\n\nOperations of the API, as mooring <noun> <verb>:\n${nouns()}\n\nmooring <command> --help describes one command.\n`;
}

const WIDTH = 100;

/** Lists the nouns of the API in lines. */
function nouns(): string {
  const lines = [""];
  for (const noun of Object.keys(API_NOUNS)) {
    const last = lines.at(-1) ?? "";
    if (last.length + noun.length > WIDTH) lines.push(noun);
    else lines[lines.length - 1] = last === "" ? noun : `${last} ${noun}`;
  }
  return lines.map((line) => `  ${line}`).join("\n");
}
