import {
  type Call,
  type CallRequest,
  digest,
  type Evaluated,
  findNotUndone,
  findUndoneCall,
  type Json,
  type NotUndone,
  ParaphError,
  type Ports,
  type Principal,
  planCapability,
  type Risk,
  type Undo,
} from "@paraph/core";
import { toPreviewResult } from "../../../http/views/preview-result.ts";
import type { PlanFault, ShownStep, UndoOffer } from "../../request-content.ts";
import { showsChangesWhole } from "../changes-block.ts";
import { lowRisks } from "./plan-summary.ts";

/** The dependencies of `describeUndo`. */
export interface UndoOfferDeps {
  readonly ports: Pick<Ports, "store" | "catalog">;
  readonly previewCall: (request: CallRequest) => Promise<Evaluated>;
}

/** Returns the undo that a call offers. */
export function readUndo({ payloads }: Call): Undo | undefined {
  return payloads.undo?.value as unknown as Undo | undefined;
}

/**
 * [TRUST 16] Describes what an undo by reply would do, and why a reply cannot request it. A mail leaves the deployment,
 * so it shows no headline and no change of an undo with sensitive fields, also if they are in a plan within the undo.
 */
export async function describeUndo(
  call: Call,
  principal: Principal,
  { ports: { catalog }, previewCall }: UndoOfferDeps,
): Promise<UndoOffer | undefined> {
  const undo = readUndo(call);
  const evaluated = undo && (await tryPreview({ principal, ...undo }, previewCall));
  if (!undo || !evaluated) return undefined;
  const { ruling, sentence } = toPreviewResult(undo.capability, evaluated);
  const preview = evaluated.kind === "ruled" ? evaluated.preview : undefined;
  const steps = listSteps(undo).map(({ id, capability }) => {
    const contract = catalog.find(call.tenant, capability)?.contract;
    const headline = preview?.steps?.find((step) => step.id === id)?.headline;
    return { capability, contract, ...(headline !== undefined && { headline }) };
  });
  const isSensitive = steps.some(({ contract }) => !contract || contract.sensitive.length > 0);
  const changes = isSensitive ? [] : (preview?.changes ?? []);
  const risks = steps.map(({ contract }) => contract?.risk);
  const fault = findFault({ ruling, isSensitive, risks, isWhole: showsChangesWhole(changes) });
  return {
    digest: digest(undo as unknown as Json),
    steps: steps.map(
      ({ capability, headline }): Pick<ShownStep, "capability" | "headline"> => ({
        capability,
        ...(!isSensitive && { headline }),
      }),
    ),
    changes,
    sentence,
    ...(fault && { fault }),
  };
}

/** Returns undefined if Paraph cannot preview the undo now, for example because its capability is frozen. */
async function tryPreview(
  request: CallRequest,
  previewCall: UndoOfferDeps["previewCall"],
): Promise<Evaluated | undefined> {
  try {
    return await previewCall(request);
  } catch (error) {
    if (error instanceof ParaphError) return undefined;
    throw error;
  }
}

interface UndoStep {
  readonly id: string;
  readonly capability: string;
}

/** Returns the steps of an undo. The steps of a plan within a plan take the place of that plan. */
function listSteps({ capability, input }: Undo, id = ""): readonly UndoStep[] {
  if (capability !== planCapability) return [{ id, capability }];
  const { steps = [] } = (input ?? {}) as {
    readonly steps?: readonly (UndoStep & { readonly input?: { readonly $literal?: Json } })[];
  };
  return steps.flatMap((step) =>
    listSteps({ capability: step.capability, input: step.input?.$literal ?? null }, step.id),
  );
}

/**
 * [TRUST 6] Returns why a reply cannot request the undo. If policy would ask no person, the mail is the only control: it
 * shows every change, and no step has a high risk.
 */
function findFault({
  ruling,
  isSensitive,
  risks,
  isWhole,
}: {
  readonly ruling: string;
  readonly isSensitive: boolean;
  readonly risks: readonly (Risk | undefined)[];
  readonly isWhole: boolean;
}): PlanFault | undefined {
  if (ruling === "block") return "plan-blocked";
  if (isSensitive) return "plan-sensitive";
  if (ruling === "ask") return undefined;
  if (!isWhole) return "plan-too-large";
  return risks.every((risk) => lowRisks.includes(risk)) ? undefined : "plan-risk";
}

/**
 * Returns the effects that stay: those that this undo did not reverse, or those that the undo of this request would not
 * reverse.
 */
export async function listRemaining(
  call: Call,
  { store, catalog }: UndoOfferDeps["ports"],
): Promise<readonly NotUndone[]> {
  const undone = findUndoneCall(call);
  const [target, plan] =
    undone === undefined
      ? [call.call, readUndo(call)?.input ?? null]
      : [undone, call.payloads.input?.value ?? null];
  return findNotUndone(target, plan, {
    steps: (id) => store.children({ tenant: call.tenant, call: id }),
    contractOf: (capability) => catalog.find(call.tenant, capability)?.contract,
  });
}
