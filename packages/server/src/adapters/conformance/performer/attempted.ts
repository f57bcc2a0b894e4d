import { type Capability, type ExecutionContext, type Json, ParaphError, type Progress } from "@paraph/core";
import type { Trial } from "../trial.ts";
import type { Done } from "./observed.ts";
import type { Attempt } from "./order.ts";

/** As the pipeline does it: input through the schema, then the code, then its output through the schema. */
export async function attempted(
  what: "preview" | "apply" | "probe",
  capability: Capability,
  attempt: Attempt,
  trial: Trial,
  say: (said: Progress) => void,
  begin: () => void = () => {},
): Promise<Done<unknown>> {
  const input = parsedInput(capability, attempt.input);
  const world = worldOf(capability, attempt, trial, say);
  begin();
  if (what === "preview") return { value: await capability.preview?.(input, world) };
  if (what === "apply") return fitted(capability, await capability.apply(input, world));
  const found = await capability.probe?.(input, world);
  if (found?.kind !== "present") return { value: found };
  const { value: output, ...rest } = fitted(capability, found.output);
  return { value: { kind: "present", output }, ...rest };
}

export function parsedInput(capability: Capability, raw: Json): Json {
  const parsed = capability.parseInput(raw);
  if (parsed.kind === "valid") return parsed.value;
  throw new ParaphError("input-invalid", `Its schema refuses the input: ${parsed.faults.join("; ")}`);
}

export function worldOf(
  capability: Capability,
  { call, attempt, basis, deadlineMs }: Omit<Attempt, "capability" | "input">,
  trial: Trial,
  progress: ExecutionContext["progress"],
): ExecutionContext {
  return {
    tenant: "trial",
    principal: { tenant: "trial", id: "agent", kind: "agent" },
    approvers: [],
    call,
    key: call,
    attempt,
    basis,
    signal: AbortSignal.timeout(deadlineMs ?? capability.contract.timeoutMs),
    credential: credentialOf(trial),
    progress,
  };
}

/** The trial's own, and as everywhere, where a name in capitals is not among them, the environment's. */
export function credentialOf({ credentials = {} }: Trial): (name: string) => Promise<string> {
  return async (name) => {
    const value = credentials[name] ?? (/^[A-Z][A-Z0-9_]*$/.test(name) ? process.env[name] : undefined);
    if (value !== undefined) return value;
    throw new ParaphError(
      "adapter-invalid",
      `The adapter asks for \`${name}\`: add it to the trial's \`credentials\`.`,
    );
  };
}

function fitted(capability: Capability, raw: unknown): Done<unknown> {
  const parsed = capability.parseOutput(raw);
  return parsed.kind === "valid" ? { value: parsed.value } : { value: raw, unfit: parsed.faults };
}
