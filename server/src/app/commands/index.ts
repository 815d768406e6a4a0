import type { Command } from "./command.ts";
import { serve } from "./serve.ts";

/** Every command, in the order of the overview. */
export const COMMANDS: readonly Command[] = [serve];

export function commandNamed(name: string): Command | undefined {
  return COMMANDS.find((command) => command.name === name);
}
