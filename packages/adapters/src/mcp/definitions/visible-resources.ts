import type { ServerListing } from "./definitions.ts";
import { findSuspicions, hasHiddenCharacters, removeInvisible } from "./suspicion.ts";

/**
 * [TRUST 7] Filters the resources that a server lists. Resources change too often for people to approve each one, but a
 * model reads their names. The function removes invisible characters from the texts. It drops a resource whose URI has
 * hidden characters, because the cleaned URI would not identify the resource.
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

/** Lists the names of resources that a person should review before an agent reads them. */
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
