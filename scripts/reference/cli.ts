import type { EventEmitter } from "node:events";
import { exitCode } from "../../packages/cli/src/lib/exit-code.ts";
import type { CliOutput } from "../../packages/cli/src/lib/terminal/output.ts";
import { createProgram } from "../../packages/cli/src/program.ts";
import { formatCodeBlock, formatPage, formatTable, toCode, toSentence, wrapParagraph } from "./markdown.ts";

type Command = ReturnType<typeof createProgram>;
type Argument = Command["registeredArguments"][number];
type Option = Command["options"][number];

const exitCodeMeanings = {
  ok: "The command succeeded. For a call: the outcome is `succeeded`. For `paraph approve`, also: the call is approved, and the agent performs it itself.",
  failed: "The command failed. For a call: the outcome is `failed`, `cancelled` or `superseded`.",
  usage: "The command, an argument or an option is wrong.",
  refused: "The outcome of the call is `refused`, `denied` or `expired`.",
  notAuthenticated: "The API key is missing or not valid.",
  pending: "The call is still open, for example because it waits for an approval.",
  unknown: "The outcome of the call is `unknown`.",
  interrupted: "You interrupted the command.",
} as const satisfies Record<keyof typeof exitCode, string>;

export function renderCliPage(): string {
  const program = createProgram("0.0.0", {} as CliOutput, async () => {});
  const groups = Map.groupBy(listVisible(program), (command) => command.helpGroup());
  return formatPage(
    "Command line",
    wrapParagraph(
      "Every command of `paraph`, with its arguments, options, defaults and exit codes. `paraph help <command>` prints the same in a terminal.",
    ),
    formatCodeBlock(
      "sh",
      `paraph dev                                             # start Paraph for this folder
paraph call files.write path=hello.txt content=Hello   # request a call as the agent
paraph approvals                                       # list what waits for you
paraph receipt last -o receipt.json                    # download the signed receipt
paraph verify receipt.json                             # verify it offline`,
    ),
    formatTable(
      ["Group", "Commands"],
      [...groups].map(([group, commands]) => [
        formatGroup(group),
        commands.map((command) => `[\`${command.name()}\`](#paraph-${command.name()})`).join(", "),
      ]),
    ),
    "## Global options",
    "Every command takes these options:",
    formatParts([], program.options),
    wrapParagraph(
      'With `--json`, a command prints its data to standard output as JSON. An error is `{ "error": { "code", "message" } }`. Messages for people go to standard error, with and without `--json`. [Error codes](errors.md) lists the codes, and [Environment variables](environment.md) the variables that the command line reads.',
    ),
    "## Exit codes",
    formatTable(
      ["Code", "Meaning"],
      Object.entries(exitCode).map(([name, code]) => [
        toCode(String(code)),
        exitCodeMeanings[name as keyof typeof exitCode],
      ]),
    ),
    ...[...groups].flatMap(([group, commands]) => [
      `## ${formatGroup(group)}`,
      ...commands.flatMap((command) => formatCommand(command, [])),
    ]),
  );
}

/** Lists the commands that the help shows, without the command `help` itself. */
function listVisible(command: Command): Command[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .filter((each) => each.name() !== "help") as Command[];
}

function formatGroup(group: string): string {
  return group.replace(/:$/, "");
}

function formatCommand(command: Command, above: readonly string[]): string[] {
  const names = [...above, command.name()];
  const { registeredArguments: taken } = command;
  const options = command
    .createHelp()
    .visibleOptions(command)
    .filter(({ long }) => long !== "--help");
  const usage = [
    "paraph",
    ...names,
    ...taken.map(formatArgument),
    ...(options.length > 0 ? ["[options]"] : []),
  ];
  const parts = formatParts(taken, options);
  const inner = listVisible(command);
  // A command that only groups others has no action of its own.
  const isGroup = inner.length > 0 && !hasAction(command);
  return [
    `${"#".repeat(names.length + 2)} paraph ${names.join(" ")}`,
    wrapParagraph(toSentence(command.description())),
    ...(isGroup ? [] : [formatCodeBlock("", usage.join(" "))]),
    ...(parts === "" ? [] : [parts]),
    ...formatExtraHelp(command),
    ...inner.flatMap((each) => formatCommand(each, names)),
  ];
}

function hasAction(command: Command): boolean {
  return (command as unknown as { readonly _actionHandler: unknown })._actionHandler != null;
}

function formatArgument(argument: Argument): string {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`;
  return argument.required ? `<${name}>` : `[${name}]`;
}

function formatParts(taken: readonly Argument[], options: readonly Option[]): string {
  const described = taken.filter(({ description, argChoices }) => description || argChoices);
  const rows = [
    ...described.map((argument) => [
      toCode(formatArgument(argument)),
      ...splitDefault(argument.description, argument.defaultValue, argument.argChoices),
    ]),
    ...options.map((option) => [
      toCode(option.flags),
      ...splitDefault(
        option.description,
        option.mandatory ? "required" : option.defaultValue,
        option.argChoices,
      ),
    ]),
  ];
  if (rows.length === 0) return "";
  return formatTable(
    [described.length > 0 ? "Argument or option" : "Option", "Default", "Description"],
    rows,
  );
}

/** Splits a description such as `port (default: 7411)` into the default and the rest, and adds the choices. */
function splitDefault(
  description: string,
  value: unknown,
  choices: readonly string[] = [],
): [string, string] {
  const found = / \(default: ((?:[^()]|\([^()]*\))*)\)/.exec(description);
  const text = found ? description.replace(found[0], "") : description;
  const listed = choices.filter((choice) => !text.includes(choice));
  const oneOf = listed.length === 0 ? "" : `One of ${choices.map(toCode).join(", ")}.`;
  return [found?.[1] ?? formatValue(value), `${toSentence(text)} ${oneOf}`.trim()];
}

function formatValue(value: unknown): string {
  if (value === "required") return "required";
  const isNone =
    value === undefined || typeof value === "boolean" || (Array.isArray(value) && value.length === 0);
  return isNone ? "" : toCode(String(value));
}

/** Returns the text that the help prints after the options, such as examples. */
function formatExtraHelp(command: Command): string[] {
  const texts: string[] = [];
  // Commander's types leave out that a command is an event emitter.
  const emitter = command as unknown as EventEmitter;
  emitter.emit("afterHelp", { error: false, command, write: (text: string) => texts.push(text) });
  const text = texts.join("").trim();
  return text === "" ? [] : [formatCodeBlock("", text)];
}
