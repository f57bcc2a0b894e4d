import { withoutSecrets } from "../../outbound/secret.ts";

/** A server may say back what it was given: that is not for the record. */
export function withoutSecretsIn<T>(value: T, secrets: readonly string[]): T {
  if (secrets.length === 0) return value;
  if (typeof value === "string") return withoutSecrets(value, secrets) as T;
  if (Array.isArray(value)) return value.map((each) => withoutSecretsIn(each, secrets)) as T;
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, withoutSecretsIn(each, secrets)]),
  ) as T;
}
