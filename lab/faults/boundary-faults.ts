import { appendFileSync } from "node:fs";
import type { Engine, Store } from "@paraph/core";
import type { ParaphOptions } from "@paraph/server";

/**
 * A durable boundary: a call of the store or the engine, an appended message, a recorded webhook delivery, or a claimed
 * or committed poll. A crash can come before or after its write. Every method is wrapped, so that a sweep includes new
 * methods without registration.
 */
export interface BoundaryPoint {
  /** `store.commit ready>performing`, `engine.send`, … */
  readonly boundary: string;
  readonly when: "before" | "after";
}

type OnReach = (point: BoundaryPoint) => Promise<void>;

/**
 * Creates the wrapper that the environment requests. PARAPH_POINTS records the boundaries reached, and PARAPH_ARMED
 * dies at the instructed one.
 */
export function createFaults(environment: NodeJS.ProcessEnv) {
  const { PARAPH_POINTS: record, PARAPH_ARMED: armed } = environment;
  if (record) return wrapDurable(async (point) => appendFileSync(record, `${JSON.stringify(point)}\n`));
  if (armed) return wrapDurable(createCrashHandler());
  return undefined;
}

type DurableParts = Parameters<NonNullable<ParaphOptions["wrapPorts"]>>[0];

function wrapDurable(reach: OnReach) {
  return ({ ports, engine, messageStore, outbox, pollStore }: DurableParts): DurableParts => ({
    ports: { ...ports, store: wrapMethods("store", ports.store, reach) as Store },
    engine: wrapMethods("engine", engine, reach) as Engine,
    messageStore: wrapMethods("thread", messageStore, reach, ["append"]) as DurableParts["messageStore"],
    outbox: wrapMethods("outbox", outbox, reach, ["told", "failed"]) as DurableParts["outbox"],
    pollStore: wrapMethods("pollStore", pollStore, reach, pollWrites) as DurableParts["pollStore"],
  });
}

/** The methods of a poll that write. Only the result of a claim shows whether it claimed anything. */
const pollWrites = ["claim", "commit", "failed"];

/** Wraps every method, or only the named ones, so that `reach` runs before and after it. */
function wrapMethods(name: string, object: object, reach: OnReach, only?: readonly string[]): object {
  return new Proxy(object, {
    get(target, property) {
      const member = Reflect.get(target, property, target);
      if (typeof member !== "function" || only?.includes(String(property)) === false) return member;
      return async (...args: unknown[]) => {
        const boundary = `${name}.${String(property)}${describeArgument(args[0])}`;
        await reach({ boundary, when: "before" });
        const result = await member.apply(target, args);
        await reach({ boundary, when: "after" });
        return result;
      };
    },
  });
}

interface WrittenArgument {
  readonly state?: unknown;
  readonly attempts?: readonly object[];
  /** Present when a step is opened. */
  readonly parent?: object;
  readonly intent?: object;
  readonly ask?: object;
  readonly vote?: object;
  readonly closeRound?: object;
  readonly settle?: object;
  readonly outcome?: { readonly kind: string };
  readonly gate?: { readonly grant?: object; readonly limits: readonly object[] };
  readonly resolution?: { readonly finding: string };
  readonly events?: readonly { readonly kind: string }[];
}

/**
 * The event kinds that distinguish writes which leave the state unchanged, end a call, or continue a plan and its
 * steps.
 */
const recordedKinds = [
  ...["reminded", "escalated", "reassigned", "revealed", "withdrawn"],
  ...["attempted", "approval-inherited", "began", "stepped", "segment-failed", "resumed"],
];

/** Describes the write, because writes to different states and of different kinds are different boundaries. */
function describeArgument(argument: unknown): string {
  const written = (argument ?? {}) as WrittenArgument;
  // The argument is a whole call, which the method only reads.
  if (written.attempts) return "";
  const { state, parent, intent, ask, vote, closeRound, settle, outcome, gate } = written;
  const { resolution, events = [] } = written;
  const parts = [
    typeof state === "string" ? `>${state}` : "",
    parent ? "+step" : "",
    intent ? "+intent" : "",
    ask ? "+ask" : "",
    vote ? "+vote" : "",
    closeRound ? "+round" : "",
    gate?.grant ? "+grant" : "",
    gate && gate.limits.length > 0 ? "+limits" : "",
    settle ? "+settle" : "",
    outcome ? `+${outcome.kind}` : "",
    resolution ? `+${resolution.finding}` : "",
    ...recordedKinds.filter((kind) => events.some((event) => event.kind === kind)).map((kind) => `+${kind}`),
  ];
  return parts.join("");
}

export interface CrashInstruction extends BoundaryPoint {
  /** Kills this process, or asks the controller at this address to kill another victim and waits until it has. */
  readonly victim: "self" | { readonly controller: string };
  /** The process continues and dies this many milliseconds later, in the middle of its next work. */
  readonly afterMs?: number;
}

/** The parent process sends a new instruction for each point, so that it need not restart this process each time. */
function createCrashHandler(): OnReach {
  let stop: CrashInstruction | undefined;
  let dying: NodeJS.Timeout | undefined;
  process.on("message", (told: { stop?: CrashInstruction }) => {
    // A process that finished its work before the delay passed stays alive, because the parent would not replace it.
    clearTimeout(dying);
    stop = told.stop;
    process.send?.("heard");
  });
  return async (point) => {
    if (point.boundary !== stop?.boundary || point.when !== stop.when) return;
    const { victim, afterMs } = stop;
    stop = undefined;
    if (afterMs !== undefined) dying = setTimeout(() => process.kill(process.pid, "SIGKILL"), afterMs);
    else if (victim === "self") process.kill(process.pid, "SIGKILL");
    else await fetch(victim.controller, { method: "POST" });
  };
}
