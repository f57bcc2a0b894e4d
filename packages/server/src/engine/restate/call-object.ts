import { type CallRef, maxTimeoutMs, type Wake } from "@paraph/core";
import * as restate from "@restatedev/restate-sdk";

/**
 * The object name and the key that identify a call in the engine. The key starts with the tenant, so that calls can be
 * distributed by tenant.
 */
export const objectName = "call";
export const toCallKey = ({ tenant, call }: CallRef): string => `${tenant}/${call}`;

export interface AdvanceMessage {
  readonly epoch: number;
}

/**
 * Creates the Restate object of a call. One message runs one segment, and one segment is one journal entry. The journal
 * holds only ids and numbers. If a segment fails, the engine records only the code of the error [P10].
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
 * The retries and the timeout of the handler. Retries are quick, because the calls of a dead worker wait for them.
 * After the last retry the engine kills the message instead of pausing it, because a paused message would block its
 * call. The sweeper then repeats the message. The abort timeout is longer than the longest attempt and its write.
 * Otherwise the engine would start a healthy attempt a second time.
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

/**
 * Parses the key of a call. Returns undefined if the key has another form, because every client of the ingress can send
 * any key. Control characters are not allowed, because PostgreSQL rejects NUL.
 */
function parseCallKey(key: string): CallRef | undefined {
  const [, tenant, call] = /^([^/\p{Cc}]{1,255})\/([^/\p{Cc}]{1,255})$/u.exec(key) ?? [];
  return tenant !== undefined && call !== undefined ? { tenant, call } : undefined;
}
