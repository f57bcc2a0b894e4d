import type { CallRef } from "../../call.ts";
import type { Principal } from "../../principal.ts";
import type { NewCall } from "../../store.ts";

const dayMs = 86_400_000;

/** The calls whose results may not have reached the requester, by the request for which they were opened. */
export class ModelUndelivered {
  readonly #calls = new Map<string, CallRef & { readonly at: number }>();

  /** Returns the earlier undelivered call for the same request. If there is none, records this call as undelivered. */
  addUnlessKnown(newCall: NewCall, now: number): CallRef | undefined {
    const { tenant, call, principal, session, requestDigest } = newCall;
    if (!newCall.undelivered || newCall.state === "closed" || session.session === undefined) return undefined;
    const earlier = this.find(principal, session.session, requestDigest, now);
    if (!earlier)
      this.#calls.set(toRequestName(principal, session.session, requestDigest), { tenant, call, at: now });
    return earlier;
  }

  find(principal: Principal, session: string, requestDigest: string, now: number): CallRef | undefined {
    const found = this.#calls.get(toRequestName(principal, session, requestDigest));
    return found && found.at > now - dayMs ? found : undefined;
  }

  markDelivered(tenant: string, calls: readonly string[]): void {
    for (const [name, undelivered] of this.#calls)
      if (undelivered.tenant === tenant && calls.includes(undelivered.call)) this.#calls.delete(name);
  }
}

const toRequestName = ({ tenant, id }: Principal, session: string, requestDigest: string) =>
  JSON.stringify([tenant, id, session, requestDigest]);
