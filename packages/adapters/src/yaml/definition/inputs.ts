import type { DeclaredInput } from "./declared-input.ts";
import type { ToolDefinition } from "./definition.ts";
import type { ToolFaultReporter } from "./document.ts";
import { compilePattern } from "./pattern.ts";

type InputMap = ReadonlyMap<string, DeclaredInput>;

/**
 * Lists the declared inputs and the implicit ones. `model` is implicit if the definition has models. `prompt` is
 * implicit if the definition names it.
 */
export function listInputs(
  { input, models, default_model }: ToolDefinition,
  named: ReadonlySet<string>,
  fault: ToolFaultReporter,
): InputMap {
  const inputs = new Map(Object.entries(input));
  if (models) {
    if (inputs.has("model")) fault(["models"], "`input` also has a `model`: keep one of the two");
    inputs.set("model", {
      type: "enum",
      summary: "the model to use",
      optional: false,
      values: models,
      default: default_model,
    });
    if (default_model !== undefined && !models.includes(default_model))
      fault(["default_model"], "`default_model` is not among `models`: add it there, or choose one of them");
  } else if (default_model !== undefined) {
    fault(["default_model"], "`default_model` requires `models`: add `models`, or remove `default_model`");
  }
  if (!inputs.has("prompt") && (named.has("prompt") || named.has("prompt_file"))) {
    inputs.set("prompt", {
      type: "prompt",
      optional: false,
      allow_leading_dash: false,
      max_length: 1_048_576,
    });
  }
  return inputs;
}

interface InputUses {
  readonly definition: ToolDefinition;
  readonly inputs: InputMap;
  /** The names of the values that each part of the definition refers to. */
  readonly places: Readonly<Record<string, readonly string[]>>;
}

/** Checks that every named value exists and every declared input is used. */
export function checkInputs({ definition, inputs, places }: InputUses, fault: ToolFaultReporter): void {
  for (const [name, declared] of inputs) checkInput(name, declared, definition, inputs, fault);
  for (const [place, names] of Object.entries(places)) {
    for (const name of new Set(names)) {
      const message = findUseFault(name, place, inputs);
      if (message !== undefined) fault([place], message);
    }
  }
  if (definition.cwd !== undefined && !Object.hasOwn(definition.folders, definition.cwd))
    fault(["cwd"], `\`${definition.cwd}\` is not among \`folders\``);
  const used = new Set(Object.values(places).flat());
  for (const name of inputs.keys()) {
    if (!used.has(name) && !used.has(`${name}_file`))
      fault(
        [name in definition.input ? "input" : "models", name],
        `nothing uses \`{${name}}\`: use it, or leave it out`,
      );
  }
}

function findUseFault(name: string, place: string, inputs: InputMap): string | undefined {
  if (name === "key") return undefined;
  if (name === "output_file" && place !== "stdin" && place !== "locks") return undefined;
  const declared = inputs.get(name);
  const large = declared?.type === "content" || declared?.type === "prompt";
  if (declared && large && place === "locks")
    return `\`{${name}}\` can be too large for a lock: use another input`;
  if (declared?.type === "content" && place !== "stdin")
    return `\`{${name}}\` is the content of a file: write \`{${name}_file}\` for its path`;
  if (declared) return undefined;
  const whole = inputs.get(name.replace(/_file$/, ""));
  if (name.endsWith("_file") && (whole?.type === "content" || whole?.type === "prompt") && place !== "locks")
    return undefined;
  return `\`{${name}}\` is not an input: declare it under \`input\`, or correct the name`;
}

function checkInput(
  name: string,
  declared: DeclaredInput,
  { folders }: ToolDefinition,
  inputs: InputMap,
  fault: ToolFaultReporter,
): void {
  const own = (message: string, ...path: string[]) => fault(["input", name, ...path], message);
  if (["binary", "key", "output_file"].includes(name)) own(`\`{${name}}\` is reserved: choose another name`);
  if (inputs.has(`${name}_file`) && (declared.type === "content" || declared.type === "prompt"))
    own(`this input also defines \`{${name}_file}\`, which is the name of another input: rename one of them`);
  if (declared.type === "path" && !Object.hasOwn(folders, declared.below))
    own(`\`${declared.below}\` is not among \`folders\``, "below");
  if (
    declared.type === "enum" &&
    declared.default !== undefined &&
    !declared.values.includes(declared.default)
  )
    own("the default is not among `values`: add it there, or choose one of them", "default");
  if (declared.type === "string" && declared.pattern !== undefined && !compilePattern(declared.pattern))
    own(
      "RE2 does not support this pattern: remove look-arounds and back references, and reduce repetitions",
      "pattern",
    );
}
