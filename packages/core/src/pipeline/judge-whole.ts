import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { CheckResult } from "../check.ts";
import { ParaphError } from "../paraph-error.ts";
import type { Guard } from "../policy.ts";
import type { Ports } from "../ports.ts";
import { type Ask, type Block, type Ruling, strictest } from "../ruling.ts";
import { shownOf } from "./cover.ts";
import { declinedIn } from "./declined.ts";
import { type Foreseen, plannedSteps } from "./foresee.ts";
import { type Judged, judge, type Seen } from "./judge.ts";

/** [P13] Policy rules on a call and, where its steps can be told, on each of them; the strictest is heard. */
export async function judgeWhole(
  call: Call,
  capability: Capability,
  seen: Seen,
  ports: Ports,
): Promise<Judged> {
  const whole = await judge(call, capability, seen, ports);
  if (!capability.steps || whole.ruling.kind === "block" || whole.ruling.kind === "check") return whole;
  const declined = declinedIn(call, call.approval);
  const steps = foreseenSteps(call, capability, ports);
  if (steps.kind === "invalid") return { ...whole, ruling: steps.ruling(whole.ruling) };
  const rulings: RuledStep[] = [];
  for (const foreseen of steps.steps) {
    if (declined.has(foreseen.step.id) || !foreseen.call) continue;
    const ruling = await stepRuling(foreseen, seen, ports);
    if (ruling.kind === "block") return { ...whole, ruling: blocked(foreseen, ruling) };
    rulings.push({ step: foreseen.step.id, ruling });
  }
  return { ...whole, ruling: merged(whole.ruling, rulings) };
}

/** [P11] Steps that could not be admitted are no steps that anybody could be asked about. */
function foreseenSteps(call: Call, capability: Capability, ports: Ports) {
  try {
    return { kind: "valid", steps: plannedSteps(call, capability, ports) } as const;
  } catch (error) {
    if (!(error instanceof ParaphError)) throw error;
    const ruling = ({ version }: Ruling): Block => ({
      ...{ kind: "block", code: "step-invalid", policies: [], version, discharged: [] },
      sentence: error.message,
    });
    return { kind: "invalid", ruling } as const;
  }
}

interface RuledStep {
  readonly step: string;
  readonly ruling: Ruling;
}

/** As policy would rule on the step alone, with what people have said of the whole. Checks are run when its turn comes: until then they count as passed. */
async function stepRuling(
  { step, capability, call }: Foreseen,
  { votes = [], preview, withoutGrants = false }: Seen,
  ports: Ports,
): Promise<Ruling> {
  const shown = shownOf(preview, step.id)?.preview;
  const hoped: CheckResult[] = [];
  for (;;) {
    const seen = { preview: shown, votes, checks: hoped, withoutGrants };
    const { ruling } = await judgeWhole(call!, capability, seen, ports);
    if (ruling.kind !== "check") return ruling;
    hoped.push(...ruling.checks.map((check) => ({ check, passed: true, findings: [] })));
  }
}

function blocked({ step }: Foreseen, ruling: Block): Block {
  return { ...ruling, sentence: `Step \`${step.id}\`: ${ruling.sentence}` };
}

/** One question for all that ask: a guard that several steps stand behind is put once, and says for which. */
function merged(whole: Ruling, steps: readonly RuledStep[]): Ruling {
  const asks = steps.flatMap(({ step, ruling }) => (ruling.kind === "ask" ? [{ step, ruling }] : []));
  const discharged = [...new Set([...whole.discharged, ...steps.flatMap(({ ruling }) => ruling.discharged)])];
  if (asks.length === 0) return { ...whole, discharged };
  const own = whole.kind === "ask" ? whole.guards : [];
  const guards = new Map<string, Guard>(own.map((guard) => [guard.id, guard]));
  for (const { step, ruling } of asks) {
    for (const guard of ruling.guards) {
      const known = guards.get(guard.id);
      // Asked for the whole, it is asked for each.
      if (known && !known.steps) continue;
      guards.set(guard.id, { ...guard, steps: [...(known?.steps ?? []), step] });
    }
  }
  const all = [...guards.values()];
  const within = all.flatMap(({ withinMs }) => (withinMs === undefined ? [] : [withinMs]));
  const ask: Ask = {
    kind: "ask",
    guards: all,
    urgency: strictest(all),
    ...(within.length > 0 && { withinMs: Math.min(...within) }),
    policies: all.map(({ id }) => id),
    version: whole.version,
    sentence: [...new Set(all.map(({ sentence }) => sentence))].join(" "),
    discharged,
    ...(whole.shadow && { shadow: whole.shadow }),
  };
  return ask;
}
