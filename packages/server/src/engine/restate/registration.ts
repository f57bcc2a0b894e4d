import { createEngineAdmin, type Deployment, type Registration } from "./engine-admin.ts";

export interface WorkerRegistrationOptions {
  readonly adminUrl: string;
  readonly workerUrl: string;
  /** Tells the database where this worker is, or that it serves no more, and returns where all live workers are. */
  readonly announce: (workerUrl: string | undefined) => Promise<readonly string[]>;
  /** `engine-registration-…`: what was found and repaired, or what could not be looked at. */
  readonly onProblem: (code: RegistrationProblem) => void;
  readonly everyMs?: number;
}

export type RegistrationProblem =
  | "engine-registration-away"
  | "engine-registration-forgotten"
  | "engine-registration-foreign"
  | "engine-registration-changed";

export interface WorkerRegistration {
  /** Throws unless the last look found that segments go to a live worker of ours. */
  requireOurs(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * [TRUST 26] Registers the worker, and looks every second whether segments still go to a live worker of ours with our settings.
 * Whoever reaches the engine's admin port can register another service in our place, and an engine can lose its disk. What is
 * not ours is replaced and removed together with the messages that it holds; the sweeper repeats them.
 *
 * Resolves after the first look, whether or not the engine answered: a process can serve callers without it.
 */
export async function keepWorkerRegistered(options: WorkerRegistrationOptions): Promise<WorkerRegistration> {
  const { workerUrl, announce, onProblem, everyMs = 1_000 } = options;
  const admin = createEngineAdmin(options.adminUrl);
  let settings: string | undefined;
  let isOurs = false;

  const look = async () => {
    const live = new Set((await announce(workerUrl)).map(normalizeUrl));
    const foreign = ({ url }: Deployment) => url === undefined || !live.has(normalizeUrl(url));
    // Other code may run at this address than the engine knows, so a process registers once in any case.
    const found = settings === undefined ? undefined : await admin.registration();
    const problem = found && findRegistrationProblem(found, foreign, settings!);
    if (problem) onProblem(problem);
    if (!found || problem) settings = await admin.register(workerUrl);
    const { deployments } = found && !problem ? found : await admin.registration();
    for (const deployment of deployments.filter(foreign)) await admin.remove(deployment);
    isOurs = true;
  };

  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  let looking = Promise.resolve();
  const next = () => {
    looking = look()
      .catch(() => {
        isOurs = false;
        onProblem("engine-registration-away");
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
      // Other workers take over at once instead of after the drain.
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
