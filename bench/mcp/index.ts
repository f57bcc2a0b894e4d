import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import { startChild } from "../lib/child.ts";
import { conclude } from "../lib/conclude.ts";
import { type Loaded, LoadGenerator, type Target as LoadTarget } from "../lib/load.ts";
import { measuredIn } from "../lib/measured.ts";
import type { Options } from "../lib/options.ts";
import type { Progress } from "../lib/progress.ts";
import type { Starting } from "../lib/scope.ts";
import { startServers } from "../lib/servers.ts";
import { latencyOf, medianOf } from "../lib/stats.ts";
import { figure, table } from "../lib/table.ts";
import { judged, onlyInFull, ratioLeeway, type Target } from "../lib/target.ts";

const tenant = "acme";
const crowd = 32;
/** What Paraph may add to one call, what must be left of the server's own pace, and how long a list of a thousand may take. */
const [mostAddedMs, leastShare, longestListMs] = [5, 0.3, 100];

const ways = ["direct", "gateway", "http"] as const;
type Way = (typeof ways)[number];

interface Pace {
  readonly p50: number;
  readonly perSecond: number;
}

interface Measured {
  readonly rounds: number;
  /** p50 at one connection, calls a second at thirty-two; medians over rounds. */
  readonly pace: Readonly<Record<Way, Pace>>;
  /** The median over rounds, each compared with its neighbour. */
  readonly addedMs: number;
  readonly share: number;
  readonly list: { readonly tools: number; readonly p50: number };
}

/** A tool called without Paraph, through its MCP surface, and over its API. Resolves with whether every target was met. */
export async function mcpBenchmark(options: Options, signal: AbortSignal): Promise<boolean> {
  const rounds = options.quick ? 3 : 9;
  const { measured, about } = await measuredIn(
    options.quick ? 120 : 600,
    signal,
    (folder, progress, starting) => measure(folder, rounds, progress, starting),
  );
  const targets = targetsOf(measured, options.quick);
  const found = {
    name: "mcp",
    report: report(measured, targets),
    targets,
    measured,
    covers: [
      `A read of one MCP server over HTTP: ${ways.map((way) => words[way]).join(", ")}.`,
      `${rounds} rounds in turn, at one connection and at ${crowd}.`,
      `A list of ${measured.list.tools} tools, every page of it.`,
    ],
  };
  return conclude(options, about, found);
}

async function measure(
  folder: string,
  rounds: number,
  progress: Progress,
  starting: Starting,
): Promise<Measured> {
  progress.say("starting");
  const servers = await startServers(folder, starting);
  const server = await starting(startChild(new URL("./server.ts", import.meta.url)));
  const { url: direct } = server.ready as { url: string };
  const { env, provisioned: key } = await servers.database("benchmcp", async (p) => {
    await p.tenant(tenant);
    await p.principal({ tenant, id: "owner", kind: "person" });
    await p.principal({ tenant, id: "agent", kind: "agent", owner: "owner" });
    return p.key(tenant, "agent");
  });
  const own = await mkdtemp(join(folder, "config-"));
  const paraph = await starting(
    startChild(new URL("./process.ts", import.meta.url), {
      ...env,
      ROLE: "api",
      MCP_URL: direct,
      FOLDER: own,
    }),
  );
  const { url } = paraph.ready as { url: string };
  const authorization = `Bearer ${key}`;
  const targets: Readonly<Record<Way, LoadTarget>> = {
    direct: toolCall(direct, "/echo", {}),
    gateway: toolCall(url, "/mcp/echo", { authorization }),
    http: {
      origin: url,
      path: "/v1/calls",
      headers: { authorization, "content-type": "application/json", prefer: "wait=10" },
      body: JSON.stringify({ capability: "echo.echo", input: { text: "{n}" } }),
      expect: { status: 200, contains: '"succeeded"' },
    },
  };
  const load = await starting(LoadGenerator.start());
  const run = async (way: Way, connections: number): Promise<Loaded> => {
    const loaded = await load.run({
      target: targets[way],
      connections,
      until: { warmMs: 300, measureMs: 1_200 },
    });
    if (loaded.errors > 0)
      throw new Error(`${way}: ${loaded.errors} errors, the first: ${loaded.firstError}`);
    return loaded;
  };
  const paceOf = async (way: Way): Promise<Pace> => {
    const { p50 } = latencyOf((await run(way, 1)).latencies);
    const { latencies, seconds } = await run(way, crowd);
    return { p50, perSecond: latencies.length / seconds };
  };
  for (const way of ways) await paceOf(way);
  const paces: Record<Way, Pace[]> = { direct: [], gateway: [], http: [] };
  const lists: { readonly tools: number; readonly ms: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress.say(`round ${round} of ${rounds}`);
    // In turn, so that none is always the first.
    for (const way of round % 2 ? ways : ways.toReversed()) paces[way].push(await paceOf(way));
    for (let n = 0; n < 5; n += 1) lists.push(await listed(url, authorization));
  }
  const over = (of: (round: number) => number) => medianOf(paces.direct.map((_, round) => of(round)));
  const middle = (way: Way): Pace => ({
    p50: over((round) => paces[way][round]!.p50),
    perSecond: over((round) => paces[way][round]!.perSecond),
  });
  return {
    rounds,
    pace: { direct: middle("direct"), gateway: middle("gateway"), http: middle("http") },
    addedMs: over((round) => paces.gateway[round]!.p50 - paces.direct[round]!.p50),
    share: over((round) => paces.gateway[round]!.perSecond / paces.direct[round]!.perSecond),
    list: { tools: lists[0]!.tools, p50: medianOf(lists.map(({ ms }) => ms)) },
  };
}

