import { checkReplay } from "../../packages/server/src/postgres/index.ts";
import type { LabCluster } from "../lab-cluster.ts";
import type { Violation } from "./history-index.ts";

/** [replay] Runs `paraph replay --check` on everything that a run left, to compare the rows with their events. */
export async function checkClusterReplay(
  cluster: LabCluster,
): Promise<{ calls: number; violations: Violation[] }> {
  const { calls, differences } = await checkReplay(cluster.ownerUrl, { tenant: "acme" });
  const violations = differences.map(({ call, table, row, column, told, found }) => ({
    rule: "replay",
    call,
    what: `${[table, row, column].filter(Boolean).join(" ")}: ${told} by its events, ${found} in the table`,
  }));
  return { calls, violations };
}
