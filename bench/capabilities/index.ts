import { startChild } from "../lib/child.ts";
import { conclude } from "../lib/conclude.ts";
import { LoadGenerator, type Target as LoadTarget } from "../lib/load.ts";
import { measuredIn } from "../lib/measured.ts";
import type { Options } from "../lib/options.ts";
import type { Progress } from "../lib/progress.ts";
import type { Starting } from "../lib/scope.ts";
import { type Servers, startServers } from "../lib/servers.ts";
import { latencyOf, medianOf } from "../lib/stats.ts";
import { figure, table } from "../lib/table.ts";
import { judged, onlyInFull, ratioLeeway, type Target } from "../lib/target.ts";

const tenant = "acme";
const [few, many] = [10, 1_000];
/** With many, a page of the list and an admission may take so much of what they take with few. */
const most = 1.1;
const longestStartMs = 3_000;

const kinds = ["list", "read", "write"] as const;
type Kind = (typeof kinds)[number];

/** p50 in milliseconds at one connection. */
type Times = Readonly<Record<Kind, number>>;

interface Measured {
  readonly rounds: number;
  /** Of the process, from nothing to ready; and of that, what starting Paraph took. */
  readonly start: { readonly few: Started; readonly many: Started };
  readonly few: Times;
  readonly many: Times;
  /** The median over rounds, each compared with its neighbour. */
  readonly ratio: Times;
}

interface Started {
  readonly processMs: number;
  readonly paraphMs: number;
}

/** What a thousand capabilities cost those who use one of them. Resolves with whether every target was met. */
export async function capabilitiesBenchmark(options: Options, signal: AbortSignal): Promise<boolean> {
  const rounds = options.quick ? 3 : 9;
  const { measured, about } = await measuredIn(
    options.quick ? 120 : 600,
    signal,
    (folder, progress, starting) => measure(folder, rounds, progress, starting),
  );
  const targets = targetsOf(measured, options.quick);
  const found = {
    name: "capabilities",
    report: report(measured, targets),
    targets,
    measured,
    covers: [
      `Two API processes side by side, with ${few} and with ${many} capabilities, each with a schema of its own.`,
      `${rounds} rounds in turn at one connection: ${kinds.join(", ")}. The start of each process is measured once.`,
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
  const [small, large] = [await served(servers, few, starting), await served(servers, many, starting)];
  const load = await starting(LoadGenerator.start());
  const times = async (targets: Readonly<Record<Kind, LoadTarget>>): Promise<Times> => {
    const taken: [Kind, number][] = [];
    for (const kind of kinds) {
      const until = { warmMs: 200, measureMs: 800 };
      const { latencies, errors, firstError } = await load.run({
        target: targets[kind],
        connections: 1,
        until,
      });
      if (errors > 0) throw new Error(`${kind}: ${errors} errors, the first: ${firstError}`);
      taken.push([kind, latencyOf(latencies).p50]);
    }
    return Object.fromEntries(taken) as Times;
  };
  await times(small.targets);
  await times(large.targets);
  const [ofFew, ofMany]: [Times[], Times[]] = [[], []];
  for (let round = 1; round <= rounds; round += 1) {
    progress.say(`round ${round} of ${rounds}`);
    // In turn, so that neither is always the first.
    const order = [[small, ofFew] as const, [large, ofMany] as const];
    for (const [one, into] of round % 2 ? order : order.reverse()) into.push(await times(one.targets));
  }
  const over = (of: (kind: Kind) => number) =>
    Object.fromEntries(kinds.map((kind) => [kind, of(kind)])) as Times;
  return {
    rounds,
    start: { few: small.start, many: large.start },
    few: over((kind) => medianOf(ofFew.map((times) => times[kind]))),
    many: over((kind) => medianOf(ofMany.map((times) => times[kind]))),
    ratio: over((kind) => medianOf(ofMany.map((times, round) => times[kind] / ofFew[round]![kind]))),
  };
}

/** An API process with so many capabilities, over a database of its own. */
async function served(servers: Servers, capabilities: number, starting: Starting) {
  const { env, provisioned: key } = await servers.database(`bench${capabilities}`, async (p) => {
    await p.tenant(tenant);
    await p.principal({ tenant, id: "owner", kind: "person" });
    await p.principal({ tenant, id: "agent", kind: "agent", owner: "owner" });
    return p.key(tenant, "agent");
  });
  const from = performance.now();
  const child = await starting(
    startChild(new URL("./process.ts", import.meta.url), {
      ...env,
      ROLE: "api",
      CAPABILITIES: String(capabilities),
    }),
  );
  const { url, tookMs } = child.ready as { url: string; tookMs: number };
  const call = (capability: string): LoadTarget => ({
    origin: url,
    path: "/v1/calls",
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", prefer: "wait=10" },
    body: JSON.stringify({ capability, input: { name: "{n}" } }),
    expect: { status: 200, contains: '"succeeded"' },
  });
  const targets: Readonly<Record<Kind, LoadTarget>> = {
    list: {
      origin: url,
      method: "GET",
      path: "/v1/capabilities?limit=10",
      body: "",
      headers: { authorization: `Bearer ${key}` },
      expect: { status: 200, contains: '"contractDigest"' },
    },
    read: call("system0.verb0"),
    write: call("system0.verb1"),
  };
  return { targets, start: { processMs: performance.now() - from, paraphMs: tookMs } };
}

function targetsOf({ start, ratio }: Measured, quick: boolean): Target[] {
  const aim = most * ratioLeeway(quick);
  return [
    {
      what: `starting Paraph with ${many.toLocaleString("en")} capabilities`,
      aim: `≤ ${figure(longestStartMs)} ms`,
      measured: `${figure(start.many.paraphMs)} ms`,
      met: onlyInFull(quick, start.many.paraphMs <= longestStartMs),
    },
    ...kinds.map((kind) => ({
      what: `${words[kind]}, of the same with ${few}`,
      aim: `≤ ${figure(aim)} ×`,
      measured: `${figure(ratio[kind])} ×`,
      met: ratio[kind] <= aim,
    })),
  ];
}

const words: Readonly<Record<Kind, string>> = {
  list: "a page of ten of the list",
  read: "a read, admitted and performed",
  write: "a write, admitted and performed",
};

function report({ start, few: small, many: large }: Measured, targets: readonly Target[]): string {
  const row = (count: number, { processMs, paraphMs }: Started, times: Times) => [
    count.toLocaleString("en"),
    `${figure(processMs)} ms`,
    `${figure(paraphMs)} ms`,
    ...kinds.map((kind) => `${figure(times[kind])} ms`),
  ];
  const rows = [row(few, start.few, small), row(many, start.many, large)];
  const head = ["capabilities", "process ready", "of that Paraph", "list p50", "read p50", "write p50"];
  return `${table(head, rows)}\n\n${judged("Capabilities", targets)}`;
}
