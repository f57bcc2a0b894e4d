import { type Call, lastPreview } from "../../call.ts";
import { adapterName } from "../../capability/contract.ts";
import type { FreezeKind } from "../../freeze.ts";
import type { Json } from "../../json.ts";
import type { PlanRequest } from "../../plan/plan-document.ts";
import { planCapability } from "../../plan/undo-plan.ts";
import type { Finding } from "../../receipts/resolution.ts";
import { watchEffects } from "../laws/call-laws.ts";
import { type CallRow, toCall } from "../model/model-rows.ts";
import type { TestSigner } from "../test-signer.ts";
import type { BoundaryFate, StoreBoundary } from "./crashing-store.ts";
import { externalCapabilities } from "./external-system.ts";
import { castVote, editCall, resolveUnknownCall, withdrawAs } from "./people-actions.ts";
import { runToRest } from "./run-to-rest.ts";
import { Simulation, simulationAgent, simulationPeople, simulationTenant } from "./simulation.ts";

/** One event of a fault schedule. It is plain data, so that a failing schedule can be read, shrunk and repeated. */
export type ScheduledEvent =
  | {
      readonly kind: "admit";
      readonly capability: string;
      readonly key: string;
      readonly input: SimulatedInput | PlanRequest;
    }
  /** A message arrives. With `twice` it stays queued and arrives again. With `early` it may arrive before its time. */
  | { readonly kind: "deliver"; readonly pick: number; readonly twice: boolean; readonly early: boolean }
  | { readonly kind: "drop"; readonly pick: number }
  | { readonly kind: "step"; readonly pick: number; readonly fate: BoundaryFate }
  | { readonly kind: "kill"; readonly pick: number }
  /** The next process that reaches this boundary dies. */
  | { readonly kind: "doom"; readonly at: StoreBoundary }
  | {
      readonly kind: "decide";
      readonly pick: number;
      readonly voter: number;
      readonly decision: "approve" | "deny" | "return";
      readonly wrongDigest: boolean;
      /** The steps of a plan that the voter declines, one bit for each step. */
      readonly declined?: number;
    }
  /** A person edits the input of the call. */
  | {
      readonly kind: "edit";
      readonly pick: number;
      readonly editor: number;
      readonly input: SimulatedInput;
      /** The new input, if the call is a plan. */
      readonly plan?: PlanRequest;
      readonly wrongDigest: boolean;
    }
  | { readonly kind: "withdraw"; readonly pick: number; readonly by: number }
  | {
      readonly kind: "resolve";
      readonly pick: number;
      readonly by: number;
      readonly finding: Finding | "probe";
    }
  | { readonly kind: "freeze"; readonly what: FreezeKind; readonly pick: number }
  | { readonly kind: "thaw" }
  /** A deploy changes the version of every contract. Running segments keep the version they started with. */
  | { readonly kind: "deploy" }
  | { readonly kind: "pass"; readonly ms: number }
  | { readonly kind: "move"; readonly target: string }
  | { readonly kind: "sweep" }
  | { readonly kind: "wipe" };

export interface SimulatedInput {
  readonly target: string;
  readonly locks: readonly string[];
  readonly acts: readonly string[];
  readonly looks: readonly string[];
  readonly probes: readonly string[];
}

export interface FaultSchedule {
  /** Each scheduled event, and the numbers that pick the pending steps to continue after it. */
  readonly blows: readonly { readonly blow: ScheduledEvent; readonly then: readonly number[] }[];
  /** The components that deliver messages after the schedule: the engine, the sweeper, or both. */
  readonly after: { readonly engine: boolean; readonly sweeper: boolean };
  /**
   * The finding that people record for every unknown outcome after the schedule. With `dies`, the process that records
   * the first finding dies before or after that store operation.
   */
  readonly findings?: {
    readonly finding: Extract<ScheduledEvent, { kind: "resolve" }>["finding"];
    readonly dies?: StoreBoundary["moment"];
  };
}

