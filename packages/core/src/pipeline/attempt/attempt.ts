import { type Call, callInput } from "../../call.ts";
import type { Capability, ExecutionContext, Preview, Progress } from "../../capability/capability.ts";
import { parseChanges } from "../../capability/change-schema.ts";
import { deadlineFault, type Fault, timeoutFault, toAttemptFault, toFault } from "../../capability/fault.ts";
import { lastEvent } from "../../event.ts";
import type { Json } from "../../json.ts";
import { checkResult, type Verdict } from "../../policy/check.ts";
import type { Clock, Ports } from "../../ports.ts";
import { canonical } from "../../receipts/digest.ts";
import { agreeingVotes } from "../round.ts";

/** [P9] The result of a capability's code: a value or a fault. Every error of that code becomes a fault. */
export type Result<T> =
  | { readonly kind: "value"; readonly value: T }
  | { readonly kind: "fault"; readonly fault: Fault };

/**
 * The maximum size of an output. Paraph withholds a larger output, because it does not fit into a payload. The effect
 * has still happened.
 */
const maxOutputBytes = 4 * 1024 * 1024;

/** The validated result of an attempt that succeeded. */
export interface AppliedResult {
  readonly output: Json | undefined;
  /** Any code but `done` means that the effect happened although the output is not what the contract promises. */
  readonly code: "done" | "output-invalid" | "output-too-large" | "contract-changed";
}

/**
 * [P15] Runs one attempt until its deadline. The intent fixes the deadline, no matter when this function starts. A
 * process that was paused after the intent must not act once other processes consider the attempt lost.
 */
export async function apply(
  call: Call,
  capability: Capability,
  { basis, attempt, deadline }: { basis: Json | undefined; attempt: number; deadline: number },
  ports: Ports,
): Promise<Result<AppliedResult>> {
  const about = {
    "gen_ai.operation.name": "execute_tool",
    "gen_ai.tool.name": call.capability,
    "gen_ai.tool.call.id": call.call,
    "paraph.attempt": attempt,
  };
  const started = ports.clock.now();
  if (started >= deadline) return { kind: "fault", fault: deadlineFault };
  const result = await ports.telemetry.span(`execute_tool ${call.capability}`, about, () =>
    runGuarded(
      ports.clock,
      deadline - started,
      (signal) =>
        capability.apply(callInput(call), {
          ...createContext(call, { attempt, basis, signal }, ports),
          progress: (progress) => ports.progress?.(call, attempt, redactProgress(capability, progress)),
        }),
      (error) => toAttemptFault(error, capability.contract),
    ),
  );
  ports.telemetry.measure("executor.execution_request.apply.seconds", (ports.clock.now() - started) / 1_000, {
    capability: call.capability,
  });
  ports.telemetry.measure("paraph.call.attempts", 1, { capability: call.capability, result: result.kind });
  return result.kind === "fault" ? result : { kind: "value", value: checkOutput(capability, result.value) };
}

/** Previews a call within `patienceMs`. The value is undefined if the capability has no preview. */
export async function preview(
  call: Call,
  capability: Capability,
  patienceMs: number,
  ports: Ports,
): Promise<Result<Preview | undefined>> {
  const run = capability.preview;
  if (!run) return { kind: "value", value: undefined };
  const started = ports.clock.now();
  const result = await ports.telemetry.span(
    "executor.preview",
    { capability: call.capability, "paraph.call": call.call },
    () =>
      runGuarded(ports.clock, patienceMs, async (signal) => {
        const { changes, basis } = await run(
          callInput(call),
          createContext(call, { attempt: 0, basis: undefined, signal }, ports),
        );
        // One pass through JSON makes sure that the shown, stored, digested and compared values are the same.
        return JSON.parse(canonical({ changes: parseChanges(changes), basis } as unknown as Json)) as Preview;
      }),
  );
  const seconds = (ports.clock.now() - started) / 1_000;
  ports.telemetry.measure("executor.preview.count", 1, { capability: call.capability });
  ports.telemetry.measure("executor.preview.seconds", seconds, { capability: call.capability });
  ports.telemetry.measure("executor.execution_request.preview.seconds", seconds, {
    capability: call.capability,
  });
  if (result.kind === "fault")
    ports.telemetry.measure("executor.preview.failures", 1, {
      capability: call.capability,
      code: result.fault.code,
    });
  return result;
}

