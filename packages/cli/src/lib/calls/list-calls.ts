import type { ApiClient } from "../api/client.ts";

interface CallPage<T> {
  readonly calls: readonly T[];
  readonly next?: string;
}

/** Lists up to `limit` calls. A page of the server can have fewer, although there are older ones that match. */
export async function listCalls<T extends { readonly call: string } = { readonly call: string }>(
  client: ApiClient,
  filter: Readonly<Record<string, string>>,
  limit: number,
): Promise<CallPage<T>> {
  const read = (wanted: number, before: string | undefined) => {
    const query = new URLSearchParams({
      ...filter,
      limit: String(wanted),
      ...(before !== undefined && { before }),
    });
    return client.request<CallPage<T>>(`/v1/calls?${query}`);
  };
  let page = await read(limit, undefined);
  while (page.calls.length < limit && page.next !== undefined) {
    const older = await read(limit - page.calls.length, page.next);
    page = { ...older, calls: [...page.calls, ...older.calls] };
  }
  return page;
}
