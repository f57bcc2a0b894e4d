import type { Adapter, Capability, ExecutionContext, Health, Json } from "@paraph/core";
import { parseTestInput } from "../../testing.ts";

/** An open adapter for tests. It finds capabilities by the last part of their names. */
export interface TestAdapter extends AsyncDisposable {
  readonly names: readonly string[];
  capability(verb: string): Capability;
  health(): Promise<Health>;
  /**
   * Performs a capability as the pipeline does: parses the input, previews if there is a preview, applies, parses the
   * output.
   */
  // biome-ignore lint/suspicious/noExplicitAny: tests read the output's fields by name.
  perform(verb: string, input: Json, over?: Partial<ExecutionContext>): Promise<any>;
}

export async function openTestAdapter(
  adapter: Adapter,
  folder = "/",
  secrets: Record<string, string> = {},
): Promise<TestAdapter> {
  const credential = async (name: string) => secrets[name] ?? Promise.reject(new Error(`no ${name} here`));
  const signal = new AbortController().signal;
  const open = await adapter.open({ name: "api", folder, signal, credential, announceChange: () => {} });
  const capabilities = new Map(
    (await open.capabilities()).map((each) => [each.contract.name.slice("api.".length), each]),
  );
  const capability = (verb: string): Capability => {
    const found = capabilities.get(verb);
    if (!found) throw new Error(`There is no ${verb}.`);
    return found;
  };
  return {
    names: [...capabilities.keys()],
    capability,
    health: async () => (await open.health?.(signal)) ?? { kind: "well" },
    async perform(verb, raw, over = {}) {
      const used = capability(verb);
      const input = parseTestInput(used, raw);
      const world = (more: object) => ({ ...createCredentialContext(credential), ...over, ...more });
      const basis = "basis" in over ? over.basis : (await used.preview?.(input, world({})))?.basis;
      const output = used.parseOutput(await used.apply(input, world({ basis })));
      if (output.kind === "invalid") throw new Error(output.faults.join("; "));
      return output.value;
    },
    [Symbol.asyncDispose]: async () => open.close?.(),
  };
}

export function createCredentialContext(credential: ExecutionContext["credential"]): ExecutionContext {
  return {
    tenant: "acme",
    principal: { tenant: "acme", id: "agent", kind: "agent" },
    approvers: [],
    call: "0198c0de-call",
    key: "0198c0de-call",
    attempt: 1,
    basis: undefined,
    signal: AbortSignal.timeout(60_000),
    credential,
    progress: () => {},
  };
}
