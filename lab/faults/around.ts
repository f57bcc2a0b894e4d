import { appendFileSync } from "node:fs";
import type { Engine, Store } from "@paraph/core";
import type { ParaphOptions } from "@paraph/server";

/**
 * A durable boundary is a call through the store or the engine, something said on a thread, a webhook's delivery recorded,
 * or a look at the outside world claimed and written: what it writes is what a crash can fall before or after. They are
 * found by wrapping every method, so that a new one is swept without being registered.
 */
export interface Point {
  /** `store.commit ready>performing`, `engine.send`, … */
  readonly boundary: string;
  readonly when: "before" | "after";
}

type Reach = (point: Point) => Promise<void>;

/** What the environment asks for: PARAPH_POINTS records what was reached, PARAPH_ARMED stops where it is told to. */
export function faultsFrom(environment: NodeJS.ProcessEnv) {
  const { PARAPH_POINTS: record, PARAPH_ARMED: armed } = environment;
  if (record) return around(async (point) => appendFileSync(record, `${JSON.stringify(point)}\n`));
  if (armed) return around(stopWhereTold());
  return undefined;
}

type Durable = Parameters<NonNullable<ParaphOptions["around"]>>[0];

function around(reach: Reach) {
  return ({ ports, engine, thread, outbox, perceptions }: Durable): Durable => ({
    ports: { ...ports, store: watched("store", ports.store, reach) as Store },
    engine: watched("engine", engine, reach) as Engine,
    thread: watched("thread", thread, reach, ["append"]) as Durable["thread"],
    outbox: watched("outbox", outbox, reach, ["told", "failed"]) as Durable["outbox"],
    perceptions: watched("perceptions", perceptions, reach, perceptionWrites) as Durable["perceptions"],
  });
}

/** What a look writes. A claim may find nothing to claim: that can only be told afterwards. */
const perceptionWrites = ["claim", "commit", "failed"];

/** The object with every method, or only these, announced before and after. */
function watched(name: string, object: object, reach: Reach, only?: readonly string[]): object {
  return new Proxy(object, {
    get(target, property) {
      const member = Reflect.get(target, property, target);
      if (typeof member !== "function" || only?.includes(String(property)) === false) return member;
      return async (...args: unknown[]) => {
        const boundary = `${name}.${String(property)}${detail(args[0])}`;
        await reach({ boundary, when: "before" });
        const result = await member.apply(target, args);
        await reach({ boundary, when: "after" });
        return result;
      };
    },
  });
}

interface Written {
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
const telling = [
  ...["reminded", "escalated", "handed-over", "revealed", "withdrawn"],
  ...["attempted", "covered", "began", "stepped", "segment-failed", "resumed"],
];

/** Writes to different states, and of different things, are different boundaries. */
function detail(argument: unknown): string {
  const written = (argument ?? {}) as Written;
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
    ...telling.filter((kind) => events.some((event) => event.kind === kind)).map((kind) => `+${kind}`),
  ];
  return parts.join("");
}

export interface Stop extends Point {
  /** Kill this process, or tell the controller over its address and wait until it has killed something else. */
  readonly victim: "self" | { readonly controller: string };
  /** It goes on, and dies so much later: in the middle of what comes next. */
  readonly afterMs?: number;
}

/** Who started the process says where, as often as it likes, without starting it anew each time. */
function stopWhereTold(): Reach {
  let stop: Stop | undefined;
  let dying: NodeJS.Timeout | undefined;
  process.on("message", (told: { stop?: Stop }) => {
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
