import { createEngineAdmin, type Deployment, type Registration } from "./engine-admin.ts";

export interface WorkerRegistrationOptions {
  readonly adminUrl: string;
  readonly workerUrl: string;
  /**
   * Records the address of this worker in the database. Undefined means that the worker no longer serves. Returns the
   * addresses of all live workers.
   */
  readonly announce: (workerUrl: string | undefined) => Promise<readonly string[]>;
  /** Reports a problem that was found and repaired, or a check that failed. */
  readonly onProblem: (code: RegistrationProblem) => void;
  readonly everyMs?: number;
}

/** A problem with the registration at the engine. */
export type RegistrationProblem =
  | "engine-registration-unavailable"
  | "engine-registration-forgotten"
  | "engine-registration-foreign"
  | "engine-registration-changed";

/** The registration of this worker at the engine. */
export interface WorkerRegistration {
  /** Throws unless the last check found that segments go to a live worker of this deployment. */
  requireOurs(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * [TRUST 26] Registers the worker, and checks every second whether segments still go to a live worker of this
 * deployment with its settings. Every client of the engine's admin port can register another service in its place, and
 * an engine can lose its disk. Foreign deployments are replaced, then removed together with the messages that they
 * hold. The sweeper repeats those messages.
 *
 * Resolves after the first check, even if the engine did not answer, because a process can serve callers without it.
 */
export async function keepWorkerRegistered(options: WorkerRegistrationOptions): Promise<WorkerRegistration> {
  const { workerUrl, announce, onProblem, everyMs = 1_000 } = options;
  const admin = createEngineAdmin(options.adminUrl);
  let settings: string | undefined;
  let isOurs = false;

  const look = async () => {
    // A worker announces its address before it registers. The addresses are therefore read after the registration.
    // Otherwise, a worker that starts between the two reads would count as foreign.
    const [reading] = await Promise.allSettled([admin.registration()]);
    const live = new Set((await announce(workerUrl)).map(normalizeUrl));
    if (reading.status === "rejected") throw reading.reason;
    const registered = reading.value;
    const foreign = ({ url }: Deployment) => url === undefined || !live.has(normalizeUrl(url));
    // Each process registers at its first check, because the engine may still have a registration of different code at
    // this address.
    const found = settings === undefined ? undefined : registered;
    const problem = found && findRegistrationProblem(found, foreign, settings!);
    if (problem) onProblem(problem);
    if (!found || problem) settings = await admin.register(workerUrl);
    for (const deployment of registered.deployments.filter(foreign)) await admin.remove(deployment);
    isOurs = true;
  };

  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const next = () => {
    looking = look()
      .catch(() => {
        isOurs = false;
        onProblem("engine-registration-unavailable");
      })
      .then(() => {
        if (!stopped) timer = setTimeout(next, everyMs).unref();
      });
  };
  next();
  await looking;
  return {
    async requireOurs() {
      if (!isOurs) throw new Error("The engine does not send segments to this deployment's workers.");
    },
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await looking;
      // After this announcement, other workers take over immediately and do not wait for the drain.
      await announce(undefined).catch(() => {});
      await admin.close();
    },
  };
}

function findRegistrationProblem(
  { current, settings }: Registration,
  foreign: (deployment: Deployment) => boolean,
  expected: string,
): RegistrationProblem | undefined {
  if (current === undefined) return "engine-registration-forgotten";
  if (foreign(current)) return "engine-registration-foreign";
  return settings === expected ? undefined : "engine-registration-changed";
}

const normalizeUrl = (url: string): string => (URL.canParse(url) ? new URL(url).href : url);
