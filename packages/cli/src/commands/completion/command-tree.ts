import type { Command, Option } from "commander";

/** One command with the words that a shell can complete after it. */
export interface CommandNode {
  /** The names of the command and its parents, each after a space. Empty for the program itself. */
  readonly path: string;
  readonly subcommands: readonly CompletionWord[];
  /** The values of the first argument, if they are fixed. */
  readonly choices: readonly string[];
  readonly options: readonly CompletionOption[];
}

export interface CompletionWord {
  readonly name: string;
  readonly description: string;
}

export interface CompletionOption {
  readonly long: string;
  readonly short: string | undefined;
  readonly description: string;
  /** The value of the option, or undefined if it takes none. */
  readonly value: CompletionValue | undefined;
}

export type CompletionValue =
  | { readonly kind: "files" | "folders" | "text" }
  | { readonly kind: "choices"; readonly choices: readonly string[] };

/** Lists all commands, with the global options at each of them. */
export function listCommandNodes(program: Command): CommandNode[] {
  return listNodes(program, "", listOptions(program));
}

function listNodes(command: Command, path: string, globals: readonly CompletionOption[]): CommandNode[] {
  const subcommands = command.createHelp().visibleCommands(command);
  const own = path === "" ? [] : listOptions(command);
  const node: CommandNode = {
    path,
    subcommands: subcommands.map((each) => ({ name: each.name(), description: each.description() })),
    choices: command.registeredArguments[0]?.argChoices ?? [],
    options: [...own, ...globals.filter(({ long }) => !own.some((option) => option.long === long))],
  };
  return [node, ...subcommands.flatMap((each) => listNodes(each, `${path} ${each.name()}`, globals))];
}

function listOptions(command: Command): CompletionOption[] {
  return command
    .createHelp()
    .visibleOptions(command)
    .flatMap((option) =>
      option.long
        ? [
            {
              long: option.long,
              short: option.short,
              description: option.description.replace(/ \(default: .*\)$/, ""),
              value: findValue(option),
            },
          ]
        : [],
    );
}

function findValue({ flags, argChoices, required, optional }: Option): CompletionValue | undefined {
  if (!required && !optional) return undefined;
  if (argChoices) return { kind: "choices", choices: argChoices };
  const name = /[<[]([\w-]+)/.exec(flags)?.[1];
  if (name === "file") return { kind: "files" };
  return { kind: name === "dir" ? "folders" : "text" };
}
