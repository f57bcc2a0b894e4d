import { Client } from "undici";
import { computeLatency, type Latency } from "../lib/stats.ts";
import { type ApprovalsCluster, approvers, flooderIds } from "./cluster.ts";
import { topicCapabilities } from "./config.ts";

/** The timing of one list that a person reads, from its first page to its last. */
export interface ListTiming {
  readonly list: string;
  readonly pages: number;
  readonly latency: Latency;
  /** The slowest page and its milliseconds. A list may be fast on most pages and slow on pages with floods. */
  readonly worst: { readonly page: number; readonly ms: number };
}

interface PagedList {
  readonly list: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the path of the next page, from the text of this page and the number of pages read. */
  next(text: string, read: number): string | undefined;
}

/** Reads every list this many times, page after page, one reader at a time. */
export async function readLists(
  cluster: ApprovalsCluster,
  { walks, maxPages }: { readonly walks: number; readonly maxPages: number },
): Promise<ListTiming[]> {
  const client = new Client(cluster.apiUrl);
  const listed: ListTiming[] = [];
  try {
    for (const list of await buildLists(cluster)) {
      await readAllPages(client, list, 10);
      const pages: number[][] = [];
      for (let n = 0; n < walks; n++) pages.push(await readAllPages(client, list, maxPages));
      listed.push(toListTiming(list, pages));
    }
  } finally {
    await client.close();
  }
  return listed;
}

async function buildLists({ findKey: keyOf, login }: ApprovalsCluster): Promise<PagedList[]> {
  const [person] = approvers;
  const byKey = { authorization: `Bearer ${keyOf(person)}` };
  const inBrowser = { cookie: await login(person) };
  const api = (limit: number): PagedList => ({
    list: `GET /v1/approvals?limit=${limit}`,
    path: `/v1/approvals?limit=${limit}`,
    headers: byKey,
    next(text) {
      const { next } = JSON.parse(text) as { next?: string };
      return next && `/v1/approvals?limit=${limit}&before=${next}`;
    },
  });
  const bundles = flooderIds.map(
    (agent) => `/approvals/bundle?principal=${agent}&capability=${topicCapabilities[0]}`,
  );
  return [
    api(50),
    api(100),
    {
      list: "the inbox's page",
      path: "/approvals",
      headers: inBrowser,
      next: (text) => /href="(\/approvals\?after=[^"]+)"/.exec(text)?.[1],
    },
    {
      list: "a bundle's page",
      path: bundles[0] as string,
      headers: inBrowser,
      // Each bundle has one page, so the reader takes the few bundles in turn.
      next: (_, read) => (read < 60 ? bundles[read % bundles.length] : undefined),
    },
  ];
}

async function readAllPages(
  client: Client,
  { path: first, headers, next }: PagedList,
  max: number,
): Promise<number[]> {
  const times: number[] = [];
  for (let path: string | undefined = first; path !== undefined && times.length < max; ) {
    const begun = performance.now();
    const { statusCode, body } = await client.request({ method: "GET", path, headers });
    const text = await body.text();
    times.push(performance.now() - begun);
    if (statusCode !== 200) throw new Error(`${path}: HTTP ${statusCode}: ${text.slice(0, 300)}`);
    path = next(text, times.length);
  }
  return times;
}

function toListTiming({ list }: PagedList, walks: readonly (readonly number[])[]): ListTiming {
  const pages = Math.max(...walks.map(({ length }) => length));
  const worst = Array.from({ length: pages }, (_, page) => ({
    page: page + 1,
    ms: Math.min(...walks.flatMap((walk) => walk[page] ?? [])),
  })).reduce((a, b) => (b.ms > a.ms ? b : a));
  return { list, pages, latency: computeLatency(walks.flat()), worst };
}