/** Asks the external system whether an earlier attempt had its effect. */
export async function probe(
  call: Call,
  capability: Capability,
  basis: Json | undefined,
  attempt: number,
  ports: Ports,
) {
  return runGuarded(ports.clock, capability.contract.timeoutMs, async (signal) => {
    const found = await capability.probe?.(
      callInput(call),
      createContext(call, { attempt, basis, signal }, ports),
    );
    return found ?? { kind: "unsure" as const };
  });
}

/**
 * Runs a check for a call. The check has its own contract and timeout, but it is no call of its own, and Paraph keeps
 * only its result.
 */
export async function runCheckCapability(
  call: Call,
  check: Capability,
  about: Json,
  ports: Ports,
): Promise<Result<Verdict>> {
  return ports.telemetry.span(
    "paraph.check",
    { capability: check.contract.name, "paraph.call": call.call },
    () =>
      runGuarded(ports.clock, check.contract.timeoutMs, async (signal) => {
        const input = check.parseInput(about);
        if (input.kind === "invalid") throw new Error("the capability does not accept the input of a check");
        const raw = await check.apply(
          input.value,
          createContext(call, { attempt: 1, basis: undefined, signal }, ports),
        );
        const output = check.parseOutput(raw);
        // [P11] Any read capability can be named as a check, so its own contract does not make its output a verdict.
        const verdict = checkResult.safeParse(output.kind === "valid" ? output.value : undefined);
        if (!verdict.success) throw new Error("the capability did not return a check result");
        return JSON.parse(canonical(verdict.data as unknown as Json)) as Verdict;
      }),
  );
}

function createContext(
  call: Call,
  given: Pick<ExecutionContext, "attempt" | "basis" | "signal">,
  ports: Ports,
): ExecutionContext {
  return {
    tenant: call.tenant,
    principal: call.principal,
    approvers: listApprovers(call),
    call: call.call,
    key: call.call,
    ...given,
    ...(call.payloads.answer && { answer: call.payloads.answer.value }),
    credential: (name) => ports.credentials.resolve(call.tenant, name),
    // Ignores progress by default, because previews, probes and checks end before a person could follow them. Only an
    // attempt reports progress.
    progress: () => {},
  };
}

/**
 * [TRUST 16] Drops the output from progress if the contract has sensitive fields, because streamed output cannot be
 * redacted field by field.
 */
function redactProgress({ contract }: Capability, { output, ...said }: Progress = {}): Progress {
  return output === undefined || contract.sensitive.length > 0 ? said : { ...said, output };
}

function listApprovers(call: Call): ExecutionContext["approvers"] {
  const { approval, events } = call;
  const covered = lastEvent(events, "approval-inherited")?.data.votes;
  const votes =
    approval?.status === "approved" ? agreeingVotes(call, approval) : approval ? [] : (covered ?? []);
  const yes = votes.filter(({ decision }) => decision === "approve");
  return yes.map(({ by, groups = [] }) => ({ by, groups }));
}

/** [P15] Runs code until its deadline. Paraph never waits for code that ignores the signal. */
async function runGuarded<T>(
  clock: Clock,
  ms: number,
  body: (signal: AbortSignal) => Promise<T>,
  read: (error: unknown) => Fault = toFault,
): Promise<Result<T>> {
  const { signal, clear } = clock.deadline(ms);
  const late = new Promise<Result<T>>((resolve) => {
    signal.addEventListener("abort", () => resolve({ kind: "fault", fault: timeoutFault }), { once: true });
  });
  const run = (async (): Promise<Result<T>> => {
    try {
      return { kind: "value", value: await body(signal) };
    } catch (error) {
      // An error after the abort is a result of the deadline, whatever the capability throws.
      return { kind: "fault", fault: signal.aborted ? timeoutFault : read(error) };
    }
  })();
  const result = await Promise.race([run, late]);
  clear();
  return result;
}

/** [P9] Returns the output if it fits the contract, and withholds it otherwise. */
export function checkOutput(capability: Capability, raw: unknown): AppliedResult {
  try {
    const parsed = capability.parseOutput(raw);
    if (parsed.kind === "invalid") return { output: undefined, code: "output-invalid" };
    if (canonical(parsed.value).length > maxOutputBytes)
      return { output: undefined, code: "output-too-large" };
    return { output: parsed.value, code: "done" };
  } catch {
    return { output: undefined, code: "output-invalid" };
  }
}
