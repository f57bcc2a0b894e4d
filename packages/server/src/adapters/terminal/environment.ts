import type { ExecutionContext } from "@paraph/core";
import { Secrets } from "./secrets.ts";

/** What a run is given, and what of it must not come back. */
interface Environment {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: Secrets;
}

const secret = /^\$\{([A-Za-z][A-Za-z0-9_-]*)\}$/;

/** What is configured, with the secrets in their places. */
export async function environmentOf(
  configured: Readonly<Record<string, string>>,
  world: Pick<ExecutionContext, "credential">,
): Promise<Environment> {
  const values = new Map<string, string>();
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(configured)) {
    const [, reference] = secret.exec(value) ?? [];
    env[name] = reference === undefined ? value : await world.credential(reference);
    if (reference !== undefined) values.set(reference, env[name]);
  }
  return { env, secrets: new Secrets(values) };
}

/** What of it is no secret. */
export function plainOf(configured: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(configured).filter(([, value]) => !secret.test(value)));
}
