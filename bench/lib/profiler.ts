import { Session } from "node:inspector";

export const samplingMs = 0.5;

/** Where this process spends its time between `start` and `stop`, sampled by V8. */
export class Profiler {
  #session: Session | undefined;

  start(): void {
    this.#session = new Session();
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.setSamplingInterval", { interval: samplingMs * 1_000 });
    this.#session.post("Profiler.start");
  }

  /** In V8's own form, for Chrome's developer tools. Calls without I/O are answered before `post` returns. */
  stop(): object {
    let profile: object = {};
    this.#session?.post("Profiler.stop", (_, result) => {
      profile = result?.profile ?? {};
    });
    this.#session?.disconnect();
    return profile;
  }
}
