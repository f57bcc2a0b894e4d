import type { ProcessEngine } from "../segment-server.ts";
import { createRestateEngine } from "./engine.ts";
import { keepWorkerRegistered, type RegistrationProblem } from "./registration.ts";
import { startWorker } from "./worker.ts";

/** The addresses and keys of a Restate server or cluster. */
export interface RestateAddress {
  readonly ingressUrl: string;
  readonly adminUrl: string;
  readonly publicKeys: readonly string[];
}

/** Options of `createRestateProcessEngine`. */
export interface RestateProcessEngineOptions {
  readonly restate: RestateAddress;
  /** The address at which this process serves segments to Restate. */
  readonly worker: { readonly host?: string; readonly port?: number; readonly url?: string };
  readonly now: () => number;
  /** Returns the code of an error. Restate may record only this code. */
  readonly codeOf: (error: unknown) => string;
  /** See `WorkerRegistrationOptions`. */
  readonly announce: (workerUrl: string | undefined) => Promise<readonly string[]>;
  readonly onProblem: (code: RegistrationProblem) => void;
  readonly log: (level: "warn" | "error", code: string) => void;
}

/** Creates the engine that delivers messages through Restate, which sends each segment to a registered worker. */
export function createRestateProcessEngine(options: RestateProcessEngineOptions): ProcessEngine {
  const { restate, worker: address, announce, now } = options;
  const engine = createRestateEngine(restate.ingressUrl, now);
  const checks: Record<string, (signal: AbortSignal) => Promise<void>> = { engine: engine.requireHealthy };
  return {
    send: engine.send,
    async serve(runSegment) {
      const worker = await startWorker({
        runSegment,
        now,
        identityKeys: restate.publicKeys,
        codeOf: options.codeOf,
        ...(address.host !== undefined && { host: address.host }),
        ...(address.port !== undefined && { port: address.port }),
        log: options.log,
      });
      const registration = await keepWorkerRegistered({
        adminUrl: restate.adminUrl,
        workerUrl: address.url ?? worker.url,
        announce,
        onProblem: options.onProblem,
      });
      checks.workers = registration.requireOurs;
      return {
        retire: worker.retire,
        // Restate queues what the workers cannot take.
        room: () => Number.POSITIVE_INFINITY,
        leave: registration.stop,
        stop: worker.stop,
      };
    },
    checks,
    close: engine.close,
  };
}
