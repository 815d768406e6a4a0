import { API_COMMANDS } from "@mooring/contract";
import { nearest } from "#kernel/nearest.ts";
import { command, UsageError, type Command } from "../command.ts";
import { CONNECTION_OPTIONS } from "../connection.ts";
import { nounHelp, optionsOf, usageOf } from "./help.ts";
import { runCommand } from "./run.ts";

/** Returns the command of a noun of the API. Its verbs are operations of the contract. */
export function apiCommand(noun: string): Command {
  const commands = API_COMMANDS.filter((one) => one.noun === noun);
  return {
    run: async (args) => {
      const [verb, ...rest] = args;
      if (verb === undefined || verb === "--help" || verb === "-h" || verb === "help") {
        process.stdout.write(nounHelp(noun, commands));
        return 0;
      }
      const found = commands.find((one) => one.verb === verb);
      const verbs = commands.map((one) => one.verb);
      if (found === undefined) {
        const near = nearest(verb, verbs);
        throw new UsageError(
          `${noun} has no ${JSON.stringify(verb)}${near === undefined ? "" : `; did you mean ${near}?`} Name one of ${verbs.join(", ")}`,
        );
      }
      const options = [...optionsOf(found), ...CONNECTION_OPTIONS];
      return command(usageOf(found), options, (parsed) => runCommand(found, parsed)).run(rest);
    },
  };
}
