import { appendFileSync } from "node:fs";
import type { Engine, Store } from "@paraph/core";
import type { ParaphOptions } from "@paraph/server";

/**
 * A durable boundary is a call through the store or the engine, something said on a thread, a webhook's delivery recorded,
 * or a look at the outside world claimed and written: what it writes is what a crash can fall before or after. They are
 * found by wrapping every method, so that a new one is swept without being registered.
 */
export interface BoundaryPoint {
  /** `store.commit ready>performing`, `engine.send`, … */
  readonly boundary: string;
  readonly when: "before" | "after";
}

type OnReach = (point: BoundaryPoint) => Promise<void>;

/** What the environment asks for: PARAPH_POINTS records what was reached, PARAPH_ARMED stops where it is told to. */
export function createFaults(environment: NodeJS.ProcessEnv) {
  const { PARAPH_POINTS: record, PARAPH_ARMED: armed } = environment;
  if (record) return wrapDurable(async (point) => appendFileSync(record, `${JSON.stringify(point)}\n`));
  if (armed) return wrapDurable(createCrashHandler());
  return undefined;
}

type DurableParts = Parameters<NonNullable<ParaphOptions["wrapPorts"]>>[0];

function wrapDurable(reach: OnReach) {
  return ({ ports, engine, messageStore: thread, outbox, perceptions }: DurableParts): DurableParts => ({
    ports: { ...ports, store: wrapMethods("store", ports.store, reach) as Store },
    engine: wrapMethods("engine", engine, reach) as Engine,
    messageStore: wrapMethods("thread", thread, reach, ["append"]) as DurableParts["messageStore"],
    outbox: wrapMethods("outbox", outbox, reach, ["told", "failed"]) as DurableParts["outbox"],
    perceptions: wrapMethods("perceptions", perceptions, reach, pollWrites) as DurableParts["perceptions"],
  });
}

/** What a look writes. A claim may find nothing to claim: that can only be told afterwards. */
const pollWrites = ["claim", "commit", "failed"];

/** The object with every method, or only these, announced before and after. */
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
  /** Of a step that is opened. */
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

/** What is told of a call while it stays where it is, by whom it was ended, and how a plan and its steps go on. */
const recordedKinds = [
  ...["reminded", "escalated", "handed-over", "revealed", "withdrawn"],
  ...["attempted", "covered", "began", "stepped", "segment-failed", "resumed"],
];

/** Writes to different states, and of different things, are different boundaries. */
function describeArgument(argument: unknown): string {
  const written = (argument ?? {}) as WrittenArgument;
  // A whole call, of which something is read.
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
  /** Kill this process, or tell the controller over its address and wait until it has killed something else. */
  readonly victim: "self" | { readonly controller: string };
  /** It goes on, and dies so much later: in the middle of what comes next. */
  readonly afterMs?: number;
}

/** Who started the process says where, as often as it likes, without starting it anew each time. */
function createCrashHandler(): OnReach {
  let stop: CrashInstruction | undefined;
  let dying: NodeJS.Timeout | undefined;
  process.on("message", (told: { stop?: CrashInstruction }) => {
    // One that has done all it had to do before its time was up is let live: nobody would put another in its place.
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
