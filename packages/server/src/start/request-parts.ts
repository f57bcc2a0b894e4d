import { admit, type Call, type CallRequest, previewOnly, type Wake } from "@paraph/core";
import type { ChannelsDeps, HandleContext } from "../channels/index.ts";
import { createIntentModel } from "../intents/intent-model.ts";
import { createAllowedCapabilities } from "../policy/allowed-capabilities.ts";
import { createPushDeviceStore, createSlackStore } from "../postgres/index.ts";
import { createBudgetKeeper } from "../services/budgets.ts";
import { undoCall } from "../services/call-actions.ts";
import { createIntentService } from "../services/intents.ts";
import { deploymentTenant } from "../system/credentials.ts";
import type { ProcessParts } from "./open-parts.ts";
import type { ParaphOptions } from "./paraph-options.ts";

/** Creates what channels and the API use to understand words and to request calls. */
export function createRequestParts({ config, folder, log }: ParaphOptions, parts: ProcessParts) {
  const { ports, clock, watch, send, database, notices, replies, messageStore, mailRequests } = parts;
  const budgets = createBudgetKeeper(config.budgets, clock.now);
  const { model } = config.intents ?? {};
  const announceChange = async (call: Call, wakes: readonly Wake[]) => {
    watch.notify(call);
    await send(wakes);
  };
  const place = async (request: CallRequest) => {
    const admission = await budgets.admit(request.principal, () => admit(request, ports));
    await announceChange(admission.call, admission.wakes);
    return admission;
  };
  const requestCall = async (request: CallRequest) => (await place(request)).call;
  const previewCall = (request: CallRequest) =>
    budgets.admit(request.principal, () => previewOnly(request, ports));
  const intents = createIntentService({
    ports,
    listAllowed: createAllowedCapabilities(ports),
    previewCall,
    requestCall,
    model: model && createIntentModel(model, (cause) => log("warn", "intent-model-failed", { cause })),
  });
  const channelContext: Omit<HandleContext, "url"> & Pick<ChannelsDeps, "previewCall"> = {
    ports,
    notices,
    replies,
    messageStore,
    mailRequests,
    intents,
    requestCall,
    previewCall,
    undoCall: async (call, principal) =>
      (await undoCall(call, { principal }, { ports, requestCall: place })).call,
    announceChange,
    credential: (name) => ports.credentials.resolve(deploymentTenant, name),
    folder,
    devices: createPushDeviceStore(database.app),
    slack: createSlackStore(database),
    log: (code, about) => log("warn", code, about ?? {}),
  };
  return { budgets, intents, channelContext };
}

/** The parts that `createRequestParts` creates. */
export type RequestParts = ReturnType<typeof createRequestParts>;
