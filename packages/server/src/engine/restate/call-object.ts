import { type CallRef, maxTimeoutMs, type Wake } from "@paraph/core";
import * as restate from "@restatedev/restate-sdk";

/** The engine's name for a call: the tenant comes first, so that a cell can be chosen by the key's prefix. */
export const objectName = "call";
export const toCallKey = ({ tenant, call }: CallRef): string => `${tenant}/${call}`;

export interface AdvanceMessage {
  readonly epoch: number;
}

/**
 * A call as an actor: one message runs one segment, one segment is one journal entry. What is journalled is
 * ids and numbers; what a segment throws is replaced by a code before the engine can write it down [P10].
 */
export function createCallObject(
  segment: (ref: CallRef) => Promise<readonly Wake[]>,
  now: () => number,
  codeOf: (error: unknown) => string,
) {
  const advance = async (ctx: restate.ObjectContext, _message: AdvanceMessage): Promise<void> => {
    const ref = parseCallKey(ctx.key);
    if (ref === undefined) return;
    const sends = await ctx.run("segment", async () => {
      try {
        return (await segment(ref)).map((wake) => toDelayedSend(wake, now()));
      } catch (error) {
        throw new Error(`segment failed: ${codeOf(error)}`);
      }
    });
    for (const { key, epoch, delay } of sends) {
      ctx.genericSend({
        service: objectName,
        method: "advance",
        key,
        parameter: { epoch },
        inputSerde: restate.serde.json as restate.Serde<AdvanceMessage>,
        ...(delay > 0 && { delay }),
      });
    }
  };
  return restate.object({
    name: objectName,
    handlers: { advance: restate.handlers.object.exclusive(handlerOptions, advance) },
  });
}

/**
 * Retries are quick, because a dead worker's calls wait for them, and they end: a message the engine gives up is
 * repeated by the sweeper, while one it paused would block the call. The abort timeout outlasts the longest
 * attempt and its write, or a healthy attempt would be started a second time beside itself.
 */
const handlerOptions = {
  retryPolicy: {
    initialInterval: 50,
    exponentiationFactor: 2,
    maxInterval: 1_000,
    maxAttempts: 30,
    onMaxAttempts: "kill" as const,
  },
  abortTimeout: maxTimeoutMs + 6 * 60_000,
  journalRetention: 0,
};

const toDelayedSend = (wake: Wake, now: number) => ({
  key: toCallKey(wake),
  epoch: wake.epoch,
  delay: wake.at === undefined ? 0 : Math.max(0, wake.at - now),
});

/** Undefined for a key that names no call: whoever reaches the ingress can send any, and PostgreSQL accepts no NUL. */
function parseCallKey(key: string): CallRef | undefined {
  const [, tenant, call] = /^([^/\p{Cc}]{1,255})\/([^/\p{Cc}]{1,255})$/u.exec(key) ?? [];
  return tenant !== undefined && call !== undefined ? { tenant, call } : undefined;
}
