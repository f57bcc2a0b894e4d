import type { ExecutionContext } from "@paraph/core";
import { SecretRedactor } from "./secrets.ts";

/** The environment of a run, and the secrets in it that must not appear in the output. */
interface RunEnvironment {
  readonly env: Readonly<Record<string, string>>;
  readonly secrets: SecretRedactor;
}

const secretPattern = /^\$\{([A-Za-z][A-Za-z0-9_-]*)\}$/;

/** Returns the configured environment with the values of its secrets. */
export async function readRunEnvironment(
  configured: Readonly<Record<string, string>>,
  world: Pick<ExecutionContext, "credential">,
): Promise<RunEnvironment> {
  const values = new Map<string, string>();
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(configured)) {
    const [, reference] = secretPattern.exec(value) ?? [];
    env[name] = reference === undefined ? value : await world.credential(reference);
    if (reference !== undefined) values.set(reference, env[name]);
  }
  return { env, secrets: new SecretRedactor(values) };
}

/** Returns the configured environment without its secrets. */
export function omitSecrets(configured: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(configured).filter(([, value]) => !secretPattern.test(value)));
}
