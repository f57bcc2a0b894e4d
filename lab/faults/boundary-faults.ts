import { appendFileSync } from "node:fs";
import type { Engine, Store } from "@paraph/core";
import type { ParaphOptions } from "@paraph/server";

/**
 * A durable boundary: a call to the store or the engine, an appended message, a recorded webhook delivery, a notice, a
 * reply, a request by mail, or a poll that claims or commits. A crash can come before or after the write. Every method of the store and the engine is
 * wrapped, so that a sweep includes new methods automatically.
 */
export interface BoundaryPoint {
  /** `store.commit ready>performing`, `engine.send`, … */
  readonly boundary: string;
  readonly when: "before" | "after";
}

type OnReach = (point: BoundaryPoint) => Promise<void>;

/**
 * Creates the wrapper that the environment requests. With PARAPH_POINTS, the process records the boundaries that it
 * reaches. With PARAPH_ARMED, the process dies at the boundary that it is instructed to die at.
 */
export function createFaults(environment: NodeJS.ProcessEnv) {
  const { PARAPH_POINTS: record, PARAPH_ARMED: armed } = environment;
  if (record) return wrapDurable(async (point) => appendFileSync(record, `${JSON.stringify(point)}\n`));
  if (armed) return wrapDurable(createCrashHandler());
  return undefined;
}

type DurableParts = Parameters<NonNullable<ParaphOptions["wrapPorts"]>>[0];

function wrapDurable(reach: OnReach) {
  return ({
    ports,
    engine,
    messageStore,
    outbox,
    notices,
    replies,
    mailRequests,
    pollStore,
  }: DurableParts): DurableParts => ({
    ports: { ...ports, store: wrapMethods("store", ports.store, reach) as Store },
    engine: wrapMethods("engine", engine, reach) as Engine,
    messageStore: wrapMethods("thread", messageStore, reach, ["append"]) as DurableParts["messageStore"],
    outbox: wrapMethods("outbox", outbox, reach, outboxWrites) as DurableParts["outbox"],
    notices: wrapMethods("notices", notices, reach, noticeWrites) as DurableParts["notices"],
    replies: wrapMethods("replies", replies, reach, replyWrites) as DurableParts["replies"],
    mailRequests: wrapMethods(
      "mailRequests",
      mailRequests,
      reach,
      mailRequestWrites,
    ) as DurableParts["mailRequests"],
    pollStore: wrapMethods("pollStore", pollStore, reach, pollWrites) as DurableParts["pollStore"],
  });
}

/** The methods of the outbox that write. */
const outboxWrites = ["told", "failed", "isFlood"];

/** The methods of the record of notices that write. */
const noticeWrites = ["plan", "coalesce", "postpone", "beginAttempt", "endAttempt", "hold"];

/** The methods of the record of replies that write. */
const replyWrites = ["createToken", "take", "end", "beginAnswer", "markAnswered", "setPlace"];

/** The methods of the record of requests by mail that write. */
const mailRequestWrites = [
  ...["open", "recordMeaning", "beginRound", "recordCall", "openUndo", "close"],
  ...["beginAttempt", "createToken", "markSent"],
];

/**
 * The methods of the poll store that write. A claim counts as a write, because only its result shows whether it claimed
 * anything.
 */
const pollWrites = ["claim", "commit", "failed"];

/** Wraps every method, or only the named ones, so that `reach` runs before and after it. */
function wrapMethods(name: string, object: object, reach: OnReach, only?: readonly string[]): object {
  return new Proxy(object, {
    get(target, property) {
      const member = Reflect.get(target, property, target);
      if (typeof member !== "function" || only?.includes(String(property)) === false) return member;
      return async (...args: unknown[]) => {
        // The record of notices receives what it writes as its last argument.
        const written = name === "notices" ? args.at(-1) : args[0];
        const boundary = `${name}.${String(property)}${describeArgument(written)}`;
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
  /** Present if the write opens a step of a plan. */
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
 * The event kinds that distinguish writes with otherwise equal descriptions. Such writes leave the state unchanged, end
 * a call, or continue a plan and its steps.
 */
const recordedKinds = [
  ...["reminded", "escalated", "reassigned", "acknowledged", "revealed", "withdrawn"],
  ...["attempted", "approval-inherited", "began", "stepped", "segment-failed", "resumed"],
];

/** Describes a write. Writes to different states and of different kinds are different boundaries. */
function describeArgument(argument: unknown): string {
  if (Array.isArray(argument)) return describeNotices(argument);
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

/** Describes planned notices by their kinds. */
function describeNotices(
  plans: readonly { readonly notices?: readonly { readonly kind: string }[] }[],
): string {
  const kinds = new Set(plans.flatMap(({ notices = [] }) => notices.map(({ kind }) => kind)));
  return [...kinds].map((kind) => `+${kind}`).join("");
}

export interface CrashInstruction extends BoundaryPoint {
  /**
   * The victim: this process itself, or another victim that the controller at this address kills. In the second case
   * this process waits until the controller responds.
   */
  readonly victim: "self" | { readonly controller: string };
  /**
   * The delay in milliseconds. The process continues after the boundary and dies this much later, during its next work.
   */
  readonly afterMs?: number;
}

/**
 * Creates the handler that crashes at the instructed boundary. The parent process sends a new instruction for each
 * point, so that it need not restart this process for each point.
 */
function createCrashHandler(): OnReach {
  let stop: CrashInstruction | undefined;
  let dying: NodeJS.Timeout | undefined;
  process.on("message", (told: { stop?: CrashInstruction }) => {
    // If the process has finished its work before the delay ends, it must stay alive, because the parent would not
    // replace it.
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
