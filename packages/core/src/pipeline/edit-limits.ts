import type { Call } from "../call.ts";
import type { Capability } from "../capability.ts";
import type { CheckResult } from "../check.ts";
import { sameJson } from "../digest.ts";
import { editorsOf } from "../editors.ts";
import { involvedIn } from "../evidence.ts";
import { withFacts } from "../facts.ts";
import { neverFrozen } from "../freeze.ts";
import type { Json } from "../json.ts";
import { ParaphError } from "../paraph-error.ts";
import { usedBy } from "../plan/used-by.ts";
import { withValues } from "../plan/values.ts";
import type { Guard } from "../policy.ts";
import type { Ports } from "../ports.ts";
import { type Principal, roles } from "../principal.ts";
import { guardsOf } from "../requirements.ts";
import { inputOf } from "./attempt.ts";
import { type Considered, ruledOn } from "./first-move.ts";
import { judgeWhole } from "./judge-whole.ts";

type Ruled = Extract<Considered, { readonly kind: "ruled" }>;

/** [TRUST 14] An edit changes arguments. Another capability, or a further step of a plan, is a request of its own. */
export function demandSameCapabilities(
  before: Call,
  after: Call,
  capability: Capability,
  ports: Ports,
): void {
  const { tenant } = before;
  const earlier = stepsIn({ tenant, capability, input: inputOf(before) }, ports);
  for (const [path, step] of stepsIn({ tenant, capability, input: inputOf(after) }, ports)) {
    const known = earlier.get(path);
    if (known === undefined)
      throw refused(`It adds the step \`${path}\`: request what it does with a call of its own.`);
    if (known.capability !== step.capability)
      throw refused(`It changes the capability of step \`${path}\`: request that with a call of its own.`);
    // Its steps would be known only after the approval, so they cannot be compared.
    if (step.isOpaque && !sameJson(known.input, step.input))
      throw refused(`The steps of the plan in step \`${path}\` could not be told before it is approved.`);
  }
}

interface NamedStep {
  readonly capability: string;
  readonly input: Json;
  readonly isOpaque: boolean;
}

/** Every step by its path, those of plans within the plan included. */
function stepsIn(
  { tenant, capability, input }: { tenant: string; capability: Capability; input: Json },
  ports: Ports,
  above = "",
): Map<string, NamedStep> {
  const found = new Map<string, NamedStep>();
  for (const step of capability.steps?.(input) ?? []) {
    const path = `${above}${step.id}`;
    const own = ports.catalog.find(tenant, step.capability);
    const filled = withValues(step.input, () => undefined);
    const inner = own?.steps && "input" in filled ? own.parseInput(filled.input) : undefined;
    const isOpaque = own?.steps !== undefined && inner?.kind !== "valid";
    found.set(path, { capability: step.capability, input: step.input, isOpaque });
    if (own && inner?.kind === "valid")
      for (const [name, one] of stepsIn({ tenant, capability: own, input: inner.value }, ports, `${path}/`))
        found.set(name, one);
  }
  return found;
}

/** Only administrators write what administers, whatever policy says and also where it is only observed. */
export function demandAdministrator({ capability, payloads }: Call, { groups = [] }: Principal): void {
  const used = usedBy(capability, payloads.input?.value) ?? [];
  if (!used.some((name) => name.startsWith(`${neverFrozen}.`)) || groups.includes(roles.admins)) return;
  throw refused(`Only a person in the group \`${roles.admins}\` can edit what administers.`);
}

/**
 * The editor is the author of the new input, so policy has to let them ask for it as well: what it demands of them joins
 * what it demands of the requester. A grant of theirs is no part of that, because the successor would not spend it.
 */
export async function heldToEditor(
  next: Call,
  capability: Capability,
  considered: Ruled,
  editor: Principal,
  ports: Ports,
): Promise<{ readonly next: Call; readonly considered: Considered }> {
  const { preview } = considered;
  const own = { ...next, principal: editor, requirements: [] };
  const checks: CheckResult[] = [];
  for (;;) {
    const seen = { preview, checks, withoutGrants: true };
    const { ruling } = await judgeWhole(own, capability, seen, ports);
    if (ruling.kind === "check") {
      checks.push(...ruling.checks.map((check) => ({ check, passed: true, findings: [] })));
      continue;
    }
    if (ruling.kind === "block") throw refused(`Policy does not let you ask for this: ${ruling.sentence}`);
    const asked = considered.judged.ruling.kind === "ask" ? considered.judged.ruling.guards : [];
    const demanded = [
      ...(ruling.kind === "ask" ? ruling.guards : []),
      ...checksDemanded(checks.map(({ check }) => check)),
    ].filter(({ id }) => !asked.some((guard) => guard.id === id));
    const added = demanded.filter((guard) => !next.requirements.some((one) => isSame(one, guard)));
    if (added.length === 0) return { next, considered };
    const held = withFacts({ ...next, requirements: [...next.requirements, ...added] }, ports.sealer);
    return {
      next: held,
      considered: ruledOn(await judgeWhole(held, capability, { preview }, ports), preview),
    };
  }
}

function checksDemanded(checks: readonly string[]): readonly Guard[] {
  return guardsOf({ checks }).map((guard) => ({
    ...guard,
    id: "editor:check",
    sentence: "Policy demands these checks of the person who edited this.",
  }));
}

function isSame(one: Guard, other: Guard): boolean {
  return sameJson(one as unknown as Json, other as unknown as Json);
}

/** If no other person could approve the edit, it is not made: the question that can be answered stands. */
export async function demandOtherApprover(next: Call, considered: Considered, ports: Ports): Promise<void> {
  if (considered.kind !== "ruled" || considered.judged.ruling.kind !== "ask") return;
  const { tenant, principal } = next;
  const editors = editorsOf(next);
  const involved = involvedIn(principal);
  const hasOther = (except: readonly string[]) => ports.store.hasOtherPerson(tenant, except);
  if (await hasOther([...involved, ...editors])) return;
  // The people who asked confirm where there are no others, but not what they wrote, unless there is only one person.
  const confirms = !(await hasOther(involved)) && (await hasOther(editors));
  const isAlone = !(await hasOther(editors.slice(-1)));
  if (confirms || isAlone) return;
  throw refused("No other person could approve your edit: deny the request, or return it with instructions.");
}

/** The old question stands wherever an edit is refused. */
export function refused(why: string): ParaphError {
  return new ParaphError("edit-refused", `${why} The request is unchanged.`);
}
