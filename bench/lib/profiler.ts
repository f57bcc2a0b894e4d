import { Session } from "node:inspector";

export const samplingMs = 0.5;

/** A V8 sampling profiler of this process between `start` and `stop`. */
export class Profiler {
  #session: Session | undefined;

  start(): void {
    this.#session = new Session();
    this.#session.connect();
    this.#session.post("Profiler.enable");
    this.#session.post("Profiler.setSamplingInterval", { interval: samplingMs * 1_000 });
    this.#session.post("Profiler.start");
  }

  /**
   * Returns the profile in V8's format, for Chrome's developer tools. V8 needs no I/O for this, so its callback runs
   * before `post` returns.
   */
  stop(): object {
    let profile: object = {};
    this.#session?.post("Profiler.stop", (_, result) => {
      profile = result?.profile ?? {};
    });
    this.#session?.disconnect();
    return profile;
  }
}
