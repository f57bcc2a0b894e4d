import type { ArgumentDefinition } from "./definition.ts";
import { filled, namesIn, type Template, templateOf, type Values } from "./template.ts";

/** What a tool is started with: each template is one argument, whatever is put into it. */
export type Arguments = readonly Group[];

interface Group {
  /** Only where this input is given, and not false. */
  readonly when?: string;
  readonly templates: readonly Template[];
}

export function argumentsOf(
  defined: readonly ArgumentDefinition[],
  fault: (index: number, message: string) => void,
): Arguments {
  return defined.map((argument, index) => {
    const compiled = (text: string) => templateOf(text, (message) => fault(index, message));
    return typeof argument === "string"
      ? { templates: [compiled(argument)] }
      : { when: argument.when, templates: argument.args.map(compiled) };
  });
}

export function templatesIn(groups: Arguments): Template[] {
  return groups.flatMap(({ templates }) => templates);
}

/** Every input they name, whether as a value or as a condition. */
export function namesInArguments(groups: Arguments): string[] {
  return groups.flatMap(({ when, templates }) => [
    ...(when === undefined ? [] : [when]),
    ...templates.flatMap(namesIn),
  ]);
}

/** The argument vector. One whose value was not given is left out. */
export function filledArguments(groups: Arguments, values: Values): string[] {
  return groups
    .filter(({ when }) => when === undefined || (values.get(when) ?? "false") !== "false")
    .flatMap(({ templates }) => templates.flatMap((template) => filled(template, values) ?? []));
}
