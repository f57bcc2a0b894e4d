import { type Capability, type ExecutionContext, type Json, ParaphError, type Progress } from "@paraph/core";
import type { ConformanceTest } from "../conformance-test.ts";
import type { CaseAttempt } from "./commands.ts";
import type { CommandValue } from "./record-result.ts";

/** Runs an attempt as the pipeline does: parses the input, runs the code, parses the output. */
export async function runAttempt(
  what: "preview" | "apply" | "probe",
  capability: Capability,
  attempt: CaseAttempt,
  test: ConformanceTest,
  say: (progress: Progress) => void,
  begin: () => void = () => {},
): Promise<CommandValue<unknown>> {
  const input = requireInput(capability, attempt.input);
  const context = createExecutionContext(capability, attempt, test, say);
  begin();
  if (what === "preview") return { value: await capability.preview?.(input, context) };
  if (what === "apply") return toParsedOutput(capability, await capability.apply(input, context));
  const found = await capability.probe?.(input, context);
  if (found?.kind !== "present") return { value: found };
  const { value: output, ...rest } = toParsedOutput(capability, found.output);
  return { value: { kind: "present", output }, ...rest };
}

export function requireInput(capability: Capability, raw: Json): Json {
  const parsed = capability.parseInput(raw);
  if (parsed.kind === "valid") return parsed.value;
  throw new ParaphError("input-invalid", `The input does not match the schema: ${parsed.faults.join("; ")}`);
}

export function createExecutionContext(
  capability: Capability,
  { call, attempt, basis, deadlineMs }: Omit<CaseAttempt, "capability" | "input">,
  test: ConformanceTest,
  progress: ExecutionContext["progress"],
): ExecutionContext {
  return {
    tenant: "conformance",
    principal: { tenant: "conformance", id: "agent", kind: "agent" },
    approvers: [],
    call,
    key: call,
    attempt,
    basis,
    signal: AbortSignal.timeout(deadlineMs ?? capability.contract.timeoutMs),
    credential: createCredentialReader(test),
    progress,
  };
}

/**
 * Creates a function that reads a credential of the conformance test. If the test does not define the credential, the
 * function reads an environment variable, as Paraph does elsewhere. The function reads a variable only for a credential
 * whose name is in capitals.
 */
export function createCredentialReader({
  credentials = {},
}: ConformanceTest): (name: string) => Promise<string> {
  return async (name) => {
    const value = credentials[name] ?? (/^[A-Z][A-Z0-9_]*$/.test(name) ? process.env[name] : undefined);
    if (value !== undefined) return value;
    throw new ParaphError(
      "adapter-invalid",
      `The adapter needs the credential \`${name}\`. Add it to \`credentials\` of the conformance test.`,
    );
  };
}

function toParsedOutput(capability: Capability, raw: unknown): CommandValue<unknown> {
  const parsed = capability.parseOutput(raw);
  return parsed.kind === "valid" ? { value: parsed.value } : { value: raw, unfit: parsed.faults };
}
