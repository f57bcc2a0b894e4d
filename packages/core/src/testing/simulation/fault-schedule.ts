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
import { outsideCapabilities } from "./outside-system.ts";
import { castVote, editCall, resolveUnknownCall, withdrawAs } from "./people-actions.ts";
import { runToRest } from "./run-to-rest.ts";
import { Simulation, simulationAgent, simulationPeople, simulationTenant } from "./simulation.ts";

/** One thing that happens; plain data, so that a failing storm can be read, shrunk and run again. */
export type ScheduledEvent =
  | {
      readonly kind: "admit";
      readonly capability: string;
      readonly key: string;
      readonly input: SimulatedInput | PlanRequest;
    }
  /** A message arrives: `twice`, it stays in the bag and will arrive again; `early`, its time need not have come. */
  | { readonly kind: "deliver"; readonly pick: number; readonly twice: boolean; readonly early: boolean }
  | { readonly kind: "drop"; readonly pick: number }
  | { readonly kind: "step"; readonly pick: number; readonly fate: BoundaryFate }
  | { readonly kind: "kill"; readonly pick: number }
  /** The next process that comes there dies. */
  | { readonly kind: "doom"; readonly at: StoreBoundary }
  | {
      readonly kind: "decide";
      readonly pick: number;
      readonly voter: number;
      readonly decision: "approve" | "deny" | "return";
      readonly wrongDigest: boolean;
      /** Of a plan, which steps are left out: one bit each. */
      readonly declined?: number;
    }
  /** Somebody writes the call anew. */
  | {
      readonly kind: "edit";
      readonly pick: number;
      readonly editor: number;
      readonly input: SimulatedInput;
      /** What a plan is rewritten to. */
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
  /** The other version of every contract is rolled out; what runs still runs on the one before. */
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
  /** Each blow, and how many of those who stand at gates go on after it. */
  readonly blows: readonly { readonly blow: ScheduledEvent; readonly then: readonly number[] }[];
  /** Who carries on afterwards: the engine, the sweeper, or both. */
  readonly after: { readonly engine: boolean; readonly sweeper: boolean };
  /** How people then find out about whatever is unknown, if they do; the process that writes down the first may die over it. */
  readonly findings?: {
    readonly finding: Extract<ScheduledEvent, { kind: "resolve" }>["finding"];
    readonly dies?: StoreBoundary["moment"];
  };
}

/** Runs a storm to its end and lets everything heal. */
export async function runFaultSchedule(
  storm: FaultSchedule,
  signer: TestSigner,
  turnOfEvents: () => Promise<void>,
): Promise<Simulation> {
  const sim = new Simulation("storm", signer, turnOfEvents);
  watchEffects(sim);
  for (const { blow, then } of storm.blows) {
    await applyScheduledEvent(sim, blow);
    await sim.settle();
    for (const pick of then) await sim.step(pick);
    checkLocksWhileAsking(sim);
    sim.faults.push(...sim.freezes.findAcceptanceViolations());
  }
  sim.plannedCrash = undefined;
  sim.messages.push(...sim.freezes.thaw());
  sim.finishDeploying();
  if (!(await runToRest(sim, storm.after))) sim.faults.push("[P2] never came to rest");
  if (storm.findings) await resolveAllUnknown(sim, storm.after, storm.findings);
  return sim;
}

/** [P7] Until nothing is unknown any more: what was kept is then free, and whoever waited for it goes on. */
async function resolveAllUnknown(
  sim: Simulation,
  after: FaultSchedule["after"],
  { finding, dies }: NonNullable<FaultSchedule["findings"]>,
): Promise<void> {
  if (dies) sim.plannedCrash = { operation: "resolve", moment: dies };
  for (let turn = 0; turn < maxTurns; turn += 1) {
    const unknown = sim.store
      .rows()
      .filter(isUnresolved)
      .map((row) => toCall(row));
    if (unknown.length === 0) return;
    for (const call of unknown) {
      resolveUnknownCall(sim, call, pickPerson(turn), finding);
      // Somebody else finds out something else at the same time: only one of them is believed.
      if (finding !== "probe") resolveUnknownCall(sim, call, pickPerson(turn + 1), toOpposite(finding));
    }
    if (!(await runToRest(sim, after))) sim.faults.push("[P2] never came to rest");
  }
  if (finding !== "probe") sim.faults.push("[P7] what was found out did not stay found out");
}

const toOpposite = (finding: Finding): Finding => (finding === "happened" ? "not-happened" : "happened");

/** Each may set free others that come to nothing known; a probe may never be sure. */
const maxTurns = 10;

function isUnresolved({ outcome, resolution }: CallRow): boolean {
  return outcome?.kind === "unknown" && resolution === undefined;
}

