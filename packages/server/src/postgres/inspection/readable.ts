/** A part of an inspection, or the reason why PostgreSQL did not show it. */
export type Readable<T> = { readonly value: T } | { readonly unreadable: string };

/** Reads one part of an inspection. A part that cannot be read does not prevent the others. */
export async function readPart<T>(read: () => Promise<T>): Promise<Readable<T>> {
  try {
    return { value: await read() };
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    return { unreadable: `PostgreSQL reported: ${message}${code ? ` (${code})` : ""}` };
  }
}
