import type { CustomReaders } from "../run/custom-reader.ts";
import { createOutputReader, type OutputReader } from "../run/output-reader.ts";
import { type ArgumentGroups, listArgumentNames, listTemplates, parseArguments } from "./arguments.ts";
import { parseCommandWords } from "./command-words.ts";
import type { DeclaredInput } from "./declared-input.ts";
import type { ArgumentDefinition, ToolDefinition } from "./definition.ts";
import type { ToolFaultReporter } from "./document.ts";
import { checkInputs, listInputs } from "./inputs.ts";
import { hasValueInScript } from "./interpreters.ts";
import { listLeadingNames, listTemplateNames, parseTemplate, type Template } from "./template.ts";
import { parseVariable, type Variable } from "./variables.ts";

/** A compiled tool: its definition, and everything that can be computed in advance. */
export interface Tool {
  readonly name: string;
  readonly definition: ToolDefinition;
  /** The inputs that the file declares, plus the implicit inputs `model` and `prompt`. */
  readonly inputs: ReadonlyMap<string, DeclaredInput>;
  readonly args: ArgumentGroups;
  readonly previewArgs: ArgumentGroups;
  readonly stdin: Template | undefined;
  readonly locks: readonly Template[];
  readonly variables: readonly Variable[];
  readonly readOutput: OutputReader;
  /** Every value that the definition names. Paraph creates files only for these values. */
  readonly namedValues: ReadonlySet<string>;
  /** The inputs whose value may supply the first character of an argument. */
  readonly leadingInputs: ReadonlySet<string>;
}

/** [P11] Compiles a tool, and reports every inconsistency in its definition. */
export function compileTool(
  name: string,
  definition: ToolDefinition,
  fault: ToolFaultReporter,
  customReaders: CustomReaders,
): Tool {
  const command = readCommandDefinition(definition, fault);
  const args = parseArguments(command.args, (index, message) => fault([command.from, index], message));
  for (const [place, given] of [
    [command.from, command.args],
    ["preview", definition.preview?.args ?? []],
  ] as const) {
    if (hasValueInScript(definition, given)) fault([place], valueInScriptMessage);
  }
  const previewArgs = parseArguments(definition.preview?.args ?? [], (index, message) =>
    fault(["preview", "args", index], message),
  );
  const stdin =
    command.stdin === undefined
      ? undefined
      : parseTemplate(command.stdin, (message) => fault(["stdin"], message));
  const locks = definition.locks.map((text, index) =>
    parseTemplate(text, (message) => fault(["locks", index], message)),
  );
  const variables = Object.entries(definition.env_vars).map(([variable, value]) =>
    parseVariable(variable, value, (message) => fault(["env_vars", variable], message)),
  );
  const places = {
    [command.from]: listArgumentNames(args),
    preview: listArgumentNames(previewArgs),
    stdin: stdin ? listTemplateNames(stdin) : [],
    locks: locks.flatMap(listTemplateNames),
  };
  const named = new Set(Object.values(places).flat());
  const inputs = listInputs(definition, named, fault);
  checkInputs({ definition, inputs, places }, fault);
  checkPromises(definition, [...places[command.from]!, ...places.stdin], fault);
  return {
    name: name.replaceAll("-", "_"),
    definition,
    inputs,
    args,
    previewArgs,
    stdin,
    locks,
    variables,
    namedValues: named,
    readOutput: createOutputReader(
      definition.output,
      (path, message) => fault(["output", ...path], message),
      customReaders,
    ),
    leadingInputs: new Set([...listTemplates(args), ...listTemplates(previewArgs)].flatMap(listLeadingNames)),
  };
}

interface CommandDefinition {
  /** The field that defines the command. */
  readonly from: "args" | "command_template";
  readonly args: readonly ArgumentDefinition[];
  readonly stdin: string | undefined;
}

function readCommandDefinition(definition: ToolDefinition, fault: ToolFaultReporter): CommandDefinition {
  const { args, command_template, stdin } = definition;
  if (command_template === undefined || args !== undefined) {
    if (command_template !== undefined)
      fault(["command_template"], "the tool also has `args`: keep one of the two");
    else if (args === undefined) fault([], "it has neither `args` nor `command_template`: add one");
    return { from: "args", args: args ?? [], stdin };
  }
  const own = (message: string) => fault(["command_template"], message);
  const { words, from, into } = parseCommandWords(command_template, own);
  if (words[0] !== "{binary}") own("it must begin with `{binary}`, which `binary` defines");
  if (into !== undefined && into !== "{output_file}") own("after `>` only `{output_file}` is supported");
  const read = from === undefined ? undefined : /^\{([A-Za-z][A-Za-z0-9_]*)_file\}$/.exec(from)?.[1];
  if (from !== undefined && read === undefined)
    own("after `<` only a file such as `{prompt_file}` is supported");
  if (read !== undefined && stdin !== undefined)
    fault(["stdin"], "`<` in `command_template` already sets the standard input: keep one of the two");
  return {
    from: "command_template",
    args: words.slice(1),
    stdin: read === undefined ? stdin : `{${read}}`,
  };
}

/**
 * [P7] Checks that the parts of a definition agree, for example that a tool with the idempotency `keyed` receives the
 * key.
 */
function checkPromises(
  { effect, idempotency, preview, binary, exit_codes, output, output_limit }: ToolDefinition,
  handed: readonly string[],
  fault: ToolFaultReporter,
): void {
  if (effect === "read" && idempotency !== undefined && idempotency !== "natural")
    fault(["idempotency"], "must be `natural` for a read");
  if (idempotency === "keyed" && !handed.includes("key"))
    fault(
      ["idempotency"],
      "`keyed` requires `{key}` in the arguments or in `stdin`, so that the tool receives it",
    );
  if (preview?.args.some((argument) => typeof argument === "string" && argument.includes("{output_file}")))
    fault(
      ["preview", "args"],
      "a preview writes nothing, so it has no `{output_file}`: remove it from the arguments",
    );
  for (const path of typeof binary === "string"
    ? [binary]
    : Object.values(binary).filter((path) => path !== undefined)) {
    if (/\.(?:bat|cmd)$/i.test(path))
      fault(["binary"], "a batch file reads its arguments as commands: name the program that it starts");
  }
  if (output.kind === "regex" && output_limit > maxPatternOutputBytes)
    fault(["output_limit"], "patterns can search at most 1 MiB: lower the limit");
  const all = [...exit_codes.ok, ...exit_codes.not_performed, ...exit_codes.ambiguous];
  if (new Set(all).size < all.length)
    fault(["exit_codes"], "one exit code is listed twice: list each exit code once");
}

const valueInScriptMessage =
  "a value inside a script would run as code: put `{name}` after the script, and let the script read it as an argument (`$1`)";
const maxPatternOutputBytes = 1_048_576;
