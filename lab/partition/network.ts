import { execFile, execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { promisify } from "node:util";
import { UnmetRequirement } from "../lab.ts";

const run = promisify(execFile);

/** A place in the network. Several endpoints can share a namespace, each with its own address. */
export interface Endpoint {
  readonly address: string;
  /** The namespace, or undefined for the namespace of this process. */
  readonly namespace?: string;
  readonly device: string;
  readonly mac: string;
}

/** Hosts in their own network namespaces on one bridge. This process has two addresses on the bridge. */
export interface LabNetwork {
  /** The endpoint of the database, in the namespace of this process. */
  readonly database: Endpoint;
  /** The endpoint from which this process connects to the second address of a host. */
  readonly callers: Endpoint;
  readonly hosts: Readonly<Record<string, NetworkHost>>;
  /** The addresses of the network in the form that pg_hba.conf uses. */
  readonly range: string;
  remove(): void;
}

export interface NetworkHost extends Endpoint {
  readonly namespace: string;
  /** The second address of the host, which only the callers use. */
  readonly service: Endpoint;
  /** The words before a command that runs it on this host. */
  readonly prefix: readonly string[];
  /** The device on the bridge that leads to the host. */
  readonly port: string;
}

/** Creates the network. It is removed when this process ends, unless the process is killed with SIGKILL. */
export async function createNetwork(names: readonly string[]): Promise<LabNetwork> {
  requireRootAndTools();
  removeAbandoned();
  const bridge = `plab${process.pid}`;
  // These addresses are reserved for benchmarks of networks (RFC 2544), so no real host has one.
  const toAddress = (number: number) => `198.18.${process.pid % 256}.${number}`;
  const toMac = (number: number) => `02:00:00:00:00:${number.toString(16).padStart(2, "0")}`;
  const here = { device: bridge, mac: toMac(1) };
  const database = { ...here, address: toAddress(1) };
  const callers = { ...here, address: toAddress(2) };
  const hosts = names.map((name, index) => {
    const namespace = `${namespacePrefix}${process.pid}-${name}`;
    const place = { namespace, device: "eth0", mac: toMac(10 + index) };
    return {
      ...place,
      name,
      address: toAddress(10 + index),
      service: { ...place, address: toAddress(100 + index) },
      prefix: ["ip", "netns", "exec", namespace],
      port: `${bridge}p${index}`,
    };
  });
  const remove = () => removeNetwork(process.pid);
  process.once("exit", remove);
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(130));

  await ip("link add", bridge, "address", here.mac, "type bridge");
  await ip("link set", bridge, "up");
  for (const { address } of [database, callers]) await ip("addr add", `${address}/24`, "dev", bridge);
  for (const { namespace, port, mac, address, service } of hosts) {
    await ip("netns add", namespace);
    await ip("link add", port, "type veth peer name eth0 address", mac, "netns", namespace);
    await ip("link set", port, "master", bridge, "up");
    for (const device of ["lo", "eth0"]) await ip("-n", namespace, "link set", device, "up");
    await ip("-n", namespace, "addr add", `${address}/24 dev eth0`);
    await ip("-n", namespace, "addr add", `${service.address}/24 dev eth0`);
    await ip("route add", service.address, "dev", bridge, "src", callers.address);
  }
  const everywhere = [database, callers, ...hosts.flatMap((host) => [host, host.service])];
  for (const place of [database, ...hosts])
    for (const peer of everywhere)
      if (peer.device !== place.device || peer.mac !== place.mac) await passPackets(place, peer);
  return {
    database,
    callers,
    hosts: Object.fromEntries(hosts.map(({ name, ...host }) => [name, host])),
    range: `${toAddress(0)}/24`,
    remove,
  };
}

/**
 * Drops the packets from one endpoint to another silently. They go to a hardware address that no host has, so neither
 * endpoint sees an error.
 */
export const dropPackets = (from: Endpoint, to: Endpoint): Promise<void> =>
  setHardwareAddress(from, to, "02:00:00:00:00:ff");

export const passPackets = (from: Endpoint, to: Endpoint): Promise<void> =>
  setHardwareAddress(from, to, to.mac);

/** Limits both directions of a host's link to 32 kB/s, with a queue of at most one second. */
export const slowDown = async ({ namespace, port }: NetworkHost): Promise<void> => {
  const limit = ["root", "tbf", "rate", "256kbit", "burst", "4kb", "latency", "1s"];
  await run("tc", ["qdisc", "add", "dev", port, ...limit]);
  await run("tc", ["-n", namespace, "qdisc", "add", "dev", "eth0", ...limit]);
};

export const speedUp = async ({ namespace, port }: NetworkHost): Promise<void> => {
  await run("tc", ["qdisc", "del", "dev", port, "root"]);
  await run("tc", ["-n", namespace, "qdisc", "del", "dev", "eth0", "root"]);
};

async function setHardwareAddress({ namespace, device }: Endpoint, { address }: Endpoint, mac: string) {
  const place = namespace === undefined ? "" : `-n ${namespace}`;
  await ip(place, "neigh replace", address, "lladdr", mac, "dev", device, "nud permanent");
}

async function ip(...words: readonly string[]): Promise<void> {
  await run("ip", words.join(" ").trim().split(/ +/));
}

const namespacePrefix = "paraph-lab-";

function removeNetwork(pid: number): void {
  for (const name of listNamespaces(pid)) tryIp("netns", "delete", name);
  tryIp("link", "delete", `plab${pid}`);
}

/** Removes the networks of runs that were killed. */
function removeAbandoned(): void {
  const pids = new Set(
    listNamespaces().map((name) => Number(name.slice(namespacePrefix.length).split("-")[0])),
  );
  for (const pid of pids) if (!isRunning(pid)) removeNetwork(pid);
}

function listNamespaces(pid?: number): string[] {
  const prefix = pid === undefined ? namespacePrefix : `${namespacePrefix}${pid}-`;
  try {
    return readdirSync("/run/netns").filter((name) => name.startsWith(prefix));
  } catch {
    return [];
  }
}

function tryIp(...args: string[]): void {
  try {
    execFileSync("ip", args, { stdio: "ignore" });
  } catch {
    // The namespace or device does not exist.
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function requireRootAndTools(): void {
  if (process.platform !== "linux" || process.getuid?.() !== 0)
    throw new UnmetRequirement("This experiment creates network namespaces. Run it as root on Linux.");
  for (const tool of ["ip", "tc"]) {
    try {
      execFileSync(tool, ["-V"], { stdio: "ignore" });
    } catch {
      throw new UnmetRequirement(`This experiment needs the program \`${tool}\`. Install iproute2.`);
    }
  }
}
