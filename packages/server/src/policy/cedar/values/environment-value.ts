import type { CedarValueJson } from "@cedar-policy/cedar-wasm/nodejs";
import type { Environment } from "@paraph/core";

export const environmentNames = [
  "at",
  /** 0 to 23, and 1 (Monday) to 7, both in UTC. */
  "hour",
  "weekday",
  "callsLastHour",
  "callsLastDay",
  "deniedLastHour",
  "spentToday",
] as const;

/** The environment as Cedar may see it. One that is not there, or not of whole numbers, is a fault. */
export function toEnvironmentValue(env: Environment | undefined, faults: string[]): CedarValueJson {
  if (env === undefined) {
    faults.push("env-missing");
    return null;
  }
  const { at, callsLastHour, callsLastDay, deniedLastHour, spentToday } = env;
  const moment = new Date(at);
  // `Date` counts days from Sunday as 0.
  const [hour, weekday] = [moment.getUTCHours(), moment.getUTCDay() || 7];
  const value = { at, hour, weekday, callsLastHour, callsLastDay, deniedLastHour, spentToday };
  const unfit = environmentNames.filter((name) => !Number.isSafeInteger(value[name]));
  faults.push(...unfit.map((name) => `env-unfit:env.${name}`));
  return value;
}
