import type { Call, Child, Contract, Principal, VisiblePayloads } from "@paraph/core";
import { showHeadline } from "../../http/views/headline-view.ts";
import type { ParaphService } from "../../services/paraph-service.ts";
import { resolveFieldVisibility } from "../../visibility/field-visibility.ts";
import { findContract } from "../../visibility/find-contract.ts";
import { maskPayloads } from "../../visibility/mask-payloads.ts";
import { toPagePreview } from "./approval-page.ts";
import type { PagePlan } from "./approval-types.ts";
import { buildPagePlan } from "./plan-page.ts";

/** A call as one reader may see it. */
export interface SeenCall {
  readonly contract: Contract | undefined;
  readonly headline: string;
  /** Masks the payloads of this call, also with other values in them. */
  mask(call: Call): VisiblePayloads;
  /** Returns the steps of the call, with the calls that it has made. Undefined if the call has no steps. */
  toPlan(made: readonly Child[]): PagePlan | undefined;
}

/** Loads what is needed to show a call to this reader. */
export async function loadSeenCall(reader: Principal, call: Call, service: ParaphService): Promise<SeenCall> {
  const contract = findContract(call, service);
  const visibility = await resolveFieldVisibility(reader, call, service);
  const mask = (one: Call) => maskPayloads(reader, one, contract, visibility);
  const visiblePayloads = mask(call);
  const { input, preview } = visiblePayloads.payloads;
  const shown = { ...(input !== undefined && { input }), preview: toPagePreview(preview) };
  const { findContract: findStepContract } = visibility;
  return {
    contract,
    mask,
    headline: showHeadline(call, visiblePayloads, contract),
    toPlan: (steps) =>
      buildPagePlan(call, shown, { steps, findContract: findStepContract, editHref: undefined }),
  };
}