/** What a client of today says with every request. */
function spoken(method: string, params: object, name?: string) {
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "bench", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  return {
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": method,
      ...(name !== undefined && { "mcp-name": name }),
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }),
  };
}

function toolCall(origin: string, path: string, more: Record<string, string>): LoadTarget {
  const { headers, body } = spoken("tools/call", { name: "echo", arguments: { text: "{n}" } }, "echo");
  return {
    origin,
    path,
    headers: { ...headers, ...more },
    body,
    expect: { status: 200, contains: '"content":[' },
  };
}

/** Every page of everything. */
async function listed(
  url: string,
  authorization: string,
): Promise<{ readonly tools: number; readonly ms: number }> {
  const begun = performance.now();
  let tools = 0;
  let cursor: string | undefined;
  do {
    const { headers, body } = spoken("tools/list", cursor === undefined ? {} : { cursor });
    const response = await fetch(`${url}/mcp`, {
      method: "POST",
      headers: { ...headers, authorization },
      body,
    });
    const { result } = (await response.json()) as { result: { tools: unknown[]; nextCursor?: string } };
    tools += result.tools.length;
    cursor = result.nextCursor;
  } while (cursor !== undefined);
  return { tools, ms: performance.now() - begun };
}

function targetsOf({ addedMs, share, list }: Measured, quick: boolean): Target[] {
  const least = leastShare / ratioLeeway(quick);
  return [
    {
      what: "what Paraph adds to an allowed read at one connection, p50",
      aim: `≤ ${figure(mostAddedMs)} ms`,
      measured: `${figure(addedMs)} ms`,
      met: onlyInFull(quick, addedMs <= mostAddedMs),
    },
    {
      what: `of the server's own calls a second at ${crowd}`,
      aim: `≥ ${figure(least)} ×`,
      measured: `${figure(share)} ×`,
      met: share >= least,
    },
    {
      what: `${list.tools.toLocaleString("en")} tools over 20 servers listed, p50`,
      aim: `≤ ${figure(longestListMs)} ms`,
      measured: `${figure(list.p50)} ms`,
      met: list.tools <= 1_000 ? false : onlyInFull(quick, list.p50 <= longestListMs),
    },
  ];
}

const words: Readonly<Record<Way, string>> = {
  direct: "the MCP server itself",
  gateway: "through /mcp/echo",
  http: "through /v1/calls",
};

function report({ pace }: Measured, targets: readonly Target[]): string {
  const rows = ways.map((way) => [words[way], `${figure(pace[way].p50)} ms`, figure(pace[way].perSecond)]);
  return `${table(["a read", "p50 at 1", `calls/s at ${crowd}`], rows)}\n\n${judged("MCP", targets)}`;
}