/** People may take a day to answer: a call that asks them must not keep others waiting for its locks. */
function checkLocksWhileAsking(sim: Simulation): void {
  for (const { tenant, call, state } of sim.store.rows()) {
    const holds = sim.store
      .getLocks(tenant)
      .listHeld()
      .some((lock) => lock.call === call);
    if (state === "asking" && holds) sim.faults.push(`[locks] ${call} asks people and keeps its locks`);
  }
}

async function applyScheduledEvent(sim: Simulation, blow: ScheduledEvent): Promise<void> {
  switch (blow.kind) {
    case "admit":
      return sim.admit(blow.capability, blow.key, toJson(blow.input));
    case "deliver": {
      const now = sim.clock.now();
      const able = blow.early ? sim.messages : sim.messages.filter(({ at }) => (at ?? now) <= now);
      const wake = able.at(blow.pick % Math.max(1, able.length));
      if (!wake) return;
      if (!blow.twice) sim.messages = sim.messages.filter((other) => other !== wake);
      return sim.deliver(wake);
    }
    case "drop":
      sim.messages.splice(blow.pick % Math.max(1, sim.messages.length), 1);
      return;
    case "step":
      return sim.step(blow.pick, blow.fate);
    case "kill":
      return sim.kill(blow.pick);
    case "doom":
      sim.plannedCrash = blow.at;
      return;
    case "decide": {
      const call = pickAskedCall(sim, blow.pick);
      const voter = pickPerson(blow.voter);
      const declined = listDeclined(call, blow);
      return (
        call &&
        castVote(sim, call, { voter, decision: blow.decision, digest: pickDigest(call, blow), declined })
      );
    }
    case "edit": {
      const call = pickAskedCall(sim, blow.pick);
      const { input, plan } = blow;
      return (
        call &&
        editCall(sim, call, {
          editor: pickPerson(blow.editor),
          digest: pickDigest(call, blow),
          input: call.capability === planCapability && plan ? rewritePlan(call, plan) : toJson(input),
        })
      );
    }
    case "withdraw": {
      const call = pickCall(sim.store.rows(), ({ state }) => state !== "closed", blow.pick);
      return (
        call &&
        withdrawAs(
          sim,
          call,
          [simulationAgent.id, ...simulationPeople][blow.by % (simulationPeople.length + 1)]!,
        )
      );
    }
    case "resolve": {
      const unknown = sim.store.rows().filter(({ outcome }) => outcome?.kind === "unknown");
      const call = pickCall(unknown, isUnresolved, blow.pick);
      return call && resolveUnknownCall(sim, call, pickPerson(blow.by), blow.finding);
    }
    case "freeze":
      return sim.freezes.freeze({ kind: blow.what, subject: pickSubject(blow) });
    case "thaw":
      sim.messages.push(...sim.freezes.thaw());
      return;
    case "deploy":
      return sim.deploy();
    case "pass":
      return sim.advanceTime(blow.ms);
    case "move":
      return sim.outside.changeTarget(blow.target);
    case "sweep":
      return sim.sweep();
    case "wipe":
      sim.messages = [];
      return;
  }
}

function toJson(value: SimulatedInput | PlanRequest): Json {
  return JSON.parse(JSON.stringify(value));
}

/** The steps it had, as many as the other plan has, with that one's inputs and way of failing: an edit adds no step. */
function rewritePlan({ payloads }: Call, other: PlanRequest): Json {
  const own = payloads.input?.value as unknown as PlanRequest;
  const steps = own.steps
    .slice(0, other.steps.length)
    .map((step, index) => ({ ...step, input: other.steps[index]!.input }));
  return toJson({ ...own, onFailure: other.onFailure, steps });
}

/** Some of a plan's steps, mostly none. */
function listDeclined(
  call: Call | undefined,
  { declined = 0 }: Extract<ScheduledEvent, { kind: "decide" }>,
): string[] {
  const steps = (call && lastPreview(call)?.steps) ?? [];
  return steps.filter((_, index) => (declined >> index) & 1).map(({ id }) => id);
}

/** One of the calls that were ever asked about; mostly one that is still open. */
function pickAskedCall(sim: Simulation, pick: number): Call | undefined {
  const asked = sim.store.rows().filter(({ rounds }) => rounds.length > 0);
  return pickCall(asked, ({ rounds }) => rounds.at(-1)?.status === "open", pick);
}

/** One of those for which it makes sense, where there is one; now and then any. */
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
  const { contract } = outsideCapabilities[pick % outsideCapabilities.length]!;
  const subjects = {
    tenant: simulationTenant,
    principal: simulationAgent.id,
    capability: contract.name,
    adapter: adapterName(contract),
  };
  return subjects[what];
}
