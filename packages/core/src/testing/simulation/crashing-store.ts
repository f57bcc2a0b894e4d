import type { Store } from "../../ports.ts";
import type { ProcessStore } from "../model/model-store.ts";

/** What becomes of one use of the store: it goes on, its process dies, or the connection fails. */
export type BoundaryFate = "go" | "crash" | "fail";

export interface StoreBoundary {
  readonly operation: keyof Store;
  /** Before the transaction, or after it is committed and before its result is known to the process. */
  readonly moment: "before" | "after";
}

/** The database was away: what the operation did, if anything, the caller cannot tell. */
export class StoreUnavailable extends Error {
  constructor() {
    super("the store is away");
    this.name = "StoreAway";
  }
}

/**
 * A store whose process can die at any boundary. A dead process's segment is abandoned: what it waits for
 * never comes, as after a kill, and whatever else of it uses the handle is refused.
 */
export function createCrashingStore(
  store: ProcessStore,
  fateOf: (boundary: StoreBoundary) => BoundaryFate | Promise<BoundaryFate>,
  onCrash: () => void = () => {},
): Store {
  const meet = async (operation: keyof Store, moment: StoreBoundary["moment"]): Promise<void> => {
    const fate = await fateOf({ operation, moment });
    if (fate === "go") return;
    if (fate === "fail") throw new StoreUnavailable();
    store.die();
    onCrash();
    await waitForever();
  };
  const guarded =
    <A extends unknown[], R>(operation: keyof Store, body: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      await meet(operation, "before");
      const result = await body(...given);
      await meet(operation, "after");
      return result;
    };
  return {
    load: guarded("load", store.load),
    begin: guarded("begin", store.begin),
    findByKey: guarded("findByKey", store.findByKey),
    findByApproval: guarded("findByApproval", store.findByApproval),
    open: guarded("open", store.open),
    lock: guarded("lock", store.lock),
    commit: guarded("commit", store.commit),
    hasOtherPerson: guarded("hasOtherPerson", store.hasOtherPerson),
    grants: guarded("grants", store.grants),
    usage: guarded("usage", store.usage),
    supersede: guarded("supersede", store.supersede),
    resolve: guarded("resolve", store.resolve),
    findDuplicate: guarded("findDuplicate", store.findDuplicate),
    markDelivered: guarded("markDelivered", store.markDelivered),
    delegationsTo: guarded("delegationsTo", store.delegationsTo),
    children: guarded("children", store.children),
  };
}

/** What a dead process waits for. */
export function waitForever(): Promise<never> {
  return new Promise(() => {});
}
