import type { Target } from "../lib/load.ts";
import type { Cluster } from "./cluster.ts";

/** What is called over the network. The function called directly is measured apart: it has no connections. */
export const variants = ["bare", "write", "read"] as const;
export type Variant = (typeof variants)[number];

export const titles: Readonly<Record<Variant | "direct", string>> = {
  bare: "(a) bare engine, one empty step",
  write: "(b) governed write, allowed",
  read: "(c) governed read in place",
  direct: "(d) the function itself",
};

export function targetOf(variant: Variant, cluster: Cluster): Target {
  if (variant !== "bare")
    return governed(cluster, `bench.${variant}`, { status: 200, contains: '"outcome":{"kind":"succeeded"' });
  return {
    origin: cluster.ingressUrl,
    path: "/bare/{n}/run",
    headers: { "content-type": "application/json" },
    body: "null",
    expect: { status: 200 },
  };
}

/** A call that stays waiting for a person. */
export function askingTarget(cluster: Cluster): Target {
  const { headers, ...target } = governed(cluster, "bench.ask", {
    status: 202,
    contains: '"for":"approval"',
  });
  return { ...target, headers: { ...headers, prefer: "wait=0" } };
}

function governed({ apiUrl, key }: Cluster, capability: string, expect: Target["expect"]): Target {
  return {
    origin: apiUrl,
    path: "/v1/calls",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, prefer: "wait=30" },
    body: JSON.stringify({ capability, input: { name: "{n}" } }),
    expect,
  };
}