/** Runs a fault schedule to its end, then runs the simulation without faults until it comes to rest. */
export async function runFaultSchedule(
  storm: FaultSchedule,
  signer: TestSigner,
  turnOfEvents: () => Promise<void>,
): Promise<Simulation> {
  const simulation = new Simulation("storm", signer, turnOfEvents);
  watchEffects(simulation);
  for (const { blow, then } of storm.blows) {
    await applyScheduledEvent(simulation, blow);
    await simulation.settle();
    for (const pick of then) await simulation.step(pick);
    checkLocksWhileAsking(simulation);
    simulation.faults.push(...simulation.freezes.findAcceptanceViolations());
  }
  simulation.plannedCrash = undefined;
  simulation.messages.push(...simulation.freezes.thaw());
  simulation.finishDeploying();
  if (!(await runToRest(simulation, storm.after))) simulation.faults.push("[P2] never came to rest");
  if (storm.findings) await resolveAllUnknown(simulation, storm.after, storm.findings);
  return simulation;
}

/** [P7] Resolves calls until no outcome is unknown, so that their locks are released and waiting calls go on. */
async function resolveAllUnknown(
  simulation: Simulation,
  after: FaultSchedule["after"],
  { finding, dies }: NonNullable<FaultSchedule["findings"]>,
): Promise<void> {
  if (dies) simulation.plannedCrash = { operation: "resolve", moment: dies };
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const unknown = simulation.store
      .rows()
      .filter(isUnresolved)
      .map((row) => toCall(row));
    if (unknown.length === 0) return;
    for (const call of unknown) {
      resolveUnknownCall(simulation, call, pickPerson(turn), finding);
      // A second person records the opposite finding at the same time. Paraph must accept only one of them.
      if (finding !== "probe")
        resolveUnknownCall(simulation, call, pickPerson(turn + 1), toOpposite(finding));
    }
    if (!(await runToRest(simulation, after))) simulation.faults.push("[P2] never came to rest");
  }
  if (finding !== "probe") simulation.faults.push("[P7] what was found out did not stay found out");
}

const toOpposite = (finding: Finding): Finding => (finding === "happened" ? "not-happened" : "happened");

/**
 * The maximum number of turns. A resolution may release calls that then end as unknown themselves, and a probe may
 * never be sure.
 */
const maxTurns = 10;

function isUnresolved({ outcome, resolution }: CallRow): boolean {
  return outcome?.kind === "unknown" && resolution === undefined;
}

/** Checks that a call in the state `asking` holds no locks, because people may take a day to answer. */
function checkLocksWhileAsking(simulation: Simulation): void {
  for (const { tenant, call, state } of simulation.store.rows()) {
    const holds = simulation.store
      .getLocks(tenant)
      .listHeld()
      .some((lock) => lock.call === call);
    if (state === "asking" && holds)
      simulation.faults.push(`[locks] ${call} asks people and keeps its locks`);
  }
}

