import {
  type Capability,
  type Health,
  type ObservationPage,
  type OpenAdapter,
  ParaphError,
} from "@paraph/core";
import { loadTrial } from "../load-trial.ts";
import type { Ground, Trial } from "../trial.ts";
import { attempted, credentialOf, parsedInput } from "./attempted.ts";
import { closed } from "./closed.ts";
import { observed } from "./observed.ts";
import type { Ending, Offer, Opened, Order } from "./order.ts";
import { suddenDeath } from "./sudden-death.ts";
import { weighed } from "./weighed.ts";

/** An adapter at work in this process. */
export interface Stage {
  carryOut(order: Exclude<Order, { kind: "open" }>): Promise<Ending>;
}

type Opening = Extract<Order, { kind: "open" }>;

export async function openStage(
  order: Opening,
  atStart: readonly string[],
): Promise<{ stage: Stage | undefined; ending: Ending<Opened> }> {
  let stage: Stage | undefined;
  const ending = await observed(async () => {
    const trial = await loadTrial(order.trial);
    const adapter = await opened(trial, order.ground);
    const capabilities = await adapter.capabilities();
    stage = stageOf(trial, adapter, capabilities, atStart);
    return { value: { offers: capabilities.map(offerOf), perceives: adapter.observe !== undefined } };
  });
  return { stage, ending };
}

async function opened(trial: Trial, ground: Ground): Promise<OpenAdapter> {
  const adapter = typeof trial.adapter === "function" ? trial.adapter(ground) : trial.adapter;
  return adapter.open({
    name: trial.name,
    folder: ground.folder,
    signal: AbortSignal.timeout(openingMs),
    credential: credentialOf(trial),
    announceChange: () => {},
  });
}

const openingMs = 10_000;

function offerOf({ contract, contractDigest, undo }: Capability): Offer {
  return { contract, digest: contractDigest, undoes: undo !== undefined };
}

function stageOf(
  trial: Trial,
  adapter: OpenAdapter,
  capabilities: readonly Capability[],
  atStart: readonly string[],
): Stage {
  const named = (name: string): Capability => {
    const found = capabilities.find(({ contract }) => contract.name === name);
    if (!found) throw new ParaphError("capability-unknown", `The adapter does not offer \`${name}\`.`);
    return found;
  };
  const carryOut: Stage["carryOut"] = (order) =>
    observed(async (say) => {
      switch (order.kind) {
        case "preview":
        case "apply":
        case "probe":
          return attempted(order.kind, named(order.capability), order, trial, say);
        case "die": {
          const begin = order.afterMs === undefined ? undefined : await suddenDeath(order.afterMs);
          return attempted("apply", named(order.capability), order, trial, say, begin);
        }
        case "undo": {
          const capability = named(order.capability);
          return { value: capability.undo?.(parsedInput(capability, order.input), order.output) ?? null };
        }
        case "large":
          return { value: await weighed(trial.cases[order.case]!, order, named, trial) };
        case "health":
          return { value: await healthOf(adapter) };
        case "perceive":
          return { value: await perceived(adapter, order.cursor, trial) };
        case "close":
          return { value: await closed(adapter, atStart) };
      }
    });
  return { carryOut };
}

async function healthOf(adapter: OpenAdapter): Promise<Health> {
  return (await adapter.health?.(AbortSignal.timeout(5_000))) ?? { kind: "well" };
}

async function perceived(
  adapter: OpenAdapter,
  cursor: string | undefined,
  trial: Trial,
): Promise<ObservationPage> {
  const signal = AbortSignal.timeout(10_000);
  return adapter.observe!(cursor, { tenant: "trial", signal, credential: credentialOf(trial) });
}
