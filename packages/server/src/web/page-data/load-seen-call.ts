import type { Call, Contract, Principal, VisiblePayloads } from "@paraph/core";
import { findContract } from "../../http/views/call-view.ts";
import { resolveFieldVisibility } from "../../http/views/field-visibility.ts";
import { showHeadline } from "../../http/views/headline-view.ts";
import { maskPayloads } from "../../http/views/mask-payloads.ts";
import type { ParaphService } from "../../services/paraph-service.ts";

/** A call as one reader may see it. */
export interface SeenCall {
  readonly contract: Contract | undefined;
  readonly headline: string;
  /** Masks the payloads of this call, also with other values in them. */
  mask(call: Call): VisiblePayloads;
}

/** Loads what is needed to show a call to this reader. */
export async function loadSeenCall(reader: Principal, call: Call, service: ParaphService): Promise<SeenCall> {
  const contract = findContract(call, service);
  const visibility = await resolveFieldVisibility(reader, call, service);
  const mask = (one: Call) => maskPayloads(reader, one, contract, visibility);
  return { contract, mask, headline: showHeadline(call, mask(call), contract) };
}
