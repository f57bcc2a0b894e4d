import { isJsonObject, type Json } from "@paraph/core";

/**
 * Returns, for each of similar inputs, the paths at which it differs from the value that more than half of them share.
 * A path whose values are different in most inputs, such as a name, is no deviation.
 */
export function findDeviations(inputs: readonly (Json | undefined)[]): readonly (readonly string[])[] {
  const all = inputs.map((input) => new Map(listValues(input, [])));
  const paths = [...new Set(all.flatMap((values) => [...values.keys()]))];
  const deviating = inputs.map((): string[] => []);
  for (const path of paths) {
    const found = all.map((values) => values.get(path) ?? "none");
    const shared = found.find((value) => found.filter((other) => other === value).length * 2 > found.length);
    for (const [index, value] of found.entries())
      if (shared !== undefined && value !== shared) deviating[index]?.push(path);
  }
  return deviating;
}

/** Lists the values of an input by their paths. An array is one value. */
function listValues(value: Json | undefined, path: readonly string[]): [path: string, value: string][] {
  if (!isJsonObject(value)) return value === undefined ? [] : [[path.join("."), JSON.stringify(value)]];
  return Object.entries(value).flatMap(([name, member]) => listValues(member, [...path, name]));
}
