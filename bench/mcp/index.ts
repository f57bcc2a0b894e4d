import { mkdtemp } from "node:fs/promises";
import { join } from "node:path";
import type { LabEngine } from "../../lab/lab.ts";
import { startChild } from "../lib/child.ts";
import { concludeBenchmark } from "../lib/conclude.ts";
import { LoadGenerator, type LoadResult, type LoadTarget } from "../lib/load.ts";
import { measureInFolder } from "../lib/measure-in-folder.ts";
import type { BenchOptions } from "../lib/options.ts";
import type { BenchProgress } from "../lib/progress.ts";
import { startServers } from "../lib/servers.ts";
import { computeLatency, computeMedian } from "../lib/stats.ts";
import { alignTable, formatFigure } from "../lib/table.ts";
import { type BenchTarget, formatTargets, getRatioLeeway, judgeInFullRun } from "../lib/target.ts";
import type { TrackStart } from "../lib/with-folder.ts";

const tenant = "acme";
const manyConnections = 32;
/**
 * The limits for the gateway: the milliseconds that Paraph may add to a call, and the least share of the server's
 * throughput. The last value limits the milliseconds for a list of a thousand tools.
 */
const [maxAddedMs, minShare, longestListMs] = [5, 0.3, 100];

const accessPaths = ["direct", "gateway", "http"] as const;
type AccessPath = (typeof accessPaths)[number];

interface Pace {
  readonly p50: number;
  readonly perSecond: number;
}

interface Measurement {
  readonly rounds: number;
  /** The p50 at one connection, and the calls per second at thirty-two. Both are medians over rounds. */
  readonly pace: Readonly<Record<AccessPath, Pace>>;
  /** The medians over all rounds. Each round compares the gateway with direct calls. */
  readonly addedMs: number;
  readonly share: number;
  readonly list: { readonly tools: number; readonly p50: number };
}

/**
 * Compares calling a tool directly, through Paraph's MCP gateway, and over Paraph's API. Resolves with whether every
 * target was met.
 */
export async function mcpBenchmark(options: BenchOptions, signal: AbortSignal): Promise<boolean> {
  const rounds = options.quick ? 3 : 9;
  const { measured, about } = await measureInFolder(
    options.quick ? 120 : 600,
    signal,
    (folder, progress, starting) => measure({ folder, engine: options.engine }, rounds, progress, starting),
  );
  const targets = evaluateTargets(measured, options.quick);
  const found = {
    name: "mcp",
    engine: options.engine,
    report: formatReport(measured, targets),
    targets,
    measured,
    covers: [
      `A read of one MCP server over HTTP: ${accessPaths.map((way) => pathTitles[way]).join(", ")}.`,
      `${rounds} rounds in turn, at one connection and at ${manyConnections}.`,
      `A list of ${measured.list.tools} tools, every page of it.`,
    ],
  };
  return concludeBenchmark(options, about, found);
}

