import { Client } from "undici";
import { type Latency, latencyOf } from "../lib/stats.ts";
import { type Cluster, flooders, people } from "./cluster.ts";
import { topics } from "./config.ts";

/** One list that a person reads, from its first page to its last. */
export interface Listed {
  readonly list: string;
  /** How many pages a walk through it has. */
  readonly pages: number;
  readonly latency: Latency;
  /** The slowest page, and that in milliseconds: a list may be fast in the middle and slow where floods are. */
  readonly worst: { readonly page: number; readonly ms: number };
}

interface List {
  readonly list: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The path of the page that follows, as the page says, once so many were read. */
  next(text: string, read: number): string | undefined;
}

/** Walks through every list so often, page after page, one reader at a time. */
export async function readLists(
  cluster: Cluster,
  { walks, mostPages }: { readonly walks: number; readonly mostPages: number },
): Promise<Listed[]> {
  const client = new Client(cluster.apiUrl);
  const listed: Listed[] = [];
  try {
    for (const list of await listsOf(cluster)) {
      await walk(client, list, 10);
      const pages: number[][] = [];
      for (let n = 0; n < walks; n++) pages.push(await walk(client, list, mostPages));
      listed.push(listedOf(list, pages));
    }
  } finally {
    await client.close();
  }
  return listed;
}

async function listsOf({ keyOf, login }: Cluster): Promise<List[]> {
  const [person] = people;
  const byKey = { authorization: `Bearer ${keyOf(person)}` };
  const inBrowser = { cookie: await login(person) };
  const api = (limit: number): List => ({
    list: `GET /v1/approvals?limit=${limit}`,
    path: `/v1/approvals?limit=${limit}`,
    headers: byKey,
    next(text) {
      const { next } = JSON.parse(text) as { next?: string };
      return next && `/v1/approvals?limit=${limit}&before=${next}`;
    },
  });
  const bundles = flooders.map((agent) => `/approvals/bundle?principal=${agent}&capability=${topics[0]}`);
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
      // Each has one page: the few there are, are read by turns.
      next: (_, read) => (read < 60 ? bundles[read % bundles.length] : undefined),
    },
  ];
}

async function walk(client: Client, { path: first, headers, next }: List, most: number): Promise<number[]> {
  const times: number[] = [];
  for (let path: string | undefined = first; path !== undefined && times.length < most; ) {
    const begun = performance.now();
    const { statusCode, body } = await client.request({ method: "GET", path, headers });
    const text = await body.text();
    times.push(performance.now() - begun);
    if (statusCode !== 200) throw new Error(`${path}: HTTP ${statusCode}: ${text.slice(0, 300)}`);
    path = next(text, times.length);
  }
  return times;
}

function listedOf({ list }: List, walks: readonly (readonly number[])[]): Listed {
  const pages = Math.max(...walks.map(({ length }) => length));
  const worst = Array.from({ length: pages }, (_, page) => ({
    page: page + 1,
    ms: Math.min(...walks.flatMap((walk) => walk[page] ?? [])),
  })).reduce((a, b) => (b.ms > a.ms ? b : a));
  return { list, pages, latency: latencyOf(walks.flat()), worst };
}
