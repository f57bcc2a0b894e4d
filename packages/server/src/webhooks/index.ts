export { startDelivering } from "./deliverer.ts";
export { endpointsFrom, type WebhookConfig, webhookSchema } from "./endpoint.ts";
export type { Outbox } from "./outbox.ts";
