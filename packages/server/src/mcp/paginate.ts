const pageSize = 200;

export interface ListPage<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

/** A page of a list, in the order of names. A cursor is the name that the page before ended with, so that nothing is kept of it. */
export function paginate<T>(
  all: readonly T[],
  nameOf: (one: T) => string,
  cursor: string | undefined,
): ListPage<T> {
  const sorted = [...all].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));
  const after = cursor === undefined ? undefined : Buffer.from(cursor, "base64url").toString();
  const from = after === undefined ? 0 : sorted.findIndex((one) => nameOf(one) > after);
  const items = from < 0 ? [] : sorted.slice(from, from + pageSize);
  const hasMore = from >= 0 && from + pageSize < sorted.length;
  return {
    items,
    ...(hasMore && { nextCursor: Buffer.from(nameOf(items.at(-1)!)).toString("base64url") }),
  };
}