async function applyScheduledEvent(simulation: Simulation, blow: ScheduledEvent): Promise<void> {
  switch (blow.kind) {
    case "admit":
      return simulation.admit(blow.capability, blow.key, toJson(blow.input));
    case "deliver": {
      const now = simulation.clock.now();
      const able = blow.early
        ? simulation.messages
        : simulation.messages.filter(({ at }) => (at ?? now) <= now);
      const wake = able.at(blow.pick % Math.max(1, able.length));
      if (!wake) return;
      if (!blow.twice) simulation.messages = simulation.messages.filter((other) => other !== wake);
      return simulation.deliver(wake);
    }
    case "drop":
      simulation.messages.splice(blow.pick % Math.max(1, simulation.messages.length), 1);
      return;
    case "step":
      return simulation.step(blow.pick, blow.fate);
    case "kill":
      return simulation.kill(blow.pick);
    case "doom":
      simulation.plannedCrash = blow.at;
      return;
    case "decide": {
      const call = pickAskedCall(simulation, blow.pick);
      const voter = pickPerson(blow.voter);
      const declined = listDeclined(call, blow);
      return (
        call &&
        castVote(simulation, call, {
          voter,
          decision: blow.decision,
          digest: pickDigest(call, blow),
          declined,
        })
      );
    }
    case "edit": {
      const call = pickAskedCall(simulation, blow.pick);
      const { input, plan } = blow;
      return (
        call &&
        editCall(simulation, call, {
          editor: pickPerson(blow.editor),
          digest: pickDigest(call, blow),
          input: call.capability === planCapability && plan ? rewritePlan(call, plan) : toJson(input),
        })
      );
    }
    case "withdraw": {
      const call = pickCall(simulation.store.rows(), ({ state }) => state !== "closed", blow.pick);
      return (
        call &&
        withdrawAs(
          simulation,
          call,
          [simulationAgent.id, ...simulationPeople][blow.by % (simulationPeople.length + 1)]!,
        )
      );
    }
    case "resolve": {
      const unknown = simulation.store.rows().filter(({ outcome }) => outcome?.kind === "unknown");
      const call = pickCall(unknown, isUnresolved, blow.pick);
      return call && resolveUnknownCall(simulation, call, pickPerson(blow.by), blow.finding);
    }
    case "freeze":
      return simulation.freezes.freeze({ kind: blow.what, subject: pickSubject(blow) });
    case "thaw":
      simulation.messages.push(...simulation.freezes.thaw());
      return;
    case "deploy":
      return simulation.deploy();
    case "pass":
      return simulation.advanceTime(blow.ms);
    case "move":
      return simulation.outside.changeTarget(blow.target);
    case "sweep":
      return simulation.sweep();
    case "wipe":
      simulation.messages = [];
      return;
  }
}

function toJson(value: SimulatedInput | PlanRequest): Json {
  return JSON.parse(JSON.stringify(value));
}

/**
 * Returns the plan with the inputs and failure mode of the other plan. An edit may remove steps and may not add any.
 */
function rewritePlan({ payloads }: Call, other: PlanRequest): Json {
  const own = payloads.input?.value as unknown as PlanRequest;
  const steps = own.steps
    .slice(0, other.steps.length)
    .map((step, index) => ({ ...step, input: other.steps[index]!.input }));
  return toJson({ ...own, onFailure: other.onFailure, steps });
}

/** Returns the steps that the voter declines. The list is usually empty. */
function listDeclined(
  call: Call | undefined,
  { declined = 0 }: Extract<ScheduledEvent, { kind: "decide" }>,
): string[] {
  const steps = (call && lastPreview(call)?.steps) ?? [];
  return steps.filter((_, index) => (declined >> index) & 1).map(({ id }) => id);
}

/** Picks a call that had a round, and prefers one whose round is open. */
function pickAskedCall(simulation: Simulation, pick: number): Call | undefined {
  const asked = simulation.store.rows().filter(({ rounds }) => rounds.length > 0);
  return pickCall(asked, ({ rounds }) => rounds.at(-1)?.status === "open", pick);
}

/**
 * Picks a call that the predicate accepts. Picks from all calls if there is no such call, or if `pick` is a multiple of
 * four.
 */
function pickCall(
  rows: readonly CallRow[],
  sensible: (row: CallRow) => boolean,
  pick: number,
): Call | undefined {
  const preferred = rows.filter(sensible);
  const among = preferred.length > 0 && pick % 4 !== 0 ? preferred : rows;
  const chosen = among.at(pick % Math.max(1, among.length));
  return chosen && toCall(chosen);
}

function pickDigest({ approval }: Call, { wrongDigest }: { readonly wrongDigest: boolean }): string {
  return wrongDigest ? "0".repeat(64) : (approval?.digest ?? "");
}

const pickPerson = (pick: number): string => simulationPeople[pick % simulationPeople.length]!;

function pickSubject({ what, pick }: Extract<ScheduledEvent, { kind: "freeze" }>): string {
  const { contract } = externalCapabilities[pick % externalCapabilities.length]!;
  const subjects = {
    tenant: simulationTenant,
    principal: simulationAgent.id,
    capability: contract.name,
    adapter: adapterName(contract),
  };
  return subjects[what];
}
