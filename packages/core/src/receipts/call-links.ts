import type { Call, CallRef } from "../call.ts";
import { lastEvent } from "../event.ts";
import { sha256Hex } from "./digest.ts";

/**
 * [TRUST 20] Links each call to calls that this process opened earlier. If a call is deleted, the sealed acceptances of
 * later calls still contain links to it. Processes share no links, so linking never makes one call wait for another.
 */
export class CallLinks {
  /**
   * For each tenant, the links to calls that still need a link from a later call, as far as this process knows. The
   * next call uses the first `maxLinks` of these links.
   */
  readonly #unlinked = new Map<string, string[]>();

  /**
   * Returns the links for a draft. Concurrent drafts get different links. The links stay in the list until a call with
   * them is written, because the draft might never be written.
   */
  next(tenant: string): readonly string[] {
    const waiting = this.#unlinked.get(tenant) ?? [];
    const links = waiting.splice(0, maxLinks);
    waiting.push(...links);
    return links;
  }

  /** Records that a call was written. Later calls link to it, and the calls that it links to need no further link. */
  opened(call: CallRef & Pick<Call, "events">): void {
    const linked = lastEvent(call.events, "accepted")?.data.follows ?? [];
    const waiting = this.#unlinked.get(call.tenant) ?? [];
    const left = waiting.filter((link) => !linked.includes(link));
    this.#unlinked.set(call.tenant, [...left, linkTo(call)]);
  }
}

/**
 * The maximum number of links per call. It is greater than one, so that all calls that were opened concurrently are
 * linked soon.
 */
const maxLinks = 4;

/** Returns the link to a call. The link reveals nothing to a reader who does not know the call's id. */
export function linkTo({ tenant, call }: CallRef): string {
  return sha256Hex(`${tenant}/${call}`).slice(0, 16);
}
