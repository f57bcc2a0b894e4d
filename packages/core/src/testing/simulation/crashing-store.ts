import type { Store } from "../../store.ts";
import type { ProcessStore } from "../model/model-store.ts";

/** The fate of one store operation: it goes on, its process dies, or the connection fails. */
export type BoundaryFate = "go" | "crash" | "fail";

/** One point before or after a store operation at which a fault can occur. */
export interface StoreBoundary {
  readonly operation: keyof Store;
  /** The moment of the fault: before the transaction, or after its commit but before the process knows the result. */
  readonly moment: "before" | "after";
}

/**
 * The error of a store operation while the database is unavailable. The caller cannot know whether the operation took
 * effect.
 */
export class StoreUnavailable extends Error {
  constructor() {
    super("the store is away");
    this.name = "StoreAway";
  }
}

/**
 * Creates a store whose process can die at any boundary. The operation at which the process dies never returns, as
 * after a kill. Every other use of the dead process's handle is rejected.
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
    countDenials: guarded("countDenials", store.countDenials),
    supersede: guarded("supersede", store.supersede),
    resolve: guarded("resolve", store.resolve),
    findDuplicate: guarded("findDuplicate", store.findDuplicate),
    markDelivered: guarded("markDelivered", store.markDelivered),
    delegationsTo: guarded("delegationsTo", store.delegationsTo),
    children: guarded("children", store.children),
  };
}

/** Returns a promise that never resolves, for code of a dead process. */
export function waitForever(): Promise<never> {
  return new Promise(() => {});
}
