import type { ApiOperation } from "./operation.ts";

/**
 * Creates a function that finds the operation that reads the resource which another operation changes. It is the
 * operation in the terms, or the GET of the same path.
 */
export function createReaderFinder(
  all: readonly ApiOperation[],
): (operation: ApiOperation) => ApiOperation | undefined {
  const byPath = new Map(all.filter(({ method }) => method === "GET").map((each) => [each.path, each]));
  const byName = new Map(all.flatMap((each) => [each.verb, each.id].map((name) => [name, each])));
  return (operation) => {
    const { effect, method, path, terms } = operation;
    if (effect === "read" || terms.preview === false) return undefined;
    const reader = terms.preview === undefined ? byPath.get(path) : byName.get(terms.preview);
    // A POST creates a resource that its own path does not show.
    if (reader?.effect !== "read" || (method === "POST" && terms.preview === undefined)) return undefined;
    return canUseInput(reader, operation) ? reader : undefined;
  };
}

/** Whether the reader can be called with the input of the other operation. */
function canUseInput(reader: ApiOperation, { parameters }: ApiOperation): boolean {
  const there = (field: string, place: string) =>
    parameters.some((each) => each.field === field && each.in === place && each.required);
  return reader.parameters.every((each) => !each.required || there(each.field, each.in));
}
