import { planCapability } from "@paraph/core";
import type { LabClient } from "../lab-client.ts";

const kinds = ["natural", "keyed", "probe", "none"] as const;

/** A call or a plan that waits for people at the moment to which the database is restored. */
export interface WaitingCall {
  readonly key: string;
  readonly capability: string;
  readonly call: string;
  readonly number: number;
  readonly isPlan: boolean;
}

/** Requests calls of every idempotency that wait for an approval, and a plan with a step of each. */
export async function requestWaitingCalls(client: LabClient, perKind: number): Promise<WaitingCall[]> {
  const calls = kinds.flatMap((kind) =>
    Array.from({ length: perKind }, (_, number) => {
      const key = `waiting-${kind}-${number}`;
      return { key, capability: `asked.${kind}`, input: { name: key }, number };
    }),
  );
  const steps = kinds.map((kind) => ({
    id: kind,
    capability: `asked.${kind}`,
    input: { name: `step-${kind}` },
  }));
  const plan = {
    key: "plan",
    capability: planCapability,
    input: { version: 1, onFailure: "continue", steps },
    number: 0,
  };
  return Promise.all(
    [...calls, plan].map(async ({ key, capability, input, number }) => {
      const { call = "" } = await client.call(key, capability, input);
      return { key, capability, call, number, isPlan: capability === planCapability };
    }),
  );
}

/**
 * Requests calls of every idempotency until the loss, with four callers. A caller does not repeat a request after the
 * loss, because a repetition of a lost call is a new call. Returns the number of requests.
 */
export async function loadUntil(lost: Promise<void>, key: string, url: string): Promise<number> {
  let isLost = false;
  let count = 0;
  void lost.then(() => {
    isLost = true;
  });
  const caller = async () => {
    while (!isLost) {
      const number = ++count;
      const body = { capability: `free.${kinds[number % 4]}`, input: { name: `load-${number}` } };
      await fetch(`${url}/v1/calls`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${key}`,
          "content-type": "application/json",
          "idempotency-key": `load-${number}`,
          prefer: "wait=1",
        },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(5_000),
      }).catch(() => {
        // The process was killed.
      });
    }
  };
  await Promise.all(Array.from({ length: 4 }, caller));
  return count;
}
