import type { Profiler } from "node:inspector";
import { samplingMs } from "./profiler.ts";

export interface SelfTime {
  readonly what: string;
  readonly ms: number;
  readonly share: number;
}

type Node = Profiler.ProfileNode;

/** Returns functions by self time, largest first. Shares are of the time in which the process was not idle. */
export function rankSelfTimes(profile: Profiler.Profile, max = 20): SelfTime[] {
  return rankSamples(profile, max, ({ callFrame: { functionName, url, lineNumber } }, caller) => {
    const place = isWasm(url) ? `wasm, from ${shortenUrl(caller.callFrame.url)}` : shortenUrl(url);
    return `${functionName || "(anonymous)"}  ${place}${url && !isWasm(url) ? `:${lineNumber + 1}` : ""}`;
  });
}

/** Returns the self times by package, or by folder for the repository's own code. */
export function rankSelfTimesByPart(profile: Profiler.Profile, max = 20): SelfTime[] {
  return rankSamples(profile, max, ({ callFrame: { functionName, url } }, caller) => {
    if (isWasm(url)) return `wasm of ${findPart(caller.callFrame.url)}`;
    return url === "" ? functionName : findPart(url);
  });
}

function rankSamples(
  profile: Profiler.Profile,
  max: number,
  nameOf: (node: Node, caller: Node) => string,
): SelfTime[] {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((child) => [child, node] as const)),
  );
  /** Finds the nearest JavaScript caller, because WebAssembly frames do not show which package they belong to. */
  const callerOf = (node: Node): Node => {
    const parent = parents.get(node.id);
    const { url } = node.callFrame;
    return (url !== "" && !isWasm(url)) || !parent ? node : callerOf(parent);
  };
  const times = new Map<string, number>();
  for (const [index, id] of (profile.samples ?? []).entries()) {
    const node = nodes.get(id);
    if (!node || node.callFrame.functionName === "(idle)" || node.callFrame.url === "node:inspector")
      continue;
    // A long gap between samples means that the process was off its core or that the sampler ran. The function itself
    // did not run for that long.
    const ms = Math.min((profile.timeDeltas?.[index] ?? 0) / 1_000, 4 * samplingMs);
    const name = nameOf(node, callerOf(node));
    times.set(name, (times.get(name) ?? 0) + ms);
  }
  const busy = [...times.values()].reduce((sum, ms) => sum + ms, 0);
  const list = [...times].map(([what, ms]) => ({ what, ms, share: ms / busy }));
  return list.toSorted((a, b) => b.ms - a.ms).slice(0, max);
}

const isWasm = (url: string): boolean => url.startsWith("wasm:");

function findPart(url: string): string {
  const dependency = /node_modules\/((?:@[^/]+\/)?[^/]+)(?!.*node_modules\/)/.exec(url)?.[1];
  if (dependency !== undefined) return dependency;
  const own = /\/packages\/([^/]+)\/src\/(?:([^/]+)\/)?/.exec(url);
  if (own) return `paraph ${own[1]}/${own[2] ?? ""}`;
  return url.startsWith("node:") ? url.replace(/^node:(internal\/)?([^/]+).*/, "node:$2") : "other";
}

function shortenUrl(url: string): string {
  return url
    .replace(/^file:\/\//, "")
    .replace(/^.*\/node_modules\//, "")
    .replace(/^.*\/(packages|bench)\//, "$1/");
}
