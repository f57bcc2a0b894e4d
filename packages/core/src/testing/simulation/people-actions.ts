import type { Call } from "../../call.ts";
import type { Json } from "../../json.ts";
import { edit } from "../../pipeline/admission/edit.ts";
import { decide } from "../../pipeline/approval/decide.ts";
import { withdrawCall } from "../../pipeline/approval/withdraw.ts";
import { probeAgain, resolveUnknown } from "../../pipeline/execution/resolve.ts";
import type { Vote } from "../../policy/evidence.ts";
import type { Principal } from "../../principal.ts";
import type { Finding } from "../../receipts/resolution.ts";
import { type Simulation, simulationAgent, simulationTenant } from "./simulation.ts";

/** Casts a vote through one of the simulated processes, which may die meanwhile. */

export function castVote(
  simulation: Simulation,
  { approval }: Call,
  given: {
    readonly voter: string;
    readonly decision: Vote["decision"];
    readonly digest: string;
    readonly declined?: readonly string[];
  },
): void {
  if (!approval) return;
  const { decision, digest, declined = [] } = given;
  const reason = decision === "return" ? { reason: "do less" } : {};
  simulation.run(async ({ ports }) => {
    const voter = toPerson(given.voter);
    const { wakes } = await decide(
      { approval: approval.id, voter, decision, digest, declined, ...reason },
      ports,
    );
    if (digest !== approval.digest) simulation.faults.push("[P5] a vote for another digest counted");
    return wakes;
  });
}

export function editCall(
  simulation: Simulation,
  { approval }: Call,
  given: {
    readonly editor: string;
    readonly digest: string;
    readonly input: Json;
  },
): void {
  if (!approval) return;
  simulation.run(async ({ ports }) => {
    const { wakes } = await edit(
      { ...given, approval: approval.id, editor: toPerson(given.editor), reason: "rather so" },
      ports,
    );
    if (given.digest !== approval.digest) simulation.faults.push("[P6] an edit of another digest counted");
    return wakes;
  });
}

/**
 * Withdraws the call. Reports a fault if Paraph accepts the withdrawal from a principal that is neither the requester
 * nor the requester's owner.
 */
export function withdrawAs(simulation: Simulation, { call, principal }: Call, by: string): void {
  simulation.run(async ({ ports }) => {
    const { wakes } = await withdrawCall(
      { call, by: by === simulationAgent.id ? simulationAgent : toPerson(by) },
      ports,
    );
    if (by !== principal.id && by !== principal.owner)
      simulation.faults.push("[P4] a stranger withdrew a call");
    return wakes;
  });
}

export function resolveUnknownCall(
  simulation: Simulation,
  { call }: Call,
  by: string,
  finding: Finding | "probe",
): void {
  simulation.run(async ({ ports }) => {
    const found =
      finding === "probe"
        ? await probeAgain({ call, by: toPerson(by) }, ports)
        : await resolveUnknown({ call, by: toPerson(by), finding, reason: "I looked." }, ports);
    return found.wakes;
  });
}

const toPerson = (id: string): Principal => ({ tenant: simulationTenant, id, kind: "person" });
