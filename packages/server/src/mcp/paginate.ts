const pageSize = 200;

/** A page of a list, with the cursor of the next page if there is one. */
export interface ListPage<T> {
  readonly items: T[];
  readonly nextCursor?: string;
}

/**
 * Returns a page of a list, sorted by name. The cursor is the last name of the previous page, so the server stores
 * nothing.
 */
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
