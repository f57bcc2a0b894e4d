/**
 * Removes undefined members. Zod's types allow an optional member to be undefined, but core's types require that the
 * member is missing.
 */
export function omitUndefined<T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as never;
}
