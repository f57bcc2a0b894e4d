import type { CedarValueJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { Environment } from "@paraph/core";

export const environmentNames = [
  "at",
  /** `hour` is 0 to 23, and `weekday` is 1 (Monday) to 7. Both are in UTC. */
  "hour",
  "weekday",
  "callsLastHour",
  "callsLastDay",
  "deniedLastHour",
  "spentToday",
] as const;

/**
 * Returns the environment as a Cedar value. A missing environment, or one with a value that is not a whole number, is a
 * fault.
 */
export function toEnvironmentValue(env: Environment | undefined, faults: string[]): CedarValueJson {
  if (env === undefined) {
    faults.push("env-missing");
    return null;
  }
  const { at, callsLastHour, callsLastDay, deniedLastHour, spentToday } = env;
  const moment = new Date(at);
  // `Date` counts Sunday as 0.
  const [hour, weekday] = [moment.getUTCHours(), moment.getUTCDay() || 7];
  const value = { at, hour, weekday, callsLastHour, callsLastDay, deniedLastHour, spentToday };
  const unfit = environmentNames.filter((name) => !Number.isSafeInteger(value[name]));
  faults.push(...unfit.map((name) => `env-unfit:env.${name}`));
  return value;
}
