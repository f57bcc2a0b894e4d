import type { ServerListing } from "./definitions.ts";
import { findSuspicions, hasHiddenCharacters, removeInvisible } from "./suspicion.ts";

/**
 * [TRUST 7] Resources come and go, so that nobody could approve them one by one; but a model reads their names too. What nobody
 * sees is taken out of them, and one whose address hides something is not passed on: nothing else would lead there.
 */
export function filterVisibleResources({
  resources,
  templates,
}: Pick<ServerListing, "resources" | "templates">): Pick<ServerListing, "resources" | "templates"> {
  return {
    resources: resources.filter(({ uri }) => !hasHiddenCharacters(uri)).map(removeHiddenCharacters),
    templates: templates
      .filter(({ uriTemplate }) => !hasHiddenCharacters(uriTemplate))
      .map(removeHiddenCharacters),
  };
}

/** Names of those that a person should read before an agent does. */
export function listSuspiciousResources({
  resources,
  templates,
}: Pick<ServerListing, "resources" | "templates">): string[] {
  return [...resources, ...templates].filter((one) => findSuspicions(one).length > 0).map(({ name }) => name);
}

function removeHiddenCharacters<T extends object>(one: T): T {
  const entries = Object.entries(one).map(([key, value]) => [
    key,
    typeof value === "string" ? removeInvisible(value) : value,
  ]);
  return Object.fromEntries(entries) as T;
}
