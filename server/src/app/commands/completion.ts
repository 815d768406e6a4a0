import { API_COMMANDS } from "@mooring/contract";
import { optionsOf } from "./api/help.ts";
import { command, noMore, UsageError, type Command } from "./command.ts";
import { CONNECTION_OPTIONS } from "./connection.ts";

const USAGE = `
Usage: mooring completion bash|zsh|fish

Prints a script that completes commands, operations and their options.

  source <(mooring completion bash)
  mooring completion fish > ~/.config/fish/completions/mooring.fish
`;

/** `names`: the commands that are written by hand. */
export function completionOf(names: readonly string[]): Command {
  return command(USAGE, [], async (parsed) => {
    const [shell = "", ...rest] = parsed.positionals;
    noMore(rest);
    const script = SCRIPTS[shell];
    if (script === undefined) throw new UsageError("name a shell: bash, zsh or fish");
    process.stdout.write(script(wordLists(names)));
  });
}

type WordLists = ReadonlyMap<string, readonly string[]>;

/** The words that complete each beginning of a command line. */
function wordLists(names: readonly string[]): WordLists {
  const lists = new Map<string, string[]>();
  const add = (start: string, words: readonly string[]): void =>
    void lists.set(start, [...new Set([...(lists.get(start) ?? []), ...words])]);
  add("", names);
  for (const one of API_COMMANDS) {
    add("", [one.noun]);
    add(one.noun, [one.verb]);
    const options = [...optionsOf(one), ...CONNECTION_OPTIONS];
    add(`${one.noun} ${one.verb}`, [...options.map(({ name }) => `--${name}`), "--help"]);
  }
  return new Map([...lists].map(([start, words]) => [start, words.toSorted()]));
}

const SCRIPTS: Readonly<Record<string, (lists: WordLists) => string>> = {
  bash: (lists) => `${bash(lists)}complete -o default -F _mooring mooring\n`,
  // zsh reads the functions of bash.
  zsh: (lists) =>
    `autoload -U +X bashcompinit && bashcompinit\n${bash(lists)}complete -o default -F _mooring mooring\n`,
  fish: (lists) =>
    [...lists]
      .map(([start, words]) => {
        const given = start === "" ? [] : start.split(" ");
        const seen = given.map((word) => `__fish_seen_subcommand_from ${word}`);
        const condition = given.length === 0 ? "__fish_use_subcommand" : seen.join("; and ");
        return `complete -c mooring -f -n '${condition}' -a '${words.join(" ")}'\n`;
      })
      .join(""),
};

function bash(lists: WordLists): string {
  const cases = [...lists].map(([start, words]) => `    "${start}") words="${words.join(" ")}" ;;\n`);
  return `_mooring() {
  local words="" start=""
  [ "$COMP_CWORD" -ge 2 ] && start="\${COMP_WORDS[1]}"
  [ "$COMP_CWORD" -ge 3 ] && start="$start \${COMP_WORDS[2]}"
  case "$start" in
${cases.join("")}  esac
  COMPREPLY=( $(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}") )
}
`;
}
