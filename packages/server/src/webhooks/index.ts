export { computeRetryDelay } from "./deliver-events.ts";
export { pause, startWebhookDelivery } from "./delivery-loop.ts";
export { createEndpoints, type WebhookConfig, webhookSchema } from "./endpoint.ts";
export type { Outbox } from "./outbox.ts";
export { createSender } from "./send.ts";
export { isSignedMessage } from "./signature.ts";