async function measure(
  { folder, engine }: { readonly folder: string; readonly engine: LabEngine },
  rounds: number,
  progress: BenchProgress,
  starting: TrackStart,
): Promise<Measurement> {
  progress.show("starting");
  const servers = await startServers(folder, engine, starting);
  const server = await starting(startChild(new URL("./server.ts", import.meta.url)));
  const { url: direct } = server.ready as { url: string };
  const { env, provisioned: key } = await servers.database("benchmcp", async (p) => {
    await p.addTenant(tenant);
    await p.addPrincipal({ tenant, id: "owner", kind: "person" });
    await p.addPrincipal({ tenant, id: "agent", kind: "agent", owner: "owner" });
    return p.createKey(tenant, "agent");
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
  const targets: Readonly<Record<AccessPath, LoadTarget>> = {
    direct: createToolTarget(direct, "/echo", {}),
    gateway: createToolTarget(url, "/mcp/echo", { authorization }),
    http: {
      origin: url,
      path: "/v1/calls",
      headers: { authorization, "content-type": "application/json", prefer: "wait=10" },
      body: JSON.stringify({ capability: "echo.echo", input: { text: "{n}" } }),
      expect: { status: 200, contains: '"succeeded"' },
    },
  };
  const load = await starting(LoadGenerator.start());
  const run = async (way: AccessPath, connections: number): Promise<LoadResult> => {
    const loaded = await load.run({
      target: targets[way],
      connections,
      until: { warmMs: 300, measureMs: 1_200 },
    });
    if (loaded.errors > 0)
      throw new Error(`${way}: ${loaded.errors} errors, the first: ${loaded.firstError}`);
    return loaded;
  };
  const paceOf = async (way: AccessPath): Promise<Pace> => {
    const { p50 } = computeLatency((await run(way, 1)).latencies);
    const { latencies, seconds } = await run(way, manyConnections);
    return { p50, perSecond: latencies.length / seconds };
  };
  for (const way of accessPaths) await paceOf(way);
  const paces: Record<AccessPath, Pace[]> = { direct: [], gateway: [], http: [] };
  const lists: { readonly tools: number; readonly ms: number }[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    progress.show(`round ${round} of ${rounds}`);
    // The order alternates, so that no path is always first.
    for (const way of round % 2 ? accessPaths : accessPaths.toReversed()) paces[way].push(await paceOf(way));
    for (let n = 0; n < 5; n += 1) lists.push(await listAllTools(url, authorization));
  }
  const over = (of: (round: number) => number) => computeMedian(paces.direct.map((_, round) => of(round)));
  const middle = (way: AccessPath): Pace => ({
    p50: over((round) => paces[way][round]!.p50),
    perSecond: over((round) => paces[way][round]!.perSecond),
  });
  return {
    rounds,
    pace: { direct: middle("direct"), gateway: middle("gateway"), http: middle("http") },
    addedMs: over((round) => paces.gateway[round]!.p50 - paces.direct[round]!.p50),
    share: over((round) => paces.gateway[round]!.perSecond / paces.direct[round]!.perSecond),
    list: { tools: lists[0]!.tools, p50: computeMedian(lists.map(({ ms }) => ms)) },
  };
}

/** Builds a request as a current client sends it. */
function buildMcpRequest(method: string, params: object, name?: string) {
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

function createToolTarget(origin: string, path: string, more: Record<string, string>): LoadTarget {
  const { headers, body } = buildMcpRequest(
    "tools/call",
    { name: "echo", arguments: { text: "{n}" } },
    "echo",
  );
  return {
    origin,
    path,
    headers: { ...headers, ...more },
    body,
    expect: { status: 200, contains: '"content":[' },
  };
}

async function listAllTools(
  url: string,
  authorization: string,
): Promise<{ readonly tools: number; readonly ms: number }> {
  const begun = performance.now();
  let tools = 0;
  let cursor: string | undefined;
  do {
    const { headers, body } = buildMcpRequest("tools/list", cursor === undefined ? {} : { cursor });
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

function evaluateTargets({ addedMs, share, list }: Measurement, quick: boolean): BenchTarget[] {
  const min = minShare / getRatioLeeway(quick);
  return [
    {
      what: "what Paraph adds to an allowed read at one connection, p50",
      aim: `≤ ${formatFigure(maxAddedMs)} ms`,
      measured: `${formatFigure(addedMs)} ms`,
      met: judgeInFullRun(quick, addedMs <= maxAddedMs),
    },
    {
      what: `of the server's own calls a second at ${manyConnections}`,
      aim: `≥ ${formatFigure(min)} ×`,
      measured: `${formatFigure(share)} ×`,
      met: share >= min,
    },
    {
      what: `${list.tools.toLocaleString("en")} tools over 20 servers listed, p50`,
      aim: `≤ ${formatFigure(longestListMs)} ms`,
      measured: `${formatFigure(list.p50)} ms`,
      met: list.tools <= 1_000 ? false : judgeInFullRun(quick, list.p50 <= longestListMs),
    },
  ];
}

const pathTitles: Readonly<Record<AccessPath, string>> = {
  direct: "the MCP server itself",
  gateway: "through /mcp/echo",
  http: "through /v1/calls",
};

function formatReport({ pace }: Measurement, targets: readonly BenchTarget[]): string {
  const rows = accessPaths.map((way) => [
    pathTitles[way],
    `${formatFigure(pace[way].p50)} ms`,
    formatFigure(pace[way].perSecond),
  ]);
  return `${alignTable(["a read", "p50 at 1", `calls/s at ${manyConnections}`], rows)}\n\n${formatTargets("MCP", targets)}`;
}
