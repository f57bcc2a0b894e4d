import type { ArgumentDefinition } from "./definition.ts";
import {
  fillTemplate,
  listTemplateNames,
  parseTemplate,
  type Template,
  type TemplateValues,
} from "./template.ts";

/** The arguments of a tool. A template becomes a single argument, regardless of the values in it. */
export type ArgumentGroups = readonly ArgumentGroup[];

interface ArgumentGroup {
  /** The input that enables this group. The group applies only if the input is given and is not false. */
  readonly when?: string;
  readonly templates: readonly Template[];
}

export function parseArguments(
  defined: readonly ArgumentDefinition[],
  fault: (index: number, message: string) => void,
): ArgumentGroups {
  return defined.map((argument, index) => {
    const compiled = (text: string) => parseTemplate(text, (message) => fault(index, message));
    return typeof argument === "string"
      ? { templates: [compiled(argument)] }
      : { when: argument.when, templates: argument.args.map(compiled) };
  });
}

export function listTemplates(groups: ArgumentGroups): Template[] {
  return groups.flatMap(({ templates }) => templates);
}

/** Lists every input that the arguments name, as a value or as a condition. */
export function listArgumentNames(groups: ArgumentGroups): string[] {
  return groups.flatMap(({ when, templates }) => [
    ...(when === undefined ? [] : [when]),
    ...templates.flatMap(listTemplateNames),
  ]);
}

/** Builds the argument vector. It omits an argument whose value is missing. */
export function fillArguments(groups: ArgumentGroups, values: TemplateValues): string[] {
  return groups
    .filter(({ when }) => when === undefined || (values.get(when) ?? "false") !== "false")
    .flatMap(({ templates }) => templates.flatMap((template) => fillTemplate(template, values) ?? []));
}
