import { type Arguments, argumentsOf, namesInArguments, templatesIn } from "./arguments.ts";
import { commandWords } from "./command-words.ts";
import type { DeclaredInput } from "./declared-input.ts";
import type { ArgumentDefinition, Definition } from "./definition.ts";
import type { ToolFault } from "./document.ts";
import { inputFaults, inputsOf } from "./inputs.ts";
import { putsValuesIntoScripts } from "./interpreters.ts";
import { type OutputReader, outputReader } from "./output-reader.ts";
import { leadingNames, namesIn, type Template, templateOf } from "./template.ts";
import { type Variable, variableOf } from "./variables.ts";

/** A tool that is ready to run: its definition, with everything that can be worked out beforehand. */
export interface Tool {
  readonly name: string;
  readonly definition: Definition;
  /** Those of the file, and `model` and `prompt` where they go without saying. */
  readonly inputs: ReadonlyMap<string, DeclaredInput>;
  readonly args: Arguments;
  readonly previewArgs: Arguments;
  readonly stdin: Template | undefined;
  readonly locks: readonly Template[];
  readonly variables: readonly Variable[];
  readonly read: OutputReader;
  /** Every value that is named anywhere: files are made only for those. */
  readonly named: ReadonlySet<string>;
  /** Inputs whose value may become the first character of an argument. */
  readonly leading: ReadonlySet<string>;
}

/** [P11] What fits together is a tool; whatever does not is added to the faults. */
export function toolOf(name: string, definition: Definition, fault: ToolFault): Tool {
  const command = commandOf(definition, fault);
  const args = argumentsOf(command.args, (index, message) => fault([command.from, index], message));
  for (const [place, given] of [
    [command.from, command.args],
    ["preview", definition.preview?.args ?? []],
  ] as const) {
    if (putsValuesIntoScripts(definition, given)) fault([place], valueInScript);
  }
  const previewArgs = argumentsOf(definition.preview?.args ?? [], (index, message) =>
    fault(["preview", "args", index], message),
  );
  const stdin =
    command.stdin === undefined
      ? undefined
      : templateOf(command.stdin, (message) => fault(["stdin"], message));
  const locks = definition.locks.map((text, index) =>
    templateOf(text, (message) => fault(["locks", index], message)),
  );
  const variables = Object.entries(definition.env_vars).map(([variable, value]) =>
    variableOf(variable, value, (message) => fault(["env_vars", variable], message)),
  );
  const places = {
    [command.from]: namesInArguments(args),
    preview: namesInArguments(previewArgs),
    stdin: stdin ? namesIn(stdin) : [],
    locks: locks.flatMap(namesIn),
  };
  const named = new Set(Object.values(places).flat());
  const inputs = inputsOf(definition, named, fault);
  inputFaults({ definition, inputs, places }, fault);
  promiseFaults(definition, [...places[command.from]!, ...places.stdin], fault);
  return {
    name: name.replaceAll("-", "_"),
    definition,
    inputs,
    args,
    previewArgs,
    stdin,
    locks,
    variables,
    named,
    read: outputReader(definition.output, (path, message) => fault(["output", ...path], message)),
    leading: new Set([...templatesIn(args), ...templatesIn(previewArgs)].flatMap(leadingNames)),
  };
}

interface CommandDefinition {
  /** Which field it was written in. */
  readonly from: "args" | "command_template";
  readonly args: readonly ArgumentDefinition[];
  readonly stdin: string | undefined;
}

function commandOf(definition: Definition, fault: ToolFault): CommandDefinition {
  const { args, command_template: line, stdin } = definition;
  if (line === undefined || args !== undefined) {
    if (line !== undefined) fault(["command_template"], "there are `args` too: keep one of the two");
    else if (args === undefined) fault([], "it has neither `args` nor `command_template`: add one");
    return { from: "args", args: args ?? [], stdin };
  }
  const own = (message: string) => fault(["command_template"], message);
  const { words, from, into } = commandWords(line, own);
  if (words[0] !== "{binary}") own("it begins with `{binary}`: what that is, `binary` says");
  if (into !== undefined && into !== "{output_file}") own("after `>` only `{output_file}` is understood");
  const read = from === undefined ? undefined : /^\{([A-Za-z][A-Za-z0-9_]*)_file\}$/.exec(from)?.[1];
  if (from !== undefined && read === undefined)
    own("after `<` only a file like `{prompt_file}` is understood");
  if (read !== undefined && stdin !== undefined) fault(["stdin"], "`<` says it already: keep one of the two");
  return {
    from: "command_template",
    args: words.slice(1),
    stdin: read === undefined ? stdin : `{${read}}`,
  };
}

/** [P7] What it promises about being run again has to be true. */
function promiseFaults(
  { effect, idempotency, preview, binary, exit_codes: codes, output, output_limit: limit }: Definition,
  handed: readonly string[],
  fault: ToolFault,
): void {
  if (effect === "read" && idempotency !== undefined && idempotency !== "natural")
    fault(["idempotency"], "a read is `natural`");
  if (idempotency === "keyed" && !handed.includes("key"))
    fault(
      ["idempotency"],
      "`keyed` needs `{key}` among the arguments or in `stdin`: the tool must be told it",
    );
  if (preview?.args.some((argument) => typeof argument === "string" && argument.includes("{output_file}")))
    fault(["preview", "args"], "a preview writes nothing, so it has no `{output_file}`");
  for (const path of typeof binary === "string"
    ? [binary]
    : Object.values(binary).filter((path) => path !== undefined)) {
    if (/\.(?:bat|cmd)$/i.test(path))
      fault(["binary"], "a batch file reads its arguments as commands: name the program that it starts");
  }
  if (output.kind === "regex" && limit > mostForPatterns)
    fault(["output_limit"], "patterns are looked for in at most 1 MiB: lower it");
  const all = [...codes.ok, ...codes.not_performed, ...codes.ambiguous];
  if (new Set(all).size < all.length) fault(["exit_codes"], "one code has two meanings");
}

const valueInScript =
  "a value inside a script is code: let the script read it as an argument (`$1`), and put `{name}` after the script";
const mostForPatterns = 1_048_576;
