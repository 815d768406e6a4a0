import { readFileSync } from "node:fs";
import { text } from "node:stream/consumers";
import { CommandError, textOption, type Parsed } from "../command.ts";

/**
 * Reads the verification secret; undefined if none is named. It is not an option, because other users of the machine
 * can see a command line.
 */
export async function readSecret(parsed: Parsed): Promise<string | undefined> {
  const file = textOption(parsed, "secret-file");
  if (file === undefined) return undefined;
  if (file === "-") return (await text(process.stdin)).trim();
  try {
    return readFileSync(file, "utf8").trim();
  } catch (error) {
    throw new CommandError(
      `cannot read the secret from ${file}: ${(error as Error).message}; name a file that contains it, or - for standard input`,
    );
  }
}
