import type { ApiOperation } from "./operation.ts";

/**
 * Creates a function that takes a changing operation and returns the operation that reads the same resource. The reader
 * is the operation that the terms name, or otherwise the GET of the same path.
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
    // A POST creates a resource that a GET of the same path does not return. A POST therefore has a reader only if the
    // terms name one.
    if (reader?.effect !== "read" || (method === "POST" && terms.preview === undefined)) return undefined;
    return canUseInput(reader, operation) ? reader : undefined;
  };
}

/** Whether the reader can be called with the input of the changing operation. */
function canUseInput(reader: ApiOperation, { parameters }: ApiOperation): boolean {
  const there = (field: string, place: string) =>
    parameters.some((each) => each.field === field && each.in === place && each.required);
  return reader.parameters.every((each) => !each.required || there(each.field, each.in));
}
