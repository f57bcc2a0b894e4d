import { setTimeout as sleep } from "node:timers/promises";
import { type FleetFault, runFaultsUnderLoad } from "../fleet/fault-run.ts";
import { type LabOptions, type LabResult, UnmetRequirement } from "../lab.ts";
import { LabCluster } from "../lab-cluster.ts";
import { createRandom } from "../random.ts";
import { loadGrant } from "../storm/load.ts";
import {
  createNetwork,
  dropPackets,
  type Endpoint,
  type LabNetwork,
  type NetworkHost,
  passPackets,
  slowDown,
  speedUp,
} from "./network.ts";

const apis = ["api1", "api2"] as const;
const workers = ["worker1", "worker2"] as const;
const processHosts = [...apis, ...workers];

/**
 * Runs calls of every kind on two API processes and two workers, each in its own network namespace, while links between
 * them, PostgreSQL, the external system and the callers drop packets or are slow.
 */
export async function runPartition(options: LabOptions): Promise<LabResult> {
  if (options.engine !== "postgres")
    throw new UnmetRequirement(
      "Restate listens on loopback only, so other network namespaces cannot reach it. Use --engine postgres.",
    );
  const cuts = options.kills ?? (options.quick ? 5 : 100);
  const blackHoles = options.quick ? 1 : Math.ceil(cuts / 5);
  options.progress("creating network namespaces, and starting PostgreSQL, the oracle and four processes");
  const network = await createNetwork([...processHosts, "oracle"]);
  try {
    const { database, range } = network;
    const cluster = await LabCluster.start({
      engine: options.engine,
      database: { address: database.address, range },
      oracle: network.hosts.oracle!,
    });
    try {
      await cluster.createGrant(loadGrant);
      const urls = await startProcesses(cluster, network);
      const faults = drawFaults(network, createRandom(options.seed + 1), cuts, blackHoles);
      return await runFaultsUnderLoad(
        options,
        cluster,
        { urls, processes: processHosts.length },
        {
          run: "partition",
          faults,
          covers: [
            `2 API processes, 2 workers and the oracle in one network namespace each; PostgreSQL and 8 callers on the bridge; ${cluster.engineText}.`,
            "A cut link drops packets silently: neither side gets a reset or an error. A slow link passes 32 kB/s.",
            "Each fault lasts between one and six seconds. One black-holed database in four lasts up to 16 seconds. With this engine, no process connects to another.",
          ],
        },
      );
    } finally {
      await cluster.stop();
    }
  } finally {
    network.remove();
  }
}

/** Starts each process on its host, and returns the URLs of the API processes. */
async function startProcesses(cluster: LabCluster, { hosts, database }: LabNetwork): Promise<string[]> {
  const url = Object.assign(new URL(cluster.loginUrl), { hostname: database.address }).href;
  const urls: string[] = [];
  for (const name of processHosts) {
    const { prefix, service } = hosts[name]!;
    const isApi = apis.some((api) => api === name);
    const env = { DATABASE_URL: url, HTTP_HOST: service.address };
    const { ready } = await cluster.startProcess(isApi ? "api" : "worker", env, { prefix });
    if (isApi) urls.push(ready.url);
  }
  return urls;
}

/** Draws the faults, and spreads the databases that no process can reach evenly among them. */
function drawFaults(
  network: LabNetwork,
  chance: () => number,
  cuts: number,
  blackHoles: number,
): readonly FleetFault[] {
  const links = listLinks(network);
  const faults: FleetFault[] = [];
  for (let number = 0; number < cuts; number++) {
    const ms = 1_000 + chance() * 5_000;
    const link = links[Math.floor(chance() * links.length)]!;
    const kind = faultKinds[number % faultKinds.length]!;
    faults.push(createLinkFault(kind, link, network, ms, chance));
    const due = Math.floor(((number + 1) * blackHoles) / cuts);
    if (due > Math.floor((number * blackHoles) / cuts))
      faults.push(createBlackHole(network, drawBlackHoleMs(chance)));
  }
  return faults;
}

/** Draws a duration. One in four is longer than Paraph waits for an answer of PostgreSQL. */
const drawBlackHoleMs = (chance: () => number): number =>
  chance() < 0.25 ? 12_000 + chance() * 4_000 : 1_000 + chance() * 5_000;

const faultKinds = ["cut", "cut one way", "slow"] as const;

interface Link {
  readonly name: string;
  readonly host: NetworkHost;
  readonly ends: readonly [Endpoint, Endpoint];
}

/** Lists the links that processes use: to PostgreSQL, to the external system, and from the callers. */
function listLinks({ hosts, database, callers }: LabNetwork): readonly Link[] {
  const oracle = hosts.oracle!;
  return processHosts.flatMap((name) => {
    const host = hosts[name]!;
    const role = name.replace(/\d$/, "");
    return [
      { name: `${role} and database`, host, ends: [host, database] as const },
      { name: `${role} and oracle`, host, ends: [host, oracle] as const },
      ...(role === "api" ? [{ name: "callers and api", host, ends: [host.service, callers] as const }] : []),
    ];
  });
}

function createLinkFault(
  kind: (typeof faultKinds)[number],
  { name, host, ends }: Link,
  { hosts }: LabNetwork,
  ms: number,
  chance: () => number,
): FleetFault {
  if (kind === "slow")
    return {
      name: `slow host of ${Object.keys(hosts)
        .find((each) => hosts[each] === host)!
        .replace(/\d$/, "")}`,
      begin: () => slowDown(host),
      end: () => sleep(ms).then(() => speedUp(host)),
    };
  const [a, b] = ends;
  const directions: readonly (readonly [Endpoint, Endpoint])[] = [
    [a, b],
    [b, a],
  ];
  const way = Math.floor(chance() * 2);
  return createCut(`${kind}: ${name}`, kind === "cut" ? directions : [directions[way]!], ms);
}

const createBlackHole = ({ hosts, database }: LabNetwork, ms: number): FleetFault =>
  createCut(
    "database black-holed",
    processHosts.flatMap((name) => [
      [hosts[name]!, database],
      [database, hosts[name]!],
    ]),
    ms,
  );

function createCut(
  name: string,
  directions: readonly (readonly [from: Endpoint, to: Endpoint])[],
  ms: number,
): FleetFault {
  return {
    name,
    begin: () => Promise.all(directions.map(([from, to]) => dropPackets(from, to))),
    end: async () => {
      await sleep(ms);
      await Promise.all(directions.map(([from, to]) => passPackets(from, to)));
    },
  };
}
