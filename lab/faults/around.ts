import { appendFileSync } from "node:fs";
import type { Engine, Ports, Store } from "@paraph/core";

/**
 * A durable boundary is a call through the store or the engine: what it writes is what a crash can fall before or
 * after. They are found by wrapping every method, so that a new one is swept without being registered.
 */
export interface Point {
  /** `store.commit ready>performing`, `engine.send`, … */
  readonly boundary: string;
  readonly when: "before" | "after";
}

type Reach = (point: Point) => Promise<void>;

/** What the environment asks for: PARAPH_POINTS records what was reached, PARAPH_FAULT stops there. */
export function faultsFrom(environment: NodeJS.ProcessEnv) {
  const { PARAPH_POINTS: record, PARAPH_FAULT: fault } = environment;
  if (record) return around(async (point) => appendFileSync(record, `${JSON.stringify(point)}\n`));
  if (fault) return around(stopAt(JSON.parse(fault)));
  return undefined;
}

function around(reach: Reach) {
  return ({ ports, engine }: { ports: Ports; engine: Engine }) => ({
    ports: { ...ports, store: watched("store", ports.store, reach) as Store },
    engine: watched("engine", engine, reach) as Engine,
  });
}

/** The object with every method announced before and after. */
function watched(name: string, object: object, reach: Reach): object {
  return new Proxy(object, {
    get(target, property) {
      const member = Reflect.get(target, property, target);
      if (typeof member !== "function") return member;
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
  readonly intent?: object;
  readonly ask?: object;
  readonly vote?: object;
  readonly closeRound?: object;
  readonly settle?: object;
  readonly outcome?: { readonly kind: string };
  readonly gate?: { readonly grant?: object; readonly limits: readonly object[] };
}

/** Writes to different states, and of different things, are different boundaries. */
function detail(argument: unknown): string {
  const { state, intent, ask, vote, closeRound, settle, outcome, gate } = (argument ?? {}) as Written;
  const parts = [
    typeof state === "string" ? `>${state}` : "",
    intent ? "+intent" : "",
    ask ? "+ask" : "",
    vote ? "+vote" : "",
    closeRound ? "+round" : "",
    gate?.grant ? "+grant" : "",
    gate && gate.limits.length > 0 ? "+limits" : "",
    settle ? "+settle" : "",
    outcome ? `+${outcome.kind}` : "",
  ];
  return parts.join("");
}

interface Stop extends Point {
  /** Let it pass this many times first. */
  readonly skip: number;
  /** Kill this process, or tell the controller over its address and wait until it has killed something else. */
  readonly victim: "self" | { readonly controller: string };
}

function stopAt(stop: Stop): Reach {
  let left = stop.skip;
  let done = false;
  return async (point) => {
    if (done || point.boundary !== stop.boundary || point.when !== stop.when || left-- > 0) return;
    done = true;
    if (stop.victim === "self") process.kill(process.pid, "SIGKILL");
    else await fetch(stop.victim.controller, { method: "POST" });
  };
}
