import type { LabEngine } from "../../lab/lab.ts";
import type { LoadTarget } from "../lib/load.ts";
import type { CallCluster } from "./cluster.ts";

/**
 * The variants that are called over the network. The direct function call is measured separately, because it has no
 * connections.
 */
const variants = ["bare", "write", "read"] as const;
export type Variant = (typeof variants)[number];

/** Lists the variants of an engine. PostgreSQL has no bare engine, because Paraph's own engine only sends messages. */
export const listVariants = (engine: LabEngine): readonly Variant[] =>
  variants.filter((variant) => variant !== "bare" || engine === "restate");

export const variantTitles: Readonly<Record<Variant | "direct", string>> = {
  bare: "(a) bare engine, one empty step",
  write: "(b) governed write, allowed",
  read: "(c) governed read in place",
  direct: "(d) the function itself",
};

export function createVariantTarget(variant: Variant, cluster: CallCluster): LoadTarget {
  if (variant !== "bare")
    return createGovernedTarget(cluster, `bench.${variant}`, {
      status: 200,
      contains: '"outcome":{"kind":"succeeded"',
    });
  if (!cluster.restate) throw new Error("The bare engine needs Restate.");
  return {
    origin: cluster.restate.ingressUrl,
    path: "/bare/{n}/run",
    headers: { "content-type": "application/json" },
    body: "null",
    expect: { status: 200 },
  };
}

/** Creates a load of calls that stay waiting for an approval. */
export function createAskingTarget(cluster: CallCluster): LoadTarget {
  const { headers, ...target } = createGovernedTarget(cluster, "bench.ask", {
    status: 202,
    contains: '"for":"approval"',
  });
  return { ...target, headers: { ...headers, prefer: "wait=0" } };
}

function createGovernedTarget(
  { apiUrl, key }: CallCluster,
  capability: string,
  expect: LoadTarget["expect"],
): LoadTarget {
  return {
    origin: apiUrl,
    path: "/v1/calls",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}`, prefer: "wait=30" },
    body: JSON.stringify({ capability, input: { name: "{n}" } }),
    expect,
  };
}
