import type { PlanDeps } from "./plan-notices.ts";

/**
 * Remembers who can be told, for the calls of one batch. A flood asks the same people thousands of times. The answers can
 * be a second old, which is harmless: the rules apply again right before a message leaves.
 */
export function cachePeople({ notices, ports: { clock, store } }: PlanDeps): PlanDeps {
  return {
    notices: { ...notices, listPeople: remember((...of) => notices.listPeople(...of)) },
    ports: { clock, store: { hasOtherPerson: remember((...of) => store.hasOtherPerson(...of)) } },
  };
}

/** Returns a function that asks once for the same arguments. */
function remember<A extends readonly unknown[], R>(ask: (...of: A) => Promise<R>): (...of: A) => Promise<R> {
  const known = new Map<string, Promise<R>>();
  return (...of) => {
    const key = JSON.stringify(of);
    const found = known.get(key) ?? ask(...of);
    known.set(key, found);
    return found;
  };
}
