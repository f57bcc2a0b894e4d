import type { Call, CallRef } from "../call.ts";
import { lastEvent } from "../event.ts";
import { sha256Hex } from "./digest.ts";

/**
 * [TRUST 20] Links each call to calls that this process opened before it. A deleted call leaves links to it in the
 * acceptances of later calls, which are sealed. Processes share nothing, so linking makes no call wait for another.
 */
export class CallLinks {
  /** Per tenant, calls that no later call is known to link to, the next to link first. */
  readonly #unlinked = new Map<string, string[]>();

  /** The links for a draft. Drafts made at the same time get different ones, and a draft may come to nothing. */
  next(tenant: string): readonly string[] {
    const waiting = this.#unlinked.get(tenant) ?? [];
    const links = waiting.splice(0, maxLinks);
    waiting.push(...links);
    return links;
  }

  /** The call was written: later calls link to it, and what it links to has its link. */
  opened(call: CallRef & Pick<Call, "events">): void {
    const linked = lastEvent(call.events, "accepted")?.data.follows ?? [];
    const waiting = this.#unlinked.get(call.tenant) ?? [];
    const left = waiting.filter((link) => !linked.includes(link));
    this.#unlinked.set(call.tenant, [...left, linkTo(call)]);
  }
}

/** More than one, so that calls opened side by side all get their link soon. */
const maxLinks = 4;

/** Tells nothing about a call to a reader who does not know its id. */
export function linkTo({ tenant, call }: CallRef): string {
  return sha256Hex(`${tenant}/${call}`).slice(0, 16);
}
