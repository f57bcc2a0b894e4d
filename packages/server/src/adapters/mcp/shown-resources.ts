import type { Listed } from "./definitions.ts";
import { hidesCharacters, suspicionsIn, withoutHidden } from "./suspicion.ts";

/**
 * [TRUST 7] Resources come and go, so that nobody could approve them one by one; but a model reads their names too. What nobody
 * sees is taken out of them, and one whose address hides something is not passed on: nothing else would lead there.
 */
export function shownResources({
  resources,
  templates,
}: Pick<Listed, "resources" | "templates">): Pick<Listed, "resources" | "templates"> {
  return {
    resources: resources.filter(({ uri }) => !hidesCharacters(uri)).map(plain),
    templates: templates.filter(({ uriTemplate }) => !hidesCharacters(uriTemplate)).map(plain),
  };
}

/** Names of those that a person should read before an agent does. */
export function suspiciousResources({
  resources,
  templates,
}: Pick<Listed, "resources" | "templates">): string[] {
  return [...resources, ...templates].filter((one) => suspicionsIn(one).length > 0).map(({ name }) => name);
}

function plain<T extends object>(one: T): T {
  const entries = Object.entries(one).map(([key, value]) => [
    key,
    typeof value === "string" ? withoutHidden(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}
