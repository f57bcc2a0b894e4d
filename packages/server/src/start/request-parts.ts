import { admit, type Call, previewOnly, type Wake } from "@paraph/core";
import type { HandleContext } from "../channels/index.ts";
import { createIntentModel } from "../intents/intent-model.ts";
import { createAllowedCapabilities } from "../policy/allowed-capabilities.ts";
import { createPushDeviceStore, createSlackStore } from "../postgres/index.ts";
import { createBudgetKeeper } from "../services/budgets.ts";
import { createIntentService } from "../services/intents.ts";
import { deploymentTenant } from "../system/credentials.ts";
import type { ProcessParts } from "./open-parts.ts";
import type { ParaphOptions } from "./paraph-options.ts";

/** Creates what channels and the API use to understand words and to request calls. */
export function createRequestParts({ config, log }: ParaphOptions, parts: ProcessParts) {
  const { ports, clock, watch, send, database, notices, replies, messageStore, mailRequests } = parts;
  const budgets = createBudgetKeeper(config.budgets, clock.now);
  const { model } = config.intents ?? {};
  const intents = createIntentService({
    ports,
    listAllowed: createAllowedCapabilities(ports),
    previewCall: (request) => budgets.admit(request.principal, () => previewOnly(request, ports)),
    model: model && createIntentModel(model, (cause) => log("warn", "intent-model-failed", { cause })),
  });
  const announceChange = async (call: Call, wakes: readonly Wake[]) => {
    watch.notify(call);
    await send(wakes);
  };
  const channelContext: Omit<HandleContext, "url"> = {
    ports,
    notices,
    replies,
    messageStore,
    mailRequests,
    intents,
    requestCall: async (request) => {
      const { call, wakes } = await budgets.admit(request.principal, () => admit(request, ports));
      await announceChange(call, wakes);
      return call;
    },
    announceChange,
    credential: (name) => ports.credentials.resolve(deploymentTenant, name),
    devices: createPushDeviceStore(database.app),
    slack: createSlackStore(database),
    log: (code, about) => log("warn", code, about ?? {}),
  };
  return { budgets, intents, channelContext };
}

/** The parts that `createRequestParts` creates. */
export type RequestParts = ReturnType<typeof createRequestParts>;
